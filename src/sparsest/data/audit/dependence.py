"""Checks that need only the covariance: they also run on streamed files and on `Moments`."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sparsest._core.words import count, quoted
from sparsest.data.audit.findings import Describer, Finding, Severity
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
    "check whether one is computed from the others; if so, leave it out, because edges among them reflect "
    "arithmetic, not causation"
)


def parent_limit(n: float) -> int:
    """The most parents a node may have where there are no more rows than columns.

    The likelihood then has no minimum: enough parents explain any column perfectly. Two rules keep the answer
    meaningful: a floor on residual variances, and at most n/4 parents.
    """
    return max(1, int(n) // 4)


def check_moments(moments: Moments) -> Iterator[Finding]:
    """What the mean and covariance of the columns show, none of which may be constant."""
    about = Describer(moments.names)
    yield from check_size(moments.n, moments.p)
    yield from _variances(moments, about)
    if moments.p < 2 or moments.n <= moments.p:
        return
    groups = connected(relations(moments))
    yield from (_linear_relations(group, about) for group in groups)
    dependent = set().union(*(relation.members for group in groups for relation in group))
    yield from _nearly_determined(moments, dependent, about)


def check_size(n: float, p: int) -> Iterator[Finding]:
    """Rows that are few for the number of columns."""
    about = Describer(())
    if n <= p:
        yield about.finding(
            "rows", "serious", (),
            f"{count(n, 'row')} are too few for {count(p, 'column')}: the likelihood is unbounded, so no "
            f"column gets more than {count(parent_limit(n), 'parent')}",
            "more rows or fewer columns give a firmer answer",
        )  # fmt: skip
    elif n < max(_ROWS_PER_COLUMN * p, _FEW_ROWS):
        yield about.finding(
            "rows", "caution", (),
            f"{count(n, 'row')} are few for {count(p, 'column')}: weak effects will not be found, and "
            "directions may change from sample to sample",
            "read missing edges as 'not found', and check how stable the graph is under resampling",
        )  # fmt: skip


def _variances(moments: Moments, about: Describer) -> Iterator[Finding]:
    """Standard deviations so unequal that methods which depend on units are misled."""
    scales = np.sqrt(np.diag(moments.covariance))
    low, high = int(scales.argmin()), int(scales.argmax())
    if moments.p > 1 and scales[high] > _UNEQUAL * scales[low] > 0:
        yield about.finding(
            "variances", "info", (low, high),
            f"standard deviations range from {scales[low]:.3g} ({about.names[low]!r}) to {scales[high]:.3g} "
            f"({about.names[high]!r}); the default answer does not depend on units, but the published "
            "methods that run on the data as given do",
            "compare with standardize=True before reading directions off such a method; after a fit, "
            "result.sortability() says how far the variances alone would reveal the learned order",
        )  # fmt: skip


def _linear_relations(group: list[Relation], about: Describer) -> Finding:
    """Columns that are exact linear functions of one another."""
    members = set().union(*(relation.members for relation in group))
    copies = all(len(relation.parts) == 1 for relation in group)
    shown = "; ".join(_equation(relation, about) for relation in group[:_MOST_SHOWN])
    more = f"; and {len(group) - _MOST_SHOWN} more" if len(group) > _MOST_SHOWN else ""
    what = "copies of one another up to units" if copies else "up to rounding and a constant"
    names = quoted([about.names[j] for j in sorted(members)])
    return about.finding(
        "duplicate" if copies else "collinear", "serious", members,
        f"columns {names} are linearly dependent ({what}: {shown}{more}), so edges among them are arbitrary",
        f"leave out {'all but one' if copies else 'one' if len(group) == 1 else len(group)} of them",
    )  # fmt: skip


def _equation(relation: Relation, about: Describer) -> str:
    order = sorted(range(len(relation.parts)), key=lambda k: relation.parts[k])
    terms = [f"{relation.coefficients[k]:.4g} x {about.names[relation.parts[k]]!r}" for k in order[:6]]
    if len(order) > 6:
        terms.append("...")
    return f"{about.names[relation.column]!r} = {' + '.join(terms)}".replace("+ -", "- ")


def _nearly_determined(moments: Moments, dependent: set[int], about: Describer) -> Iterator[Finding]:
    """Columns that the others explain almost, but not quite, exactly, by an adjusted R²."""
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
            yield _nearly(about, severity, int(left[k]), left[partners], float(unexplained[k]))
        else:
            rest[int(left[k])] = float(unexplained[k])
    if rest:
        yield about.finding(
            "near-deterministic", "info", rest,
            f"{about.listed(rest, lambda j: f'{1 / rest[j]:.3g}')} can almost be computed from the "
            "others, too (variance inflation in parentheses)",
            _ARITHMETIC,
        )  # fmt: skip


def _partners(precision: NDArray[np.float64], k: int) -> NDArray[np.intp]:
    """The columns that do most of the explaining, strongest first: by standardised coefficient."""
    slopes = np.abs(precision[k] / precision[k, k])
    slopes[k] = 0
    strongest = np.argsort(-slopes, kind="stable")[:_MOST_SHOWN]
    chosen: NDArray[np.intp] = strongest[slopes[strongest] > 0.2 * slopes[strongest[0]]]
    return chosen


def _nearly(
    about: Describer, severity: Severity, column: int, partners: NDArray[np.intp], unexplained: float
) -> Finding:
    names = quoted([about.names[j] for j in partners])
    return about.finding(
        "near-deterministic", severity, [column, *map(int, partners)],
        f"column {about.names[column]!r} is almost a linear function of the others, mainly {names}: "
        f"{unexplained:.2g} of its variance is left (variance inflation {1 / unexplained:.3g})",
        _ARITHMETIC,
    )  # fmt: skip
