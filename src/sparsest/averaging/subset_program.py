"""Sums over all DAGs and all orders of their nodes, by dynamic programming over subsets.

Koivisto & Sood (2004): a sum over the orders of p nodes, and over the DAGs that go along each of them, is a
sum over 2^p sets. Every DAG then counts once for each order it agrees with, its linear extensions. That is
the order-modular prior: it favours DAGs with many orders, such as sparse ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsest._core.progress import Watch
from sparsest.averaging import _subset_kernels as kernels
from sparsest.averaging.family_weights import poll
from sparsest.averaging.sources import SourceProgram

Array = NDArray[np.float64]

_AT_ONCE = 1 << 16  # subsets per call of a kernel


class SubsetProgram:
    """The tables of one program: sums over sets of parents, and over the orders of each set and of the rest.

    Parameters
    ----------
    weights : (p, 2^(p − 1)) array
        Log-weights of all sets of parents, as from `family_weights`.
    watch : Watch
        Polled between steps of a fraction of a second.
    """

    def __init__(self, weights: Array, watch: Watch):
        self._weights, self._watch, self._p = weights, watch, len(weights)
        self._sums = np.empty_like(weights)
        for node in range(self._p):
            poll(watch, "sums over parents", node)
            kernels.subset_sums(weights[node], self._sums[node])
        sets = 2**self._p
        self._forward, self._backward = np.zeros(sets), np.zeros(sets)
        starts = range(0, sets, _AT_ONCE)
        for first in starts:
            poll(watch, "sums over orders", first)
            kernels.sum_forward(self._sums, self._forward, first, min(first + _AT_ONCE, sets))
        for first in reversed(starts):
            poll(watch, "sums over orders", sets + first)
            kernels.sum_backward(self._sums, self._backward, first, min(first + _AT_ONCE, sets))

    @property
    def log_total(self) -> float:
        """The logarithm of the sum of the weights of all DAGs, each times its linear extensions."""
        return float(self._forward[-1])

    def edge_probabilities(self) -> Array:
        """(p, p): the probability of i → j under the order-modular prior."""
        found = np.zeros((self._p, self._p))  # a row for the parents of each node
        around = np.empty(self._weights.shape[1])
        for node in range(self._p):
            poll(self._watch, "edges", node)
            kernels.orders_around(self._forward, self._backward, node, around)
            kernels.edges_into(self._weights[node], around, self.log_total, node, found[node])
        return np.minimum(found.T, 1.0)

    def sources(self) -> SourceProgram:
        """The program in which every DAG counts once, on the same tables."""
        return SourceProgram(self._weights, self._sums, self._watch)
