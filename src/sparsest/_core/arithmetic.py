"""NumPy's usual answer to overflow and underflow, whatever the host program has set.

A host that raises at every underflow would otherwise end a fit in which a probability is rounded to 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy as np

Given = ParamSpec("Given")
Found = TypeVar("Found")


def usual_arithmetic(call: Callable[Given, Found]) -> Callable[Given, Found]:
    """A decorator of what users call; its frame is ours, so that warnings point at the caller."""

    @wraps(call)
    def called(*args: Given.args, **kwargs: Given.kwargs) -> Found:
        with np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"):
            return call(*args, **kwargs)

    return called
