"""Why two columns are joined by an edge, or are not, and what decides its direction.

For a pair, how each alternative (a -> b, b -> a, no edge) would change the objective with **all other edges
unchanged**. This is exact and answers the question that a reader of the graph asks; for a search that may
change everything else too, fit again with knowledge. If the class leaves the direction open, the other
direction has the same objective in another member of the class, in which other edges may be reversed as well.

Adding a -> b improves the likelihood by −½ log(1 − ρ²), where ρ is the partial correlation of a and b given
the other parents of b. So an edge is worth its cost c if |ρ| exceeds √(1 − e^(−2c)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.correlation import all_partial_correlations, partial_correlation
from sparsest._core.display import text_html
from sparsest._core.errors import OptionError
from sparsest._core.words import printable, quoted
from sparsest.explain.reasons import Derivation, Reason, derivation, reasons_for
from sparsest.graph.acyclicity import indirect_path
from sparsest.problem import ROUNDING
from sparsest.scores.gaussian import GaussianScore

if TYPE_CHECKING:
    from sparsest.result import Result

Array = NDArray[np.float64]
_MOST_REASONS = 4


@dataclass(frozen=True)
class Alternative:
    """One of the three possibilities for a pair, compared with the learned graph.

    Attributes
    ----------
    edge : str
        "a -> b", "b -> a" or "none".
    change : float or None
        The change in the objective per row, positive if the alternative is worse; None if it is impossible.
    likelihood : float or None
        The change in the negative log-likelihood.
    cost : float or None
        The change in the cost of the edges.
    obstacle : str
        Why the alternative is impossible, or a remark about it.
    """

    edge: str
    change: float | None
    likelihood: float | None
    cost: float | None
    obstacle: str = ""


@dataclass(frozen=True)
class PairExplanation:
    """Explanation of a pair of columns; it prints as text.

    Attributes
    ----------
    a, b : str
        The two columns.
    edge : str
        What was learned: "a -> b" or "b -> a" (direction identified), "a -- b" (direction open) or "none".
    in_dag : str
        The edge of the DAG: "a -> b", "b -> a" or "none".
    correlation : float
        The correlation of the two columns.
    partial : float
        Their partial correlation given `given`.
    given : tuple of str
        The other parents of the column that comes later in the DAG.
    partial_given_all : float or None
        Their partial correlation given all other columns; None if there are too few rows.
    threshold : float
        The absolute partial correlation above which an edge is worth its cost.
    alternatives : tuple of Alternative
        What would change otherwise.
    reasons : tuple of Reason
        Why an identified edge has its direction.
    n : float
        The number of rows.
    """

    a: str
    b: str
    edge: str
    in_dag: str
    correlation: float
    partial: float
    given: tuple[str, ...]
    partial_given_all: float | None
    threshold: float
    alternatives: tuple[Alternative, ...]
    reasons: tuple[Reason, ...]
    n: float

    def __str__(self) -> str:
        return printable("\n".join([*self._what(), *self._why(), *self._instead()]))

    def _repr_html_(self) -> str:
        return text_html(str(self))

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain numbers, strings and lists that can be written as JSON."""
        return {
            "a": self.a,
            "b": self.b,
            "edge": self.edge,
            "in_dag": self.in_dag,
            "correlation": self.correlation,
            "partial": self.partial,
            "given": list(self.given),
            "partial_given_all": self.partial_given_all,
            "threshold": self.threshold,
            "alternatives": [vars(each) for each in self.alternatives],
            "reasons": [{**vars(each), "witnesses": list(each.witnesses)} for each in self.reasons],
        }

    def _what(self) -> list[str]:
        found = {
            "none": "no edge",
            f"{self.a} -- {self.b}": f"an edge whose direction is open (the DAG shows {self.in_dag})",
        }.get(self.edge, self.edge)
        given = f"given {quoted(self.given)}" if self.given else "given nothing"
        rest = ""
        if self.partial_given_all is not None:
            rest = f", {self.partial_given_all:.3f} given all other columns"
        return [
            f"{self.a} and {self.b}: {found}",
            f"  correlation {self.correlation:.3f}; partial correlation {self.partial:.3f} {given}{rest}",
            f"  an edge is worth its cost above a partial correlation of {self.threshold:.3f}",
        ]

    def _why(self) -> list[str]:
        if self.edge == "none":
            return []
        if self.edge == f"{self.a} -- {self.b}":
            return [
                "  direction: not decided by these data. Graphs with either direction explain them equally "
                "well; only knowledge or an experiment can tell"
            ]
        first, *others = self.reasons
        from_knowledge = any(each.rule == "knowledge" for each in self.reasons)
        whom = "knowledge" if first.rule == "knowledge" else "the class and the knowledge" * from_knowledge
        lines = [f"  direction: decided by {whom or 'the class'}", f"    {first}"]
        lines += [f"    and {each}" for each in others[: _MOST_REASONS - 1]]
        if len(others) >= _MOST_REASONS:
            lines.append(f"    and {len(others) - _MOST_REASONS + 1} more steps")
        return lines

    def _instead(self) -> list[str]:
        lines = ["  alternatives, with all other edges unchanged (objective per row, + is worse):"]
        for each in self.alternatives:
            what = "no edge" if each.edge == "none" else each.edge
            if each.change is None or each.likelihood is None or each.cost is None:
                lines.append(f"    {what}: not possible, {each.obstacle}")
                continue
            total = "" if math.isinf(self.n) else f"; {each.change * self.n:+.3g} for all rows"
            note = f"; {each.obstacle}" if each.obstacle else ""
            parts = f"likelihood {each.likelihood:+.3g}, cost {each.cost:+.3g}"
            lines.append(f"    {what}: {each.change:+.3g} ({parts}{total}{note})")
        return lines


class Groundwork:
    """What the explanations of all pairs of a result share, computed when it is first needed."""

    def __init__(self, result: Result) -> None:
        self._result = result

    @cached_property
    def partial(self) -> Array | None:
        """Partial correlations given all other columns."""
        moments = self._result.moments
        return None if moments is None else all_partial_correlations(moments.covariance)

    @cached_property
    def derived(self) -> Derivation:
        """How the directions of all arrows follow."""
        return derivation(self._result.dag, self._result.cpdag, _known(self._result))


def explain(
    result: Result, a: str | int, b: str | int, groundwork: Groundwork | None = None
) -> PairExplanation:
    """Why two columns are joined by an edge, or are not, and what decides its direction."""
    groundwork = Groundwork(result) if groundwork is None else groundwork
    first, second = result.dag.position(a), result.dag.position(b)
    if first == second:
        raise OptionError(f"column {result.names[first]!r} was given twice: choose two different columns")
    gaussian = result.traits.gaussian
    if not gaussian or result.moments is None:
        what = "this result has no covariance" if gaussian else f"the model is {result.model!r}"
        raise OptionError(f"pairs can be explained only for Gaussian models, and {what}")
    names, dag, marks = result.names, result.dag.pattern, result.cpdag.pattern
    backward = dag[second, first] or indirect_path(dag, second, first) is not None
    tail, head = (second, first) if backward else (first, second)
    given = [int(k) for k in np.flatnonzero(dag[:, head]) if k != tail]
    covariance = result.moments.covariance
    arrow = (tail, head) if dag[tail, head] else None
    open_ended = bool(marks[first, second] and marks[second, first])
    joined = arrow is not None
    edge = "none" if not joined else f"{names[tail]} -> {names[head]}"
    return PairExplanation(
        a=names[first],
        b=names[second],
        edge=f"{names[first]} -- {names[second]}" if open_ended else edge,
        in_dag=edge,
        correlation=partial_correlation(covariance, first, second, []),
        partial=partial_correlation(covariance, first, second, given),
        given=tuple(names[k] for k in given),
        partial_given_all=_given_all(result, first, second, groundwork),
        threshold=math.sqrt(-math.expm1(-2 * result.cost)),
        alternatives=_alternatives(result, covariance, first, second, open_ended),
        reasons=() if arrow is None or open_ended else tuple(_reasons(result, arrow, groundwork)),
        n=result.n,
    )


def _given_all(result: Result, a: int, b: int, groundwork: Groundwork) -> float | None:
    if result.n <= len(result.names) or result.moments is None:
        return None
    if groundwork.partial is not None:
        return float(groundwork.partial[a, b])
    rest = [k for k in range(len(result.names)) if k not in (a, b)]
    return partial_correlation(result.moments.covariance, a, b, rest)


def _known(result: Result) -> NDArray[np.bool_]:
    if result.knowledge is None:
        return np.zeros_like(result.dag.pattern)
    known: NDArray[np.bool_] = result.knowledge.required | ~result.knowledge.allowed.T
    return known


def _reasons(result: Result, arrow: tuple[int, int], groundwork: Groundwork) -> list[Reason]:
    return reasons_for(arrow, result.dag, result.cpdag, _known(result), groundwork.derived)


def _ruled_out(result: Result, a: int, b: int, pair: tuple[int, int] | None) -> bool:
    """Whether knowledge forbids this edge between a and b, or forbids that there is none."""
    if result.knowledge is None:
        return False
    required = result.knowledge.required
    if pair is None:
        return bool(required[a, b] or required[b, a])
    return bool(not result.knowledge.allowed[pair] or required[pair[::-1]])


def _alternatives(
    result: Result, covariance: Array, a: int, b: int, open_ended: bool
) -> tuple[Alternative, ...]:
    """The two possibilities that were not learned, compared with the learned graph."""
    dag, names, score = result.dag.pattern, result.names, GaussianScore(covariance)
    others = {node: [int(k) for k in np.flatnonzero(dag[:, node]) if k not in (a, b)] for node in (a, b)}
    alone = {node: score.local(node, others[node]) for node in (a, b)}
    ways: dict[str, tuple[float, int]] = {
        f"{names[a]} -> {names[b]}": (alone[a] + score.local(b, [*others[b], a]), 1),
        f"{names[b]} -> {names[a]}": (alone[b] + score.local(a, [*others[a], b]), 1),
        "none": (alone[a] + alone[b], 0),
    }
    ends = dict(zip(ways, [(a, b), (b, a), None], strict=True))
    now = next(way for way, pair in ends.items() if (pair is None and not dag[a, b] and not dag[b, a]) or (
        pair is not None and dag[pair]))  # fmt: skip
    found = []
    for way, (nll, edges) in ways.items():
        pair = ends[way]
        if way == now:
            continue
        path = None if pair is None else indirect_path(dag, pair[1], pair[0])
        if open_ended and pair is not None:
            note = "in another graph of the class, where other edges may be reversed too"
            found.append(Alternative(way, 0.0, 0.0, 0.0, note))
        elif path is not None:
            chain = " -> ".join(names[k] for k in path)
            found.append(Alternative(way, None, None, None, f"it would close a cycle with {chain}"))
        else:
            likelihood, cost = nll - ways[now][0], result.cost * (edges - ways[now][1])
            likelihood = 0.0 if abs(likelihood) < ROUNDING else likelihood
            note = "ruled out by the knowledge" * _ruled_out(result, a, b, pair)
            found.append(Alternative(way, likelihood + cost, likelihood, cost, note))
    return tuple(found)
