"""From the options of `fit` to the objects they stand for: a model, a penalty, a solver, a problem."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sparsest._core.errors import OptionError
from sparsest._core.linalg import sensible_threads
from sparsest._core.progress import Watch
from sparsest._core.validation import number, whole
from sparsest._core.version import versions
from sparsest.data import TableOptions
from sparsest.data.audit import parent_limit
from sparsest.models.base import Mask, Model, Prepared
from sparsest.models.offers import Offers
from sparsest.models.registry import MODELS, SOLVERS, imported, solver_names
from sparsest.penalties import L0, Penalty, SoftPenalty
from sparsest.penalties.criteria import cost_per_edge
from sparsest.problem import Problem, Solution, Solver
from sparsest.rounding import graph_by_threshold

if TYPE_CHECKING:
    from sparsest.knowledge import Masks
    from sparsest.models.registry import SolverEntry

_PLAIN = (str, int, float, type(None))
_TABLE = (
    "kinds",
    "columns",
    "exclude",
    "na",
    "strict",
    "transform",
)  # options of tables that settings show where given


@dataclass(frozen=True)
class Choices:
    """The options of `fit` that determine what is solved and how, checked before any work is done."""

    solver: str | Solver = "auto"
    penalty: str | float | Penalty = "auto"
    standardize: bool | str = "auto"
    seed: int = 0
    n_jobs: int | None = None
    max_parents: int | None = None
    threshold: float | None = None
    search_rows: int | str | None = "auto"

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", whole("seed", self.seed))
        thread_count(self.n_jobs)
        if self.standardize not in ("auto", True, False):
            raise OptionError(f"standardize must be 'auto', True or False, not {self.standardize!r}")
        if self.max_parents is not None:
            object.__setattr__(self, "max_parents", whole("max_parents", self.max_parents))
        if self.threshold is not None:
            object.__setattr__(self, "threshold", number("threshold", self.threshold))
        if self.search_rows is not None and self.search_rows != "auto":
            object.__setattr__(self, "search_rows", whole("search_rows", self.search_rows, least=2))
        if isinstance(self.solver, str) and self.solver not in solver_names():
            known = ", ".join(map(repr, solver_names()))
            raise OptionError(f"unknown solver {self.solver!r}: use one of {known}, or a solver object")
        if isinstance(self.solver, type) or not (
            isinstance(self.solver, str) or hasattr(self.solver, "solve")
        ):
            raise OptionError(f"solver must be a name or a solver object, not {self.solver!r}")


@dataclass(frozen=True)
class Plan:
    """A solver and its name, the problem it is given, and how soft weights become a graph."""

    name: str
    solver: Solver
    problem: Problem
    standardized: bool
    threshold: float | None = None

    def solve(self, watch: Watch) -> Solution:
        """Run the solver."""
        with sensible_threads(self.problem.p):
            return self.solver.solve(self.problem, watch)

    def to_dag(self, prepared: Prepared, solution: Solution, watch: Watch) -> tuple[Mask, str]:
        """The graph of a solution, and how it was obtained: "search", "threshold" or "score"."""
        if self.solver.returns_dag:
            return solution.adjacency != 0, "search"
        if self.threshold is not None:
            return graph_by_threshold(self.problem, solution.adjacency, self.threshold), "threshold"
        return prepared.to_dag(self.problem, solution, watch), "score"


def chosen_model(model: Any, solver: Any) -> Model:
    """The model that `fit(model=..., solver=...)` asks for: a name, a model, or a user-defined likelihood."""
    if not isinstance(model, str):
        if hasattr(model, "prepare") and not isinstance(model, type):
            chosen: Model = model
            return chosen
        from sparsest.models.custom import Custom

        return Custom(model)
    if model not in MODELS:
        raise OptionError(f"unknown model {model!r}: use one of {', '.join(map(repr, MODELS))}")
    if model == "auto":
        model = next((entry.implies for entry in SOLVERS if entry.name == solver and entry.implies), model)
    made: Model = imported(MODELS[model].home)()
    return made


def plan(prepared: Prepared, choices: Choices, known: Masks) -> Plan:
    """The solver and the problem for a table under a model."""
    price = penalty_of(choices.penalty, prepared)
    name, solver = _solver(prepared, choices, price)
    if choices.threshold is not None and solver.returns_dag:
        raise OptionError(f"solver {name!r} returns a graph, not soft weights: leave threshold out")
    score, standardized = prepared.score(solver, choices.standardize)
    problem = Problem(
        score,
        price if solver.returns_dag else counting(price, prepared),
        allowed=known.allowed,
        required=known.required,
        max_parents=most_parents(prepared, choices.max_parents, known),
        names=prepared.names,
    )
    _ = problem.cost  # raises before any work is done if the penalty has no cost per edge
    return Plan(name, solver, problem, standardized, choices.threshold)


def penalty_of(penalty: str | float | Penalty, prepared: Prepared) -> Penalty:
    """The penalty that a criterion, a number or a penalty object stands for."""
    if isinstance(penalty, str):
        return L0(cost_per_edge(penalty, prepared.n, prepared.p))
    if isinstance(penalty, (int, float, np.number)) and not isinstance(penalty, bool):
        if not (math.isfinite(penalty) and penalty > 0):
            raise OptionError(f"penalty, the cost of an edge, must be a positive number, not {penalty!r}")
        return L0(float(penalty))
    if isinstance(penalty, bool) or not hasattr(penalty, "cost"):
        raise OptionError(
            f"penalty must be a criterion, a number or a penalty object, not {type(penalty).__name__}"
        )
    return penalty


def counting(penalty: Penalty, prepared: Prepared) -> Penalty:
    """The penalty by which graphs are compared: the default if this one counts no edges, such as ℓ1."""
    return penalty if math.isfinite(penalty.cost) else penalty_of("auto", prepared)


def most_parents(prepared: Prepared, asked: int | None, known: Masks) -> int:
    """The most parents a column may have: fewer where rows are few, but not fewer than required."""
    limit = prepared.p - 1 if asked is None else asked
    if prepared.n > prepared.p:
        return limit
    needed = int(known.required.sum(axis=0).max(initial=0))
    few = max(parent_limit(prepared.n), needed)
    return min(limit, few)


def modelled(prepared: Prepared) -> dict[str, str]:
    """How each column is modelled, by name."""
    columns = getattr(prepared, "columns", None)
    if columns is not None:
        return {column.name: _LIKELIHOODS.get(column.family.name, column.family.name) for column in columns}
    sentence = MODELS[prepared.model].short if prepared.model in MODELS else prepared.model
    return dict.fromkeys(prepared.names, sentence)


_LIKELIHOODS = {
    "gaussian": "a number with Gaussian noise",
    "bernoulli": "log-odds (logistic)",
    "poisson": "log-rate (Poisson)",
    "multinomial": "probabilities of categories (softmax)",
}


def settings_of(
    model: Any, choices: Choices, max_parents: int | None, options: TableOptions
) -> dict[str, Any]:
    """The options that determine the answer and the software versions, as plain strings and numbers."""
    table = {name: _plain(getattr(options, name)) for name in _TABLE if getattr(options, name)}
    asked = {
        "model": model,
        "solver": choices.solver,
        "penalty": choices.penalty,
        "standardize": choices.standardize,
        "seed": int(choices.seed),
        "max_parents": max_parents,
        "threshold": choices.threshold,
        "search_rows": choices.search_rows,
        "missing": options.missing,
    }
    plain = {key: value if isinstance(value, _PLAIN) else _in_words(value) for key, value in asked.items()}
    return plain | table | versions()


def _plain(value: Any) -> Any:
    """An option of the table as words, numbers, lists and dictionaries."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, str) or not isinstance(value, _PLAIN) else value


def thread_count(n_jobs: int | None) -> int:
    """How many threads `n_jobs` stands for."""
    wanted = 1 if n_jobs is None else whole("n_jobs", n_jobs, least=None)
    if wanted == 0:
        raise OptionError("n_jobs must be a whole number other than 0, or None, not 0")
    return wanted if wanted > 0 else max(1, (os.cpu_count() or 1) + 1 + wanted)


def _solver(prepared: Prepared, choices: Choices, price: Penalty) -> tuple[str, Solver]:
    if not isinstance(choices.solver, str):
        if choices.solver.returns_dag and not {Offers.COVARIANCE, Offers.LOCAL} & set(prepared.offers):
            raise _refusal(next(entry for entry in SOLVERS if entry.name == "order"), prepared)
        return type(choices.solver).__name__, choices.solver
    name = prepared.default_solver if choices.solver == "auto" else choices.solver
    entries = [entry for entry in SOLVERS if entry.name == name]
    offered = next((entry for entry in entries if entry.needs in prepared.offers), None)
    if offered is None:
        raise _refusal(entries[0], prepared)
    options = {"seed": choices.seed, "n_jobs": thread_count(choices.n_jobs)}
    solver: Any = offered.make(options)
    if isinstance(price, SoftPenalty) and hasattr(solver, "with_penalty"):
        solver = solver.with_penalty(price)
    return name, solver


def _refusal(entry: SolverEntry, prepared: Prepared) -> OptionError:
    usable = dict.fromkeys(each.name for each in SOLVERS if each.needs in prepared.offers)
    return OptionError(
        f"solver {entry.name!r} {entry.refusal}; the model is {prepared.model!r}: use one of 'auto', "
        f"{', '.join(map(repr, usable))}, or another model"
    )


def _in_words(part: Any) -> str:
    """The repr of an object, or its type if it has only the default repr with a memory address."""
    words = repr(part)
    return type(part).__name__ if words == object.__repr__(part) else words
