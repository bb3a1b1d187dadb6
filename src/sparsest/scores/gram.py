"""Least squares on a Gram matrix: local scores of Gaussian columns at a cost that is free of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sparsest._core.progress import Watch
from sparsest.scores import _gram_kernels as kernels
from sparsest.scores.gaussian import RESIDUAL_FLOOR

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

#: A feature with a smaller share of variance not explained by others is dropped.
DEPENDENT = 1e-9


class GramScore:
    """½ log of the unexplained share of a column's variance, for columns given by products of features.

    Node j owns the features `starts[j]` to `starts[j + 1]` of the Gram matrix. `products` are the covariances
    of all features with the standardised columns that can be responses.
    """

    def __init__(self, gram: Array, products: Mapping[int, Array], starts: Ints):
        self.gram, self.products, self.starts = gram, products, starts
        self.p = len(starts) - 1
        self._widest = int(np.diff(starts).max(initial=0))

    @classmethod
    def of_correlation(cls, correlation: Array) -> GramScore:
        """The linear model: each column is its own feature."""
        gram = np.ascontiguousarray(correlation)
        return cls(gram, dict(enumerate(gram)), np.arange(len(gram) + 1))

    @staticmethod
    def compiled() -> None:
        """Compile the kernel, or load it."""
        kernels.compile_all()

    def ready(self, watch: Watch) -> bool:
        """Compile what all scores need; False if it was time to stop first."""
        return watch.wait_for(self.compiled)

    def local(self, node: int, parents: Sequence[int] | NDArray[np.intp]) -> float:
        """The score of `node` with exactly these parents."""
        if not len(parents):
            return 0.0
        left = self._left(node, np.asarray(parents, dtype=np.int64), np.empty(0, dtype=np.int64))
        return 0.5 * float(np.log(max(left[0], RESIDUAL_FLOOR)))

    def at_once(self, node: int, parents: Sequence[int] | NDArray[np.intp]) -> float:
        """The same without compiled code, for a few scores when it is time to stop."""
        inside = features_of(self.starts, np.asarray(parents, dtype=np.int64))
        gram, right = self.gram[np.ix_(inside, inside)], self.products[node][inside]
        explained = float(right @ np.linalg.lstsq(gram, right, rcond=DEPENDENT)[0])
        return 0.5 * float(np.log(max(1 - explained, RESIDUAL_FLOOR)))

    def gains(self, node: int, parents: Sequence[int] | NDArray[np.intp]) -> tuple[Array, NDArray[np.bool_]]:
        """How much each other node would lower the local score as a parent; all numbers are exact."""
        chosen, outside = np.asarray(parents, dtype=np.int64), np.ones(self.p, dtype=bool)
        outside[chosen] = outside[node] = False
        candidates = np.flatnonzero(outside)
        scores = 0.5 * np.log(np.maximum(self._left(node, chosen, candidates), RESIDUAL_FLOOR))
        gains = np.full(self.p, -np.inf)
        gains[candidates] = scores[0] - scores[1:]
        return gains, np.ones(self.p, dtype=bool)

    def _left(self, node: int, parents: Ints, candidates: Ints) -> Array:
        inside, left = features_of(self.starts, parents), np.empty(1 + len(candidates))
        work = kernels.memory(len(inside), self._widest)
        kernels.residuals(
            self.gram, self.products[node], self.starts, inside, candidates, DEPENDENT, work, left
        )
        return left


def features_of(starts: Ints, nodes: Ints) -> Ints:
    """The features that some nodes own."""
    if starts[-1] == len(starts) - 1:  # one each
        return nodes
    if not len(nodes):
        return np.empty(0, dtype=np.int64)
    return np.concatenate([np.arange(starts[node], starts[node + 1]) for node in nodes])
