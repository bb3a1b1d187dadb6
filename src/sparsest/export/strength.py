"""Effects on one scale, so that edges between columns of different units can be compared."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def standardized_weights(weights: Array, noise_variances: Array) -> Array:
    """Effects in standard deviations: by how many of its own a column moves when its parent moves by one.

    The standard deviations are those the model implies, Σ = (I − B)^-T Ω (I − B)^-1. The result does not
    depend on the units of the columns.
    """
    total = np.linalg.inv(np.eye(len(weights)) - weights)
    deviations = np.sqrt(noise_variances @ total**2)
    standardized: Array = weights * deviations[:, None] / deviations
    return standardized
