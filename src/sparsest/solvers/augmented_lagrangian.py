"""The augmented Lagrangian of NOTEARS (Zheng, Aragam, Ravikumar & Xing, 2018)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sparsest._core.progress import Status, Watch
from sparsest.acyclicity import Constraint, TraceExponential
from sparsest.problem import Array, InnerSolver, Minimum, Problem, Solution
from sparsest.solvers.base import Account, checked_start
from sparsest.solvers.lbfgsb import LBFGSB
from sparsest.solvers.objective import lagrangian


@dataclass(frozen=True)
class AugmentedLagrangian:
    """Minimise score + penalty + αh + ρh²/2, raising ρ until h falls to a quarter, then α by ρh.

    Parameters
    ----------
    constraint : Constraint
        The acyclicity constraint h.
    inner : InnerSolver
        What minimises for given α and ρ.
    tolerance : float
        The path ends when h is at most this,
    rho_max : float
        or ρ at least this,
    max_rounds : int
        or after this many multipliers.

    Examples
    --------
    >>> from sparsest.acyclicity import Polynomial
    >>> path = AugmentedLagrangian(constraint=Polynomial(), tolerance=1e-6)
    """

    constraint: Constraint = TraceExponential()
    inner: InnerSolver = LBFGSB()
    tolerance: float = 1e-8
    rho_max: float = 1e16
    max_rounds: int = 100

    def solve(self, problem: Problem, start: Array, watch: Watch, name: str) -> Solution:
        """Follow the multipliers from `start`, a (p, p) matrix."""
        psi = checked_start(problem, start)
        rho, alpha, h, steps, began = 1.0, 0.0, math.inf, 0, watch.seconds
        status, violation = Status.MAX_STEPS, 0.0
        for _ in range(self.max_rounds):
            found, rho, rising, used = self._round(problem, psi, alpha, rho, h, watch)
            psi, h, violation, steps = found.psi, rising, found.violation, steps + used
            watch.report(name, steps, problem.value(psi))
            if (reason := watch.stop) is not None:
                status = reason
                break
            alpha += rho * h
            if h <= self.tolerance or rho >= self.rho_max:
                status = Status.CONVERGED
                break
        return Account(problem, self.constraint, watch, name, began).solution(psi, status, steps, violation)

    def _round(
        self, problem: Problem, psi: Array, alpha: float, rho: float, h: float, watch: Watch
    ) -> tuple[Minimum, float, float, int]:
        """One multiplier: raise ρ until h falls enough; (the minimum, ρ, h there, steps)."""
        steps = 0
        while True:
            found = self.inner.minimize(lagrangian(problem, self.constraint, alpha, rho), psi, watch)
            steps += found.steps
            new_h = problem.h(found.psi, self.constraint)
            if new_h <= 0.25 * h or rho >= self.rho_max or watch.stop is not None:
                return found, rho, new_h, steps
            rho *= 10
