"""Requirements on moments other than the covariance matrix: rows, means, numbers that can be squared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsest._core.errors import DataError
from sparsest.data.columns.require import require_finite

_SMALLEST_VARIANCE = 1e-280  # below this, squares have lost digits to underflow
_LARGEST = 1e150  # above this, sums of squares may overflow


def checked_n(n: object) -> float:
    """A number of rows, at least 2 or infinite; whole numbers as such."""
    if not isinstance(n, int | float | np.integer | np.floating) or isinstance(n, bool) or math.isnan(n):
        raise DataError(f"n must be the number of rows (or math.inf for a population), got {n!r}")
    if n < 2:
        raise DataError(f"n must be at least 2 rows (or math.inf for a population), got {n}")
    return int(n) if math.isfinite(n) and n == int(n) else float(n)


def checked_mean(mean: ArrayLike | None, names: tuple[str, ...]) -> NDArray[np.float64] | None:
    """One finite number per column, if there is a mean at all."""
    if mean is None:
        return None
    vector = np.array(mean, dtype=np.float64)
    if vector.shape != (len(names),):
        raise DataError(f"mean must be {len(names)} numbers, one per column, got shape {vector.shape}")
    bad = np.flatnonzero(~np.isfinite(vector))
    if bad.size:
        raise DataError(f"the mean of column {names[bad[0]]!r} is {vector[bad[0]]}: it must be finite")
    return vector


def effective_rows(weights: NDArray[np.float64]) -> float:
    """(Σw)²/Σw², the number of equally weighted rows that say as much (Kish 1965); at least 2."""
    return require_rows(float(weights.sum() ** 2 / (weights**2).sum()))


def require_rows(effective: float) -> float:
    """The effective number of rows, which must be at least 2; whole numbers as such."""
    if effective < 2:
        raise DataError(
            f"the weights leave too few rows: they count as {effective:.3g} equally weighted ones, and a "
            "minimum of 2 is required"
        )
    nearest = round(effective)
    return nearest if abs(effective - nearest) <= 1e-9 * nearest else effective


def too_large(name: str) -> DataError:
    """The error for a column whose squares overflow."""
    return DataError(f"the numbers in column {name!r} are too large to square: change its units")


def require_representable(table: NDArray[Any], covariance: NDArray[np.float64], names: Sequence[str]) -> None:
    """Refuse NaN, infinity, and numbers whose squares overflow or underflow."""
    if not np.isfinite(covariance).all():
        require_finite(table, names)
        j = int(np.argmax(np.abs(table).max(axis=0)))
        raise too_large(names[j])
    for j in map(int, np.flatnonzero(np.diag(covariance) < _SMALLEST_VARIANCE)):
        if (table[:, j] != table[0, j]).any():
            raise _too_small(names[j])


def require_squares(table: NDArray[np.float64], names: Sequence[str]) -> None:
    """Refuse columns of numbers (NaN where one is missing) whose squares overflow or underflow."""
    for name, column in zip(names, table.T, strict=True):
        known = column[~np.isnan(column)]
        if not known.size:
            continue
        low, high = float(known.min()), float(known.max())
        if max(-low, high) > _LARGEST:
            raise too_large(name)
        if low < high and (high - low) * np.std((known - low) / (high - low)) < _SMALLEST_VARIANCE**0.5:
            raise _too_small(name)


def _too_small(name: str) -> DataError:
    return DataError(f"the numbers in column {name!r} vary too little to square: change its units")
