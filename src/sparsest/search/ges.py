"""Greedy equivalence search: single-edge steps from one Markov equivalence class to the next.

Chickering (2002, "Optimal structure identification with greedy search"): from the empty graph insert the
edge that lowers the score most, over all members of the class at once, until none does; then delete likewise.
Hauser & Bühlmann (2012) add a phase that turns edges. The search minimises NLL + c · edges, the same score as
the exact search. On a population covariance that is faithful to a DAG a small c gives exactly its class; on a
sample the search may stop at a local minimum. As in FGES (Ramsey et al., 2017) operators are kept from step
to step, and only those that a step can have affected are evaluated again; unlike there, no pair of nodes is
excluded beforehand.

Background knowledge distinguishes members of a class that the operators treat alike. With knowledge the
search therefore runs without it first; a member of the resulting class gives the order from which one descent
of the order search starts, which obeys the knowledge.
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
_SLICE = 3e6  # floating-point operations between polls of the watch: some hundredths of a second
_REPORT = 0.05  # seconds between reports


@dataclass(frozen=True)
class GES:
    """Greedy equivalence search for Gaussian scores: one descent from the empty graph, phase by phase.

    The time grows exponentially with the largest clique of undirected edges, which ``problem.max_parents``
    bounds. That limit holds for every member of the class: the largest number of parents is the same in all.

    Parameters
    ----------
    phases : tuple of {"forward", "backward", "turning"}
        The phases in their order; the published algorithm is ``("forward", "backward")``.
    iterate : bool
        Whether the phases are repeated until none of them improves the score.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest._core.progress import Watch
    >>> from sparsest.penalties import L0
    >>> from sparsest.problem import Problem
    >>> from sparsest.scores import GaussianScore
    >>> correlation = np.array([[1.0, 0.0, 0.6], [0.0, 1.0, 0.6], [0.6, 0.6, 1.0]])
    >>> problem = Problem(GaussianScore(correlation), L0(0.05))
    >>> GES(phases=("forward", "backward")).solve(problem, Watch()).adjacency.astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 0, 0]])
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
        """A member of a class that no operator of the phases improves.

        With knowledge, the answer of one descent of the order search that starts from there.
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
        """One stage per phase, and why the search stopped early, if it did."""
        stages: list[Stage] = []
        rounds: Iterable[str] = cycle(self.phases) if self.iterate else self.phases
        idle = 0
        for phase in rounds:
            began = watch.seconds
            steps, stopped = descent.run(phase, watch)
            stages.append(Stage(f"{phase} phase", descent.objective, steps, watch.seconds - began))
            watch.report(stages[-1].name, steps, descent.objective)
            idle = 1 if steps else idle + 1  # a phase that took steps leaves none of its own kind
            if stopped is not None or idle == len(self.phases):
                return stages, stopped
        return stages, None


class ClassDescent:
    """A descent over classes: the current class, and the member by which it is scored."""

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
        """Take steps until none improves the score; how many, and why it stopped early, if it did."""
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
        """Apply the best operator of a row; False if the new score shows that it does not pay after all.

        That happens at the floor of residual variances, where the members of a class differ in score. The
        check keeps the search from going round in circles.
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
