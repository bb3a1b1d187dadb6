"""In how many orders the nodes of a DAG can be put with causes before effects."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsest._core.jit import kernel, part
from sparsest._core.progress import Watch
from sparsest.averaging.family_weights import poll

Bits = NDArray[np.int64]  # sets of nodes

_AT_ONCE = 64  # DAGs per call of the kernel


@part
def _component(subset, near):
    """The nodes of a set that are joined, by whatever path inside it, to its first."""
    found, new = 0, subset & -subset
    while new:
        found |= new
        reached, node = 0, 0
        while new:
            if new & 1:
                reached |= near[node]
            new >>= 1
            node += 1
        new = reached & subset & ~found
    return found


@part
def _choose(many, few):
    ways = 1.0
    for k in range(few):
        ways = ways * (many - k) / (k + 1)
    return ways


@part
def _size(subset):
    count = 0
    while subset:
        subset &= subset - 1
        count += 1
    return count


@part
def _orders(subset, near, children, known, stamps, stamp):
    """The number of orders of a set that has the causes of all its nodes.

    Parts that no edge joins are ordered by themselves and shuffled; otherwise some node without effects in
    the set comes last. What was counted before is kept under the stamp of this DAG.
    """
    if subset & (subset - 1) == 0:
        return 1.0
    if stamps[subset] == stamp:
        return known[subset]
    orders = 0.0
    joined = _component(subset, near)
    if joined != subset:
        rest = subset & ~joined
        orders = _choose(_size(subset), _size(joined))
        orders *= _orders(joined, near, children, known, stamps, stamp)
        orders *= _orders(rest, near, children, known, stamps, stamp)
    else:
        for node in range(len(near)):
            if (subset >> node) & 1 and children[node] & subset == 0:
                orders += _orders(subset ^ (1 << node), near, children, known, stamps, stamp)
    known[subset] = orders
    stamps[subset] = stamp
    return orders


@kernel
def _count_orders(parents, known, stamps, first, counts):
    p = parents.shape[1]
    near, children = np.empty(p, dtype=np.int64), np.empty(p, dtype=np.int64)
    for k in range(len(parents)):
        for node in range(p):
            children[node] = 0
        for node in range(p):
            for parent in range(p):
                if (parents[k, node] >> parent) & 1:
                    children[parent] |= 1 << node
        for node in range(p):
            near[node] = children[node] | parents[k, node]
        counts[k] = _orders((1 << p) - 1, near, children, known, stamps, first + k)


def linear_extensions(parents: Bits, watch: Watch) -> NDArray[np.float64]:
    """The number of linear extensions of each of many DAGs, by dynamic programming over down-sets.

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
    >>> chain, collider, empty = [0, 1, 2], [0, 5, 0], [0, 0, 0]
    >>> linear_extensions(np.array([chain, collider, empty]), Watch())
    array([1., 2., 6.])
    """
    graphs, p = parents.shape
    known, stamps = np.empty(2**p), np.full(2**p, -1, dtype=np.int64)
    counts = np.empty(graphs)
    for first in range(0, graphs, _AT_ONCE):
        poll(watch, "linear extensions", first)
        last = first + _AT_ONCE
        _count_orders(parents[first:last], known, stamps, first, counts[first:last])
    return counts
