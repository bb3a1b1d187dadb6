"""Words become parts: what `fit` was asked for, as a solver and a problem. Done once, here."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsest.data import Moments
from sparsest.errors import OptionError
from sparsest.penalties import L0, Penalty, SoftPenalty
from sparsest.problem import Problem
from sparsest.scores.gaussian import GaussianScore
from sparsest.search import GES, ExactSearch, OrderSearch
from sparsest.select import cost_per_edge
from sparsest.solution import Solver
from sparsest.solvers import METHODS, Portfolio

_EXACT_NODES = 19  # solver="auto" is exact up to here: less than a second
_SOLVERS = ("auto", "exact", "order", "ges", "differentiable", *METHODS)


@dataclass(frozen=True)
class Choices:
    """The options of `fit` that say what to solve and how."""

    model: str
    solver: str | Solver
    penalty: str | float | Penalty
    standardize: bool | str
    seed: int
    n_jobs: int | None
    max_parents: int


@dataclass(frozen=True)
class Task:
    """The parts that the words stood for."""

    name: str
    solver: Solver
    problem: Problem
    covariance: NDArray[np.float64]
    standardized: bool


def choose(choices: Choices, moments: Moments) -> Task:
    """The solver and the problem for these moments."""
    if choices.model not in ("auto", "gaussian"):
        raise OptionError(f"unknown model {choices.model!r}: use 'auto' or 'gaussian'")
    if not isinstance(choices.seed, (int, np.integer)) or choices.seed < 0:
        raise OptionError(f"seed must be a whole number from 0 on, not {choices.seed!r}")
    price = _penalty(choices.penalty, moments)
    name, part = _solver(choices, price, moments.p)
    if choices.standardize not in ("auto", True, False):
        raise OptionError(f"standardize must be 'auto', True or False, not {choices.standardize!r}")
    standardized = part.standardizes if choices.standardize == "auto" else bool(choices.standardize)
    covariance = moments.correlation() if standardized else moments.covariance
    if not part.returns_dag and not math.isfinite(price.cost):
        price = _penalty("auto", moments)  # the yardstick of the result: ℓ1 counts no edges
    problem = Problem(GaussianScore(covariance), price)
    _ = problem.cost  # refuse a penalty that counts no edges before any work is done
    return Task(name, part, problem, covariance, standardized)


def _penalty(penalty: str | float | Penalty, moments: Moments) -> Penalty:
    if isinstance(penalty, str):
        return L0(cost_per_edge(penalty, moments.n, moments.p))
    if isinstance(penalty, (int, float, np.number)):
        return L0(float(penalty))
    if not hasattr(penalty, "cost"):
        raise OptionError(
            f"penalty must be a criterion, a number or a penalty object, not {type(penalty).__name__}"
        )
    return penalty


def _solver(choices: Choices, price: Penalty, p: int) -> tuple[str, Solver]:
    solver, limit, threads = choices.solver, choices.max_parents, _threads(choices.n_jobs)
    if not isinstance(solver, str):
        if not hasattr(solver, "solve"):
            raise OptionError(f"solver must be a name or a solver object, not {type(solver).__name__}")
        return type(solver).__name__, solver
    if solver == "auto":
        solver = "exact" if p <= _EXACT_NODES else "order"
    if solver == "exact":
        return solver, ExactSearch(limit)
    if solver == "order":
        return solver, OrderSearch(limit, choices.seed, n_jobs=threads)
    if solver == "ges":
        return solver, GES(limit)
    if solver == "differentiable":
        portfolio = Portfolio(max_parents=limit, seed=choices.seed)
        return solver, portfolio.with_penalty(price) if isinstance(price, SoftPenalty) else portfolio
    if solver in METHODS:
        method = METHODS[solver]
        return solver, method.with_penalty(price) if isinstance(price, SoftPenalty) else method
    known = ", ".join(map(repr, _SOLVERS))
    raise OptionError(f"unknown solver {solver!r}: use one of {known}, or a solver object")


def _threads(n_jobs: int | None) -> int:
    cores = os.cpu_count() or 1
    if n_jobs is not None and (n_jobs != int(n_jobs) or n_jobs == 0):
        raise OptionError(f"n_jobs must be a whole number other than 0, or None, not {n_jobs!r}")
    return 1 if n_jobs is None else int(n_jobs) if n_jobs > 0 else max(1, cores + 1 + int(n_jobs))
