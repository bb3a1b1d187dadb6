"""The linear Gaussian model: everything is learned from moments."""

from __future__ import annotations

from sparsest._core.errors import OptionError
from sparsest.choose.common import (
    Choices,
    Task,
    problem_of,
    solver_object,
    threads,
    unknown_solver,
    yardstick,
)
from sparsest.data import Moments
from sparsest.penalties import Penalty, SoftPenalty
from sparsest.problem import Solver
from sparsest.scores.gaussian import GaussianScore
from sparsest.search import GES, ExactSearch, OrderSearch
from sparsest.solvers import METHODS, Portfolio

_EXACT_NODES = 20  # solver="auto" is exact up to here: about a second


def gaussian_task(choices: Choices, moments: Moments, price: Penalty) -> Task:
    """The solver and the problem for moments."""
    name, part = _solver(choices, price, moments.p)
    standardized = part.standardizes if choices.standardize == "auto" else bool(choices.standardize)
    covariance = moments.correlation() if standardized else moments.covariance
    if not part.returns_dag:
        price = yardstick(price, moments)
    return Task(name, part, problem_of(GaussianScore(covariance), price, choices), covariance, standardized)


def _solver(choices: Choices, price: Penalty, p: int) -> tuple[str, Solver]:
    solver = choices.solver
    if not isinstance(solver, str):
        return solver_object(solver)
    if solver == "auto":
        solver = "exact" if p <= _EXACT_NODES else "order"
    if solver == "exact":
        return solver, ExactSearch()
    if solver == "order":
        return solver, OrderSearch(choices.seed, n_jobs=threads(choices.n_jobs))
    if solver == "ges":
        return solver, GES()
    if solver == "cam":
        raise OptionError("solver 'cam' is for additive models: pass model='additive'")
    if solver == "differentiable":
        portfolio = Portfolio(seed=choices.seed)
        return solver, portfolio.with_penalty(price) if isinstance(price, SoftPenalty) else portfolio
    if solver in METHODS:
        method = METHODS[solver]
        return solver, method.with_penalty(price) if isinstance(price, SoftPenalty) else method
    raise unknown_solver(solver)
