"""The features of all columns of a table, and their products: computed when needed, or all at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sparsest._core.progress import Watch
from sparsest.scores.families import Column
from sparsest.scores.glm import Squares
from sparsest.scores.gram import GramScore, features_of

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_BLOCK = 2048  # rows whose products are summed at a time


class Features:
    """Column j owns the features `starts[j]` to `starts[j + 1]`; rows have weights that sum to 1."""

    def __init__(self, columns: Sequence[Column], values: Array, weights: Array):
        self._columns, self._values, self._weights = columns, values, weights
        widths = [column.basis.width for column in columns]
        self.starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        self.blocks = [slice(*map(int, ends)) for ends in pairwise(self.starts)]
        self.count = int(self.starts[-1])
        self._matrix: Array | None = None

    def made(self, watch: Watch) -> bool:
        """Compute all of them; False if it was time to stop first."""
        if self._matrix is None:
            matrix = np.empty((len(self._values), self.count))
            for j, block in enumerate(self.blocks):
                if watch.stop is not None:
                    return False
                matrix[:, block] = self._of(j)
            self._matrix = matrix
        return True

    @property
    def matrix(self) -> Array:
        """All features, (n, count)."""
        self.made(Watch())
        assert self._matrix is not None  # a new watch never stops
        return self._matrix

    @cached_property
    def squares(self) -> Squares:
        """The squares of all features."""
        return Squares(self.matrix)

    @cached_property
    def means(self) -> Array:
        """The weighted means of all features: 0, where their columns were centred on the same rows."""
        means: Array = self._weights @ self.matrix
        return means

    def rows(self, parents: Ints) -> Array:
        """1 for the intercept, and the features of some columns."""
        inside = features_of(self.starts, parents)
        rows = np.empty((len(self._values), 1 + len(inside)))
        rows[:, 0] = 1.0
        if self._matrix is not None:
            rows[:, 1:] = self._matrix[:, inside]
        elif len(inside):
            rows[:, 1:] = np.column_stack([self._of(int(parent)) for parent in parents])
        return rows

    def multiplied(self, responses: Mapping[int, Array], watch: Watch) -> GramScore | None:
        """Products of all features with each other and with standardised columns; None if time ran out."""
        nodes = list(responses)
        gram, products = np.zeros((self.count, self.count)), np.zeros((len(nodes), self.count))
        matrix, roots = self.matrix, np.sqrt(self._weights)
        for begin in range(0, len(roots), _BLOCK):
            if watch.stop is not None:
                return None
            block = slice(begin, begin + _BLOCK)
            rows = roots[block, None] * matrix[block]
            gram += rows.T @ rows
            if nodes:
                products += np.stack([responses[j][block] for j in nodes]) * roots[block] @ rows
        return GramScore(gram, dict(zip(nodes, products, strict=True)), self.starts)

    def _of(self, column: int) -> Array:
        return self._columns[column].basis.features(self._values[:, column])
