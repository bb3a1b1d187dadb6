"""Words become parts: what `fit` was asked for, as a solver and a problem. Done once, here."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import scipy
from numpy.typing import NDArray

from sparsest._version import __version__
from sparsest.data import Moments
from sparsest.errors import OptionError
from sparsest.knowledge import Masks
from sparsest.likelihoods import ROW_MODELS, Rows
from sparsest.modelled import ModelRows, is_model
from sparsest.models import Model
from sparsest.options import whole
from sparsest.penalties import L0, Penalty, SoftPenalty
from sparsest.problem import Mask, Problem
from sparsest.progress import Watch
from sparsest.scores import Score
from sparsest.scores.gaussian import GaussianScore
from sparsest.search import (
    CAM,
    GES,
    ExactSearch,
    LocalExactSearch,
    LocalOrderSearch,
    NetworkSearch,
    OrderSearch,
)
from sparsest.select import cost_per_edge
from sparsest.solution import Solver
from sparsest.solvers import GENERAL_METHODS, METHODS, Portfolio

_EXACT_NODES = 19  # solver="auto" is exact up to here: less than a second
# Where every local score is a fit of its own, it is exact up to here: a second or so.
_EXACT_FITTED_NODES = {"logistic": 10, "additive": 10, "poisson": 8, "mixed": 8}
_MODELS = ("auto", "gaussian", *ROW_MODELS, "mlp")
_PLAIN = (str, int, float, type(None))
_SOLVERS = ("auto", "exact", "order", "ges", "cam", "differentiable", *METHODS)


@dataclass(frozen=True)
class Choices:
    """The options of `fit` that say what to solve and how."""

    model: str | Model
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


def choose(choices: Choices, source: Moments | Rows | ModelRows) -> Task:
    """The solver and the problem for these moments, or for these rows."""
    if not is_model(choices.model) and choices.model not in _MODELS:
        known = ", ".join(map(repr, _MODELS))
        raise OptionError(f"unknown model {choices.model!r}: use one of {known}")
    whole("seed", choices.seed)
    if choices.standardize not in ("auto", True, False):
        raise OptionError(f"standardize must be 'auto', True or False, not {choices.standardize!r}")
    price = _penalty(choices.penalty, source)
    if isinstance(source, Rows):
        return _task_on_rows(choices, source, price)
    if isinstance(source, ModelRows):
        return _task_on_model(choices, source, price)
    name, part = _solver(choices, price, source.p)
    standardized = part.standardizes if choices.standardize == "auto" else bool(choices.standardize)
    covariance = source.correlation() if standardized else source.covariance
    if not part.returns_dag and not math.isfinite(price.cost):
        price = _penalty("auto", source)  # the yardstick of the result: ℓ1 counts no edges
    problem = _problem(GaussianScore(covariance), price, choices)
    _ = problem.cost  # refuse a penalty that counts no edges before any work is done
    return Task(name, part, problem, covariance, standardized)


def _problem(score: Score, price: Penalty, choices: Choices) -> Problem:
    known = choices.knowledge
    return (
        Problem(score, price)
        if known is None
        else Problem(score, price, known.allowed, required=known.required)
    )


def _task_on_rows(choices: Choices, rows: Rows, price: Penalty) -> Task:
    name, part = _solver_on_rows(choices, rows, price)
    if not part.returns_dag and not math.isfinite(price.cost):
        price = _penalty("auto", rows)  # the yardstick of the result: ℓ1 counts no edges
    problem = _problem(rows.score(), price, choices)
    _ = problem.cost
    return Task(name, part, problem, None, True)


def _solver_on_rows(choices: Choices, rows: Rows, price: Penalty) -> tuple[str, Solver]:
    solver, limit = choices.solver, choices.max_parents
    if not isinstance(solver, str):
        return _solver(choices, price, rows.p)
    if solver == "auto":
        solver = "exact" if rows.p <= _EXACT_FITTED_NODES[rows.model] else "order"
    if solver == "exact":
        return solver, LocalExactSearch(limit, choices.seed)
    if solver == "order":
        return solver, LocalOrderSearch(limit, choices.seed)
    if solver == "cam":
        return solver, CAM(limit)
    if solver in GENERAL_METHODS:
        return solver, _general(solver, price)
    if solver == "ges":
        raise OptionError(
            "solver 'ges' needs a score that is the same for all DAGs of a class (score equivalence), and "
            f"that of model {rows.model!r} is not: use solver='order' or 'exact', or model='gaussian'"
        )
    if solver not in _SOLVERS:
        return _solver(choices, price, rows.p)
    raise OptionError(
        f"solver {solver!r} is made for Gaussian models, and the model here is {rows.model!r}: use 'order', "
        f"'exact', one of {', '.join(map(repr, GENERAL_METHODS))}, or model='gaussian'"
    )


def _task_on_model(choices: Choices, source: ModelRows, price: Penalty) -> Task:
    """Networks are searched through fits of single columns, other models differentiated as a whole."""
    local = source.local_score(choices.seed)
    solver: Any = choices.solver
    if solver == "auto":
        solver = "differentiable" if local is None else "greedy"
    soft = solver in GENERAL_METHODS or not getattr(solver, "returns_dag", True)
    if not math.isfinite(price.cost):
        price, given = _penalty("auto", source), price
    else:
        given = price
    refine = None
    if soft:
        part = _general(solver, given)
        problem = _problem(source.score(choices.seed), price, choices)
        if local is not None:
            refine = _refinement(_problem(cast(Score, local), price, choices), choices.max_parents)
    else:
        if local is None:
            words = ", ".join(map(repr, GENERAL_METHODS))
            raise OptionError(
                f"solver {solver!r} searches by scores of single columns, and model {source.name} gives one "
                f"likelihood for all of them: use one of {words}"
            )
        part = _local_solver(solver, choices)
        problem = _problem(cast(Score, local), price, choices)
    _ = problem.cost
    name = solver if isinstance(solver, str) else type(solver).__name__
    return Task(name, part, problem, None, source.standardized, refine)


def _refinement(problem: Problem, limit: int) -> Callable[[Mask, Watch], Mask]:
    """What networks make of soft edges: the strongest ones, then changes that lower the score."""

    def refine(graph: Mask, watch: Watch) -> Mask:
        found = NetworkSearch(limit, start=graph).solve(problem, watch)
        refined: Mask = found.adjacency != 0
        return refined

    return refine


def _general(solver: Any, price: Penalty) -> Solver:
    if not isinstance(solver, str):
        return cast(Solver, solver)
    method = GENERAL_METHODS[solver]
    return method.with_penalty(price) if isinstance(price, SoftPenalty) else method


def _local_solver(solver: Any, choices: Choices) -> Solver:
    limit = choices.max_parents
    if not isinstance(solver, str):
        return cast(Solver, solver)
    if solver == "greedy":
        return NetworkSearch(limit)
    if solver == "exact":
        return LocalExactSearch(limit, choices.seed)
    if solver == "order":
        return LocalOrderSearch(limit, choices.seed)
    raise OptionError(
        f"solver {solver!r} is not for networks: use 'auto', 'greedy', 'order', 'exact', or one of "
        + ", ".join(map(repr, GENERAL_METHODS))
    )


def _penalty(penalty: str | float | Penalty, source: Moments | Rows | ModelRows) -> Penalty:
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
    if solver == "cam":
        raise OptionError("solver 'cam' is for additive models: pass model='additive'")
    if solver == "differentiable":
        portfolio = Portfolio(max_parents=limit, seed=choices.seed)
        return solver, portfolio.with_penalty(price) if isinstance(price, SoftPenalty) else portfolio
    if solver in METHODS:
        method = METHODS[solver]
        return solver, method.with_penalty(price) if isinstance(price, SoftPenalty) else method
    known = ", ".join(map(repr, _SOLVERS))
    raise OptionError(f"unknown solver {solver!r}: use one of {known}, or a solver object")


def _threads(n_jobs: int | None) -> int:
    wanted = 1 if n_jobs is None else whole("n_jobs", n_jobs, least=None)
    if wanted == 0:
        raise OptionError("n_jobs must be a whole number other than 0, or None, not 0")
    return wanted if wanted > 0 else max(1, (os.cpu_count() or 1) + 1 + wanted)


def settings_of(choices: Choices, threshold: float | None, missing: str) -> dict[str, Any]:
    """The options that shape the answer and the versions that gave it, as plain words and numbers."""
    asked = {
        "model": choices.model,
        "solver": choices.solver,
        "penalty": choices.penalty,
        "standardize": choices.standardize,
        "seed": int(choices.seed),
        "max_parents": int(choices.max_parents),
        "threshold": None if threshold is None else float(threshold),
        "missing": missing,
    }
    plain = {key: value if isinstance(value, _PLAIN) else repr(value) for key, value in asked.items()}
    versions = {
        "sparsest": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }
    return plain | versions
