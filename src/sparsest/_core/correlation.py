"""From covariances to correlations, without loading SciPy."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Singular values of a correlation matrix below this share of the largest count as zero.
SINGULAR = 1e-12
_WELL = 1e-9  # smallest share of eigenvalues at which inverses have digits enough
_DETERMINED = 1e-10  # a column of whose variance less than this is left is determined by the others


def correlation_of(covariance: Array) -> Array:
    """The correlation matrix of a covariance matrix with positive variances."""
    scales = np.sqrt(covariance.diagonal())
    correlation: Array = covariance / np.outer(scales, scales)
    return correlation


def all_partial_correlations(covariance: Array) -> Array | None:
    """The partial correlation of each pair given all other columns; None if the matrix is nearly singular."""
    correlation = correlation_of(covariance)
    values, vectors = np.linalg.eigh(correlation)
    if values[0] <= _WELL * values[-1]:
        return None
    precision = (vectors / values) @ vectors.T
    return np.clip(-correlation_of(precision), -1, 1)


def partial_correlation(covariance: Array, a: int, b: int, given: Sequence[int]) -> float:
    """The partial correlation of two columns; 0 if the others determine one of them completely."""
    chosen = [a, b, *given]
    correlation = correlation_of(covariance[np.ix_(chosen, chosen)])
    if given:
        cross = correlation[2:, :2]
        slopes = np.linalg.lstsq(correlation[2:, 2:], cross, rcond=SINGULAR)[0]
        correlation = correlation[:2, :2] - cross.T @ slopes
    size = math.sqrt(max(correlation[0, 0], 0.0) * max(correlation[1, 1], 0.0))
    return float(np.clip(correlation[0, 1] / size, -1, 1)) if size > _DETERMINED else 0.0
