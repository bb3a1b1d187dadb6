"""The published methods as rows of one table: (score, penalty, path), and Algorithm 1 on top of a path.

| method        | score                       | penalty   | path                                  |
|---------------|-----------------------------|-----------|---------------------------------------|
| notears       | least squares               | ℓ1        | augmented Lagrangian, trace-exponential |
| golem-ev      | Gaussian, equal variances   | ℓ1        | soft trace-exponential                |
| golem-nv      | Gaussian, unequal variances | ℓ1        | the same, from golem-ev's answer      |
| dagma         | least squares               | ℓ1        | central path, log-determinant         |
| logll-notears | Gaussian, unequal variances | quasi-MCP | Algorithm 1 on notears' path          |
| logll-dagma   | Gaussian, unequal variances | quasi-MCP | Algorithm 1 on dagma's path           |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from sparsest._core.errors import OptionError
from sparsest._core.progress import Watch
from sparsest.penalties import L1, QuasiMCP, SoftPenalty
from sparsest.problem import Array, Problem, Solution, Stage
from sparsest.scores import EqualVarianceScore, GaussianScore, LeastSquares, Score
from sparsest.solvers.augmented_lagrangian import AugmentedLagrangian
from sparsest.solvers.base import Path
from sparsest.solvers.central_path import CentralPath
from sparsest.solvers.soft_constraint import SoftConstraint


class Start(Protocol):
    """Something whose answer a method may start from: a `Method`, or one in other units (`InUnits`)."""

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """Solve over the problem's graphs; the weights are in the units of the problem."""


@dataclass(frozen=True)
class Method:
    """One row of the table: a score of the covariance, a penalty, a path, and where to start.

    Parameters
    ----------
    name : str
        The name of the method.
    score : callable
        Makes the score from a covariance.
    penalty : SoftPenalty
        The penalty.
    path : Path
        How the acyclicity constraint is imposed.
    first : Start, optional
        The method whose answer is the start; the empty graph by default.

    Examples
    --------
    NOTEARS with another penalty, used by `fit`:

    >>> import numpy as np
    >>> import sparsest as sp
    >>> from sparsest.solvers import METHODS
    >>> noise = np.random.default_rng(0).normal(size=(500, 2))
    >>> table = noise @ [[1.0, 2.0], [0.0, 1.0]]
    >>> sp.fit(table, solver=METHODS["notears"].with_penalty(sp.MCP(0.1, 5.0))).dag.edges
    [('x0', 'x1')]
    """

    name: str
    score: Callable[[Array], Score]
    penalty: SoftPenalty
    path: Path
    first: Start | None = None

    standardizes = False
    returns_dag = False

    def solve(self, problem: Problem, watch: Watch, start: Array | None = None) -> Solution:
        """Solve this method's own score and penalty over the problem's graphs."""
        warm = WarmStart.at(problem, watch, start, self.first)
        if warm.last is not None and (stopped := watch.stop) is not None:
            return replace(warm.last, status=stopped)
        own = problem.with_score(self.score(problem.covariance_for(self.name)), self.penalty)
        return warm.then(self.path.solve(own, warm.point, watch, self.name))

    def with_penalty(self, penalty: SoftPenalty) -> Method:
        """The same method with another penalty."""
        return replace(self, penalty=penalty)


@dataclass(frozen=True)
class Homotopy:
    """Algorithm 1 of the paper (Appendix D): shrink λ and δ by γ from round to round, with warm starts.

    The rounds end when the likelihood no longer improves; with exact minimisers it always would, so their
    number is bounded.

    Parameters
    ----------
    name : str
        The name of the method.
    path : Path
        How the acyclicity constraint is imposed in each round.
    first : Start or None
        The method whose answer is the start, least squares + ℓ1 in the paper; None is the empty graph.
    penalty : QuasiMCP
        λ and δ of the first round.
    gamma : float
        γ, between 0 and 1.
    rounds : int
        The largest number of rounds.
    score : callable
        Makes the score of the rounds from a covariance. Where an edge has a group of parameters, as in
        networks, the score is the model's own.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> from sparsest.solvers import METHODS
    >>> noise = np.random.default_rng(0).normal(size=(500, 2))
    >>> table = noise @ [[1.0, 2.0], [0.0, 1.0]]
    >>> start = METHODS["logll-dagma"].with_penalty(sp.QuasiMCP(0.2, 0.1))
    >>> sp.fit(table, solver=start).dag.edges
    [('x0', 'x1')]
    """

    name: str
    path: Path
    first: Start | None
    penalty: QuasiMCP = QuasiMCP(0.4, 0.2)
    gamma: float = 0.8
    rounds: int = 8
    score: Callable[[Array], Score] = GaussianScore

    standardizes = False
    returns_dag = False

    def __post_init__(self) -> None:
        if not 0 < self.gamma < 1:
            raise OptionError(f"gamma must lie between 0 and 1, but gamma = {self.gamma!r}")
        if self.rounds < 1:
            raise OptionError(f"rounds must be at least 1, but rounds = {self.rounds!r}")

    def solve(self, problem: Problem, watch: Watch, start: Array | None = None) -> Solution:
        """Run the start and the rounds."""
        warm = WarmStart.at(problem, watch, start, self.first)
        if warm.last is not None and (stopped := watch.stop) is not None:
            return replace(warm.last, status=stopped)
        score = self._score(problem)
        warm = warm.inside(score)
        best, penalty, stopped = None, self.penalty, None
        lowest = np.inf
        for number in range(1, self.rounds + 1):
            own = problem.with_score(score, penalty)
            found = self.path.solve(own, warm.point, watch, f"round {number}")
            nll = own.nll(found.parameters)
            warm = warm.followed_by(found)
            stopped = watch.stop
            if best is not None and (nll >= lowest or stopped is not None):
                break  # a round cut short is no better than the last whole one
            best, lowest, penalty = found, nll, penalty.shrunk(self.gamma)
            if stopped is not None:
                break
        if best is None:
            raise AssertionError("there is at least one round")
        return warm.then(replace(best, status=stopped or best.status), counted=True)

    def _score(self, problem: Problem) -> Score:
        return problem.score if problem.groups is not None else self.score(problem.covariance_for(self.name))

    def with_penalty(self, penalty: SoftPenalty) -> Homotopy:
        """The same rounds starting from another λ and δ."""
        if not isinstance(penalty, QuasiMCP):
            raise OptionError(f"{self.name} shrinks lam and delta of a QuasiMCP, and cannot use {penalty!r}")
        return replace(self, penalty=penalty)


@dataclass(frozen=True)
class WarmStart:
    """Where the next stage starts, and an account of the stages before it."""

    point: Array
    stages: tuple[Stage, ...] = ()
    last: Solution | None = None

    @classmethod
    def at(cls, problem: Problem, watch: Watch, start: Array | None, first: Start | None) -> WarmStart:
        """A given start, or the answer of another method, or the empty graph."""
        if start is not None:
            return cls(start)
        if first is not None:
            found = first.solve(problem, watch)
            return cls(found.adjacency, found.stages, found)
        empty: Array = getattr(problem.score, "start", np.zeros((problem.p, problem.p)))
        return cls(empty)

    def inside(self, score: Score) -> WarmStart:
        """The same start, shrunk towards the empty graph until it lies in the domain of a score."""
        point = self.point
        while score.value_and_grad(point.reshape(-1)) is None:
            point = 0.9 * point
        return replace(self, point=point)

    def followed_by(self, found: Solution) -> WarmStart:
        """The start of the next stage, after one more."""
        return WarmStart(found.parameters, self.stages + found.stages)

    def then(self, last: Solution, counted: bool = False) -> Solution:
        """The last stage's solution with the account of all stages."""
        stages = self.stages if counted else self.stages + last.stages
        return replace(
            last,
            stages=stages,
            steps=sum(stage.steps for stage in stages),
            seconds=sum(stage.seconds for stage in stages),
        )


NOTEARS = Method("notears", LeastSquares, L1(0.1), AugmentedLagrangian())
GOLEM_EV = Method("golem-ev", EqualVarianceScore, L1(0.02), SoftConstraint())
GOLEM_NV = Method("golem-nv", GaussianScore, L1(0.002), SoftConstraint(), first=GOLEM_EV)
DAGMA = Method("dagma", LeastSquares, L1(0.03), CentralPath())
LOGLL_NOTEARS = Homotopy("logll-notears", AugmentedLagrangian(), first=NOTEARS)
LOGLL_DAGMA = Homotopy("logll-dagma", CentralPath(), first=DAGMA)

METHODS: dict[str, Method | Homotopy] = {
    method.name: method for method in (NOTEARS, GOLEM_EV, GOLEM_NV, DAGMA, LOGLL_NOTEARS, LOGLL_DAGMA)
}
