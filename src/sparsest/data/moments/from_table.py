"""From whatever the user has to the moments that Gaussian models need of it.

Missing values (`missing=`):

========  ==========================================================================================
error     are refused.
drop      Rows that have some are left out; n is the number of rows that remain.
pairwise  Each correlation comes from the rows in which both columns are known, each variance from all known
          values. Such a matrix need not be positive definite. If it is not, then eigenvalues of the
          correlation matrix below 0.01 are raised to that, its diagonal is scaled back to 1, and a warning
          says so. n is the harmonic mean, over the pairs, of their numbers of rows.
em        The mean and covariance of greatest likelihood given all known values (`em.py` beside). n is as
          for "pairwise": the rows with gaps say less than complete ones.
========  ==========================================================================================
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError, OptionError
from sparsest._core.progress import Watch
from sparsest._core.words import quoted
from sparsest.data.moments.em import gaussian_em
from sparsest.data.moments.moments import Moments, require_rows
from sparsest.data.moments.running import RunningPairs
from sparsest.data.read.constant import constant_error
from sparsest.data.read.options import TableOptions
from sparsest.data.read.table import Table, checked_table, raw_table

_ROUNDING = 1e-10
_SMALLEST_EIGENVALUE = 1e-2


def gaussian_moments(data: Any, options: TableOptions, notices: list[str], watch: Watch) -> Moments:
    """The moments of a table, or of a file that is streamed if it is large."""
    return gaussian_source(data, options, notices, watch)[0]


def gaussian_source(
    data: Any, options: TableOptions, notices: list[str], watch: Watch
) -> tuple[Moments, Table | None]:
    """The moments, and the table behind them where it was held in memory."""
    if isinstance(data, Moments):
        given = options.given()
        if given:
            raise OptionError(f"{' and '.join(given)} apply to tables: select from the covariance instead")
        return data, None
    if options.missing == "keep":
        raise OptionError("missing must be one of 'error', 'drop', 'pairwise', 'em', not 'keep'")
    if isinstance(data, str | os.PathLike):
        from sparsest.data.read.streaming import stream, worth_streaming

        if worth_streaming(data, options):
            return stream(data, options, notices, watch), None
    table = checked_table(data, options, notices)
    return table_moments(table, options.missing, notices), table


def peek(data: Any, options: TableOptions) -> Table | None:
    """The first rows of a file that would be streamed: their kinds stand for the whole. Else None."""
    if not isinstance(data, str | os.PathLike):
        return None
    from sparsest.data.read.streaming import first_rows, worth_streaming

    if not worth_streaming(data, options):
        return None
    return raw_table(first_rows(data, options), TableOptions(options.columns), [], numbers_only=False)


def table_moments(table: Table, missing: str, notices: list[str]) -> Moments:
    """The moments of a table in memory."""
    values, weights = table.values, table.weights
    if missing not in ("pairwise", "em") or not np.isnan(values).any():
        return Moments.from_array(values, table.names, weights)
    if weights is not None:
        weights = weights / weights.max()
    pairs = RunningPairs(_first_known(values, table.names))
    rows = max(256, 2**20 // values.shape[1])
    for start in range(0, len(values), rows):
        part = slice(start, start + rows)
        pairs.add(values[part], None if weights is None else weights[part])
    if missing == "pairwise":
        return pairwise_moments(pairs, table.names, notices)
    mean, covariance = gaussian_em(values, weights)
    return Moments(covariance, _pairs_n(pairs, table.names, notices), mean, table.names)


def pairwise_moments(pairs: RunningPairs, names: tuple[str, ...], notices: list[str]) -> Moments:
    """Moments from correlations of pairs, made positive definite."""
    n = _pairs_n(pairs, names, notices)
    constant = {int(j): float(pairs.mean[j]) for j in np.flatnonzero(pairs.variances == 0)}
    if constant:
        raise constant_error(constant, names)
    scales = np.sqrt(pairs.variances)
    correlation = _positive_definite(pairs.correlation, notices)
    return Moments(correlation * np.outer(scales, scales), n, pairs.mean, names)


def _pairs_n(pairs: RunningPairs, names: tuple[str, ...], notices: list[str]) -> float:
    """The number of rows that counts, with a notice of how much is missing."""
    rows = pairs.effective_rows
    i, j = divmod(int(np.argmin(rows)), len(names))
    if rows[i, j] < 2:
        where = f"columns {names[i]!r} and {names[j]!r} are" if i != j else f"column {names[i]!r} is"
        raise DataError(
            f"{where} known{' together' if i != j else ''} in only {rows[i, j]:.3g} rows: leave out a column "
            "with so many missing values"
        )
    n = require_rows(float(rows.size / (1 / rows).sum()))
    if not pairs.missing:
        return n
    share = pairs.missing / (pairs.rows * len(names))
    notices.append(
        f"{pairs.missing} of {pairs.rows * len(names)} values ({share:.1%}) are missing: the answer counts "
        f"as one from {n:.0f} complete rows"
    )
    return n


def _positive_definite(correlation: NDArray[np.float64], notices: list[str]) -> NDArray[np.float64]:
    eigenvalues, vectors = np.linalg.eigh(correlation)
    if eigenvalues[0] > _ROUNDING:
        return correlation
    notices.append(
        f"the pairwise correlations contradict each other (smallest eigenvalue {eigenvalues[0]:.2g}) and "
        "were changed to fit together: missing='em' uses the data better"
    )
    raised = (vectors * np.maximum(eigenvalues, _SMALLEST_EIGENVALUE)) @ vectors.T
    scales = np.sqrt(np.diag(raised))
    return np.asarray((raised + raised.T) / (2 * np.outer(scales, scales)))


def _first_known(values: NDArray[np.float64], names: tuple[str, ...]) -> NDArray[np.float64]:
    """A value near the data for each column, so that a large mean costs no digits."""
    known = ~np.isnan(values)
    first = known.argmax(axis=0)
    empty = [names[j] for j in np.flatnonzero(~known.any(axis=0))]
    if empty:
        raise DataError(f"column {quoted(empty)} has no values at all: leave it out with columns=[...]")
    return np.asarray(values[first, np.arange(len(names))])
