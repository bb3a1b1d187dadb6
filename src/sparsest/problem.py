"""The problem: minimise score(ψ) + penalty(B(ψ)) over the ψ whose graph is acyclic (Equation 10).

This is the one place where score, penalty, constraint and knowledge are added up. Continuous solvers
see the sum only, a smooth function plus weighted absolute values, or norms of groups where an edge owns
several parameters; discrete ones see local scores and a cost per edge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Watch
from sparsest._core.words import default_names
from sparsest.acyclicity import Constraint
from sparsest.graph.acyclicity import path_matrix, refuse_cycle
from sparsest.penalties import Penalty, SoftPenalty
from sparsest.scores import Score

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Problem:
    """A score and a penalty over the graphs whose edges lie in `free`.

    `free[i, j]` is False where the edge i → j is ruled out, as on the diagonal; None allows every edge.
    `unpenalised[i, j]` is True where the edge costs nothing; None charges for all, as `fit` does.
    Searches that charge all edges the same refuse it: `ExactSearch`, `OrderSearch`, `GES`, `Portfolio`.
    `required[i, j]` is True where the edge must be; None requires none. What must be is not penalised.
    """

    score: Score
    penalty: Penalty
    free: Mask | None = None
    unpenalised: Mask | None = None
    required: Mask | None = None

    def __post_init__(self) -> None:
        for name in ("free", "unpenalised", "required"):
            mask = getattr(self, name)
            if mask is not None and mask.shape != (self.p, self.p):
                raise OptionError(f"{name} must be a ({self.p}, {self.p}) matrix, not {mask.shape}")
        if self.required is not None:
            refuse_cycle(self.required, default_names(self.p))
            if (where := np.argwhere(self.required & ~self.allowed)).size:
                i, j = where[0]
                raise OptionError(f"the edge {i} -> {j} is ruled out by free, and yet required")
        if self.unpenalised is not None and (where := np.argwhere(self.unpenalised & ~self.allowed)).size:
            i, j = where[0]
            raise OptionError(f"the edge {i} -> {j} is ruled out by free, and yet listed as unpenalised")

    @property
    def p(self) -> int:
        """The number of nodes."""
        return self.score.p

    @property
    def allowed(self) -> Mask:
        """The edges that a graph may have, (p, p): not those that close a cycle with required ones."""
        allowed = np.ones((self.p, self.p), dtype=bool) if self.free is None else self.free.copy()
        np.fill_diagonal(allowed, False)
        return allowed if self.required is None else allowed & ~path_matrix(self.required).T

    @property
    def penalised(self) -> Mask:
        """The edges that pay a soft penalty, (p, p)."""
        pays = np.ones((self.p, self.p), dtype=bool) if self.unpenalised is None else ~self.unpenalised
        return pays if self.required is None else pays & ~self.required

    @property
    def most_required(self) -> int:
        """The largest number of required parents of a node."""
        return 0 if self.required is None else int(self.required.sum(axis=0).max(initial=0))

    @property
    def groups(self) -> NDArray[np.int64] | None:
        """The edge i·p + j of every parameter, −1 for none; None where ψ is B itself."""
        return getattr(self.score, "groups", None)

    @property
    def movable(self) -> Mask:
        """The parameters of allowed edges and of no edge, (m,)."""
        allowed = self.allowed.reshape(-1)
        return allowed if self.groups is None else np.append(allowed, True)[self.groups]

    @property
    def cost(self) -> float:
        """The cost per edge c, for solvers that count edges."""
        if not math.isfinite(self.penalty.cost):
            raise OptionError(
                f"a discrete search counts edges, and {self.penalty!r} has no cost per edge: "
                "pass a number, 'bic' or QuasiMCP(lam, delta), whose cost is lam * delta / 2"
            )
        return self.penalty.cost

    def with_penalty(self, penalty: Penalty) -> Problem:
        """The same problem with another penalty."""
        return replace(self, penalty=penalty)

    def with_score(self, score: Score, penalty: Penalty) -> Problem:
        """Another score and penalty over the same graphs."""
        return replace(self, score=score, penalty=penalty)

    def nll(self, psi: Array) -> float:
        """The score alone; infinite outside its domain."""
        scored = self.score.value_and_grad(psi)
        return math.inf if scored is None else scored[0]

    def value(self, psi: Array) -> float:
        """Score plus penalty."""
        strengths = psi if self.groups is None else np.sqrt(self.score.squares(psi).reshape(-1))
        return self.nll(psi) + float(self.penalty.value(strengths)[self.penalised.reshape(-1)].sum())

    def h(self, psi: Array, constraint: Constraint) -> float:
        """The constraint's value; infinite outside its domain."""
        constrained = constraint.value_and_grad(self.score.squares(psi))
        return math.inf if constrained is None else constrained[0]

    def barrier(self, constraint: Constraint, mu: float) -> Objective:
        """Score + penalty + h/μ: one stop on the central path.

        DAGMA writes μ · (score + penalty) + h, which has the same minimisers. On the scale of the score a
        solver's tolerances mean the same at every stop.
        """
        return Objective(self, constraint, linear=1 / mu)

    def lagrangian(self, constraint: Constraint, alpha: float, rho: float) -> Objective:
        """Score + penalty + αh + ρh²/2: the augmented Lagrangian of NOTEARS."""
        return Objective(self, constraint, linear=alpha, quadratic=rho)

    def softened(self, constraint: Constraint, weight: float) -> Objective:
        """Score + penalty + weight · h: GOLEM's soft constraint."""
        return Objective(self, constraint, linear=weight)


class Objective:
    """`smooth(ψ) + Σ_i kinks_i |ψ_i|` on the allowed entries of ψ: what an inner solver minimises.

    Where an edge owns a group of parameters, the kinks are `Σ_g kinks_g ‖ψ_g‖`, one an edge. The constraint
    enters the smooth part as `linear · h + quadratic · h²/2`.
    """

    def __init__(self, problem: Problem, constraint: Constraint, linear: float, quadratic: float = 0.0):
        if not isinstance(problem.penalty, SoftPenalty):
            raise OptionError(f"a differentiable solver needs a soft penalty, not {problem.penalty!r}")
        self._score, self._constraint = problem.score, constraint
        self._linear, self._quadratic = linear, quadratic
        self._penalty = problem.penalty
        self.groups = problem.groups
        self._movable = problem.movable
        self._penalised = problem.allowed.reshape(-1) & problem.penalised.reshape(-1)
        self.kinks = np.where(self._penalised, self._penalty.slope, 0.0)

    def value_and_grad(self, psi: Array) -> tuple[float, Array] | None:
        """The smooth part and its gradient, zero on entries not allowed; None outside the domain."""
        scored = self._score.value_and_grad(psi)
        if scored is None:
            return None
        squares = self._score.squares(psi)
        constrained = self._constraint.value_and_grad(squares)
        if constrained is None:
            return None
        h, h_gradient = constrained
        strengths = psi if self.groups is None else np.sqrt(squares.reshape(-1))
        remainder, slope = self._penalty.remainder(strengths)
        value = scored[0] + float(remainder[self._penalised].sum())
        value += self._linear * h + 0.5 * self._quadratic * h**2
        weight = self._linear + self._quadratic * h
        gradient = scored[1] + self._score.squares_vjp(psi, weight * h_gradient)
        slope = np.where(self._penalised, slope, 0.0)
        if self.groups is not None:  # the derivative of a norm is ψ/‖ψ‖; the remainder is flat at 0
            slope = psi * np.append(slope / np.where(strengths > 0, strengths, 1.0), 0.0)[self.groups]
        gradient += slope
        return value, np.where(self._movable, gradient, 0.0)


@dataclass(frozen=True)
class Stage:
    """One stage of a solver: its name, the solver's objective at its end, and its share of the time."""

    name: str
    objective: float
    steps: int
    seconds: float


@dataclass(frozen=True)
class Solution:
    """Where a solver stopped.

    `adjacency` is B(ψ) for differentiable solvers and a 0/1 matrix for discrete ones. `objective` is the
    solver's own: the soft objective, or NLL + c · edges. `h` and `violation` (of the optimality conditions,
    the largest entry of the least subgradient) speak of differentiable solvers only. `agreed` counts, of a
    solver's descents or starts, those that ended at the best objective. `psi` are the parameters behind
    `adjacency`, for differentiable solvers.
    """

    adjacency: NDArray[np.float64]
    objective: float
    status: Status
    steps: int
    seconds: float
    stages: tuple[Stage, ...] = ()
    agreed: int = 1
    h: float = 0.0
    violation: float = 0.0
    psi: NDArray[np.float64] | None = None


class Solver(Protocol):
    """Anything that turns a problem into a solution."""

    @property
    def standardizes(self) -> bool:
        """Whether the solver wants columns of unit variance unless told otherwise."""

    @property
    def returns_dag(self) -> bool:
        """Whether `adjacency` is a finished DAG, rather than soft weights still to be pruned."""

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """Minimise the problem, polling `watch.stop` between steps."""
