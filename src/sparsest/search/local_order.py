"""Order search over any local score: the DAG of least NLL + c · parameters of edges.

The search of search/order.py for scores that are not compiled into it: logistic, Poisson, additive, mixed, or
a user's own. Insertion moves (BOSS: Andrews et al., 2023), parents by grow–shrink, restarts from
perturbations of the best order. It begins at the order that the compiled Gaussian search finds, where the
score gives a correlation matrix as a first impression.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Watch
from sparsest.graph import topological_order
from sparsest.penalties import L0
from sparsest.problem import Problem, Solution, Stage
from sparsest.rounding.by_score import strongest_dag
from sparsest.rounding.grow_shrink import TIE, GrowShrink, local_score, most_parents, required_edges
from sparsest.scores import GaussianScore
from sparsest.search.order import OrderSearch

_STREAM = 0x10CA  # keeps our random numbers apart from those of others with the same seed
_SHAKEN = 0.2  # the share of nodes that a perturbation moves
_SAME = 1e-9  # objectives closer than this are equal


@dataclass(frozen=True)
class LocalOrderSearch:
    """A descent over orders by insertion, and restarts from perturbations of the best order.

    It ends after `patience` restarts in a row without improvement; None is 400/p, but from 3 to 20.
    """

    max_parents: int | None = None
    seed: int = 0
    patience: int | None = None
    start: tuple[int, ...] | None = None

    standardizes = True
    returns_dag = True

    def __post_init__(self) -> None:
        if self.patience is not None and self.patience < 0:
            raise OptionError(f"patience must not be negative, but patience = {self.patience!r}")

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """The best order found, with its parents refined by exchanges."""
        began, score = watch.seconds, local_score(problem, "LocalOrderSearch")
        limit = most_parents(self.max_parents, problem)
        rng = np.random.default_rng([self.seed, _STREAM])
        descent = _Descent(GrowShrink(problem, score, limit), watch)
        required = required_edges(problem)
        objective, order = descent.run(_obeying(self._beginning(problem, score, watch, rng), required))
        stages = [Stage("first descent", objective, 1, watch.seconds - began)]
        patience = int(np.clip(400 // problem.p, 3, 20)) if self.patience is None else self.patience
        failures, restarts, agreed, middle = 0, 0, 1, watch.seconds
        while failures < patience and watch.stop is None:
            shaken = _obeying(_shaken(order, rng), required)
            again, other = descent.run(shaken)
            restarts, failures = restarts + 1, failures + 1
            if again < objective - _SAME:
                failures = agreed = 0
            if again < objective + _SAME:  # an order as good is taken too: plateaus are crossed
                objective, order, agreed = min(again, objective), other, agreed + 1
            watch.report("order search", restarts, objective)
        if restarts:
            stages.append(Stage("restarts", objective, restarts, watch.seconds - middle))
        objective, adjacency = descent.refined(order)
        return Solution(
            adjacency=adjacency,
            objective=objective,
            status=watch.stop or Status.CONVERGED,
            steps=1 + restarts,
            seconds=watch.seconds - began,
            stages=tuple(stages),
            agreed=agreed,
        )

    def _beginning(
        self, problem: Problem, score: object, watch: Watch, rng: np.random.Generator
    ) -> list[int]:
        if self.start is not None:
            return list(self.start)
        correlation = getattr(score, "correlation", None)
        if correlation is None:
            return [int(node) for node in rng.permutation(problem.p)]
        impression = Problem(
            GaussianScore(correlation), L0(problem.cost), problem.free, required=problem.required
        )
        solution = OrderSearch(self.max_parents, self.seed, patience=0, chains=1).solve(impression, watch)
        return [int(node) for node in topological_order(solution.adjacency != 0)]


def graph_along(
    problem: Problem, adjacency: NDArray[np.float64], limit: int, watch: Watch
) -> NDArray[np.bool_]:
    """The graph that soft weights point to: parents by grow–shrink along the order of their strongest DAG."""
    kept = strongest_dag(adjacency * problem.allowed, required=problem.required)
    order = _obeying([int(node) for node in topological_order(kept)], required_edges(problem))
    parents = GrowShrink(problem, local_score(problem, "a search along an order"), limit)
    return _Descent(parents, watch).refined(order)[1] != 0


class _Descent:
    """Moves of one node at a time to its best place, until none helps."""

    def __init__(self, parents: GrowShrink, watch: Watch):
        self._parents, self._watch = parents, watch

    def run(self, order: list[int]) -> tuple[float, list[int]]:
        """(objective, order) at the end, or where the watch said stop."""
        objective = self._score(order)
        while True:
            before = objective
            for node in list(order):
                if self._watch.stop is not None:
                    return objective, order
                objective, order = self._insert(node, order, objective)
            objective = self._score(order)  # free of the rounding of many changes
            if objective > before - _SAME:
                return objective, order

    def refined(self, order: list[int]) -> tuple[float, NDArray[np.float64]]:
        """(objective, DAG) of an order, its parents improved by exchanges while there is time."""
        adjacency, objective, before = np.zeros((len(order), len(order))), 0.0, 0
        for node in order:
            total, parents = self._parents.best(node, before)
            improving = True
            while improving and self._watch.stop is None:
                found, other = self._parents.exchanged(node, before, parents)
                improving = found < total - TIE
                total, parents = found, other
            adjacency[self._parents.members(parents), node] = 1
            objective, before = objective + total, before | (1 << node)
        return objective, adjacency

    def _score(self, order: list[int]) -> float:
        total, before = 0.0, 0
        for node in order:
            total += self._parents.best(node, before)[0]
            before |= 1 << node
        return total

    def _insert(self, node: int, order: list[int], objective: float) -> tuple[float, list[int]]:
        """The best place for `node`, where that is better than its own."""
        here, best = order.index(node), (0.0, -1)
        before = sum(1 << other for other in order[:here])
        for found in self._earlier(node, order, here, before):
            best = min(best, found)
        best = min(best, self._later(node, order, here, before, best[0]))
        change, place = best
        if not change < -_SAME:
            return objective, order
        rest = [other for other in order if other != node]
        return objective + change, [*rest[:place], node, *rest[place:]]

    def _earlier(self, node: int, order: list[int], here: int, before: int) -> Iterator[tuple[float, int]]:
        """By how much the objective changes at every place before `here`: (change, place)."""
        own, change = self._parents.best(node, before)[0], 0.0
        for place in range(here - 1, -1, -1):
            other = order[place]
            before ^= 1 << other
            change += self._parents.best(other, before | 1 << node)[0] - self._parents.best(other, before)[0]
            yield change + self._parents.best(node, before)[0] - own, place

    def _later(self, node: int, order: list[int], here: int, before: int, bar: float) -> tuple[float, int]:
        """The best (change, place) after `here`, or any change that is not below `bar`.

        Those whom the node passes lose a candidate. The node gains candidates, but as a rule its parents are
        no better than those with all others to choose from (always, were they the best ones). So places are
        left out where the losses exceed that hope: there the fits with most parents would be.
        """
        own, everything = self._parents.best(node, before)[0], (1 << len(order)) - 1
        hope = own - self._parents.best(node, everything ^ 1 << node)[0]
        best, loss = (bar, here), 0.0
        for place in range(here + 1, len(order)):
            other = order[place]
            loss += self._parents.best(other, before)[0] - self._parents.best(other, before | 1 << node)[0]
            if loss - hope > best[0]:
                break
            before |= 1 << other
            best = min(best, (loss + self._parents.best(node, before)[0] - own, place))
        return best


def _shaken(order: list[int], rng: np.random.Generator) -> list[int]:
    """The order with a share of its nodes put somewhere else at random."""
    p = len(order)
    count = min(p, max(2, round(_SHAKEN * p)))
    keys = np.empty(p)
    keys[order] = np.arange(p)
    keys[rng.choice(p, size=count, replace=False)] = rng.uniform(-0.5, p - 0.5, size=count)
    return [int(node) for node in np.argsort(keys, kind="stable")]


def _obeying(order: list[int], required: NDArray[np.bool_]) -> list[int]:
    """The order with nodes held back until all their required parents have come."""
    if not required.any():
        return order
    left, obeying = list(order), []
    while left:
        free = next(node for node in left if not required[left, node].any())
        obeying.append(free)
        left.remove(free)
    return obeying
