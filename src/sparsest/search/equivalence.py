"""Greedy equivalence search: the class of least score by single-edge steps between Markov equivalence classes.

Chickering (2002, "Optimal structure identification with greedy search"): from the empty graph insert the edge
that lowers the score most, over all members of the class at once, until none does; then delete likewise. Hauser
& Bühlmann (2012) add a phase that turns edges. It minimises NLL + c · edges, the same score as the exact search.
On a population covariance that is faithful to a DAG, a small c gives exactly its class; on a sample it may stop
at a local minimum. As in FGES (Ramsey et al., 2017) operators are kept from step to step, and only those that a
step can have touched are looked at again; unlike there, no pair of nodes is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import cycle

import numpy as np
from numpy.typing import NDArray

from sparsest.errors import OptionError
from sparsest.problem import Problem
from sparsest.progress import Status, Watch
from sparsest.search import _equivalence_kernels as kernels
from sparsest.search.common import gaussian_covariance, parent_limit
from sparsest.solution import Solution, Stage

_PHASES = {"forward": kernels.INSERT, "backward": kernels.DELETE, "turning": kernels.TURN}
_SLICE = 3e6  # floating-point operations after which the watch is asked: some hundredths of a second


@dataclass(frozen=True)
class GES:
    """One descent from the empty graph, phase by phase.

    `phases` in their order: the published algorithm is ("forward", "backward"). With `iterate` they come round
    again until none of them improves the score. All members of a class have the same largest number of parents,
    so `max_parents` holds for each of them.
    """

    max_parents: int | None = None
    phases: tuple[str, ...] = ("forward", "backward", "turning")
    iterate: bool = True

    standardizes = True
    returns_dag = True

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """Descend to a class that no operator of the phases improves; the answer is one of its members."""
        self._refuse(problem)
        covariance, cost = gaussian_covariance(problem, "GES"), problem.cost
        limit = parent_limit(self.max_parents, problem.p)
        began = watch.seconds
        if not watch.wait_for(kernels.compile_all):
            empty, nll = np.zeros(covariance.shape), 0.5 * float(np.log(covariance.diagonal()).sum())
            return Solution(empty, nll, watch.stop or Status.TIME_LIMIT, 0, watch.seconds - began)
        descent = _Descent(covariance, cost, limit)
        stages: list[Stage] = []
        idle, reason = 0, None
        rounds: Iterable[str] = cycle(self.phases) if self.iterate else self.phases
        for phase in rounds:
            stage, reason = descent.run(phase, watch)
            stages.append(stage)
            idle = 1 if stage.steps else idle + 1  # a phase that took steps left none of its own
            if reason is not None or idle == len(self.phases):
                break
        return Solution(
            adjacency=descent.dag.astype(float),
            objective=descent.objective,
            status=reason or Status.CONVERGED,
            steps=sum(stage.steps for stage in stages),
            seconds=watch.seconds - began,
            stages=tuple(stages),
        )

    def _refuse(self, problem: Problem) -> None:
        if problem.free is not None or problem.unpenalised is not None:
            raise OptionError(
                "GES treats all members of an equivalence class alike, but edges that are ruled out or required "
                "tell them apart: use solver='order'"
            )
        unknown = [phase for phase in self.phases if phase not in _PHASES]
        if unknown or not self.phases:
            known = ", ".join(map(repr, _PHASES))
            raise OptionError(f"phases must be some of {known}, not {self.phases!r}")


class _Descent:
    """A class on its way down, and one member of it."""

    def __init__(self, covariance: NDArray[np.float64], cost: float, limit: int):
        empty = np.zeros(covariance.shape, dtype=bool)
        self._search = kernels.new_search(covariance, cost, limit, empty)

    @property
    def objective(self) -> float:
        return float(self._search.local.sum())

    @property
    def dag(self) -> NDArray[np.bool_]:
        return self._search.dag

    def run(self, phase: str, watch: Watch) -> tuple[Stage, Status | None]:
        """One phase to its end, or as far as the watch allows."""
        began, steps, done = watch.seconds, 0, False
        self._search.stale[:] = True
        while not done and (reason := watch.stop) is None:
            taken, done = kernels.advance(self._search, _PHASES[phase], _SLICE)
            steps += taken
            watch.report(f"{phase} phase", steps, self.objective)
        return Stage(f"{phase} phase", self.objective, steps, watch.seconds - began), None if done else reason
