"""The audit: what a careful analyst would look at in a table before learning from it, in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.notices import tell
from sparsest._core.progress import Watch
from sparsest.data.audit.by_column import check_columns, check_missing
from sparsest.data.audit.by_row import check_order, check_outliers, check_repeats
from sparsest.data.audit.dependence import check_moments, check_size, parent_limit
from sparsest.data.audit.findings import Audit, Finding, Found, Severity
from sparsest.data.audit.groups import check_groups
from sparsest.data.audit.profile import Array, Flags, Profile, profile
from sparsest.data.audit.raw import Raw, raw_of_array, raw_of_sheet
from sparsest.data.columns.table import Table
from sparsest.data.moments.moments import Moments
from sparsest.data.read.options import TableOptions
from sparsest.data.read.source import Source

_QUICK = 2_000_000  # numbers: `fit` audits no more than these, in some hundredths of a second
_RUN = 64  # consecutive rows

__all__ = [
    "Audit",
    "Finding",
    "Severity",
    "audit",
    "audit_moments",
    "audit_of",
    "audit_table",
    "parent_limit",
]


def audit(
    data: Any,
    *,
    columns: Sequence[str] | None = None,
    kinds: Mapping[str, str | Sequence[str]] | None = None,
    transpose: bool = False,
    separator: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
) -> Audit:
    """What to know about a table before learning a graph from it.

    Args:
        data: A NumPy array, a data frame, the path of a file (of a very large one the first rows are looked
            at), or `Moments` (then only what the covariance shows is checked). Text, dates and gaps are
            described, not refused.
        columns: Names of the columns to look at; all by default.
        kinds: What columns are, where the guess is wrong, as in `fit`.
        transpose: The variables are in rows, the observations in columns.
        separator: The mark between columns in a text file, where it is not plain.
        decimal: The decimal mark in a text file.
        thousands: The mark between thousands in a text file.

    Returns:
        An `Audit`: print it, or go through its `findings`.
    """
    options = TableOptions(
        columns, kinds, transpose=transpose, separator=separator, decimal=decimal, thousands=thousands
    )
    source = Source(data, options, Watch())
    if source.given is not None:
        return audit_moments(source.given)
    head = source.head_sheet
    sheet = source.sheet if head is None else head
    tell(sheet.notices)
    raw = raw_of_sheet(sheet, options)
    found = Found(raw.names)
    if head is not None:
        found.add("sample", "info", (), f"the file is large: this is about its first {raw.n} rows alone",
                  "fit checks the covariance of all; look at rows from its end, too")  # fmt: skip
    facts = profile(raw.values)
    varying, measured = check_columns(raw, facts, found)
    check_missing(raw, facts, found)
    values, names = _complete(raw, facts, varying)
    if names and len(values) >= 3:
        own = Found(names)
        check_moments(Moments.from_array(values, names), own)
        found.findings += own.findings
    elif varying.any():
        found.add("missing", "info", (), "hardly a row is complete, so the columns were not compared",
                  "leave out the columns with most gaps and audit again")  # fmt: skip
    _check_rows(raw, facts, varying, measured, np.arange(raw.n), found)
    return Audit.of(found.findings, raw.n, len(raw.names))


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
    found = Found(moments.names)
    constant = np.flatnonzero(np.diag(moments.covariance) == 0)
    if constant.size:
        found.add("constant", "serious", constant, f"{found.listed(constant)} with variance 0: constant",
                  "what does not vary has no place in a graph: leave it out")  # fmt: skip
    else:
        check_moments(moments, found)
    return Audit.of(found.findings, None if np.isinf(moments.n) else moments.n, moments.p)


def audit_table(table: Table, moments: Moments | None) -> Audit:
    """What a table shows that was read already: nothing infinite or constant.

    Moments are those of the Gaussian model; without them what concerns this model alone is not checked. Of a
    large table only as many rows are looked at as can be read quickly: it is `fit` that asks.
    """
    rows = _some_rows(*table.values.shape)
    values = table.values if len(rows) == len(table.values) else table.values[rows]
    raw = raw_of_array(values, table.names, dict(enumerate(table.kinds)))
    found = Found(raw.names)
    if moments is None:
        check_size(len(table.values), len(table.names), found)
    else:
        check_moments(moments, found)
    facts = profile(raw.values)
    columns = Found(raw.names)
    varying, measured = check_columns(raw, facts, columns)
    # What does not vary in these rows does in others, and other models know what kinds are.
    beside = {"constant", "empty"} | ({"kinds"} if moments is None else set())
    found.findings += [each for each in columns.findings if each.check not in beside]
    check_missing(raw, facts, found)
    _check_rows(raw, facts, varying, measured, rows, found)
    return Audit.of(found.findings, len(table.values), len(raw.names))


def _some_rows(n: int, p: int) -> NDArray[np.intp]:
    """All rows, or of a large table some, in evenly spaced runs of consecutive rows."""
    runs = max(2, _QUICK // (_RUN * p))
    if n * p <= _QUICK or runs * _RUN >= n:
        return np.arange(n)
    starts = np.linspace(0, n - _RUN, runs).astype(np.intp)
    return (starts[:, None] + np.arange(_RUN)).reshape(-1)


def _check_rows(
    raw: Raw, facts: Profile, varying: Flags, measured: Flags, rows: NDArray[np.intp], found: Found
) -> None:
    """The checks of rows; `rows` are their numbers in the whole table."""
    for check, chosen in ((check_outliers, varying), (check_repeats, varying), (check_order, measured)):
        if chosen.any():
            own = Found([raw.names[int(j)] for j in raw.numeric[chosen]])
            values = raw.values if chosen.all() else raw.values[:, chosen]
            check(values, facts.only(chosen), rows, own)
            found.findings += own.findings
    check_groups(raw, facts, np.flatnonzero(measured), found)
