"""`solver="differentiable"`: Algorithm 1 along several routes, of which the best graph is kept.

Found by measurement (docs/methods.md). On columns of unit variance the least-squares start misleads; what
helps most there is to begin the central path loosely, at μ = 100 or 10 instead of 1, so that the likelihood
shapes the weights before acyclicity does. No single route wins everywhere, and every route's graph can be
judged by one number, the refitted likelihood plus the cost of its edges.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sparsest.penalties import QuasiMCP
from sparsest.problem import Problem
from sparsest.progress import Watch
from sparsest.scores.gaussian import GaussianScore
from sparsest.solution import Solution, Stage
from sparsest.solvers.base import Array
from sparsest.solvers.central_path import CentralPath
from sparsest.solvers.methods import LOGLL_DAGMA, Homotopy, covariance_of
from sparsest.solvers.rounding import graph_by_score

_TIE = 1e-9  # objectives closer than this are equal

_TAIL = ((1.0, 1.0), (0.1, 0.9), (0.01, 0.8), (0.001, 0.7))
_LOOSE = CentralPath(((100.0, 1.0), (10.0, 1.0), *_TAIL))
_WIDE = CentralPath(((10.0, 2.0), (1.0, 2.0), (0.1, 1.5), (0.01, 1.0), (0.001, 0.7)))
_BRIEF = CentralPath(((10.0, 1.0), *_TAIL))


@dataclass(frozen=True)
class Portfolio:
    """Routes on unit variances from the empty graph, and the published one on the columns as given."""

    routes: tuple[Homotopy, ...] = (
        Homotopy("loose", _LOOSE, None),
        Homotopy("wide", _WIDE, None),
        Homotopy("flat", _BRIEF, None, QuasiMCP(0.2, 0.4)),
    )
    as_given: Homotopy = LOGLL_DAGMA

    standardizes = False
    returns_dag = False

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """The route whose graph has the lowest refitted objective."""
        began = watch.seconds
        covariance = covariance_of(problem, "differentiable")
        scales = np.sqrt(covariance.diagonal())
        found: list[Solution] = []
        for route in (*self.routes, self.as_given):
            units = np.ones(problem.p) if route is self.as_given else scales
            if not found or watch.stop is None:
                found.append(self._run(route, problem, covariance, units, watch))
        best = min(found, key=lambda solution: solution.stages[0].objective)
        lowest = best.stages[0].objective
        return replace(
            best,
            status=watch.stop or best.status,
            steps=sum(solution.steps for solution in found),
            seconds=watch.seconds - began,
            stages=tuple(stage for solution in found for stage in solution.stages),
            agreed=sum(solution.stages[0].objective < lowest + _TIE for solution in found),
        )

    def _run(
        self, route: Homotopy, problem: Problem, covariance: Array, scales: Array, watch: Watch
    ) -> Solution:
        """One route on columns divided by `scales`, reported on the columns of the problem."""
        began = watch.seconds
        scaled = replace(problem, score=GaussianScore(covariance / np.outer(scales, scales)))
        solution = route.solve(scaled, watch)
        adjacency = solution.adjacency / scales[:, None] * scales
        _, objective = graph_by_score(
            covariance, adjacency, problem.cost, problem.p, problem.allowed, watch.stop is None
        )
        stage = Stage(f"{route.name} route", objective, solution.steps, watch.seconds - began)
        return replace(solution, adjacency=adjacency, stages=(stage,))
