"""Options that must be numbers: refused by name where they are not, before any work is done."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from sparsest._core.errors import OptionError


def number(name: str, value: Any, what: str = "a number from 0 on") -> float:
    """A number, not negative and not NaN, as a float."""
    if isinstance(value, bool) or not isinstance(value, Real) or math.isnan(value) or value < 0:
        raise OptionError(f"{name} must be {what}, not {value!r}")
    return float(value)


def whole(name: str, value: Any, least: int | None = 0) -> int:
    """A whole number, as an int; 2.0 is one."""
    fine = not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
    if not fine or value != int(value):
        raise OptionError(f"{name} must be a whole number, not {value!r}")
    if least is not None and value < least:
        raise OptionError(f"{name} must be a whole number from {least} on, not {value!r}")
    return int(value)
