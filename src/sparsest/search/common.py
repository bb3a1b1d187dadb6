"""What the discrete searches share."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Watch
from sparsest.problem import Problem, Solution
from sparsest.rounding.by_score import gaussian_objective
from sparsest.rounding.grow_shrink import objective_at_once
from sparsest.scores import GaussianScore, LocalScore

#: A column with less than this share of its variance left by other columns is collinear with them.
COLLINEAR = 1e-9


def gaussian_covariance(problem: Problem, search: str) -> NDArray[np.float64]:
    """The covariance behind the score, for searches compiled for Gaussian scores."""
    if not isinstance(problem.score, GaussianScore):
        raise OptionError(f"{search} needs a Gaussian score, not {type(problem.score).__name__}")
    return problem.score.covariance


def required_alone(problem: Problem, status: Status, seconds: float) -> Solution:
    """What there is before a search has begun: the required edges, or the empty graph."""
    objective = gaussian_objective(problem, problem.required)
    return Solution(problem.required.astype(float), objective, status, 0, seconds)


def nothing_more(problem: Problem, score: LocalScore, watch: Watch, began: float) -> Solution:
    """The required edges under any local score: the answer if there was no time to score anything else."""
    objective = objective_at_once(problem, score, problem.required)
    status = watch.stop or Status.TIME_LIMIT
    return Solution(problem.required.astype(float), objective, status, 0, watch.seconds - began)


def with_moved(
    order: Sequence[int] | NDArray[np.int64], moved: NDArray[np.int64], keys: NDArray[np.float64]
) -> NDArray[np.int64]:
    """An order with some nodes moved: between the places k and k + 1 if their key is between these."""
    places = np.empty(len(order))
    places[order] = np.arange(len(order))
    places[moved] = keys
    return np.argsort(places, kind="stable")
