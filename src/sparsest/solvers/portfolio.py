"""`solver="differentiable"`: Algorithm 1 along several routes, then from perturbed answers; the best is kept.

The design rests on measurements (docs/reference/methods.md). On columns of unit variance the least-squares
start misleads; what helps most there is to begin the central path loosely, at μ = 100 or 10 instead of 1, so
that the likelihood shapes the weights before acyclicity does. No single route wins everywhere, and every
route's graph can be judged by one number, the refitted likelihood plus the cost of its edges. All answers are
local minima: the best one is perturbed, some nodes lose all their edges, and a short Algorithm 1 continues
from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sparsest._core.correlation import correlation_of
from sparsest._core.progress import Watch
from sparsest._core.streams import PORTFOLIO, generator
from sparsest.penalties import QuasiMCP, SoftPenalty
from sparsest.problem import SAME_OBJECTIVE, Array, Mask, Problem, Solution, Stage
from sparsest.rounding.by_score import graph_by_score
from sparsest.scores.gaussian import GaussianScore, refit
from sparsest.solvers.central_path import LOOSE_STOPS, PUBLISHED_STOPS, CentralPath
from sparsest.solvers.published import LOGLL_DAGMA, Homotopy
from sparsest.solvers.units import converted

_RESET = (0.1, 0.25)  # the shares of nodes that lose their edges, in turn

_LOOSE = CentralPath(LOOSE_STOPS)
_WIDE = CentralPath(((10.0, 2.0), (1.0, 2.0), (0.1, 1.5), (0.01, 1.0), (0.001, 0.7)))
_BRIEF = CentralPath(((10.0, 1.0), *PUBLISHED_STOPS))


@dataclass(frozen=True)
class Portfolio:
    """Several routes of Algorithm 1, then kicks of the best answer.

    The routes start from the empty graph, on columns of unit variance, except the published one, which works
    on the columns as given. A kick removes the edges of some nodes of the best graph and solves again from
    there, on unit variances.

    Parameters
    ----------
    routes : tuple of Homotopy
        The routes on unit variances.
    as_given : Homotopy
        The route on the columns as given.
    kick : Homotopy
        How a kicked graph is solved again.
    kicks : int, optional
        The number of kicks; by default 1000/p, but no fewer than 2 and no more than 20.
    seed : int
        Decides which nodes are kicked.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> noise = np.random.default_rng(0).normal(size=(500, 2))
    >>> table = noise @ [[1.0, 2.0], [0.0, 1.0]]
    >>> sp.fit(table, solver=Portfolio(kicks=2)).dag.edges
    [('x0', 'x1')]
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
        """All routes starting from another λ and δ."""
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
        given = _Runner(problem, problem.covariance_for("differentiable"))
        unit = given.standardized()
        found = [given.run(self.as_given, watch)]
        found += [unit.run(route, watch) for route in self.routes if watch.stop is None]
        kicked: list[_Candidate] = []
        rng = generator(self.seed, PORTFOLIO)
        for number in range(int(np.clip(1000 // problem.p, 2, 20)) if self.kicks is None else self.kicks):
            if watch.stop is None:
                share = _RESET[number % len(_RESET)]
                start = unit.reset(_best([*found, *kicked]).graph, share, rng)
                kicked.append(unit.run(self.kick, watch, start))
        best = _best([*found, *kicked])
        return replace(
            best.solution,
            status=watch.stop or best.solution.status,
            steps=sum(candidate.solution.steps for candidate in (*found, *kicked)),
            seconds=watch.seconds - began,
            stages=(*(candidate.stage for candidate in found), *_in_one(kicked)),
            agreed=sum(
                candidate.stage.objective < best.stage.objective + SAME_OBJECTIVE
                for candidate in (*found, *kicked)
            ),
        )


@dataclass(frozen=True)
class _Candidate:
    """Soft weights on the columns of the problem, the graph they lead to, and its objective."""

    solution: Solution
    graph: Mask
    stage: Stage


@dataclass(frozen=True)
class _Runner:
    """Runs routes on columns divided by `scales`; evaluates their graphs on the columns of the problem."""

    problem: Problem
    covariance: Array
    scales: Array | None = None

    def standardized(self) -> _Runner:
        return replace(self, scales=np.sqrt(self.covariance.diagonal()))

    @property
    def _scaled(self) -> Array:
        return self.covariance if self.scales is None else correlation_of(self.covariance)

    def run(self, route: Homotopy, watch: Watch, start: Array | None = None) -> _Candidate:
        began = watch.seconds
        scaled = self.problem.with_score(GaussianScore(self._scaled), self.problem.penalty)
        solution = route.solve(scaled, watch, start)
        if self.scales is not None:
            solution = converted(solution, 1 / self.scales)
        graph, objective = graph_by_score(self.problem, solution.adjacency, thorough=watch.stop is None)
        stage = Stage(f"{route.name} route", objective, solution.steps, watch.seconds - began)
        return _Candidate(solution, graph, stage)

    def reset(self, graph: Mask, share: float, rng: np.random.Generator) -> Array:
        """The graph's weights, without those of a random share of the nodes.

        An entry at zero may stay there because of the penalty's kink alone; a node that has lost all its
        edges is explained so badly that it takes new ones.
        """
        p = len(graph)
        weights, _ = refit(self._scaled, graph)
        nodes = rng.choice(p, size=min(p, max(2, round(share * p))), replace=False)
        weights[nodes], weights[:, nodes] = 0.0, 0.0
        return weights


def _best(candidates: Sequence[_Candidate]) -> _Candidate:
    return min(candidates, key=lambda one: one.stage.objective)


def _in_one(kicked: Sequence[_Candidate]) -> tuple[Stage, ...]:
    """The kicks as one stage."""
    if not kicked:
        return ()
    stages = [one.stage for one in kicked]
    lowest = min(stage.objective for stage in stages)
    steps, seconds = sum(stage.steps for stage in stages), sum(stage.seconds for stage in stages)
    return (Stage(f"{len(stages)} kicks", lowest, steps, seconds),)
