"""Greedy equivalence search: down the score by single edges, from one Markov equivalence class to the next.

Chickering (2002, "Optimal structure identification with greedy search"): from the empty graph insert the
edge that lowers the score most, over all members of the class at once, until none does; then delete likewise.
Hauser & Bühlmann (2012) add a phase that turns edges. The search minimises NLL + c · edges, the same score as
the exact search. On a population covariance that is faithful to a DAG a small c gives exactly its class; on a
sample the search may stop at a local minimum. As in FGES (Ramsey et al., 2017) operators are kept from step
to step, and only those that a step can have touched are looked at again; unlike there, no pair of nodes is
left out beforehand.

Knowledge tells the members of a class apart, and the operators treat them alike. So with knowledge the search
runs without it first, and the order of a member of its class is where one descent of the order search begins
that obeys.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import cycle

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Watch
from sparsest.graph import dag_to_cpdag, topological_order
from sparsest.problem import ROUNDING, Problem, Solution, Stage
from sparsest.search import _equivalence_graphs as graphs
from sparsest.search import _equivalence_kernels as kernels
from sparsest.search.common import gaussian_covariance, required_alone
from sparsest.search.order import OrderSearch

_OPERATORS = {"forward": graphs.INSERT, "backward": graphs.DELETE, "turning": graphs.TURN}
_SLICE = 3e6  # floating-point operations after which the watch is asked: some hundredths of a second
_REPORT = 0.05  # seconds between reports


@dataclass(frozen=True)
class GES:
    """One descent from the empty graph, phase by phase.

    `phases` in their order: the published algorithm is ("forward", "backward"). With `iterate` they come
    round again until none of them improves the score. The time grows exponentially with the largest clique of
    undirected edges, which `max_parents` bounds. That limit holds for every member of the class: the largest
    number of parents is the same in all.
    """

    phases: tuple[str, ...] = ("forward", "backward", "turning")
    iterate: bool = True

    standardizes = True
    returns_dag = True

    def __post_init__(self) -> None:
        if not self.phases or not set(self.phases) <= set(_OPERATORS):
            known = ", ".join(map(repr, _OPERATORS))
            raise OptionError(f"phases must be some of {known}, not {self.phases!r}")

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """Descend to a class that no operator of the phases improves; the answer is one of its members.

        With knowledge, the answer is what one descent of the order search makes of it.
        """
        covariance, cost = gaussian_covariance(problem, "GES"), problem.single_cost("GES")
        if problem.constrained:
            return self._obeying(problem, watch)
        began = watch.seconds
        empty = np.zeros(covariance.shape, dtype=bool)
        if not watch.wait_for(_compile):
            return required_alone(problem, watch.stop or Status.TIME_LIMIT, watch.seconds - began)
        descent = ClassDescent(covariance, cost, problem.max_parents, empty)
        stages, stopped = self._run(descent, watch)
        return Solution(
            adjacency=descent.dag.astype(float),
            objective=descent.objective,
            status=stopped or Status.CONVERGED,
            steps=sum(stage.steps for stage in stages),
            seconds=watch.seconds - began,
            stages=tuple(stages),
        )

    def _obeying(self, problem: Problem, watch: Watch) -> Solution:
        first = self.solve(Problem(problem.score, problem.penalty, max_parents=problem.max_parents), watch)
        order = tuple(topological_order(first.adjacency))
        search = OrderSearch(patience=0, chains=1, start=order)
        found = search.solve(problem, watch)
        last = Stage("descent over orders", found.objective, found.steps, found.seconds)
        return replace(
            found,
            status=first.status if first.status.stopped_early else found.status,
            steps=first.steps + found.steps,
            seconds=first.seconds + found.seconds,
            stages=(*first.stages, last),
        )

    def _run(self, descent: ClassDescent, watch: Watch) -> tuple[list[Stage], Status | None]:
        """One stage a phase, and why the search stopped half-way if it did."""
        stages: list[Stage] = []
        rounds: Iterable[str] = cycle(self.phases) if self.iterate else self.phases
        idle = 0
        for phase in rounds:
            began = watch.seconds
            steps, stopped = descent.run(phase, watch)
            stages.append(Stage(f"{phase} phase", descent.objective, steps, watch.seconds - began))
            watch.report(stages[-1].name, steps, descent.objective)
            idle = 1 if steps else idle + 1  # a phase that took steps left none of its own kind
            if stopped is not None or idle == len(self.phases):
                return stages, stopped
        return stages, None


class ClassDescent:
    """A class on its way down, and the member of it by which it is scored."""

    def __init__(self, covariance: NDArray[np.float64], cost: float, limit: int, start: NDArray[np.bool_]):
        self.dag = start
        self.rows = kernels.new_rows(covariance, cost, limit, dag_to_cpdag(start) != 0)
        alone = 0.5 * np.log(covariance.diagonal())
        self._scores = kernels.rescore(self.rows, alone, np.zeros_like(start), start, 0, 0)

    @property
    def objective(self) -> float:
        """NLL + c · edges."""
        return float(self._scores.sum())

    def run(self, phase: str, watch: Watch) -> tuple[int, Status | None]:
        """Take steps until none improves the score; how many, and why it stopped before if it did."""
        operator, steps, reported = _OPERATORS[phase], 0, 0.0
        self.rows.stale[:] = True
        while (reason := watch.stop) is None:
            if watch.seconds >= reported + _REPORT:
                reported = watch.seconds
                watch.report(f"{phase} phase", steps, self.objective)
            if not kernels.refresh(self.rows, operator, _SLICE):
                continue
            most = self.rows.gain.max()
            if most <= ROUNDING:
                break
            first = int(np.argmax(self.rows.gain > most - ROUNDING))  # the same whatever the units
            steps += self.step(operator, first)
        return steps, reason

    def step(self, operator: int, y: int) -> bool:
        """Apply the best operator of a row; False where the score says that it does not pay after all.

        That happens at the floor of residual variances, where the members of a class differ in score. To ask
        keeps the search from going round in circles.
        """
        rows, x = self.rows, int(self.rows.partner[y])
        lists = rows.joined, rows.degree
        dag, graph = graphs.next_class(rows.graph, *lists, operator, x, y, rows.clique[y, : rows.size[y]])
        scores = kernels.rescore(rows, self._scores, self.dag, dag, x, y)
        if (scores - self._scores).sum() > -0.5 * ROUNDING:
            if operator != graphs.TURN:
                (graphs.part if operator == graphs.INSERT else graphs.join)(*lists, x, y)
            rows.gain[y] = 0.0  # passed over until the row is stale
            return False
        rows.stale[graphs.reach_of_change(rows.graph, graph, *lists, x, y)] = True
        rows.graph[:] = graph
        self.dag, self._scores = dag, scores
        return True


def _compile() -> None:
    graphs.compile_all()
    kernels.compile_all()
