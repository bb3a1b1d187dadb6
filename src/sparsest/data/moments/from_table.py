"""The moments of a table, complete or not, as Gaussian models need them.

Missing values (`missing=`):

========  ==========================================================================================
error     are refused.
drop      Rows that have some are left out; n is the number of rows that remain.
pairwise  Each correlation comes from the rows in which both columns are known, each variance from all known
          values. Such a matrix need not be positive definite. If it is not, then eigenvalues of the
          correlation matrix below 0.01 are raised to that, its diagonal is scaled back to 1, and a warning
          says so. n is the harmonic mean, over the pairs, of their numbers of rows.
auto      "em" up to 100 columns, otherwise "pairwise".
em        The mean and covariance of greatest likelihood given all known values (`em.py`). n is as
          for "pairwise": incomplete rows carry less information than complete ones.
========  ==========================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sparsest._core.correlation import correlation_of
from sparsest._core.errors import DataError
from sparsest._core.words import quoted
from sparsest.data.columns.constant import constant_error
from sparsest.data.columns.table import Table
from sparsest.data.moments.checked import require_rows, require_squares
from sparsest.data.moments.em import gaussian_em
from sparsest.data.moments.moments import Moments
from sparsest.data.moments.running import RunningPairs, pass_over

EM_COLUMNS = 100  #: up to here missing="auto" is EM, which takes seconds there
_ROUNDING = 1e-10
_SMALLEST_EIGENVALUE = 1e-2


@dataclass(frozen=True)
class TableMoments:
    """Moments, the table behind them where it is in memory, and what computing them had to say.

    `notices` includes those of the table.
    """

    moments: Moments
    table: Table | None
    notices: tuple[str, ...] = ()


def table_moments(table: Table, missing: str) -> TableMoments:
    """The moments of a table in memory.

    Parameters
    ----------
    table : Table
        The table, with NaN where a value is missing.
    missing : {"auto", "error", "drop", "pairwise", "em"}
        How missing values are treated; the head of this file explains it. Rows with missing values that are
        to be refused or dropped are so when the table is read.

    Returns
    -------
    TableMoments
        `notices` are those of the table, followed by those about missing values.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.data import read_table, table_moments
    >>> table = read_table([[0.0, 1.0], [2.0, 3.5], [4.0, np.nan], [6.0, 7.5]], missing="keep")
    >>> found = table_moments(table, "pairwise")
    >>> found.notices
    ('1 of 8 values (12.5%) are missing: the answer counts as one from 3 complete rows',)
    """
    values = table.values
    if missing not in ("auto", "pairwise", "em") or not np.isnan(values).any():
        return TableMoments(Moments.from_array(values, table.names, table.weights), table, table.notices)
    found = _incomplete(table, missing)
    return replace(found, table=table, notices=table.notices + found.notices)


def _incomplete(table: Table, missing: str) -> TableMoments:
    values, weights = table.values, table.weights
    require_squares(values, table.names)
    if weights is not None:
        weights = weights / weights.max()
    pairs = RunningPairs(_first_known(values, table.names))
    pass_over(pairs, values, weights)
    if missing == "pairwise" or (missing == "auto" and len(table.names) > EM_COLUMNS):
        return pairwise_moments(pairs, table.names)
    mean, covariance = gaussian_em(values, weights)
    n = _pairs_n(pairs, table.names)
    return TableMoments(Moments(covariance, n, mean, table.names), None, _missing_notice(pairs, n))


def rows_that_count(table: Table) -> float:
    """The number of complete rows that a table with gaps counts as: the harmonic mean over the pairs."""
    weights = None if table.weights is None else table.weights / table.weights.max()
    pairs = RunningPairs(_first_known(table.values, table.names))
    pass_over(pairs, table.values, weights)
    return _pairs_n(pairs, table.names)


def pairwise_moments(pairs: RunningPairs, names: tuple[str, ...]) -> TableMoments:
    """Moments from correlations of pairs, made positive definite."""
    n = _pairs_n(pairs, names)
    constant = {int(j): float(pairs.mean[j]) for j in np.flatnonzero(pairs.variances == 0)}
    if constant:
        raise constant_error(constant, names)
    scales = np.sqrt(pairs.variances)
    correlation, changed = _positive_definite(pairs.correlation)
    moments = Moments(correlation * np.outer(scales, scales), n, pairs.mean, names)
    return TableMoments(moments, None, _missing_notice(pairs, n) + changed)


def _pairs_n(pairs: RunningPairs, names: tuple[str, ...]) -> float:
    """The number of rows that counts; refuses a pair of columns that is hardly ever known together."""
    rows = pairs.effective_rows
    i, j = divmod(int(np.argmin(rows)), len(names))
    if rows[i, j] < 2:
        where = f"columns {names[i]!r} and {names[j]!r} are" if i != j else f"column {names[i]!r} is"
        raise DataError(
            f"{where} known{' together' if i != j else ''} in only {rows[i, j]:.3g} rows: leave out a column "
            "with so many missing values"
        )
    return require_rows(float(rows.size / (1 / rows).sum()))


def _missing_notice(pairs: RunningPairs, n: float) -> tuple[str, ...]:
    if not pairs.missing:
        return ()
    values = pairs.rows * len(pairs.shift)
    return (
        f"{pairs.missing} of {values} values ({pairs.missing / values:.1%}) are missing: the answer counts "
        f"as one from {n:.0f} complete rows",
    )


def _positive_definite(
    correlation: NDArray[np.float64],
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """The correlation matrix, made positive definite if it is not, and the notice that it was."""
    eigenvalues, vectors = np.linalg.eigh(correlation)
    if eigenvalues[0] > _ROUNDING:
        return correlation, ()
    raised = (vectors * np.maximum(eigenvalues, _SMALLEST_EIGENVALUE)) @ vectors.T
    notice = (
        f"the pairwise correlations contradict each other (smallest eigenvalue {eigenvalues[0]:.2g}) and "
        "were changed to fit together: missing='em' uses the data better"
    )
    return correlation_of((raised + raised.T) / 2), (notice,)


def _first_known(values: NDArray[np.float64], names: tuple[str, ...]) -> NDArray[np.float64]:
    """A value near the data for each column, so that a large mean costs no digits."""
    known = ~np.isnan(values)
    first = known.argmax(axis=0)
    empty = [names[j] for j in np.flatnonzero(~known.any(axis=0))]
    if empty:
        raise DataError(f"column {quoted(empty)} has no values at all: leave it out with columns=[...]")
    return np.asarray(values[first, np.arange(len(names))])
