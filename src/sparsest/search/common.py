"""What the discrete searches share."""

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status
from sparsest.problem import Problem, Solution
from sparsest.rounding.by_score import objective_of
from sparsest.scores import GaussianScore


def gaussian_covariance(problem: Problem, search: str) -> NDArray[np.float64]:
    """The covariance behind the score, for searches compiled for it and for one cost of all edges."""
    if not isinstance(problem.score, GaussianScore):
        raise OptionError(f"{search} needs a Gaussian score, not {type(problem.score).__name__}")
    if problem.unpenalised is not None:
        raise OptionError(
            f"{search} charges every edge the same, and `unpenalised` says that some cost nothing: use "
            "LocalExactSearch, LocalOrderSearch or a differentiable solver"
        )
    return problem.score.covariance


def parent_limit(max_parents: int | None, p: int, required: int = 0) -> int:
    """The most parents a node may have; `required` is the largest number that a node must have."""
    if max_parents is None:
        return p - 1
    if max_parents < 0:
        raise OptionError(f"max_parents must not be negative, but max_parents = {max_parents}")
    if max_parents < required:
        raise OptionError(
            f"a node has {required} required parents, but max_parents = {max_parents}: raise it"
        )
    return min(max_parents, p - 1)


def required_alone(problem: Problem, status: Status, seconds: float) -> Solution:
    """What there is before a search has begun: the required edges, or the empty graph."""
    covariance = gaussian_covariance(problem, "a discrete search")
    graph = np.zeros(covariance.shape, dtype=bool) if problem.required is None else problem.required
    objective = objective_of(covariance, graph, problem.cost)
    return Solution(graph.astype(float), objective, status, 0, seconds)
