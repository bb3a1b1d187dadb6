"""Options of a simulation, checked."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from sparsest._core.errors import OptionError


def require_generator(rng: object) -> None:
    """Refuse anything but a generator: a seed passed twice would give the same numbers twice."""
    if not isinstance(rng, np.random.Generator):
        raise OptionError(f"rng must be a numpy generator such as numpy.random.default_rng(0), got {rng!r}")


def checked_count(value: object, what: str, least: int = 1) -> int:
    """A whole number (2.0 will do) that is at least `least`."""
    if not isinstance(value, int | float | np.integer | np.floating) or not float(value).is_integer():
        raise OptionError(f"{what} must be a whole number, got {value!r}")
    count = int(value)
    if count < least:
        raise OptionError(f"{what} must be at least {least}, got {count}")
    return count


def checked_range(bounds: Iterable[float], what: str) -> tuple[float, float]:
    """Two finite numbers, the lower first."""
    try:
        low, high = (float(bound) for bound in bounds)
    except (TypeError, ValueError):
        raise OptionError(f"{what} must be two numbers (low, high), got {bounds!r}") from None
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise OptionError(f"{what} must be two finite numbers with low <= high, got ({low:g}, {high:g})")
    return low, high


def checked_noise(bounds: Iterable[float]) -> tuple[float, float]:
    """A range of standard deviations."""
    low, high = checked_range(bounds, "noise")
    if low <= 0:
        raise OptionError(
            f"noise is a range of standard deviations and must be above 0, got ({low:g}, {high:g})"
        )
    return low, high
