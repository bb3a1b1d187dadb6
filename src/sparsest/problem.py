"""The problem: minimise score(ψ) + penalty(B(ψ)) over the ψ whose graph is acyclic (Equation 10).

This is the one place where score, penalty, constraint and forbidden edges are added up. Continuous solvers
see the sum only, a smooth function plus weighted absolute values; discrete ones see local scores and a cost
per edge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from sparsest.acyclicity import Constraint
from sparsest.errors import OptionError
from sparsest.penalties import Penalty, SoftPenalty
from sparsest.scores import Score

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Problem:
    """A score and a penalty over the graphs whose edges lie in `free`.

    `free[i, j]` is False where the edge i → j is ruled out, as on the diagonal; None allows every edge.
    """

    score: Score
    penalty: Penalty
    free: Mask | None = None

    @property
    def p(self) -> int:
        """The number of nodes."""
        return self.score.p

    @property
    def allowed(self) -> Mask:
        """The edges that a graph may have, (p, p)."""
        allowed = np.ones((self.p, self.p), dtype=bool) if self.free is None else self.free.copy()
        if allowed.shape != (self.p, self.p):
            raise OptionError(f"free must be a ({self.p}, {self.p}) matrix, not {allowed.shape}")
        np.fill_diagonal(allowed, False)
        return allowed

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
        return self.nll(psi) + float(self.penalty.value(psi).sum())

    def h(self, psi: Array, constraint: Constraint) -> float:
        """The constraint's value; infinite outside its domain."""
        constrained = constraint.value_and_grad(self.score.squares(psi))
        return math.inf if constrained is None else constrained[0]

    def barrier(self, mu: float, constraint: Constraint) -> Objective:
        """Score + penalty + h/μ: one stop on the central path.

        DAGMA writes μ · (score + penalty) + h, which has the same minimisers. On the scale of the score a
        solver's tolerances mean the same at every stop.
        """
        return Objective(self, mu, constraint)


class Objective:
    """`smooth(ψ) + Σ_i kinks_i |ψ_i|` on the allowed entries of ψ: what an inner solver minimises."""

    def __init__(self, problem: Problem, mu: float, constraint: Constraint):
        if not hasattr(problem.penalty, "remainder"):
            raise OptionError(f"a differentiable solver needs a soft penalty, not {problem.penalty!r}")
        self._score, self._mu, self._constraint = problem.score, mu, constraint
        self._penalty = cast(SoftPenalty, problem.penalty)
        self._allowed = problem.allowed.reshape(-1)
        self.kinks = np.where(self._allowed, self._penalty.slope, 0.0)

    def value_and_grad(self, psi: Array) -> tuple[float, Array] | None:
        """The smooth part and its gradient, zero on entries not allowed; None outside the domain."""
        scored = self._score.value_and_grad(psi)
        if scored is None:
            return None
        constrained = self._constraint.value_and_grad(self._score.squares(psi))
        if constrained is None:
            return None
        remainder, slope = self._penalty.remainder(psi)
        value = scored[0] + float(remainder.sum()) + constrained[0] / self._mu
        gradient = scored[1] + slope + self._score.squares_vjp(psi, constrained[1] / self._mu)
        return value, np.where(self._allowed, gradient, 0.0)
