"""One pass over the numbers of a table: what every check about single columns and rows needs."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

_BLOCK = 2**17  # numbers held at once: they fit into the cache
_SAMPLE = 4000  # rows from which medians and the number of different values are guessed
MANY = 50  #: more different values than this are not counted exactly


@dataclass(frozen=True)
class Profile:
    """Numbers about each column: moments of the finite values; `lag`, the correlation with the row before.

    `distinct` counts different values, exactly up to `MANY`. `centre` and `spread` are median and scaled
    median absolute deviation (0 where more than half the values are the same).
    """

    finite: NDArray[np.intp]
    infinite: NDArray[np.intp]
    low: Array
    high: Array
    mean: Array
    deviation: Array
    skewness: Array
    kurtosis: Array  #: excess over the Gaussian's
    lag: Array
    centre: Array
    spread: Array
    whole: Flags
    distinct: NDArray[np.intp]
    commonest: Array  #: the most frequent value, where few are different, and
    share: Array  #: its share of the rows

    def only(self, chosen: Flags) -> Profile:
        """The profile of some of the columns."""
        return Profile(*(getattr(self, field.name)[chosen] for field in fields(self)))


def profile(values: Array) -> Profile:
    """The profile of (n, p) numbers, NaN where one is missing."""
    n, p = values.shape
    sample = values[:: max(1, n // _SAMPLE)]
    finite_sample = np.isfinite(sample)
    whole_sample = finite_sample.all()
    centre, spread = _robust(sample, finite_sample, bool(whole_sample))
    sums, counts, low, high, infinite = _power_sums(values, centre)
    mean, deviation, skewness, kurtosis, lag = _moments(sums, counts, centre)
    whole, distinct = np.zeros(p, dtype=bool), np.zeros(p, dtype=np.intp)
    commonest, share = np.full(p, np.nan), np.zeros(p)
    for j in range(p):
        column = values[:, j]
        few = np.unique(sample[finite_sample[:, j], j])
        whole[j] = _all_whole(few) and _all_whole(column[np.isfinite(column)])
        distinct[j] = len(few)
        if len(few) <= MANY and len(sample) < n:
            few = np.unique(column[np.isfinite(column)])
            distinct[j] = len(few)
        if few.size and (len(few) <= MANY or spread[j] == 0):
            commonest[j], share[j] = _commonest(column, centre[j], few)
    return Profile(
        counts, infinite, low, high, mean, deviation, skewness, kurtosis, lag, centre, spread, whole,
        distinct, commonest, share,
    )  # fmt: skip


def _robust(sample: Array, finite: Flags, complete: bool) -> tuple[Array, Array]:
    if complete:
        centre = np.median(sample, axis=0)
        return centre, 1.4826 * np.median(np.abs(sample - centre), axis=0)
    centre, spread = np.zeros(sample.shape[1]), np.zeros(sample.shape[1])
    for j in range(sample.shape[1]):
        column = sample[finite[:, j], j]
        if column.size:
            centre[j] = np.median(column)
            spread[j] = 1.4826 * np.median(np.abs(column - centre[j]))
    return centre, spread


def _power_sums(
    values: Array, centre: Array
) -> tuple[Array, NDArray[np.intp], Array, Array, NDArray[np.intp]]:
    """Σd, Σd², Σd³, Σd⁴ and Σd·d(row before) about the centre; counts, extremes, infinities."""
    n, p = values.shape
    rows = max(16, _BLOCK // max(p, 1))
    sums = np.zeros((5, p))
    counts, infinite = np.zeros(p, dtype=np.intp), np.zeros(p, dtype=np.intp)
    low, high = np.full(p, np.inf), np.full(p, -np.inf)
    last = np.zeros(p)
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, n, rows):
            part = np.subtract(values[start : start + rows], centre)
            good = np.isfinite(part)
            if good.all():
                counts += len(part)
                low, high = np.minimum(low, part.min(axis=0)), np.maximum(high, part.max(axis=0))
            else:
                counts += good.sum(axis=0)
                infinite += np.isinf(part).sum(axis=0)
                low = np.minimum(low, np.where(good, part, np.inf).min(axis=0))
                high = np.maximum(high, np.where(good, part, -np.inf).max(axis=0))
                part = np.where(good, part, 0.0)
            squares = part * part
            sums[0] += part.sum(axis=0)
            sums[1] += squares.sum(axis=0)
            sums[2] += np.einsum("ij,ij->j", squares, part)
            sums[3] += np.einsum("ij,ij->j", squares, squares)
            sums[4] += np.einsum("ij,ij->j", part[1:], part[:-1]) + part[0] * last
            last = part[-1]
    return sums, counts, low + centre, high + centre, infinite


def _moments(
    sums: Array, counts: NDArray[np.intp], centre: Array
) -> tuple[Array, Array, Array, Array, Array]:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        first, second, third, fourth, product = sums / counts
        variance = np.maximum(second - first**2, 0.0)
        skewness = (third - 3 * first * second + 2 * first**3) / variance**1.5
        kurtosis = (fourth - 4 * first * third + 6 * first**2 * second - 3 * first**4) / variance**2 - 3
        lag = (product - first**2) / variance
    return centre + first, np.sqrt(variance), skewness, kurtosis, lag


def _all_whole(values: Array) -> bool:
    return bool((values == np.floor(values)).all())


def _commonest(column: Array, centre: float, few: Array) -> tuple[float, float]:
    """The most frequent value and its share of the finite rows; only the median can have more than half."""
    finite = column[np.isfinite(column)]
    if len(few) <= MANY:
        tally = np.bincount(np.searchsorted(few, finite), minlength=len(few))
        return float(few[tally.argmax()]), float(tally.max() / len(finite))
    return float(centre), float((finite == centre).mean())
