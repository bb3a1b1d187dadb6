"""All DAGs on a few nodes, and the weight of each."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Bits = NDArray[np.int64]

#: The most nodes of which all DAGs are listed: 29 281 of 5, and 3 781 503 of 6.
MOST_LISTED = 5


@functools.cache
def every_dag(p: int) -> Bits:
    """All DAGs on up to five nodes: (graphs, p), the parents of each node as bits.

    Examples
    --------
    >>> [len(every_dag(p)) for p in range(1, 6)]
    [1, 3, 25, 543, 29281]
    """
    codes = np.arange(2 ** (p * (p - 1)), dtype=np.int64)  # p − 1 bits for the parents of each node
    places = codes[:, None] >> (p - 1) * np.arange(p) & 2 ** (p - 1) - 1
    parents = np.stack([_lifted(places[:, node], node) for node in range(p)], axis=1)
    return parents[_acyclic(parents)]


def _lifted(places: Bits, node: int) -> Bits:
    low = places & (1 << node) - 1
    return low | (places ^ low) << 1


def _acyclic(parents: Bits) -> NDArray[np.bool_]:
    """Which graphs have no cycle: nodes without parents are taken away until none is left."""
    left = np.full(len(parents), 2 ** parents.shape[1] - 1)
    for _ in range(parents.shape[1]):
        for node in range(parents.shape[1]):
            left[parents[:, node] & left == 0] &= ~(1 << node)
    return left == 0


def log_weights(parents: Bits, weights: Array) -> Array:
    """The log-weight of each graph: the sum of those of its nodes with their parents."""
    total = np.zeros(len(parents))
    for node, row in enumerate(weights):
        low = parents[:, node] & (1 << node) - 1
        total += row[low | parents[:, node] >> node + 1 << node]
    return total
