"""GOLEM's soft constraint (Ng, Ghassami & Zhang, 2020): h as one more penalty, at a fixed weight."""

from __future__ import annotations

from dataclasses import dataclass

from sparsest._core.progress import Watch
from sparsest.acyclicity import Constraint, TraceExponential
from sparsest.problem import Array, InnerSolver, Problem, Solution
from sparsest.solvers.base import Account, checked_start
from sparsest.solvers.objective import softened
from sparsest.solvers.owlqn import OWLQN


@dataclass(frozen=True)
class SoftConstraint:
    """Minimise score + penalty + weight · h once. The minimum is nearly, not exactly, a DAG.

    Parameters
    ----------
    weight : float
        The weight of h.
    constraint : Constraint
        The acyclicity constraint h.
    inner : InnerSolver
        What minimises.

    Examples
    --------
    >>> from sparsest.acyclicity import LogDet
    >>> path = SoftConstraint(weight=10.0, constraint=LogDet())
    """

    weight: float = 5.0
    constraint: Constraint = TraceExponential()
    inner: InnerSolver = OWLQN(max_steps=5000)

    def solve(self, problem: Problem, start: Array, watch: Watch, name: str) -> Solution:
        """Descend from `start`, a (p, p) matrix."""
        began = watch.seconds
        objective = softened(problem, self.constraint, self.weight)
        found = self.inner.minimize(objective, checked_start(problem, start), watch)
        watch.report(name, found.steps, problem.value(found.psi))
        account = Account(problem, self.constraint, watch, name, began)
        return account.solution(found.psi, found.status, found.steps, found.violation)
