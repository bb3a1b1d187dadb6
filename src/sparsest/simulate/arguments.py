"""Validation of the arguments of simulations."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from sparsest._core.errors import OptionError


def require_generator(rng: object) -> None:
    """Raise unless `rng` is a generator: a seed passed twice would give the same numbers twice."""
    if not isinstance(rng, np.random.Generator):
        raise OptionError(f"rng must be a numpy generator such as numpy.random.default_rng(0), got {rng!r}")


def checked_range(bounds: Iterable[float], what: str) -> tuple[float, float]:
    """Two finite numbers, the lower one first."""
    try:
        low, high = (float(bound) for bound in bounds)
    except (TypeError, ValueError):
        raise OptionError(f"{what} must be two numbers (low, high), got {bounds!r}") from None
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise OptionError(f"{what} must be two finite numbers with low <= high, got ({low:g}, {high:g})")
    return low, high


def checked_noise(bounds: Iterable[float]) -> tuple[float, float]:
    """A range of positive standard deviations."""
    low, high = checked_range(bounds, "noise")
    if low <= 0:
        raise OptionError(
            f"noise is a range of standard deviations and must be positive, got ({low:g}, {high:g})"
        )
    return low, high
