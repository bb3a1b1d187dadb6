"""Model objects: networks are searched through fits of single columns, others differentiated as a whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from sparsest._core.errors import OptionError
from sparsest._core.progress import Watch
from sparsest.choose.common import (
    Choices,
    Task,
    general_method,
    general_words,
    problem_of,
    yardstick,
)
from sparsest.modelled import ModelRows
from sparsest.penalties import Penalty
from sparsest.problem import Mask, Problem, Solver
from sparsest.scores import Score
from sparsest.search import LocalExactSearch, LocalOrderSearch, NetworkSearch
from sparsest.solvers import GENERAL_METHODS


def model_task(choices: Choices, source: ModelRows, price: Penalty) -> Task:
    """The solver and the problem for the rows of a model object."""
    local = source.local_score(choices.seed)
    solver: Any = choices.solver
    if solver == "auto":
        solver = "differentiable" if local is None else "greedy"
    judged = yardstick(price, source)
    refine = None
    named = isinstance(solver, str)  # an object may hold arrays, which have no hash
    differentiable = solver in GENERAL_METHODS if named else not solver.returns_dag
    if differentiable:
        part = general_method(solver, price) if named else cast(Solver, solver)
        problem = problem_of(source.score(choices.seed), judged, choices)
        if local is not None:
            refine = _refinement(problem_of(cast(Score, local), judged, choices))
    else:
        if local is None:
            raise OptionError(
                f"solver {solver!r} searches by scores of single columns, and model {source.name} gives one "
                f"likelihood for all of them: use one of {general_words()}"
            )
        part = _local_solver(solver, choices)
        problem = problem_of(cast(Score, local), judged, choices)
    name = solver if named else type(solver).__name__
    return Task(name, part, problem, None, source.standardized, refine)


def _refinement(problem: Problem) -> Callable[[Mask, Watch], Mask]:
    """What networks make of soft edges: the strongest ones, then single changes that lower the score."""

    def refine(graph: Mask, watch: Watch) -> Mask:
        found = NetworkSearch(start=graph, patience=0).solve(problem, watch)
        refined: Mask = found.adjacency != 0
        return refined

    return refine


def _local_solver(solver: Any, choices: Choices) -> Solver:
    if not isinstance(solver, str):
        return cast(Solver, solver)
    if solver == "greedy":
        return NetworkSearch()
    if solver == "exact":
        return LocalExactSearch(choices.seed)
    if solver == "order":
        return LocalOrderSearch(choices.seed)
    raise OptionError(
        f"solver {solver!r} is not for networks: use 'auto', 'greedy', 'order', 'exact', or one of "
        + general_words()
    )
