"""Equal rows added up: columns of few values have few combinations, and a fit needs only their counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest.scores import _glm_kernels as kernels
from sparsest.scores.glm import RIDGE, Response

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_FEW_VALUES = 16  # columns with more different values are not counted
_MOST_COUNTED = 12  # nor are more parents than this: their combinations overflow


class Counts:
    """Columns of few values as codes: rows with the same parents are added up before a fit."""

    def __init__(self, values: Array, features: list[Array], widths: Ints):
        n, p = values.shape
        self._most = max(64, n // 8)  # more combinations than this are no shorter than the rows
        self._codes = np.zeros((p, n), dtype=np.int16)
        self._sizes, self._first = np.zeros(p, dtype=np.int64), np.zeros(p, dtype=np.int64)
        self._widths = widths.astype(np.int64)
        lookup: list[Array] = [np.zeros((0, int(widths.max())))]
        for j in range(p):
            found, where, codes = np.unique(values[:, j], return_index=True, return_inverse=True)
            if len(found) <= _FEW_VALUES:
                self._codes[j], self._sizes[j] = codes.reshape(-1), len(found)
                self._first[j] = sum(map(len, lookup))
                padded = np.zeros((len(found), int(widths.max())))
                padded[:, : widths[j]] = features[j][where]
                lookup.append(padded)
        self._lookup = np.concatenate(lookup)

    def fit_in(self, parents: Ints) -> bool:
        """Whether the parents take so few combinations of values that counting pays."""
        sizes = self._sizes[parents]
        return bool(len(sizes) <= _MOST_COUNTED and (sizes > 0).all() and sizes.prod() <= self._most)

    def fit(self, response: Response, parents: Ints) -> tuple[Array, float]:
        """Coefficients, intercepts first, and the least value."""
        index = np.empty(len(response.weights), dtype=np.int64)
        count = kernels.patterns(self._codes, self._sizes, parents, index)
        rows, weights, sums = kernels.collapse(
            self._sizes, self._lookup, self._first, self._widths, parents, index, count,
            response.weights, response.sums,
        )  # fmt: skip
        beta = response.beginning(rows.shape[1] - 1)
        value = kernels.newton(response.family, rows, weights, sums, RIDGE, beta)
        return beta, value


def without_copies(values: Array, weights: Array) -> tuple[Array, Array]:
    """Rows with equal rows added up, where that at least halves them."""
    if any(len(np.unique(values[:1000, j])) > _FEW_VALUES for j in range(values.shape[1])):
        return values, weights
    rows, where = np.unique(values, axis=0, return_inverse=True)
    if len(rows) > len(values) // 2:
        return values, weights
    totals: NDArray[Any] = np.bincount(where.reshape(-1), weights=weights, minlength=len(rows))
    return rows, totals
