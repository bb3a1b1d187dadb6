"""The one matrix factorisation that scores and constraints share."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dgetrf, dgetri

Array = NDArray[np.float64]


def inverse_and_logdet(matrix: Array) -> tuple[Array, float] | None:
    """`(matrix⁻¹, log det matrix)` from one LU factorisation; None where the determinant is not positive."""
    lu, pivots, info = dgetrf(matrix)
    if info != 0:
        return None
    diagonal = lu.diagonal()
    swaps = np.count_nonzero(pivots != np.arange(len(pivots)))
    if (np.count_nonzero(diagonal < 0) + swaps) % 2:
        return None
    inverse, info = dgetri(lu, pivots)
    logdet = float(np.log(np.abs(diagonal)).sum())
    if info != 0 or not math.isfinite(logdet):
        return None
    return inverse, logdet
