"""Checks of rows: repeated, in an order that matters, or few that decide everything."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sparsest._core.words import count, percent
from sparsest.data.audit.findings import Describer, Finding, Severity
from sparsest.data.audit.profile import MANY, Profile
from sparsest.data.moments.moments import Moments

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

_FAR = 8.0  # robust standard deviations from the median; a Gaussian never gets there
_DOMINANT = 0.005  # share of the rows that may be called a few
_CHANGE: dict[float, Severity] = {
    0.25: "serious",
    0.1: "caution",
}  # of a correlation, when these rows are left out
_REPEATED = 0.01
_LAG, _CLEAR_LAG, _STRONG_LAG = 0.2, 0.4, 0.95
_FEW_VALUES = 10  # a column with no more different values is a label rather than a series
_BLOCK = 2**17


def check_outliers(values: Array, facts: Profile, rows: Rows, about: Describer) -> Iterator[Finding]:
    """A correlation that changes much when a few far rows are left out."""
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = np.maximum(facts.high - facts.centre, facts.centre - facts.low) / facts.spread
    suspects = np.flatnonzero(np.isfinite(reach) & (reach > _FAR) & (facts.distinct > 2))
    if suspects.size == 0 or len(values) < 10 or len(reach) < 2:
        return
    filled = values if (facts.finite == len(values)).all() else np.where(np.isnan(values), facts.mean, values)
    moments = Moments.from_array(filled, about.names)
    distance = np.zeros(len(values))
    for k in suspects:
        np.maximum(distance, np.abs(filled[:, k] - facts.centre[k]) / facts.spread[k], out=distance)
    far = np.argsort(-distance, kind="stable")[: max(1, math.ceil(_DOMINANT * len(values)))]
    far = far[distance[far] > _FAR]
    by_chance = 1 / math.sqrt(len(values))  # the standard error of a correlation
    for change, severity in _CHANGE.items():
        limit = max(change, by_chance)
        for few in sorted({1, 2, 5, 10, 20, 50, 100, 200, len(far)}):
            if few > len(far):
                continue
            finding = _without(filled, moments, far[:few], rows, limit, severity, about)
            if finding is not None:
                yield finding
                return


def _without(
    values: Array, moments: Moments, far: Rows, rows: Rows, limit: float, severity: Severity, about: Describer
) -> Finding | None:
    """A change of correlations beyond the limit when the far rows are left out; None if there is none."""
    before, after = moments.correlation(), _correlation_without(values[far], moments)
    change = np.abs(after - before)
    i, j = divmod(int(np.argmax(change)), moments.p)
    if change[i, j] <= limit:
        return None
    numbers = ", ".join(map(str, sorted(rows[far].tolist())[:5])) + (", ..." if len(far) > 5 else "")
    it, decide = ("it", "decides") if len(far) == 1 else ("them", "decide")
    return about.finding(
        "outliers", severity, np.flatnonzero((change > limit).any(axis=1)),
        f"{count(len(far), 'row')} of {len(values)} (counting from 0: {numbers}) {decide} correlations: that "
        f"of {about.names[i]!r} and {about.names[j]!r} is {before[i, j]:.2f} with {it} and {after[i, j]:.2f} "
        f"without {it}",
        f"look at {it}: correct mistakes; if {it} is not a mistake, compare the graphs with and without {it}"
        if len(far) == 1 else
        "look at them: correct mistakes; if they are not mistakes, compare the graphs with and without them",
    )  # fmt: skip


def _correlation_without(rows: Array, moments: Moments) -> Array:
    """The correlations when these rows are taken out of the moments."""
    n = moments.n
    gaps = rows - (0.0 if moments.mean is None else moments.mean)
    rest = n - len(rows)
    shift = gaps.sum(axis=0) / rest
    covariance = (n * moments.covariance - gaps.T @ gaps) / rest - np.outer(shift, shift)
    floor = 1e-12 * np.diag(moments.covariance)
    scales = np.sqrt(np.maximum(np.diag(covariance), floor))
    correlation: Array = covariance / np.outer(scales, scales)
    np.fill_diagonal(correlation, 1.0)
    return np.clip(correlation, -1, 1)


def check_repeats(values: Array, facts: Profile, about: Describer) -> Iterator[Finding]:
    """Rows that are copies of earlier ones, unless all columns have so few values that this must happen."""
    if len(values) < 3 or not (facts.distinct > min(MANY, len(values) // 4)).any():
        return
    marks = np.sort(_fingerprints(values))
    share = float((marks[1:] == marks[:-1]).sum() / len(values))
    if share > _REPEATED:
        yield about.finding(
            "repeated-rows", "serious" if share > 0.5 else "caution", (),
            f"{percent(share)} of the rows are exact copies of other rows",
            "drop the copies unless they were observed independently: they make the evidence look stronger "
            "than it is",
        )  # fmt: skip


def _fingerprints(values: Array) -> NDArray[np.uint64]:
    """64 bits per row, equal for equal rows; others collide with a probability of about n²/2⁶⁴."""
    n, p = values.shape
    odd = np.random.default_rng(0).integers(1, 2**63, p, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    rows = max(16, _BLOCK // max(p, 1))
    marks = np.empty(n, dtype=np.uint64)
    for start in range(0, n, rows):
        part = np.add(values[start : start + rows], 0.0, order="C")  # −0 becomes 0
        bits = part.view(np.uint64)
        bits ^= bits >> np.uint64(32)  # whole numbers differ in their upper bits only
        bits *= np.uint64(0x9E3779B97F4A7C15)
        bits ^= bits >> np.uint64(29)
        marks[start : start + rows] = bits @ odd
    return marks


def check_order(n: int, facts: Profile, about: Describer) -> Iterator[Finding]:
    """Rows that resemble the one before: time series, or sorted tables."""
    with np.errstate(invalid="ignore"):
        like = np.abs(facts.lag) > max(_LAG, 5 / math.sqrt(n))
    if n < 20 or not like.any():
        return
    size, measured = np.abs(facts.lag), facts.distinct > _FEW_VALUES
    strong = (measured & (size > _STRONG_LAG)).sum() >= max(2, measured.sum() / 2)
    weak = size[like].max() < _CLEAR_LAG and like.sum() < len(like) / 4
    order = np.flatnonzero(like)[np.argsort(-np.abs(facts.lag[like]), kind="stable")]
    what = about.listed(order, lambda k: f"{facts.lag[k]:.2f}")
    yield about.finding(
        "row-order", "serious" if strong else "info" if weak else "caution", np.flatnonzero(like),
        f"rows resemble the row before (correlations with it: {what}): a time series, or a sorted or grouped "
        "table",
        "in a time series rows are not independent and causes act across rows: model lagged copies of the "
        "columns or take rows far apart; if the table was merely sorted, ask by what: it may cause them all",
    )  # fmt: skip
