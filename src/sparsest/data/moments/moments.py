"""Mean and covariance of a table as one value that can be merged, sample or population."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsest._core.errors import DataError
from sparsest._core.words import quoted
from sparsest.data.columns.require import (
    checked_names,
    checked_weights,
    refuse_complex,
    require_finite,
    require_shape,
)
from sparsest.data.moments.covariance import require_covariance, square_matrix
from sparsest.data.moments.running import RunningMoments, typical

_CHUNK = 2**20  # numbers held at once while passing over a table: 8 MB
_SMALLEST_VARIANCE = 1e-280  # below this, squares have lost digits to underflow


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Moments:
    """Mean and covariance (divided by n) of n rows, or of a population (`n=math.inf`).

    Parameters
    ----------
    covariance : array of shape (p, p)
        Symmetric and positive semidefinite up to rounding. A data frame gives its column names too.
    n : int or math.inf
        The number of rows behind it, at least 2.
    mean : array of shape (p,), optional
        Needed only for merging.
    names : list of str, optional
        Default: the names of the data frame, else x0, x1, ...

    A column may have variance 0 here, since a part of a table may well be constant: `require_usable` is the
    one place where constants are refused.
    """

    covariance: NDArray[np.float64]
    n: float
    mean: NDArray[np.float64] | None
    names: tuple[str, ...]

    def __init__(
        self,
        covariance: ArrayLike,
        n: float,
        mean: ArrayLike | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        matrix = square_matrix(covariance)
        labels = getattr(covariance, "columns", None) if names is None else names
        checked = checked_names(labels, len(matrix))
        require_covariance(matrix, checked)
        self._set((matrix + matrix.T) / 2, _checked_n(n), _checked_mean(mean, checked), checked)

    def _set(
        self,
        covariance: NDArray[np.float64],
        n: float,
        mean: NDArray[np.float64] | None,
        names: tuple[str, ...],
    ) -> None:
        for array in (covariance, mean):
            if array is not None:
                array.flags.writeable = False
        for field, value in (("covariance", covariance), ("n", n), ("mean", mean), ("names", names)):
            object.__setattr__(self, field, value)

    @classmethod
    def _trusted(
        cls,
        covariance: NDArray[np.float64],
        n: float,
        mean: NDArray[np.float64] | None,
        names: tuple[str, ...],
    ) -> Moments:
        """Moments from arrays of our own making, which need no proof of being a covariance."""
        moments = cls.__new__(cls)
        moments._set(covariance, n, mean, names)
        return moments

    @classmethod
    def from_array(
        cls, X: ArrayLike, names: Sequence[str] | None = None, weights: ArrayLike | None = None
    ) -> Moments:
        """The moments of a table of numbers, one row per observation.

        One pass in chunks: beside X itself only a few megabytes and a p × p matrix are held. Columns are
        shifted by a typical value, so a mean of 1e9 costs no digits of a variance of 1.

        `weights` (numbers from 0 on) say how much each row counts. Then n is the effective number of rows,
        (Σw)²/Σw² (Kish 1965): only the ratios of the weights matter. For rows that stand for several equal
        ones, repeat the rows instead.
        """
        table = np.asarray(X)
        require_shape(table.shape)
        checked = checked_names(names, table.shape[1])
        if table.dtype.kind == "c":
            raise refuse_complex()
        if table.dtype.kind not in "biuf":
            raise DataError(
                f"an array of numbers is needed, this one has dtype {table.dtype}: encode it as numbers"
            )
        weighed = None
        if weights is not None:
            weighed = checked_weights(np.array(weights, dtype=np.float64), len(table), "weights")
            table, weighed = table[weighed > 0], weighed[weighed > 0] / weighed.max()
        with np.errstate(over="ignore", invalid="ignore"):
            running = _passed_over(table, weighed)
        _require_representable(table, running.covariance, checked)
        return cls.from_running(running, checked)

    @classmethod
    def from_running(cls, running: RunningMoments, names: tuple[str, ...]) -> Moments:
        """The moments of the rows that were collected in a pass."""
        return cls._trusted(running.covariance, require_rows(running.effective_rows), running.mean, names)

    @property
    def p(self) -> int:
        """The number of columns."""
        return len(self.names)

    @property
    def scales(self) -> NDArray[np.float64]:
        """Standard deviations (n in the denominator)."""
        return np.sqrt(np.diag(self.covariance))

    def correlation(self) -> NDArray[np.float64]:
        """The correlation matrix, with a diagonal of exactly 1."""
        require_usable(self)
        scales = self.scales
        correlation = np.clip(self.covariance / scales[:, None] / scales, -1.0, 1.0)
        np.fill_diagonal(correlation, 1.0)
        return correlation

    def rescaled(self, scales: ArrayLike) -> Moments:
        """The moments of the table whose columns are multiplied by `scales` (a change of units)."""
        factors = np.array(scales, dtype=np.float64)
        if factors.shape != (self.p,):
            raise DataError(f"scales must be {self.p} numbers, one per column, got shape {factors.shape}")
        bad = np.flatnonzero(~np.isfinite(factors) | (factors == 0))
        if bad.size:
            raise DataError(f"column {self.names[bad[0]]!r} cannot be multiplied by {factors[bad[0]]}")
        mean = None if self.mean is None else self.mean * factors
        return self._trusted(self.covariance * factors[:, None] * factors, self.n, mean, self.names)

    def standardized(self) -> Moments:
        """The moments of the table whose columns have mean 0 and variance 1 (dividing by n, as here)."""
        mean = None if self.mean is None else np.zeros(self.p)
        return self._trusted(self.correlation(), self.n, mean, self.names)

    def merge(self, other: Moments) -> Moments:
        """The moments of both tables one below the other (Chan, Golub & LeVeque 1983)."""
        if self.names != other.names:
            ours, theirs = next(
                ((a, b) for a, b in zip(self.names, other.names, strict=False) if a != b), (self.p, other.p)
            )
            raise DataError(
                "only tables with the same columns in the same order can be merged: "
                f"{ours!r} is not {theirs!r}"
            )
        if math.isinf(self.n) or math.isinf(other.n):
            raise DataError("a population (n = inf) cannot be merged: it outweighs every sample")
        if self.mean is None or other.mean is None:
            raise DataError("merging needs the means of both parts: pass mean=... to Moments")
        n = self.n + other.n
        gap = other.mean - self.mean
        share = other.n / n
        within = self.covariance * (1 - share) + other.covariance * share
        covariance = within + np.outer(gap, gap) * (share * (1 - share))
        return self._trusted(covariance, n, self.mean + gap * share, self.names)

    def __add__(self, other: object) -> Moments:
        """`a + b` is `a.merge(b)`."""
        return self.merge(other) if isinstance(other, Moments) else NotImplemented

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and unpickled moments are read-only too."""
        return Moments._trusted, (self.covariance, self.n, self.mean, self.names)

    def __repr__(self) -> str:
        """Size and names, not the numbers."""
        return f"Moments(p={self.p}, n={self.n}, names=[{quoted(self.names)}])"


def require_usable(moments: Moments) -> None:
    """Refuse moments with a constant column: it has no correlation with anything, so no place in a graph."""
    constant = [
        name
        for name, variance in zip(moments.names, np.diag(moments.covariance), strict=True)
        if variance == 0
    ]
    if constant:
        what = "columns {} are constant" if len(constant) > 1 else "column {} is constant"
        raise DataError(
            f"{what.format(quoted(constant))} (variance 0): leave out of the covariance what does not vary, "
            "or, for a table, pass drop_constant=True"
        )


def _checked_n(n: object) -> float:
    if not isinstance(n, int | float | np.integer | np.floating) or isinstance(n, bool) or math.isnan(n):
        raise DataError(f"n must be the number of rows (or math.inf for a population), got {n!r}")
    if n < 2:
        raise DataError(f"n must be at least 2 rows (or math.inf for a population), got {n}")
    return int(n) if math.isfinite(n) and n == int(n) else float(n)


def _checked_mean(mean: ArrayLike | None, names: tuple[str, ...]) -> NDArray[np.float64] | None:
    if mean is None:
        return None
    vector = np.array(mean, dtype=np.float64)
    if vector.shape != (len(names),):
        raise DataError(f"mean must be {len(names)} numbers, one per column, got shape {vector.shape}")
    bad = np.flatnonzero(~np.isfinite(vector))
    if bad.size:
        raise DataError(f"the mean of column {names[bad[0]]!r} is {vector[bad[0]]}: it must be finite")
    return vector


def require_rows(effective: float) -> float:
    """The effective number of rows, which must be at least 2; whole numbers as such."""
    if effective < 2:
        raise DataError(
            f"the weights leave too few rows: they count as {effective:.3g} equally weighted ones, and a "
            "minimum of 2 is required"
        )
    nearest = round(effective)
    return nearest if abs(effective - nearest) <= 1e-9 * nearest else effective


def _passed_over(table: NDArray[Any], weights: NDArray[np.float64] | None) -> RunningMoments:
    """One pass over a table, chunk by chunk."""
    rows = max(256, _CHUNK // table.shape[1])
    running = RunningMoments(typical(table[:rows]))
    for start in range(0, len(table), rows):
        part = slice(start, start + rows)
        running.add(table[part], None if weights is None else weights[part])
    return running


def too_large(name: str) -> DataError:
    """The error for a column whose squares overflow."""
    return DataError(f"the numbers in column {name!r} are too large to square: change its units")


def _require_representable(
    table: NDArray[Any], covariance: NDArray[np.float64], names: Sequence[str]
) -> None:
    """Refuse NaN, infinity, and numbers whose squares overflow or underflow."""
    if not np.isfinite(covariance).all():
        require_finite(table, names)
        j = int(np.argmax(np.abs(table).max(axis=0)))
        raise too_large(names[j])
    for j in map(int, np.flatnonzero(np.diag(covariance) < _SMALLEST_VARIANCE)):
        if (table[:, j] != table[0, j]).any():
            raise DataError(f"the numbers in column {names[j]!r} vary too little to square: change its units")
