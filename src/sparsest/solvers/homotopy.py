"""Algorithm 1 of the paper (Appendix D): shrink λ and δ from round to round, starting warm.

The start is least squares + ℓ1; the rounds minimise the likelihood + quasi-MCP and end when the likelihood
no longer improves. On the central path of DAGMA this is the paper's LogLL-DAGMA.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sparsest.errors import OptionError
from sparsest.penalties import L1, QuasiMCP
from sparsest.problem import Problem
from sparsest.progress import Watch
from sparsest.scores import GaussianScore, LeastSquares
from sparsest.solution import Solution, Stage
from sparsest.solvers.central_path import CentralPath


@dataclass(frozen=True)
class LogLLDagma:
    """LogLL-DAGMA with the paper's settings: λ = 0.4, δ = 0.2, γ = 0.8.

    `start_lam` is the weight of ℓ1 in the least-squares start; None starts from the empty graph.
    With exact minimisers the likelihood would never rise, so `rounds` bounds their number.
    """

    penalty: QuasiMCP = QuasiMCP(0.4, 0.2)
    gamma: float = 0.8
    rounds: int = 8
    start_lam: float | None = 0.03
    path: CentralPath = CentralPath()

    standardizes = False
    returns_dag = False

    def __post_init__(self) -> None:
        if not 0 < self.gamma < 1:
            raise OptionError(f"gamma must lie between 0 and 1, but gamma = {self.gamma!r}")
        if self.rounds < 1:
            raise OptionError(f"rounds must be at least 1, but rounds = {self.rounds!r}")

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """Run the start and the rounds."""
        score = problem.score
        if not isinstance(score, GaussianScore):
            raise OptionError(f"LogLLDagma needs a Gaussian score, not {type(score).__name__}")
        psi = np.zeros((problem.p, problem.p))
        stages: tuple[Stage, ...] = ()
        steps = 0
        if self.start_lam is not None:
            start = problem.with_score(LeastSquares(score.covariance), L1(self.start_lam))
            begun = self.path.solve(start, psi, watch, "least squares start")
            psi, stages, steps = begun.adjacency, begun.stages, begun.steps
        best, penalty = None, self.penalty
        for number in range(1, self.rounds + 1):
            found = self.path.solve(problem.with_penalty(penalty), psi, watch, f"round {number}")
            stages, steps = stages + found.stages, steps + found.steps
            if best is not None and problem.nll(found.adjacency.reshape(-1)) >= problem.nll(psi.reshape(-1)):
                break
            best, psi, penalty = found, found.adjacency, penalty.shrunk(self.gamma)
            if watch.stop is not None:
                break
        if best is None:
            raise AssertionError("there is at least one round")
        return replace(best, stages=stages, steps=steps)
