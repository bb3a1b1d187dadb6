"""The central path of DAGMA (Bello, Aragam & Ravikumar, 2022).

Minimise score + penalty + h_s/μ for a falling μ, each time from where the last one stopped: as μ → 0 the
constraint wins and the path ends in a DAG.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsest._core.progress import Status, Watch
from sparsest.acyclicity import LogDet
from sparsest.problem import Array, InnerSolver, Problem, Solution
from sparsest.solvers.base import Account, checked_start
from sparsest.solvers.objective import barrier
from sparsest.solvers.owlqn import OWLQN

#: The stops (μ, s) as published.
PUBLISHED_STOPS = ((1.0, 1.0), (0.1, 0.9), (0.01, 0.8), (0.001, 0.7))
#: Two stops before them, at which the likelihood shapes the weights before acyclicity does.
LOOSE_STOPS = ((100.0, 1.0), (10.0, 1.0), *PUBLISHED_STOPS)


@dataclass(frozen=True)
class CentralPath:
    """Minimise score + penalty + h_s/μ at one stop after the other.

    Parameters
    ----------
    stops : tuple of (float, float)
        The pairs (μ, s), with falling μ.
    inner : InnerSolver
        What minimises at each stop.

    Examples
    --------
    >>> from sparsest.solvers import OWLQN
    >>> path = CentralPath(stops=((1.0, 1.0), (0.01, 0.8)), inner=OWLQN(max_steps=200))
    """

    stops: tuple[tuple[float, float], ...] = PUBLISHED_STOPS
    inner: InnerSolver = OWLQN(memory=5, progress=3e-6)  # more of either costs time and gains nothing

    def solve(self, problem: Problem, start: Array, watch: Watch, name: str) -> Solution:
        """Follow the path from `start`, a (p, p) matrix."""
        psi = checked_start(problem, start)
        steps, status, violation, began = 0, Status.CONVERGED, 0.0, watch.seconds
        constraint = LogDet()
        for mu, s in self.stops:
            constraint = LogDet(_domain(problem, psi, s))
            found = self.inner.minimize(barrier(problem, constraint, mu), psi, watch)
            psi, violation, steps = found.psi, found.violation, steps + found.steps
            watch.report(name, steps, problem.value(psi))
            if found.status.stopped_early:
                status = found.status
            if watch.stop is not None:
                break
        return Account(problem, constraint, watch, name, began).solution(psi, status, steps, violation)


def _domain(problem: Problem, psi: Array, s: float) -> float:
    """The published s, or a larger one where the start would lie outside the domain of h."""
    radius = float(np.abs(np.linalg.eigvals(problem.score.squares(psi))).max())
    return s if radius < 0.99 * s else 1.1 * radius
