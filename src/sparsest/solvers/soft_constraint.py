"""GOLEM's soft constraint (Ng, Ghassami & Zhang, 2020): h as one more penalty, at a fixed weight."""

from __future__ import annotations

from dataclasses import dataclass

from sparsest.acyclicity import Constraint, TraceExponential
from sparsest.problem import Problem
from sparsest.progress import Watch
from sparsest.solution import Solution, Stage
from sparsest.solvers.base import Array, InnerSolver, checked_start
from sparsest.solvers.owlqn import OWLQN


@dataclass(frozen=True)
class SoftConstraint:
    """Minimise score + penalty + weight · h once. The minimum is nearly, not exactly, a DAG."""

    weight: float = 5.0
    constraint: Constraint = TraceExponential()
    inner: InnerSolver = OWLQN(max_steps=5000)

    def solve(self, problem: Problem, start: Array, watch: Watch, name: str) -> Solution:
        """Descend from `start`, a (p, p) matrix."""
        began = watch.seconds
        objective = problem.softened(self.constraint, self.weight)
        found = self.inner.minimize(objective, checked_start(problem, start), watch)
        value = problem.value(found.psi)
        watch.report(name, found.steps, value)
        seconds = watch.seconds - began
        return Solution(
            adjacency=problem.score.adjacency(found.psi),
            objective=value,
            status=found.status,
            steps=found.steps,
            seconds=seconds,
            stages=(Stage(name, value, found.steps, seconds),),
            h=problem.h(found.psi, self.constraint),
            violation=found.violation,
        )
