"""The linear algebra that scores and constraints share."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dgetrf, dgetri

Array = NDArray[np.float64]

# Below this size, threads of the linear algebra library wait for one another longer than they work.
_WORTH_THREADS = 300


@contextmanager
def sensible_threads(p: int) -> Iterator[None]:
    """One thread for the algebra of small (p, p) matrices, as many as there are for large ones."""
    if p >= _WORTH_THREADS:
        yield
        return
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        yield


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
