"""The one way in which this package compiles loops with numba.

Rules for every kernel:

- it runs for at most about 0.2 s a call and is called again, so that Ctrl-C, time limits and progress live;
- its whole call graph stays in one file: a cached caller is not recompiled when a callee elsewhere changes;
- it releases the interpreter lock, so that threads run in parallel.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])


# A division by zero gives inf or nan as in NumPy: without checks for it, loops compile sooner and run faster.
_OPTIONS = {"nogil": True, "error_model": "numpy"}


def kernel(function: F) -> F:
    """`numba.njit(cache=True, nogil=True)`, without the cache where no folder is writable."""
    try:
        return numba.njit(cache=True, **_OPTIONS)(function)  # type: ignore[no-any-return]
    except RuntimeError:  # numba found no folder for its cache
        return numba.njit(**_OPTIONS)(function)  # type: ignore[no-any-return]


# No entry from Python is compiled: half the time.
_PART = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def part(function: F) -> F:
    """What only kernels of the same file call."""
    return numba.njit(**_PART)(function)  # type: ignore[no-any-return]


def inlined(function: F) -> F:
    """A part that is copied into its callers: for the innermost, whose calls take a fifth of the time."""
    return numba.njit(forceinline=True, **_PART)(function)  # type: ignore[no-any-return]
