"""The log-determinant constraint of DAGMA (Bello, Aragam & Ravikumar, 2022)."""

import math
from dataclasses import dataclass

import numpy as np

from sparsest._core.errors import OptionError
from sparsest._core.linalg import inverse_and_logdet
from sparsest.acyclicity.base import Array


@dataclass(frozen=True)
class LogDet:
    """h(S) = −log det(sI − S) + p log s, on the matrices S whose spectral radius is below s.

    Parameters
    ----------
    s : float
        The bound on the spectral radius, positive.

    Examples
    --------
    >>> import numpy as np
    >>> h, gradient = LogDet(s=1.0).value_and_grad(np.array([[0.0, 0.5], [0.5, 0.0]]))
    >>> round(h, 4)
    0.2877
    >>> print(LogDet(s=1.0).value_and_grad(np.array([[0.0, 2.0], [2.0, 0.0]])))  # outside the domain
    None
    """

    s: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.s) and self.s > 0):
            raise OptionError(f"LogDet needs s > 0, but s = {self.s!r}")

    def value_and_grad(self, squares: Array) -> tuple[float, Array] | None:
        """The value h(S) and its gradient (sI − S)^{-T}; None where the spectral radius of S is s or more."""
        p = len(squares)
        matrix = -squares
        matrix.flat[:: p + 1] += self.s
        factored = inverse_and_logdet(matrix)
        if factored is None:
            return None
        inverse, logdet = factored
        # sI − S has no positive entry off the diagonal: it is an M-matrix, that is, S lies in the domain,
        # exactly where its inverse has no negative entry. Rounding may make a zero slightly negative.
        if inverse.min() < -1e-10 * np.abs(inverse).max():
            return None
        return -logdet + p * math.log(self.s), inverse.T
