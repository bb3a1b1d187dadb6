"""What the discrete searches share."""

import numpy as np
from numpy.typing import NDArray

from sparsest.errors import OptionError
from sparsest.problem import Problem
from sparsest.scores import GaussianScore


def gaussian_covariance(problem: Problem, search: str) -> NDArray[np.float64]:
    """The covariance behind the problem's score, for searches compiled for the Gaussian likelihood."""
    if not isinstance(problem.score, GaussianScore):
        raise OptionError(f"{search} needs a Gaussian score, not {type(problem.score).__name__}")
    return problem.score.covariance


def parent_limit(max_parents: int | None, p: int) -> int:
    """The most parents a node may have."""
    if max_parents is None:
        return p - 1
    if max_parents < 0:
        raise OptionError(f"max_parents must not be negative, but max_parents = {max_parents}")
    return min(max_parents, p - 1)
