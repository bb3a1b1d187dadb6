"""Standardised effects, which can be compared between columns of different units."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def standardized_weights(weights: Array, noise_variances: Array) -> Array:
    """The effect of one standard deviation of a parent, in standard deviations of the child.

    The standard deviations are those that the model implies, Σ = (I − B)^-T Ω (I − B)^-1. The result does not
    depend on the units of the columns.
    """
    total = np.linalg.inv(np.eye(len(weights)) - weights)
    deviations = np.sqrt(noise_variances @ total**2)
    standardized: Array = weights * deviations[:, None] / deviations
    return standardized
