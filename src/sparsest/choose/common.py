"""What the choices of all models share: the cost of an edge, the problem, solver objects, threads."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.progress import Watch
from sparsest._core.validation import whole
from sparsest.data import Moments
from sparsest.knowledge import Masks
from sparsest.likelihoods import Rows
from sparsest.modelled import ModelRows
from sparsest.models import Model, Regressions
from sparsest.penalties import L0, Penalty, SoftPenalty
from sparsest.penalties.criteria import cost_per_edge
from sparsest.problem import Mask, Problem, Solver
from sparsest.scores import Score
from sparsest.solvers import GENERAL_METHODS, METHODS

#: The words for solvers; networks have "greedy" besides.
SOLVERS = ("auto", "exact", "order", "ges", "cam", "differentiable", *METHODS)


@dataclass(frozen=True)
class Choices:
    """The options of `fit` that say what to solve and how."""

    model: str | Model | Regressions
    solver: str | Solver
    penalty: str | float | Penalty
    standardize: bool | str
    seed: int
    n_jobs: int | None
    max_parents: int
    knowledge: Masks | None = None


@dataclass(frozen=True)
class Task:
    """The parts that the words stood for."""

    name: str
    solver: Solver
    problem: Problem
    covariance: NDArray[np.float64] | None  # None where the model is not Gaussian
    standardized: bool
    refine: Callable[[Mask, Watch], Mask] | None = None  # how networks turn soft edges into a graph


def price_of(penalty: str | float | Penalty, source: Moments | Rows | ModelRows) -> Penalty:
    """The penalty that a criterion, a number or a penalty object stands for."""
    if isinstance(penalty, str):
        return L0(cost_per_edge(penalty, source.n, source.p))
    if isinstance(penalty, (int, float, np.number)) and not isinstance(penalty, bool):
        if not (math.isfinite(penalty) and penalty > 0):
            raise OptionError(f"penalty, the cost of an edge, must be a positive number, not {penalty!r}")
        return L0(float(penalty))
    if isinstance(penalty, bool) or not hasattr(penalty, "cost"):
        raise OptionError(
            f"penalty must be a criterion, a number or a penalty object, not {type(penalty).__name__}"
        )
    return penalty


def yardstick(price: Penalty, source: Moments | Rows | ModelRows) -> Penalty:
    """What the result is judged by: the penalty itself, or the default where it counts no edges, as ℓ1."""
    return price if math.isfinite(price.cost) else price_of("auto", source)


def problem_of(score: Score, price: Penalty, choices: Choices) -> Problem:
    """The problem, refused before any work is done where the penalty counts no edges."""
    known = choices.knowledge
    allowed, required = (None, None) if known is None else known
    problem = Problem(score, price, allowed, required, max_parents=choices.max_parents)
    _ = problem.cost
    return problem


def solver_object(solver: Any) -> tuple[str, Solver]:
    """A solver of the user's own, and its name."""
    if not hasattr(solver, "solve"):
        raise OptionError(f"solver must be a name or a solver object, not {type(solver).__name__}")
    return type(solver).__name__, solver


def unknown_solver(solver: str) -> OptionError:
    """The error that lists the solvers there are."""
    known = ", ".join(map(repr, SOLVERS))
    return OptionError(f"unknown solver {solver!r}: use one of {known}, or a solver object")


def general_method(solver: str, price: Penalty) -> Solver:
    """A differentiable method for models with parameters of their own."""
    method = GENERAL_METHODS[solver]
    return method.with_penalty(price) if isinstance(price, SoftPenalty) else method


def general_words() -> str:
    """The words for these methods, for an error."""
    return ", ".join(map(repr, GENERAL_METHODS))


def threads(n_jobs: int | None) -> int:
    """How many threads `n_jobs` stands for."""
    wanted = 1 if n_jobs is None else whole("n_jobs", n_jobs, least=None)
    if wanted == 0:
        raise OptionError("n_jobs must be a whole number other than 0, or None, not 0")
    return wanted if wanted > 0 else max(1, (os.cpu_count() or 1) + 1 + wanted)
