"""Linear algebra that several rooms share."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dgetrf, dgetri

Array = NDArray[np.float64]

# Below this size, BLAS threads spend more time waiting for one another than working.
_WORTH_THREADS = 300


@contextmanager
def sensible_threads(p: int) -> Iterator[None]:
    """Use one BLAS thread for small (p, p) matrices, and all threads for large ones."""
    if p >= _WORTH_THREADS:
        yield
        return
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        yield


def inverse_and_logdet(matrix: Array) -> tuple[Array, float] | None:
    """`(matrix⁻¹, log det matrix)` from one LU factorisation; None if the determinant is not positive."""
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
