"""From covariances to correlations, without loading SciPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def correlation_of(covariance: Array) -> Array:
    """The correlation matrix of a covariance matrix with positive variances."""
    scales = np.sqrt(covariance.diagonal())
    correlation: Array = covariance / np.outer(scales, scales)
    return correlation
