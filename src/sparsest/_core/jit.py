"""How this package compiles loops with numba.

Rules for every kernel:

- each call takes at most about 0.2 s, so that Ctrl-C, time limits and progress reports work between calls;
- its whole call graph stays in one file: a cached caller is not recompiled when a callee elsewhere changes
  (`lent`, below, is the exception: clear the caches after changing it);
- it releases the interpreter lock, so that threads run in parallel.
"""

import functools
import os
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import numba
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_untracked
from numba.extending import intrinsic

from sparsest._core.errors import SparsestWarning

F = TypeVar("F", bound=Callable[..., Any])


# A division by zero gives inf or nan as in NumPy: without checks for it, loops compile and run faster.
_OPTIONS = {"nogil": True, "error_model": "numpy"}


def kernel(function: F) -> F:
    """`numba.njit(cache=True, nogil=True)`, without the cache if no folder is writable."""
    try:
        return _forgiving(numba.njit(cache=True, **_OPTIONS)(function))  # type: ignore[no-any-return]
    except RuntimeError:  # numba found no folder for its cache
        return numba.njit(**_OPTIONS)(function)  # type: ignore[no-any-return]


def _forgiving(compiled: Any) -> Any:
    """A kernel that goes on without its cache where the disk is full, or the cache damaged."""
    cache = compiled._cache
    load, save = cache.load_overload, cache.save_overload

    def loaded(*signature: Any) -> Any:
        try:
            return load(*signature)
        except Exception:  # whatever unpickling half a file raises
            with suppress(Exception):
                cache.flush()
            return None

    def saved(*signature_and_code: Any) -> None:
        try:
            save(*signature_and_code)
        except Exception as error:
            _say_once(str(getattr(error, "strerror", None) or error))

    cache.load_overload, cache.save_overload = loaded, saved
    return compiled


@functools.cache  # so that it is said once
def _say_once(why: str) -> None:
    where = os.environ.get("NUMBA_CACHE_DIR", "numba's cache")
    warnings.warn(
        f"compiled code cannot be kept in {where} ({why}): the next program compiles it again. Make room "
        "there, or name another folder in the environment variable NUMBA_CACHE_DIR",
        SparsestWarning,
        stacklevel=2,
    )


# Without an entry point from Python: compiles in half the time.
_PART = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def part(function: F) -> F:
    """A function that only kernels of the same file call."""
    return numba.njit(**_PART)(function)  # type: ignore[no-any-return]


def inlined(function: F) -> F:
    """A part that is called in one place only, and compiled there: not by itself first, and then again there.

    A function is optimised anew within each of its callers, so that every level of calls costs as much as
    all below it.
    """
    return numba.njit(inline="always", **_PART)(function)  # type: ignore[no-any-return]


@intrinsic
def lent(_context: Any, given: Any) -> Any:
    """Arrays, or tuples of them, without reference counting, which takes a seventh of the time.

    Only for arguments of a kernel, since its caller keeps them alive.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = _without_owner(context, builder, signature.args[0], arguments[0])
        return impl_ret_untracked(context, builder, signature.return_type, value)

    return given(given), generate


def _without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.containers.BaseTuple):
        parts = cgutils.unpack_tuple(builder, value, len(kind))
        lent_parts = [_without_owner(context, builder, *part) for part in zip(kind.types, parts, strict=True)]
        return context.make_tuple(builder, kind, lent_parts)
    if not isinstance(kind, types.Array):
        return value
    array = context.make_array(kind)(context, builder, value)
    array.meminfo = cgutils.get_null_value(array.meminfo.type)
    array.parent = cgutils.get_null_value(array.parent.type)
    return array._getvalue()
