"""Merging equal rows: columns with few values have few combinations, and a fit needs only their counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest.scores import _glm_kernels as kernels
from sparsest.scores.glm import RIDGE, CompiledResponse

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_FEW_VALUES = 16  # columns with more distinct values are not coded
_VISITS = 200_000  # rows that one call of a kernel goes through: a tenth of a second


class Counts:
    """Columns with few values as codes: rows with equal parents are merged before a fit."""

    def __init__(self, values: Array):
        n, p = values.shape
        self._codes, self._sizes = np.zeros((p, n), dtype=np.int16), np.zeros(p, dtype=np.int64)
        for j in range(p):
            found, codes = np.unique(values[:, j], return_inverse=True)
            if len(found) <= _FEW_VALUES:
                self._codes[j], self._sizes[j] = codes.reshape(-1), len(found)

    def cover(self, parents: Ints) -> bool:
        """Whether all these columns have few distinct values."""
        return bool((self._sizes[parents] > 0).all())

    def added_up(
        self, parents: Ints, features: Array, inside: Ints, weights: Array, sums: Array
    ) -> tuple[Array, Array, Array]:
        """Rows (1, features `inside`), weights and sums, with rows of equal parents merged."""
        n = len(weights)
        most = int(min(n, np.prod(self._sizes[parents], dtype=float)))
        index = np.empty((1 + _FEW_VALUES) * n, dtype=np.int64)
        rows, totals = np.empty((most, 1 + len(inside))), np.empty((most, 1 + sums.shape[1]))
        weighted = np.column_stack([weights, sums])
        count = kernels.merge(
            self._codes, self._sizes, parents, features, inside, weighted, index, rows, totals
        )
        added = totals[:count]
        return rows[:count], np.ascontiguousarray(added[:, 0]), np.ascontiguousarray(added[:, 1:])

    def over_subsets(
        self,
        response: CompiledResponse,
        others: Ints,
        subsets: Ints,
        features: Array,
        starts: Ints,
        check: Callable[[], None],
    ) -> Array:
        """The minima of a response given each subset of `others`, which are covered.

        `check` is called every fraction of a second; what it raises ends the computation.
        """
        n, count = features.shape
        latest, values = np.zeros((2, 1 + count)), np.empty(len(subsets))
        latest[:, 0] = response.start
        weighted = np.column_stack([response.weights, response.sums])
        room = np.empty((4, max(n * (2 + count), (1 + count) * (8 + count))))
        index = np.empty((1 + _FEW_VALUES) * n + len(others) + count + 1, dtype=np.int64)
        for part in range(0, len(subsets), at_once := max(1, _VISITS // n)):
            check()
            kernels.over_subsets(
                response.link,
                self._codes,
                self._sizes,
                others,
                subsets[part : part + at_once],
                features,
                starts,
                weighted,
                RIDGE,
                response.worst,
                latest,
                index,
                room,
                values[part : part + at_once],
            )
        return values


def without_copies(values: Array, weights: Array) -> tuple[Array, Array]:
    """The rows with equal ones merged, if that at least halves their number."""
    if any(len(np.unique(values[:1000, j])) > _FEW_VALUES for j in range(values.shape[1])):
        return values, weights
    rows, where = np.unique(values, axis=0, return_inverse=True)
    if len(rows) > len(values) // 2:
        return values, weights
    totals: NDArray[Any] = np.bincount(where.reshape(-1), weights=weights, minlength=len(rows))
    return rows, totals
