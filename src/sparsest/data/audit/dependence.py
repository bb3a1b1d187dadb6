"""Checks that need the covariance only: they run on streamed files and on `Moments` too."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sparsest._core.words import count, quoted
from sparsest.data.audit.findings import Found, Severity
from sparsest.data.moments.collinear import Relation, connected, independent, relations
from sparsest.data.moments.moments import Moments

_NEARLY: dict[float, Severity] = {
    1e-7: "serious",
    1e-3: "caution",
    1 / 30: "info",
}  # unexplained shares of a column's variance
_ROWS_PER_COLUMN = 5
_FEW_ROWS = 30
_UNEQUAL = 10.0  # ratio of standard deviations worth a word
_MOST_SHOWN = 4
_MOST_SETS = 3  # of one severity told in full
_ARITHMETIC = (
    "look whether one is computed from the others; if so, leave it out, for edges among them mean "
    "arithmetic, not cause"
)


def parent_limit(n: float) -> int:
    """The most parents a node may have where there are no more rows than columns.

    The likelihood then has no minimum: enough parents explain any column perfectly. Two rules keep the answer
    meaningful: a floor on residual variances, and at most n/4 parents.
    """
    return max(1, int(n) // 4)


def check_moments(moments: Moments, found: Found) -> None:
    """Note what the mean and covariance of the columns show. Constant columns are left to `columns.py`."""
    check_size(moments.n, moments.p, found)
    _variances(moments, found)
    if moments.p < 2:
        return
    dependent: set[int] = set()
    if moments.n > moments.p:
        for group in connected(relations(moments)):
            dependent |= _linear_relations(group, found)
        _nearly_determined(moments, dependent, found)


def check_size(n: float, p: int, found: Found) -> None:
    """Note where rows are few for the number of columns."""
    if n <= p:
        found.add(
            "rows", "serious", (),
            f"{count(n, 'row')} are too few for {count(p, 'column')}: the likelihood is unbounded, so no "
            f"column gets more than {count(parent_limit(n), 'parent')}",
            "more rows or fewer columns give a firmer answer",
        )  # fmt: skip
    elif n < max(_ROWS_PER_COLUMN * p, _FEW_ROWS):
        found.add(
            "rows", "caution", (),
            f"{count(n, 'row')} are few for {count(p, 'column')}: weak effects will not be found, and "
            "directions may change from sample to sample",
            "read missing edges as 'not found', and check how stable the graph is under resampling",
        )  # fmt: skip


def _variances(moments: Moments, found: Found) -> None:
    scales = np.sqrt(np.diag(moments.covariance))
    low, high = int(scales.argmin()), int(scales.argmax())
    if moments.p > 1 and scales[high] > _UNEQUAL * scales[low] > 0:
        found.add(
            "variances", "info", (low, high),
            f"standard deviations range from {scales[low]:.3g} ({found.names[low]!r}) to {scales[high]:.3g} "
            f"({found.names[high]!r}); the default answer does not depend on units, but the published "
            "methods that run on the data as given do",
            "compare with standardize=True before reading directions off such a method; how far the "
            "variances alone would give the learned order away, result.sortability() says after a fit",
        )  # fmt: skip


def _linear_relations(group: list[Relation], found: Found) -> set[int]:
    members = set().union(*(relation.members for relation in group))
    copies = all(len(relation.parts) == 1 for relation in group)
    shown = "; ".join(_equation(relation, found) for relation in group[:_MOST_SHOWN])
    more = f"; and {len(group) - _MOST_SHOWN} more" if len(group) > _MOST_SHOWN else ""
    what = "copies of one another up to units" if copies else "up to rounding and a constant"
    names = quoted([found.names[j] for j in sorted(members)])
    found.add(
        "duplicate" if copies else "collinear", "serious", members,
        f"columns {names} are linearly dependent ({what}: {shown}{more}), so edges among them are arbitrary",
        f"leave out {'all but one of them' if copies else count(len(group), 'column') + ' of them'}",
    )  # fmt: skip
    return members


def _equation(relation: Relation, found: Found) -> str:
    order = sorted(range(len(relation.parts)), key=lambda k: relation.parts[k])
    terms = [f"{relation.coefficients[k]:.4g} x {found.names[relation.parts[k]]!r}" for k in order[:6]]
    if len(order) > 6:
        terms.append("...")
    return f"{found.names[relation.column]!r} = {' + '.join(terms)}".replace("+ -", "- ")


def _nearly_determined(moments: Moments, dependent: set[int], found: Found) -> None:
    """Columns that the others explain almost, but not quite, exactly; R² allows for how many these are."""
    left = np.array([j for j in range(moments.p) if j not in dependent], dtype=np.intp)
    if dependent:  # of each dependent set its independent members still count as explanations
        order, rank = independent(moments.correlation())
        left = np.sort(order[:rank])
    if left.size < 2:
        return
    precision = np.asarray(np.linalg.inv(moments.correlation()[np.ix_(left, left)]), dtype=np.float64)
    inflation = np.diag(precision)
    adjust = 1.0 if math.isinf(moments.n) else (moments.n - 1) / (moments.n - left.size)
    unexplained = adjust / inflation
    told: set[int] = set()
    tally = dict.fromkeys(_NEARLY.values(), 0)
    rest: dict[int, float] = {}
    for k in map(int, np.argsort(unexplained, kind="stable")):
        severity = next((word for limit, word in _NEARLY.items() if unexplained[k] < limit), None)
        if severity is None:
            break
        if int(left[k]) in told | dependent:
            continue
        partners = _partners(precision, k)
        told |= {int(left[k]), *(int(left[i]) for i in partners)}
        tally[severity] += 1
        if tally[severity] <= _MOST_SETS:
            _tell_nearly(found, severity, int(left[k]), left[partners], float(unexplained[k]))
        else:
            rest[int(left[k])] = float(unexplained[k])
    if rest:
        found.add(
            "near-deterministic", "info", rest,
            f"{found.listed(rest, lambda j: f'{1 / rest[j]:.3g}')} too can be computed from the others, "
            "almost (variance inflation in brackets)",
            _ARITHMETIC,
        )  # fmt: skip


def _partners(precision: NDArray[np.float64], k: int) -> NDArray[np.intp]:
    """The columns that do most of the explaining, strongest first: by standardised coefficient."""
    slopes = np.abs(precision[k] / precision[k, k])
    slopes[k] = 0
    strongest = np.argsort(-slopes, kind="stable")[:_MOST_SHOWN]
    chosen: NDArray[np.intp] = strongest[slopes[strongest] > 0.2 * slopes[strongest[0]]]
    return chosen


def _tell_nearly(
    found: Found, severity: Severity, column: int, partners: NDArray[np.intp], unexplained: float
) -> None:
    names = quoted([found.names[j] for j in partners])
    found.add(
        "near-deterministic", severity, [column, *map(int, partners)],
        f"column {found.names[column]!r} is almost a linear function of the others, {names} above all: "
        f"{unexplained:.2g} of its variance is left (variance inflation {1 / unexplained:.3g})",
        _ARITHMETIC,
    )  # fmt: skip
