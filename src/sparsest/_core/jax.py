"""JAX with 64-bit numbers, without changing the settings of the program that uses sparsest.

JAX keeps its precision in a setting of the thread. The context below holds only while our own functions are
traced or called: outside it, the user's `jnp.ones(1)` is 32-bit as before.
"""

from __future__ import annotations

import importlib
from contextlib import AbstractContextManager
from typing import Any

from sparsest._core.errors import OptionError


def require_jax(what: str) -> Any:
    """The module `jax`; if it is missing, an error that says what to install for `what`."""
    try:
        return importlib.import_module("jax")
    except ImportError as error:
        raise OptionError(
            f"{what} needs JAX, which is not installed: pip install 'sparsest[neural]'"
        ) from error


def double_precision() -> AbstractContextManager[None]:
    """Context manager within which JAX computes with 64 bits, in this thread only."""
    jax = require_jax("64-bit differentiation")
    if hasattr(jax, "enable_x64"):
        context: AbstractContextManager[None] = jax.enable_x64(True)
        return context
    older: AbstractContextManager[None] = importlib.import_module("jax.experimental").enable_x64()
    return older
