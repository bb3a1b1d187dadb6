"""Order search over any local score: the DAG of least NLL + c · parameters of edges.

The search of search/order.py for scores that are not compiled into it: logistic, Poisson, additive, mixed, or
user-defined. Insertion moves (BOSS: Andrews et al., 2023), parents by grow–shrink, restarts from
perturbations of the best order. Where the score offers a correlation matrix, the search starts at the order
to which one descent under the linear Gaussian score leads: its local scores cost microseconds.

With several threads, the nodes that a move concerns choose their parents at the same time. What a node has
computed never depends on other nodes, so the answer is the same for any number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

import numpy as np

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Stopped, Watch
from sparsest._core.streams import LOCAL_ORDER_SEARCH, generator
from sparsest._core.threads import for_each
from sparsest.graph import topological_order
from sparsest.graph.acyclicity import order_near
from sparsest.penalties import L0
from sparsest.problem import SAME_OBJECTIVE, Problem, Solution, Stage
from sparsest.rounding.by_parents import parents_along
from sparsest.rounding.grow_shrink import GrowShrink, is_ready, local_score
from sparsest.scores import Score
from sparsest.scores.gram import GramScore
from sparsest.search.common import nothing_more, with_moved

_SHAKEN = 0.2  # the share of nodes that a perturbation moves


@dataclass(frozen=True)
class LocalOrderSearch:
    """Local search over orders, for any local score: a descent, then restarts near the best order.

    Parameters
    ----------
    seed : int
        Decides the perturbations, and the start where the score offers no correlation matrix.
    patience : int, optional
        The search ends after this many restarts in a row without improvement; by default 400/p, but no fewer
        than 3 and no more than 20.
    start : tuple of int, optional
        The order with which the search starts.
    n_jobs : int
        The number of threads. The answer does not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest._core.progress import Watch
    >>> from sparsest.penalties import L0
    >>> from sparsest.problem import Problem
    >>> from sparsest.scores import GaussianScore
    >>> correlation = np.array([[1.0, 0.0, 0.6], [0.0, 1.0, 0.6], [0.6, 0.6, 1.0]])
    >>> problem = Problem(GaussianScore(correlation), L0(0.05))
    >>> LocalOrderSearch().solve(problem, Watch()).adjacency.astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """

    seed: int = 0
    patience: int | None = None
    start: tuple[int, ...] | None = None
    n_jobs: int = 1

    standardizes = True
    returns_dag = True

    def __post_init__(self) -> None:
        if self.patience is not None and self.patience < 0:
            raise OptionError(f"patience must not be negative, but patience = {self.patience!r}")

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """The best order found, with its parents refined by exchanges.

        Stopped early, the parents that were found in time; before that, the required ones.
        """
        began, score = watch.seconds, local_score(problem, "LocalOrderSearch")
        if not is_ready(score, watch):
            return nothing_more(problem, score, watch, began)
        rng = generator(self.seed, LOCAL_ORDER_SEARCH)
        parents = GrowShrink(problem, score, watch)
        descent = _OrderDescent(parents, watch, self.n_jobs)
        start = self._beginning(problem, score, watch, rng)
        objective, order = descent.run(order_near(start, problem.required))
        stages = [Stage("first descent", objective, 1, watch.seconds - began)]
        patience = int(np.clip(400 // problem.p, 3, 20)) if self.patience is None else self.patience
        failures, restarts, agreed, middle = 0, 0, 1, watch.seconds
        while failures < patience and watch.stop is None:
            shaken = order_near(_shaken(order, rng), problem.required)
            again, other = descent.run(shaken)
            restarts, failures = restarts + 1, failures + 1
            if again < objective - SAME_OBJECTIVE:
                failures = agreed = 0
            if again < objective + SAME_OBJECTIVE:  # one that is as good too: plateaus are crossed
                objective, order, agreed = min(again, objective), other, agreed + 1
            watch.report("order search", restarts, objective)
        if restarts:
            stages.append(Stage("restarts", objective, restarts, watch.seconds - middle))
        objective, dag = parents_along(parents, order, watch)
        return Solution(
            adjacency=dag.astype(float),
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
        random = [int(node) for node in rng.permutation(problem.p)]
        correlation = getattr(score, "correlation", None)
        if correlation is None:
            return random
        linear = Problem(
            cast(Score, GramScore.of_correlation(correlation)),  # the search needs local scores only
            L0(problem.cost),
            problem.allowed,
            problem.required,
            max_parents=problem.max_parents,
        )
        quick = LocalOrderSearch(patience=0, start=tuple(random)).solve(linear, watch.for_a_start())
        return [int(node) for node in topological_order(quick.adjacency != 0)]


class _OrderDescent:
    """Moves one node at a time to its best place until no move helps."""

    def __init__(self, parents: GrowShrink, watch: Watch, n_jobs: int = 1):
        self._parents, self._watch, self._n_jobs = parents, watch, n_jobs

    def run(self, order: list[int]) -> tuple[float, list[int]]:
        """(objective, order) at the end, or when the watch says stop; infinite if that was before a score."""
        objective = math.inf
        with suppress(Stopped):
            objective = self._score(order)
            while True:
                before = objective
                for node in list(order):
                    self._watch.check()
                    objective, order = self._insert(node, order, objective)
                objective = self._score(order)  # free of the rounding of many changes
                if objective > before - SAME_OBJECTIVE:
                    break
        return objective, order

    def _score(self, order: list[int]) -> float:
        before, questions = 0, []
        for node in order:
            questions.append((node, [before]))
            before |= 1 << node
        self._ask(questions)
        return sum(self._parents.best(node, one)[0] for node, (one,) in questions)

    def _ask(self, questions: Sequence[tuple[int, list[int]]]) -> None:
        """Let nodes choose among some sets, each node its sets in turn, several nodes at the same time."""
        if self._n_jobs > 1:
            new = [each for each in questions if not self._parents.knows(*each)]
            for_each(new, self._answer, self._n_jobs)

    def _answer(self, question: tuple[int, list[int]]) -> None:
        node, sets = question
        for before in sets:
            self._parents.best(node, before)

    def _insert(self, node: int, order: list[int], objective: float) -> tuple[float, list[int]]:
        """The order with `node` at its best place, if that is better than its present one."""
        here, best = order.index(node), (0.0, -1)
        before = sum(1 << other for other in order[:here])
        for found in self._earlier(node, order, here, before):
            best = min(best, found)
        best = min(best, self._later(node, order, here, before, best[0]))
        change, place = best
        if not change < -SAME_OBJECTIVE:
            return objective, order
        rest = [other for other in order if other != node]
        return objective + change, [*rest[:place], node, *rest[place:]]

    def _earlier(self, node: int, order: list[int], here: int, before: int) -> Iterator[tuple[float, int]]:
        """The change of the objective at every place before `here`: (change, place)."""
        self._ask(_questions(node, order, here, before))
        own, change = self._parents.best(node, before)[0], 0.0
        for place in range(here - 1, -1, -1):
            other = order[place]
            before ^= 1 << other
            change += self._parents.best(other, before | 1 << node)[0] - self._parents.best(other, before)[0]
            yield change + self._parents.best(node, before)[0] - own, place

    def _later(self, node: int, order: list[int], here: int, before: int, bar: float) -> tuple[float, int]:
        """The best (change, place) after `here`, or any change that is not below `bar`.

        The nodes that are passed lose a candidate. The moving node gains candidates, but as a rule its score
        is no better than with all other nodes to choose from (always, if its parents were optimal). Places
        where the losses exceed that hope are skipped: they would need the fits with most parents.
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


def _questions(node: int, order: list[int], here: int, before: int) -> list[tuple[int, list[int]]]:
    """The sets among which the nodes choose as `node` moves to the front."""
    own, questions = [before], []
    for other in reversed(order[:here]):
        before ^= 1 << other
        own.append(before)
        questions.append((other, [before | 1 << node, before]))
    return [(node, own), *questions]


def _shaken(order: list[int], rng: np.random.Generator) -> list[int]:
    """The order with a share of its nodes moved at random."""
    p = len(order)
    count = min(p, max(2, round(_SHAKEN * p)))
    keys = rng.uniform(-0.5, p - 0.5, size=count)
    moved = rng.choice(p, size=count, replace=False)
    return with_moved(order, moved, keys).tolist()
