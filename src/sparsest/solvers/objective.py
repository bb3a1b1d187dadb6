"""What an inner solver minimises: score + penalty, with the constraint driven to zero.

The three functions are the three ways of the literature to impose the constraint h: DAGMA's barrier, NOTEARS'
augmented Lagrangian and GOLEM's soft constraint.
"""

from __future__ import annotations

import numpy as np

from sparsest._core.errors import OptionError
from sparsest.acyclicity import Constraint
from sparsest.penalties import SoftPenalty
from sparsest.problem import Array, Problem


class Objective:
    """``smooth(ψ) + Σ_i kinks_i |ψ_i|`` on the allowed entries of ψ.

    Where an edge owns a group of parameters, the kinks are ``Σ_g kinks_g ‖ψ_g‖``, one per edge. The
    constraint enters the smooth part as ``linear · h + quadratic · h²/2``.
    """

    def __init__(self, problem: Problem, constraint: Constraint, linear: float, quadratic: float = 0.0):
        if not isinstance(problem.penalty, SoftPenalty):
            raise OptionError(f"a differentiable solver needs a soft penalty, not {problem.penalty!r}")
        self._score, self._scored = problem.score, problem.scored
        self._constrained = problem.constrained_by(constraint)
        self._linear, self._quadratic = linear, quadratic
        self._penalty = problem.penalty
        self.groups = problem.groups
        self._movable = problem.movable
        self._penalised = problem.allowed.reshape(-1) & problem.penalised.reshape(-1)
        self.kinks = np.where(self._penalised, self._penalty.slope, 0.0)

    def value_and_grad(self, psi: Array) -> tuple[float, Array] | None:
        """The smooth part and its gradient, zero on entries not allowed; None outside the domain."""
        scored = self._scored(psi)
        if scored is None:
            return None
        squares = self._score.squares(psi)
        constrained = self._constrained(psi)
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


def barrier(problem: Problem, constraint: Constraint, mu: float) -> Objective:
    """Score + penalty + h/μ: one stop on the central path of DAGMA.

    DAGMA writes μ · (score + penalty) + h, which has the same minimisers. On the scale of the score a
    solver's tolerances mean the same at every stop.
    """
    return Objective(problem, constraint, linear=1 / mu)


def lagrangian(problem: Problem, constraint: Constraint, alpha: float, rho: float) -> Objective:
    """Score + penalty + αh + ρh²/2: the augmented Lagrangian of NOTEARS."""
    return Objective(problem, constraint, linear=alpha, quadratic=rho)


def softened(problem: Problem, constraint: Constraint, weight: float) -> Objective:
    """Score + penalty + weight · h: GOLEM's soft constraint."""
    return Objective(problem, constraint, linear=weight)
