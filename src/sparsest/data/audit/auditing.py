"""From a table, a file or moments to an `Audit`: which checks are made, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.arithmetic import usual_arithmetic
from sparsest._core.notices import tell
from sparsest._core.progress import Watch
from sparsest.data.audit.by_column import ColumnChecks, check_columns
from sparsest.data.audit.by_name import check_roots
from sparsest.data.audit.by_row import check_order, check_outliers, check_repeats
from sparsest.data.audit.dependence import check_moments, check_size
from sparsest.data.audit.findings import Audit, Describer, Finding
from sparsest.data.audit.gaps import check_missing
from sparsest.data.audit.groups import check_groups
from sparsest.data.audit.profile import Array, Flags, Profile, profile
from sparsest.data.audit.raw import Raw, raw_of_array, raw_of_sheet
from sparsest.data.columns.table import Table
from sparsest.data.moments.moments import Moments
from sparsest.data.read.options import TableOptions
from sparsest.data.read.selecting import account_of
from sparsest.data.read.source import Source

_QUICK = 2_000_000  # numbers: `fit` audits no more than these, in some hundredths of a second
_RUN = 64  # consecutive rows


@usual_arithmetic
def audit(
    data: Any,
    *,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    kinds: Mapping[str, str | Sequence[str]] | None = None,
    na: Any = None,
    transpose: bool = False,
    separator: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
) -> Audit:
    """What to know about a table before learning a graph from it.

    Parameters
    ----------
    data : array, data frame, path or Moments
        What `fit` takes. Of a very large file only the first rows are examined, of `Moments` only what the
        covariance shows. Text, dates and missing values are described, not refused.
    columns : list of str, optional
        The columns to examine. Default: all. Wildcards such as "gene*" stand for all that they match.
    exclude : list of str, optional
        Columns to leave out, also with wildcards.
    kinds : dict, optional
        What columns are, where the guess is wrong, as in `fit`: `{"age": "count"}`.
    na : str, number, list or dict, optional
        Marks that stand for a missing value, as in `fit`.
    transpose : bool, default False
        Whether the variables are in rows and the observations in columns.
    separator, decimal, thousands : str, optional
        The marks in a text file: between columns, before decimals and between thousands. Detected
        automatically where they are unambiguous.

    Returns
    -------
    Audit
        Print it, or loop over its `findings`.

    Raises
    ------
    DataError
        If there is no table to examine: no such file, or too few rows or columns.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> x = np.random.default_rng(0).normal(size=(100, 2))
    >>> audit = sp.audit(np.column_stack([x, x[:, 0] + x[:, 1]]))
    >>> [(finding.check, finding.severity) for finding in audit.findings]
    [('collinear', 'serious')]
    >>> print(audit)
    3 columns, 100 rows: 1 serious, 0 to be careful about, 0 for information
    <BLANKLINE>
    serious
      * columns 'x0', 'x1', 'x2' are linearly dependent (up to rounding and a constant: 'x2' = 1 x 'x0'
        + 1 x 'x1'), so edges among them are arbitrary.
        -> Leave out one of them.
    <BLANKLINE>
    columns
      x0  continuous (numbers with fractions)
      x1  continuous (numbers with fractions)
      x2  continuous (numbers with fractions)
    """
    options = TableOptions(
        columns, kinds, transpose=transpose, separator=separator, decimal=decimal, thousands=thousands,
        exclude=exclude, na=na, strict=False,
    )  # fmt: skip
    source = Source(data, options, Watch())
    if source.given is not None:
        return audit_moments(source.given)
    head = source.head_sheet
    sheet = source.sheet if head is None else head
    tell(sheet.notices)
    account = account_of(sheet, options)
    raw = raw_of_sheet(sheet, options)
    facts = profile(raw.values)
    checks = check_columns(raw, facts)
    findings = (
        *(_first_rows_only(raw) if head is not None else ()),
        *checks.findings,
        *check_missing(raw, facts),
        *_relations(raw, facts, checks.varying),
        *_check_rows(raw, facts, checks, np.arange(raw.n)),
        *check_roots(raw.names),
    )
    return Audit.of(findings, raw.n, len(raw.names), account)


def _first_rows_only(raw: Raw) -> Iterator[Finding]:
    yield raw.about.finding(
        "sample", "info", (), f"the file is large: this is about its first {raw.n} rows alone",
        "fit checks the covariance of all; look at rows from its end, too",
    )  # fmt: skip


def _relations(raw: Raw, facts: Profile, varying: Flags) -> Iterator[Finding]:
    """How the columns depend on one another, where there are complete rows enough to compare them."""
    values, names = _complete(raw, facts, varying)
    if names and len(values) >= 3:
        yield from check_moments(Moments.from_array(values, names))
    elif varying.any():
        yield raw.about.finding(
            "missing", "info", (), "hardly a row is complete, so the columns were not compared",
            "leave out the columns with most gaps and audit again",
        )  # fmt: skip


def _complete(raw: Raw, facts: Profile, varying: Flags) -> tuple[Array, list[str]]:
    """The complete rows of the varying columns, without those columns that do not vary in these rows."""
    names = [raw.names[int(j)] for j in raw.numeric[varying]]
    values = raw.values if varying.all() else raw.values[:, varying]
    if (facts.finite[varying] == raw.n).all():
        return values, names
    values = values[np.isfinite(values).all(axis=1)]
    still = values.min(axis=0, initial=np.inf) < values.max(axis=0, initial=-np.inf)
    return values[:, still], [name for name, varies in zip(names, still, strict=True) if varies]


def audit_of(table: Table | None, moments: Moments | None) -> Audit:
    """What `fit` knows of its data: a table that was read already, moments, or both.

    Moments are those of the Gaussian model; without them what concerns this model alone is not checked.
    """
    if table is not None:
        return audit_table(table, moments)
    if moments is None:
        raise TypeError("an audit needs a table or moments")
    return audit_moments(moments)


def audit_moments(moments: Moments) -> Audit:
    """What the mean and covariance alone show."""
    constant = np.flatnonzero(np.diag(moments.covariance) == 0)
    findings = check_moments(moments) if not constant.size else _no_variance(moments, constant)
    return Audit.of(findings, None if np.isinf(moments.n) else moments.n, moments.p)


def _no_variance(moments: Moments, constant: NDArray[np.intp]) -> Iterator[Finding]:
    about = Describer(moments.names)
    yield about.finding(
        "constant", "serious", constant, f"{about.listed(constant)} with variance 0: constant",
        "what does not vary has no place in a graph: leave it out",
    )  # fmt: skip


def audit_table(table: Table, moments: Moments | None) -> Audit:
    """What a table shows that was read already: nothing infinite or constant.

    Moments are those of the Gaussian model; without them what concerns this model alone is not checked. Of a
    large table only as many rows are looked at as can be read quickly: it is `fit` that asks.
    """
    rows = _some_rows(*table.values.shape)
    values = table.values if len(rows) == len(table.values) else table.values[rows]
    raw = raw_of_array(values, table.names, dict(enumerate(table.kinds)))
    facts = profile(raw.values)
    columns = check_columns(raw, facts)
    # What does not vary in these rows does in others, and other models know what kinds are.
    skipped = {"constant", "empty"} | ({"kinds"} if moments is None else set())
    findings = (
        *(check_size(*table.values.shape) if moments is None else check_moments(moments)),
        *(each for each in columns.findings if each.check not in skipped),
        *check_missing(raw, facts),
        *_check_rows(raw, facts, columns, rows),
        *check_roots(raw.names),
    )
    return Audit.of(findings, len(table.values), len(raw.names))


def _some_rows(n: int, p: int) -> NDArray[np.intp]:
    """All rows, or of a large table some, in evenly spaced runs of consecutive rows."""
    runs = max(2, _QUICK // (_RUN * p))
    if n * p <= _QUICK or runs * _RUN >= n:
        return np.arange(n)
    starts = np.linspace(0, n - _RUN, runs).astype(np.intp)
    return (starts[:, None] + np.arange(_RUN)).reshape(-1)


def _check_rows(raw: Raw, facts: Profile, columns: ColumnChecks, rows: NDArray[np.intp]) -> Iterator[Finding]:
    """The checks of rows; `rows` are their numbers in the whole table."""
    if columns.varying.any():
        values, own, about = _only(raw, facts, columns.varying)
        yield from check_outliers(values, own, rows, about)
        yield from check_repeats(values, own, about)
    if columns.measured.any():
        values, own, about = _only(raw, facts, columns.measured)
        yield from check_order(len(values), own, about)
    yield from check_groups(raw, facts, np.flatnonzero(columns.measured))


def _only(raw: Raw, facts: Profile, chosen: Flags) -> tuple[Array, Profile, Describer]:
    """Some of the numeric columns, their profile and their names."""
    values = raw.values if chosen.all() else raw.values[:, chosen]
    return values, facts.only(chosen), Describer([raw.names[int(j)] for j in raw.numeric[chosen]])
