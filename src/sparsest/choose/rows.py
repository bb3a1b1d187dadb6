"""Models that are learned from rows by local fits: logistic, Poisson, additive, mixed."""

from __future__ import annotations

from sparsest._core.errors import OptionError
from sparsest.choose.common import (
    SOLVERS,
    Choices,
    Task,
    general_method,
    general_words,
    problem_of,
    solver_object,
    unknown_solver,
    yardstick,
)
from sparsest.likelihoods import Rows
from sparsest.penalties import Penalty
from sparsest.problem import Solver
from sparsest.search import CAM, LocalExactSearch, LocalOrderSearch
from sparsest.solvers import GENERAL_METHODS

# Where every local score is a fit of its own, solver="auto" is exact up to here: a second or two.
_EXACT_NODES = {"logistic": 10, "additive": 10, "poisson": 8, "mixed": 8}
_FEW_ROWS = 2000  # up to here two columns more of a mixed table


def rows_task(choices: Choices, rows: Rows, price: Penalty) -> Task:
    """The solver and the problem for rows."""
    name, part = _solver(choices, rows, price)
    if not part.returns_dag:
        price = yardstick(price, rows)
    return Task(name, part, problem_of(rows.score(), price, choices), None, True)


def _solver(choices: Choices, rows: Rows, price: Penalty) -> tuple[str, Solver]:
    solver = choices.solver
    if not isinstance(solver, str):
        return solver_object(solver)
    if solver == "auto":
        more = 2 if rows.model == "mixed" and rows.n <= _FEW_ROWS else 0
        solver = "exact" if rows.p <= _EXACT_NODES[rows.model] + more else "order"
    if solver == "exact":
        return solver, LocalExactSearch(choices.seed)
    if solver == "order":
        return solver, LocalOrderSearch(choices.seed)
    if solver == "cam":
        return solver, CAM()
    if solver in GENERAL_METHODS:
        return solver, general_method(solver, price)
    if solver == "ges":
        raise OptionError(
            "solver 'ges' needs a score that is the same for all DAGs of a class (score equivalence), and "
            f"that of model {rows.model!r} is not: use solver='order' or 'exact', or model='gaussian'"
        )
    if solver not in SOLVERS:
        raise unknown_solver(solver)
    raise OptionError(
        f"solver {solver!r} is made for Gaussian models, and the model here is {rows.model!r}: use 'order', "
        f"'exact', one of {general_words()}, or model='gaussian'"
    )
