"""Linear algebra that several rooms share."""

import math
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Below this size, BLAS threads spend more time waiting for one another than working.
_WORTH_THREADS = 300


@contextmanager
def sensible_threads(p: int) -> Iterator[None]:
    """Use one BLAS thread for small (p, p) matrices, and all threads for large ones."""
    if p >= _WORTH_THREADS:
        yield
        return
    _ONE_THREAD.enter()
    try:
        yield
    finally:
        _ONE_THREAD.leave()


class _OneThread:
    """BLAS at one thread while anybody asks for it, and afterwards as it was.

    The number of threads belongs to the process: of fits that overlap in several threads, the first sets it
    and the last resets it. Otherwise each would take the other's setting for the original.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._limit: Any = None

    def enter(self) -> None:
        with self._lock:
            if self._users == 0:
                self._limit = _blas_libraries(len(sys.modules)).limit(limits=1, user_api="blas")
            self._users += 1

    def leave(self) -> None:
        with self._lock:
            if self._users == 0:  # this process was forked meanwhile
                return
            self._users -= 1
            if self._users == 0 and self._limit is not None:
                _let_any_thread_set()  # the first to come may be another thread than the last to go
                self._limit.restore_original_limits()
                _let_any_thread_set()

    def begin_again(self) -> None:
        """In a forked process: those who were inside, or held the lock, are not there."""
        self._lock = threading.Lock()
        if self._users > 0 and self._limit is not None:
            _let_any_thread_set()
            self._limit.restore_original_limits()
            _let_any_thread_set()
        self._users = 0


_ONE_THREAD = _OneThread()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_ONE_THREAD.begin_again)


def _let_any_thread_set() -> None:
    """End threadpoolctl's rule that only the thread which set the number may set it again."""
    import threadpoolctl

    controller: Any = getattr(threadpoolctl, "OpenBLASController", None)
    if hasattr(controller, "clear_controlling_thread"):
        controller.clear_controlling_thread(force=True)


@lru_cache(maxsize=1)
def _blas_libraries(_modules: int) -> Any:
    """The BLAS libraries of this process; looked for again only if a module has been imported since.

    Looking takes as long as learning a small graph.
    """
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def inverse_and_logdet(matrix: Array) -> tuple[Array, float] | None:
    """`(matrix⁻¹, log det matrix)` from one LU factorisation; None if the determinant is not positive."""
    from scipy.linalg.lapack import dgetrf, dgetri

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
