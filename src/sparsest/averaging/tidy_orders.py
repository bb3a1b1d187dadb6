"""DAGs drawn through tidy orders, which hardly prefer DAGs with many linear extensions.

A DAG drawn along with any order of its nodes comes up once for each of its linear extensions, of which some
have millions times as many as others: weighted by 1 / (their number), few of the drawn DAGs would count. So
orders are drawn from the tidy ones only. An order is tidy for a DAG if neighbours in it that no edge joins
stand as in an order of reference. Every DAG has a tidy order (take off the sink that comes last in the
reference, again and again), and few of its other orders are tidy. A sum over tidy orders is a sum over sets
and their last node: whether a node may follow it is a matter of its own parents. Several references take
turns: a DAG that has many tidy orders for one has few for another.
"""

from __future__ import annotations

from typing import NamedTuple

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
_TURNS = 4  # orders of reference
_GRAPHS = 64  # per call of a kernel
_CAPACITY = 1 << 12  # of the tables in which orders are counted, at first


class Drawn(NamedTuple):
    """DAGs, (samples, p), the parents of each node as bits; and what they were drawn with.

    That is the order of reference of each turn, as the places of the nodes, and the logarithm of the sum of
    all weights, each times the number of tidy orders.
    """

    parents: Bits
    ranks: Bits
    log_totals: Array


def draw_dags(
    weights: Array, sums: Array, samples: int, rng: np.random.Generator, watch: Watch, turns: int = _TURNS
) -> Drawn:
    """DAGs drawn with their weights times their number of tidy orders, for one reference after the other.

    Parameters
    ----------
    weights, sums : (p, 2^(p − 1)) array
        Log-weights of all sets of parents, and the logarithms of their sums over all subsets of each set.
    samples : int
        How many to draw; made a multiple of the number of turns.
    rng : numpy.random.Generator
        Where chance comes from.
    watch : Watch
        Polled between steps of a fraction of a second.
    turns : int
        How many orders of reference there are.

    Returns
    -------
    Drawn
    """
    ranks = np.array([rng.permutation(len(weights)) for _ in range(turns)])
    orders, totals = [], np.empty(turns)
    for turn, rank in enumerate(ranks):
        tidy = _sums(sums, rank, watch)
        totals[turn] = np.logaddexp.reduce(tidy[-1])
        spans = range(0, -(-samples // turns), _SAMPLES)
        sizes = [min(_SAMPLES, -(-samples // turns) - first) for first in spans]
        orders += [_orders(sums, rank, tidy, size, rng, watch) for size in sizes]
    return Drawn(_parents(weights, orders, rng, watch), ranks, totals)


def _parents(weights: Array, orders: list[tuple[Bits, Bits]], rng: np.random.Generator, watch: Watch) -> Bits:
    """Parents of each node among those before it, drawn with their weights."""
    drawn = [np.empty_like(before) for before, _ in orders]
    layers = np.empty_like(weights)
    for node in range(len(weights)):
        subsets.subset_layers(weights[node], layers)
        for (before, needed), parents in zip(orders, drawn, strict=True):
            poll(watch, "parents", node)
            chance = rng.random(before.T.shape)
            kernels.draw_parents(layers, node, before[node], needed[node], chance, parents[node])
    return np.ascontiguousarray(np.concatenate(drawn, axis=1).T)


def over_representation(parents: Bits, drawn: Drawn, watch: Watch) -> Array:
    """How much more often each of many DAGs is drawn than its weight says, up to a constant factor."""
    factors = np.exp(drawn.log_totals.min() - drawn.log_totals)
    turns = [tidy_orders(parents, rank, watch) for rank in drawn.ranks]
    return np.asarray(np.tensordot(factors, turns, axes=1))


def _orders(
    sums: Array, rank: Bits, tidy: Array, samples: int, rng: np.random.Generator, watch: Watch
) -> tuple[Bits, Bits]:
    """Tidy orders, (p, samples): the nodes before each node, and the bit of a parent it must have, or −1."""
    poll(watch, "orders", samples)
    before, needed = np.empty((2, len(sums), samples), dtype=np.int64)
    kernels.draw_tidy_orders(sums, rank, tidy, rng.random((samples, len(sums))), before, needed)
    return before, needed


def _sums(sums: Array, rank: Bits, watch: Watch) -> Array:
    """[set, node]: the sum over the tidy orders of a set that end with a node."""
    p = len(sums)
    tidy = np.empty((2**p, p))
    for first in range(0, 2**p, _SUBSETS):
        poll(watch, "sums over tidy orders", first)
        kernels.sum_tidy(sums, rank, tidy, first, min(first + _SUBSETS, 2**p))
    return tidy


def tidy_orders(parents: Bits, rank: Bits, watch: Watch) -> Array:
    """The number of tidy orders of each of many DAGs, by dynamic programming over their down-sets.

    Parameters
    ----------
    parents : int array of shape (graphs, p)
        The parents of each node, as bits; p is at most 20.
    rank : int array of shape (p,)
        The place of each node in the order of reference.
    watch : Watch
        Polled after every few graphs.

    Returns
    -------
    array of shape (graphs,)

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest._core.progress import Watch
    >>> empty, chain, crossed = [0, 0, 0, 0], [0, 1, 2, 4], [8, 4, 0, 0]
    >>> tidy_orders(np.array([empty, chain, crossed]), np.arange(4), Watch())
    array([1., 1., 3.])
    """
    counts, capacity = np.empty(len(parents)), _CAPACITY
    below = np.append((rank < rank[:, None]) @ (1 << np.arange(len(rank))), (1 << len(rank)) - 1)
    tables = kernels.memory(capacity), kernels.memory(capacity)
    for first in range(0, len(parents), _GRAPHS):
        poll(watch, "tidy orders", first)
        span = slice(first, first + _GRAPHS)
        while not kernels.count_tidy_orders(parents[span], below, *tables, counts[span]):
            capacity *= 2
            tables = kernels.memory(capacity), kernels.memory(capacity)
    return counts
