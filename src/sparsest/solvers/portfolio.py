"""`solver="differentiable"`: Algorithm 1 along several routes, then from perturbed answers; the best is kept.

Found by measurement (docs/methods.md). On columns of unit variance the least-squares start misleads; what
helps most there is to begin the central path loosely, at μ = 100 or 10 instead of 1, so that the likelihood
shapes the weights before acyclicity does. No single route wins everywhere, and every route's graph can be
judged by one number, the refitted likelihood plus the cost of its edges. All of them are local minima: the
best is then perturbed, some nodes forget all their edges, and a short Algorithm 1 goes on from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sparsest._core.progress import Watch
from sparsest._core.streams import PORTFOLIO, generator
from sparsest.penalties import QuasiMCP, SoftPenalty
from sparsest.problem import SAME_OBJECTIVE, Array, Mask, Problem, Solution, Stage
from sparsest.rounding.by_score import graph_by_score
from sparsest.scores.gaussian import GaussianScore, refit
from sparsest.solvers.central_path import LOOSE_STOPS, PUBLISHED_STOPS, CentralPath
from sparsest.solvers.published import LOGLL_DAGMA, Homotopy

_FORGETFUL = (0.1, 0.25)  # the shares of nodes that forget their edges, in turn

_LOOSE = CentralPath(LOOSE_STOPS)
_WIDE = CentralPath(((10.0, 2.0), (1.0, 2.0), (0.1, 1.5), (0.01, 1.0), (0.001, 0.7)))
_BRIEF = CentralPath(((10.0, 1.0), *PUBLISHED_STOPS))


@dataclass(frozen=True)
class Portfolio:
    """Routes on unit variances from the empty graph, the published one on the columns as given, then kicks.

    A kick lets some nodes of the best graph forget their edges and solves again from there, on unit
    variances. There are `kicks` of them, by default 1000/p, but from 2 to 20; `seed` decides which nodes.
    """

    routes: tuple[Homotopy, ...] = (
        Homotopy("loose", _LOOSE, None),
        Homotopy("wide", _WIDE, None),
        Homotopy("flat", _BRIEF, None, QuasiMCP(0.2, 0.4)),
    )
    as_given: Homotopy = LOGLL_DAGMA
    kick: Homotopy = Homotopy("kick", _BRIEF, None, rounds=2)
    kicks: int | None = None
    seed: int = 0

    standardizes = False
    returns_dag = False

    def with_penalty(self, penalty: SoftPenalty) -> Portfolio:
        """All routes from another λ and δ."""
        return replace(
            self,
            routes=tuple(route.with_penalty(penalty) for route in self.routes),
            as_given=self.as_given.with_penalty(penalty),
            kick=self.kick.with_penalty(penalty),
        )

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """The soft weights whose graph has the lowest refitted objective."""
        problem.single_cost("Portfolio")  # refused before any work is done
        began = watch.seconds
        given = _Judge(problem, problem.covariance_for("differentiable"))
        unit = given.standardized()
        found = [given.run(self.as_given, watch)]
        found += [unit.run(route, watch) for route in self.routes if watch.stop is None]
        kicked: list[_Judged] = []
        rng = generator(self.seed, PORTFOLIO)
        for number in range(int(np.clip(1000 // problem.p, 2, 20)) if self.kicks is None else self.kicks):
            if watch.stop is None:
                share = _FORGETFUL[number % len(_FORGETFUL)]
                start = unit.forgetful(_best([*found, *kicked]).graph, share, rng)
                kicked.append(unit.run(self.kick, watch, start))
        best = _best([*found, *kicked])
        return replace(
            best.solution,
            status=watch.stop or best.solution.status,
            steps=sum(judged.solution.steps for judged in (*found, *kicked)),
            seconds=watch.seconds - began,
            stages=(*(judged.stage for judged in found), *_in_one(kicked)),
            agreed=sum(
                judged.stage.objective < best.stage.objective + SAME_OBJECTIVE for judged in (*found, *kicked)
            ),
        )


@dataclass(frozen=True)
class _Judged:
    """Soft weights on the columns of the problem, the graph they point to, and its objective."""

    solution: Solution
    graph: Mask
    stage: Stage


@dataclass(frozen=True)
class _Judge:
    """Runs routes on columns divided by `scales` and judges what they find on the columns of the problem."""

    problem: Problem
    covariance: Array
    scales: Array | None = None

    def standardized(self) -> _Judge:
        return replace(self, scales=np.sqrt(self.covariance.diagonal()))

    @property
    def _scaled(self) -> Array:
        return (
            self.covariance if self.scales is None else self.covariance / np.outer(self.scales, self.scales)
        )

    def run(self, route: Homotopy, watch: Watch, start: Array | None = None) -> _Judged:
        began = watch.seconds
        scaled = self.problem.with_score(GaussianScore(self._scaled), self.problem.penalty)
        solution = route.solve(scaled, watch, start)
        if self.scales is not None:
            solution = replace(solution, adjacency=solution.adjacency / self.scales[:, None] * self.scales)
        graph, objective = graph_by_score(self.problem, solution.adjacency, thorough=watch.stop is None)
        stage = Stage(f"{route.name} route", objective, solution.steps, watch.seconds - began)
        return _Judged(solution, graph, stage)

    def forgetful(self, graph: Mask, share: float, rng: np.random.Generator) -> Array:
        """The graph's weights, without those of a random share of the nodes.

        An entry at zero may stay there for the kink of the penalty alone; a node that has lost all its
        edges is so badly explained that it takes new ones.
        """
        p = len(graph)
        weights, _ = refit(self._scaled, graph)
        nodes = rng.choice(p, size=min(p, max(2, round(share * p))), replace=False)
        weights[nodes], weights[:, nodes] = 0.0, 0.0
        return weights


def _best(judged: Sequence[_Judged]) -> _Judged:
    return min(judged, key=lambda one: one.stage.objective)


def _in_one(kicked: Sequence[_Judged]) -> tuple[Stage, ...]:
    """The kicks as one stage."""
    if not kicked:
        return ()
    stages = [one.stage for one in kicked]
    lowest = min(stage.objective for stage in stages)
    steps, seconds = sum(stage.steps for stage in stages), sum(stage.seconds for stage in stages)
    return (Stage(f"{len(stages)} kicks", lowest, steps, seconds),)
