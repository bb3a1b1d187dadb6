"""The log-determinant constraint of DAGMA (Bello, Aragam & Ravikumar, 2022)."""

import math
from dataclasses import dataclass

import numpy as np

from sparsest._core.errors import OptionError
from sparsest._core.linalg import inverse_and_logdet
from sparsest.acyclicity.base import Array


@dataclass(frozen=True)
class LogDet:
    """h(S) = −log det(sI − S) + p log s, for matrices S with spectral radius below s.

    Parameters
    ----------
    s : float, default 1.0
        Upper bound of the spectral radius.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.acyclicity import LogDet
    >>> dag = np.array([[0.0, 1.0], [0.0, 0.0]])
    >>> value, gradient = LogDet().value_and_grad(dag)
    >>> abs(round(value, 12))
    0.0
    """

    s: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.s) and self.s > 0):
            raise OptionError(f"LogDet needs s > 0, but s = {self.s!r}")

    def value_and_grad(self, squares: Array) -> tuple[float, Array] | None:
        """Value of h and its gradient (sI − S)^{-T}.

        Parameters
        ----------
        squares : (p, p) array
            The matrix S.

        Returns
        -------
        (float, (p, p) array) or None
            Value and gradient; None if the spectral radius of S is not below s.
        """
        p = len(squares)
        matrix = -squares
        matrix.flat[:: p + 1] += self.s
        factored = inverse_and_logdet(matrix)
        if factored is None:
            return None
        inverse, logdet = factored
        # sI − S has no positive off-diagonal entries, so it is an M-matrix, that is, S lies in the domain,
        # exactly if its inverse has no negative entries. Rounding may make a zero slightly negative.
        if inverse.min() < -1e-10 * np.abs(inverse).max():
            return None
        return -logdet + p * math.log(self.s), inverse.T
