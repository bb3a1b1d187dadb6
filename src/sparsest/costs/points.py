"""The path over costs: its points, which edges come and go, and the rules that choose a point."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sparsest._core.display import text_html
from sparsest._core.errors import OptionError
from sparsest._core.progress import Status
from sparsest._core.validation import number
from sparsest._core.words import count
from sparsest.graph.types import Cpdag
from sparsest.penalties.criteria import cost_per_edge
from sparsest.result import Result

if TYPE_CHECKING:
    import polars

#: The instability that StARS allows (Liu, Roeder & Wasserman, 2010).
BETA = 0.05
_SAME = 1e-9  # criteria that differ by less are equal


@dataclass(frozen=True, eq=False)
class Point:
    """The answer at one cost of an edge.

    Parameters
    ----------
    result : Result
        What `fit` would return at this cost.
    parameters : int
        The parameters of its edges: their number where an edge has one.
    bic, ebic : float, optional
        The likelihood plus the cost of the edges under the BIC and the extended BIC, per row.
    held_out, held_out_error : float, optional
        The mean log-likelihood of held-out rows, higher is better, and its standard error.
    behind, behind_error : float, optional
        How far that is below the best of the path, and the standard error of this difference.
    instability : float, optional
        How often two subsamples disagree about a pair, on average over the pairs (StARS).
    """

    result: Result
    parameters: int
    bic: float | None = None
    ebic: float | None = None
    held_out: float | None = None
    held_out_error: float | None = None
    behind: float | None = None
    behind_error: float | None = None
    instability: float | None = None

    @property
    def cost(self) -> float:
        """The cost of an edge, per parameter."""
        return self.result.cost

    @property
    def cpdag(self) -> Cpdag:
        """The class that was learned."""
        return self.result.cpdag

    @property
    def edges(self) -> int:
        """The number of edges."""
        return len(self.result.dag.edges)


@dataclass(frozen=True, eq=False)
class Path:
    """Answers over costs of an edge, from high to low: what `path` returns.

    Attributes
    ----------
    points : tuple of Point
        The answers, from the highest cost to the lowest.
    folds, subsamples : int
        Over how many folds rows were held out, and how many subsamples were drawn.
    asked : tuple of int
        How many costs, folds and subsamples were asked for.
    notes : tuple of str
        What is not available, and why.
    status : Status
        Whether all of it was finished.
    seconds : float
        How long it took.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> rng = np.random.default_rng(0)
    >>> rain, sprinkler = rng.normal(size=(2, 300))
    >>> wet = rain + sprinkler + 0.5 * rng.normal(size=300)
    >>> found = sp.path(np.column_stack([rain, sprinkler, wet]), costs=[2.0, 0.2, 0.02])
    >>> found
    <Path: 3 costs from 2 to 0.02, 0 to 2 edges on 3 columns>
    >>> found.choose("ebic").cpdag.edges
    [('x0', '->', 'x2'), ('x1', '->', 'x2')]
    """

    points: tuple[Point, ...]
    folds: int = 0
    subsamples: int = 0
    asked: tuple[int, int, int] = (0, 0, 0)
    notes: tuple[str, ...] = ()
    status: Status = Status.CONVERGED
    seconds: float = math.nan

    @property
    def costs(self) -> tuple[float, ...]:
        """The costs of an edge, from high to low."""
        return tuple(point.cost for point in self.points)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return self.points[0].result.names

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules by which a point can be chosen here."""
        return tuple(rule for rule, need in _NEEDS.items() if getattr(self.points[0], need) is not None)

    def choose(self, rule: str, *, beta: float = BETA) -> Point:
        """The point that a rule prefers.

        Parameters
        ----------
        rule : {"ebic", "bic", "stars", "cv", "cv-1se"}
            "ebic" and "bic": the lowest extended BIC, or BIC. "stars": the lowest cost down to which the
            instability stays at or below `beta` (Liu, Roeder & Wasserman, 2010). "cv": the highest held-out
            likelihood. "cv-1se": the highest cost that is behind the best by at most one standard error of
            the difference.
        beta : float
            The instability that "stars" allows, between 0 and 0.5.

        Returns
        -------
        Point

        Raises
        ------
        OptionError
            If the rule is unknown, or the path does not have what it needs.
        """
        if rule not in _NEEDS:
            raise OptionError(f"unknown rule {rule!r}: use one of {', '.join(map(repr, _NEEDS))}")
        if rule not in self.rules:
            why = "; ".join(self.notes) or "it was not asked for, or not finished"
            raise OptionError(f"this path cannot choose by {rule!r}: it has no {_NEEDS[rule]} ({why})")
        if rule != "stars":
            return _RULES[rule](self.points)
        if not 0 < number("beta", beta) < 0.5:
            raise OptionError(f"beta, the instability that is allowed, is between 0 and 0.5, not {beta!r}")
        return _stable(self.points, beta)

    def result(self, at: str | float = "ebic") -> Result:
        """The result at the point that a rule prefers, or at one of the costs.

        Parameters
        ----------
        at : str or float
            A rule, as for `choose`, or one of `costs`.

        Returns
        -------
        Result

        Raises
        ------
        OptionError
            If the rule cannot be followed, or the cost is not one of the path's.
        """
        if isinstance(at, str):
            return self.choose(at).result
        wanted = number("at", at, "a rule or a cost of the path")
        nearest = min(self.points, key=lambda point: abs(point.cost - wanted))
        if not math.isclose(nearest.cost, wanted, rel_tol=1e-9):
            raise OptionError(
                f"{wanted:g} is not a cost of this path; the nearest is {nearest.cost!r}: pass that one, or "
                f"learn again with costs=[..., {wanted:g}]"
            )
        return nearest.result

    def table(self) -> polars.DataFrame:
        """A table with a row per cost.

        Returns
        -------
        polars.DataFrame
            `cost`, `edges`, `parameters`, `nll`, `objective`, `bic`, `ebic`, `held_out`, `held_out_error`,
            `behind`, `behind_error`, `instability`: see `Point`; `status` of the solver; `chosen`: the rules
            that prefer this point. What is not available is null.
        """
        import polars

        chosen = {rule: self.choose(rule) for rule in self.rules}
        rows = [
            {
                "cost": point.cost, "edges": point.edges, "parameters": point.parameters,
                "nll": point.result.nll, "objective": point.result.objective,
                **{name: getattr(point, name) for name in _JUDGED},
                "status": point.result.status.value,
                "chosen": ", ".join(rule for rule, one in chosen.items() if one is point),
            }
            for point in self.points
        ]  # fmt: skip
        numbers = dict.fromkeys(_JUDGED, polars.Float64)
        return polars.DataFrame(rows, schema_overrides=numbers)

    def edges(self) -> polars.DataFrame:
        """Which edges come and go: from which to which cost each mark is there.

        Returns
        -------
        polars.DataFrame
            A row for every pair and every run of neighbouring costs at which it has the same mark: `source`,
            `mark` ("->" or "--"), `target`, `highest` and `lowest` cost, `points`, how many costs that are,
            and `returns`, whether the pair was joined, then not, and now again. Edges that stand the highest
            costs come first.
        """
        import polars

        runs = sorted(self._runs(), key=lambda run: (-run["highest"], run["source"], run["target"]))
        names = {"source": str, "mark": str, "target": str, "highest": float, "lowest": float, "points": int}
        return polars.DataFrame(runs, schema={**names, "returns": bool})

    def _runs(self) -> Iterator[dict[str, Any]]:
        """Neighbouring points with the same mark of a pair."""
        marks = [{frozenset((a, b)): (a, mark, b) for a, mark, b in one.cpdag.edges} for one in self.points]
        for pair in dict.fromkeys(pair for one in marks for pair in one):
            here = [one.get(pair) for one in marks]
            first, gone, joined = 0, False, False
            for k in range(len(here)):
                gone = gone or (joined and here[k] is None)
                joined = joined or here[k] is not None
                if k + 1 < len(here) and here[k + 1] == here[k]:
                    continue
                if (edge := here[k]) is not None:
                    yield {
                        "source": edge[0], "mark": edge[1], "target": edge[2],
                        "highest": self.costs[first], "lowest": self.costs[k], "points": k - first + 1,
                        "returns": gone,
                    }  # fmt: skip
                first = k + 1

    def plot(self, path: str | os.PathLike[str] | None = None, *, theme: str = "auto") -> Any:
        """Draw edges, held-out likelihood and instability over the cost, with the chosen points marked.

        Parameters
        ----------
        path : str or path, optional
            The file to save the picture to; its ending decides the format.
        theme : {"auto", "light", "dark"}
            Colours; "auto" is dark where matplotlib's own figures are.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from sparsest.plot.cost_curves import draw_path

        return draw_path(self, path, theme)

    def summary(self) -> str:
        """A few lines of plain text: what each rule chooses, and what is missing.

        Returns
        -------
        str
        """
        from sparsest.costs.in_words import summary

        return summary(self)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        from sparsest.plot.picture import embedded

        return text_html(self.summary()) + embedded(self.plot, 1, "curves over the cost of an edge")

    def __repr__(self) -> str:
        first, last = self.points[0], self.points[-1]
        return (
            f"<Path: {count(len(self.points), 'cost')} from {first.cost:.4g} to {last.cost:.4g}, "
            f"{first.edges} to {count(last.edges, 'edge')} on {count(len(self.names), 'column')}>"
        )


_JUDGED = ("bic", "ebic", "held_out", "held_out_error", "behind", "behind_error", "instability")
_NEEDS = {"ebic": "ebic", "bic": "bic", "stars": "instability", "cv": "held_out", "cv-1se": "held_out"}


def _stable(points: Sequence[Point], beta: float) -> Point:
    """The lowest cost down to which the instability stays at or below beta; the highest if it never does."""
    chosen = points[0]
    for point in points:
        if point.instability is None or point.instability > beta:
            break
        chosen = point
    return chosen


def _within_error(points: Sequence[Point]) -> Point:
    return next(point for point in points if (point.behind or 0) <= (point.behind_error or 0))


def _lowest(points: Sequence[Point], criterion: str) -> Point:
    """The lowest criterion; among equals, such as points with the same graph, the one nearest to its cost."""
    result = points[0].result
    own = cost_per_edge(criterion, result.n, len(result.names))
    least = min(getattr(point, criterion) for point in points)
    equal = [point for point in points if getattr(point, criterion) <= least + _SAME]
    return min(equal, key=lambda point: abs(math.log(point.cost / own)))


_RULES: dict[str, Callable[[Sequence[Point]], Point]] = {
    "ebic": lambda points: _lowest(points, "ebic"),
    "bic": lambda points: _lowest(points, "bic"),
    "cv": lambda points: min(points, key=lambda one: one.behind or 0.0),  # the first, at the highest cost
    "cv-1se": _within_error,
}
