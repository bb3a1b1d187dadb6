"""Options that must be numbers: anything else is refused by name, before any work is done."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from sparsest._core.errors import OptionError


def number(name: str, value: Any, what: str = "a non-negative number") -> float:
    """A non-negative number as a float; NaN is not one."""
    if isinstance(value, bool) or not isinstance(value, Real) or math.isnan(value) or value < 0:
        raise OptionError(f"{name} must be {what}, not {value!r}")
    return float(value)


def whole(name: str, value: Any, least: int | None = 0) -> int:
    """A whole number as an int; 2.0 is one."""
    fine = not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
    if not fine or value != int(value):
        raise OptionError(f"{name} must be a whole number, not {value!r}")
    if least is not None and value < least:
        bound = "a non-negative whole number" if least == 0 else f"a whole number of at least {least}"
        raise OptionError(f"{name} must be {bound}, not {value!r}")
    return int(value)
