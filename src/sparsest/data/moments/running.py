"""Sums over the rows of a table that grow block by block and can be merged, in constant memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_CHUNK = 2**20  # numbers held at once while passing over a table: 8 MB


def rows_at_once(p: int) -> int:
    """How many rows of p columns are added up at once."""
    return max(256, _CHUNK // p)


def pass_over(
    running: RunningMoments | RunningPairs, table: NDArray[Any], weights: Array | None = None
) -> None:
    """Add all rows of a table to running sums, chunk by chunk."""
    rows = rows_at_once(table.shape[1])
    for start in range(0, len(table), rows):
        part = slice(start, start + rows)
        running.add(table[part], None if weights is None else weights[part])


def typical(block: NDArray[Any]) -> Array:
    """A value near the data for each column: the median of some rows, exact where a column is constant."""
    known = (column[np.isfinite(column)] for column in np.asarray(block, dtype=np.float64).T)
    return np.array([np.sort(column)[len(column) // 2] if len(column) else 0.0 for column in known])


class RunningMoments:
    """Weight, sums and products of the rows seen so far, about `shift`.

    `shift` is a value near the data for each column, so that nothing is lost when the squared mean is taken
    off in the end; for a constant column it is the constant, and the variance comes out as exactly 0.
    """

    def __init__(self, shift: Array) -> None:
        p = len(shift)
        self.shift = shift
        self.rows = 0
        self.weight = 0.0
        self.weight_squares = 0.0
        self._sum, self._products = np.zeros(p), np.zeros((p, p))

    def add(self, block: NDArray[Any], weights: Array | None = None) -> None:
        """Take in some rows."""
        part = np.subtract(block, self.shift, dtype=np.float64)
        self.rows += len(part)
        if weights is None:
            self.weight += len(part)
            self.weight_squares += len(part)
            self._sum += part.sum(axis=0)
        else:
            self.weight += float(weights.sum())
            self.weight_squares += float((weights**2).sum())
            self._sum += weights @ part
            part *= np.sqrt(weights)[:, None]
        self._products += part.T @ part

    def without(self, other: RunningMoments) -> RunningMoments:
        """The sums of the rows that are here and not in `other`, which has the same shift."""
        rest = RunningMoments(self.shift)
        rest.rows = self.rows - other.rows
        rest.weight = self.weight - other.weight
        rest.weight_squares = self.weight_squares - other.weight_squares
        rest._sum, rest._products = self._sum - other._sum, self._products - other._products
        return rest

    def merged(self, other: RunningMoments) -> RunningMoments:
        """The sums of the rows of both, about the shift of this one."""
        gap = other.shift - self.shift
        both = RunningMoments(self.shift)
        both.rows = self.rows + other.rows
        both.weight = self.weight + other.weight
        both.weight_squares = self.weight_squares + other.weight_squares
        both._sum = self._sum + other._sum + other.weight * gap
        cross = np.outer(other._sum, gap)
        moved = other._products + cross + cross.T + other.weight * np.outer(gap, gap)
        both._products = self._products + moved
        return both

    @property
    def effective_rows(self) -> float:
        """(Σw)²/Σw² (Kish 1965): the number of equally weighted rows that carry as much information."""
        return self.weight**2 / self.weight_squares if self.weight_squares else 0.0

    @property
    def mean(self) -> Array:
        """The weighted mean."""
        return self.shift + self._sum / self.weight

    @property
    def covariance(self) -> Array:
        """The weighted covariance (divided by the weight)."""
        mean = self._sum / self.weight
        with np.errstate(over="ignore", invalid="ignore"):  # infinity is for the caller to refuse
            covariance = self._products / self.weight - np.outer(mean, mean)
        return (covariance + covariance.T) / 2


class RunningPairs:
    """For every pair of columns, the sums over the rows in which both are known."""

    def __init__(self, shift: Array) -> None:
        p = len(shift)
        self.shift = shift
        self.rows = self.missing = 0
        self._weight, self._squares, self._sum, self._sum_squares, self._products = np.zeros((5, p, p))

    def add(self, block: NDArray[Any], weights: Array | None = None) -> None:
        """Take in some rows."""
        part = np.subtract(block, self.shift, dtype=np.float64)
        gaps = np.isnan(part)
        known = (~gaps).astype(np.float64)
        part[gaps] = 0.0
        self.rows += len(part)
        self.missing += int(gaps.sum())
        weighed = known if weights is None else known * weights[:, None]
        self._weight += weighed.T @ known
        self._squares += known.T @ known if weights is None else weighed.T @ weighed
        self._sum += part.T @ weighed  # [i, j]: of column i, where j is known too
        self._sum_squares += (part**2).T @ weighed
        self._products += (part if weights is None else part * weights[:, None]).T @ part

    @property
    def effective_rows(self) -> Array:
        """The number of rows behind each pair, (p, p); Kish's number where rows have weights."""
        return np.divide(
            self._weight**2, self._squares, out=np.zeros_like(self._weight), where=self._squares > 0
        )

    @property
    def mean(self) -> Array:
        """Means of the known values."""
        return self.shift + np.diag(self._sum) / np.diag(self._weight)

    @property
    def variances(self) -> Array:
        """Variances of the known values."""
        weight, total = np.diag(self._weight), np.diag(self._sum)
        return np.maximum(np.diag(self._sum_squares) / weight - (total / weight) ** 2, 0.0)

    @property
    def correlation(self) -> Array:
        """Correlations, each over the rows that know both columns; 0 where one does not vary there."""
        with np.errstate(divide="ignore", invalid="ignore"):
            covariance = self._products - self._sum * self._sum.T / self._weight
            scatter = self._sum_squares - self._sum**2 / self._weight
            found = covariance / np.sqrt(scatter * scatter.T)
        correlation = np.clip(np.where(np.isfinite(found), found, 0.0), -1.0, 1.0)
        np.fill_diagonal(correlation, 1.0)
        return correlation
