"""Mean and covariance of a Gaussian with missing values, by expectation and maximisation.

Dempster, Laird & Rubin (1977); Little & Rubin, "Statistical Analysis with Missing Data", section 11.2. Valid
if whether a value is missing depends only on the values that are observed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError

Array = NDArray[np.float64]

_STEPS = 2000
_TOLERANCE = 1e-6  # change of mean and correlation, in standard deviations
_RIDGE = 1e-9  # on unit variances: lets singular covariances be inverted


@dataclass(frozen=True)
class _Group:
    """The rows that lack the same number of values: `missing[k]` are the columns that `rows[k]` lacks."""

    rows: NDArray[np.intp]
    missing: NDArray[np.intp]
    pattern: NDArray[np.intp]  #: which of the different rows of `missing` each one is
    weight: Array  #: the weight of each pattern
    places: NDArray[np.intp]  #: flat positions, in the whole, of the entries of a pattern's covariance


def gaussian_em(values: Array, weights: Array | None = None) -> tuple[Array, Array]:
    """The mean and covariance of greatest likelihood, given what is known of each row.

    Conditional on the rest, the missing values of a row have precision K_mm, where K is the inverse of the
    covariance. So a step costs one inverse of K and one small inverse for each pattern of missing values,
    and the patterns of equal size are inverted together.
    """
    weights = np.ones(len(values)) if weights is None else weights / weights.mean()
    mean, scale = _known_moments(values, weights)
    X = (values - mean) / scale
    gaps = np.isnan(X)
    groups = list(_groups(gaps, weights))
    X[gaps] = 0.0
    total = weights.sum()
    centre, covariance = np.zeros(X.shape[1]), np.eye(X.shape[1])
    for _ in range(_STEPS):
        filled, spread = _expected(X, gaps, groups, centre, covariance)
        new_centre = weights @ filled / total
        deviations = filled - new_centre
        new = ((deviations * weights[:, None]).T @ deviations + spread) / total
        change = max(np.abs(new - covariance).max(), np.abs(new_centre - centre).max())
        centre, covariance = new_centre, (new + new.T) / 2
        if change < _TOLERANCE:
            break
    return mean + scale * centre, covariance * np.outer(scale, scale)


def _expected(
    X: Array, gaps: NDArray[np.bool_], groups: list[_Group], centre: Array, covariance: Array
) -> tuple[Array, Array]:
    """The rows with missing values replaced by what is expected, and the summed covariance of these."""
    precision = np.linalg.inv(covariance + _RIDGE * np.eye(len(covariance)))
    deviations = np.where(gaps, 0.0, X - centre)
    pull = deviations @ precision
    spread = np.zeros(covariance.size)
    for group in groups:
        inverse = np.linalg.inv(precision.reshape(-1)[group.places])
        rows = group.rows[:, None]
        moves = np.einsum("kij,kj->ki", inverse[group.pattern], pull[rows, group.missing])
        deviations[rows, group.missing] = -moves
        shares = (inverse * group.weight[:, None, None]).reshape(-1)
        spread += np.bincount(group.places.reshape(-1), shares, spread.size)
    return deviations + centre, spread.reshape(covariance.shape)


def _groups(gaps: NDArray[np.bool_], weights: Array) -> Iterator[_Group]:
    lacking = gaps.sum(axis=1)
    for size in map(int, np.unique(lacking[lacking > 0])):
        rows = np.flatnonzero(lacking == size)
        missing = np.nonzero(gaps[rows])[1].reshape(-1, size)
        patterns, pattern = np.unique(missing, axis=0, return_inverse=True)
        pattern = pattern.reshape(-1)
        weight = np.bincount(pattern, weights[rows], len(patterns)).astype(np.float64)
        places = patterns[:, :, None] * gaps.shape[1] + patterns[:, None, :]
        yield _Group(rows, missing, pattern, weight, places)


def _known_moments(values: Array, weights: Array) -> tuple[Array, Array]:
    """Means and standard deviations of the known values: units and starting point of the iteration."""
    known = ~np.isnan(values)
    amount = weights @ known
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = weights @ np.where(known, values, 0.0) / amount
        scale = np.sqrt(weights @ np.where(known, values - mean, 0.0) ** 2 / amount)
    if not (np.isfinite(scale).all() and (scale > 0).all()):
        raise DataError("a column has no known values that differ: leave it out")
    return mean, scale
