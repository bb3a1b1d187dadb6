"""DAGs drawn through tidy orders, which hardly prefer DAGs with many linear extensions.

A DAG drawn along with any order of its nodes comes up once for each of its linear extensions, of which some
have millions times as many as others: weighted by 1 / (their number), few of the drawn DAGs would count. So
orders are drawn from the tidy ones only. An order is tidy for a DAG if neighbours in it that no edge joins
stand with the larger first. Every DAG has at least one tidy order (take off the smallest sink, again and
again), and all but a few of its other orders are not tidy. A sum over tidy orders is a sum over sets and
their last node: whether a node may follow it is a matter of its own parents.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsest._core.progress import Watch
from sparsest.averaging import _subset_kernels as subsets
from sparsest.averaging import _tidy_kernels as kernels
from sparsest.averaging.family_weights import poll

Array = NDArray[np.float64]
Bits = NDArray[np.int64]  # sets of nodes

_SUBSETS = 1 << 15  # per call of a kernel
_SAMPLES = 4096  # per call of a kernel
_GRAPHS = 64  # per call of a kernel
_CAPACITY = 1 << 12  # of the tables in which orders are counted, at first


def draw_dags(weights: Array, sums: Array, samples: int, rng: np.random.Generator, watch: Watch) -> Bits:
    """DAGs drawn with their weights times their number of tidy orders.

    Parameters
    ----------
    weights, sums : (p, 2^(p − 1)) array
        Log-weights of all sets of parents, and the logarithms of their sums over all subsets of each set.
    samples : int
        How many to draw.
    rng : numpy.random.Generator
        Where chance comes from.
    watch : Watch
        Polled between steps of a fraction of a second.

    Returns
    -------
    int array of shape (samples, p)
        The parents of each node, as bits.
    """
    tidy = _sums(sums, watch)
    spans = [min(_SAMPLES, samples - first) for first in range(0, samples, _SAMPLES)]
    orders = [_orders(sums, tidy, span, rng, watch) for span in spans]
    drawn = [np.empty_like(before) for before, _ in orders]
    layers = np.empty_like(weights)
    for node in range(len(weights)):
        subsets.subset_layers(weights[node], layers)
        for (before, needed), parents in zip(orders, drawn, strict=True):
            poll(watch, "parents", node)
            chance = rng.random(before.T.shape)
            kernels.draw_parents(layers, node, before[node], needed[node], chance, parents[node])
    return np.ascontiguousarray(np.concatenate(drawn, axis=1).T)


def _orders(
    sums: Array, tidy: Array, samples: int, rng: np.random.Generator, watch: Watch
) -> tuple[Bits, Bits]:
    """Tidy orders, (p, samples): the nodes before each node, and the parent it must have, or −1."""
    poll(watch, "orders", samples)
    before, needed = np.empty((2, len(sums), samples), dtype=np.int64)
    kernels.draw_tidy_orders(sums, tidy, rng.random((samples, len(sums))), before, needed)
    return before, needed


def _sums(sums: Array, watch: Watch) -> Array:
    """[set, node]: the sum over the tidy orders of a set that end with a node."""
    p = len(sums)
    tidy = np.empty((2**p, p))
    for first in range(0, 2**p, _SUBSETS):
        poll(watch, "sums over tidy orders", first)
        kernels.sum_tidy(sums, tidy, first, min(first + _SUBSETS, 2**p))
    return tidy


def tidy_orders(parents: Bits, watch: Watch) -> Array:
    """The number of tidy orders of each of many DAGs, by dynamic programming over their down-sets.

    Parameters
    ----------
    parents : int array of shape (graphs, p)
        The parents of each node, as bits; p is at most 20.
    watch : Watch
        Polled after every few graphs.

    Returns
    -------
    array of shape (graphs,)

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest._core.progress import Watch
    >>> chain, fork, empty = [0, 1, 2], [2, 0, 2], [0, 0, 0]
    >>> tidy_orders(np.array([chain, fork, empty]), Watch())
    array([1., 1., 1.])
    """
    counts = np.empty(len(parents))
    memory = _memory(_CAPACITY)
    for first in range(0, len(parents), _GRAPHS):
        poll(watch, "tidy orders", first)
        span = slice(first, first + _GRAPHS)
        while not kernels.count_tidy_orders(parents[span], *memory, counts[span]):
            memory = _memory(2 * memory[0].shape[1])
    return counts


def _memory(capacity: int) -> tuple[Bits, Array, Bits]:
    """Two tables of keys and values, and the places that are taken."""
    return np.full((2, capacity), -1), np.empty((2, capacity)), np.empty((2, capacity), dtype=np.int64)
