"""Compiled loops over tidy orders: their sums, draws from them, and their number for a DAG.

An order is tidy for a DAG if each node's parents precede it and neighbours in the order that no edge joins
stand as in an order of reference, `rank`. Sets, tables and logarithms are as in `_subset_kernels`.
"""

import math

import numpy as np
from numpy.typing import NDArray

from sparsest._core.jit import inlined, kernel, part

Array = NDArray[np.float64]
Bits = NDArray[np.int64]


@inlined
def _drop(subset, node):
    """The set without the bit of `node`, which must not be in it, squeezed together."""
    low = subset & ((1 << node) - 1)
    return low | ((subset >> (node + 1)) << node)


@inlined
def _lift(place, node):
    """The set without `node` at a place of its row: the opposite of `_drop`."""
    return ((place >> node) << (node + 1)) | (place & ((1 << node) - 1))


@inlined
def _bit(parent, node):
    """Where the bit of a parent is in a set without the bit of the node."""
    return parent if parent < node else parent - 1


@inlined
def _share_with(sums, place, bit):
    """The share of the sets of parents at a place that have the parent with a bit."""
    return -math.expm1(sums[place ^ (1 << bit)] - sums[place])


@kernel
def sum_tidy(table, rank, tidy, first, last):
    """For the sets from `first` to `last`, each followed by one node more: the sum over tidy orders.

    `tidy[set, node]` is the sum over the tidy orders of the set that end with the node. `table` has the sums
    over sets of parents among each set. A node may follow one of higher rank only as its child.
    """
    p = len(table)
    shares = np.empty(p)
    for subset in range(first, last):
        highest = -math.inf if subset else 0.0
        for b in range(p):
            if (subset >> b) & 1:
                highest = max(highest, tidy[subset, b])
        for b in range(p):
            shares[b] = 0.0
            if (subset >> b) & 1 and highest > -math.inf:
                shares[b] = math.exp(tidy[subset, b] - highest)
        for a in range(p):
            if not (subset >> a) & 1:
                place = _drop(subset, a)
                total = 0.0 if subset else 1.0
                if table[a, place] > -math.inf:
                    for b in range(p):
                        if shares[b] > 0.0 and rank[b] < rank[a]:
                            total += shares[b]
                        elif shares[b] > 0.0:
                            total += shares[b] * _share_with(table[a], place, _bit(b, a))
                ended = table[a, place] + highest + math.log(total) if total > 0.0 else -math.inf
                tidy[subset | (1 << a), a] = ended


@part
def _drawn(terms, uniform):
    """The place of one of many, drawn with probabilities whose logarithms are given up to a constant."""
    highest = -math.inf
    for i in range(len(terms)):
        highest = max(highest, terms[i])
    total = 0.0
    for i in range(len(terms)):
        total += math.exp(terms[i] - highest)
    left, chosen = uniform * total, 0
    for i in range(len(terms)):
        if terms[i] > -math.inf:
            chosen = i  # the last possible one where rounding leaves something over
            left -= math.exp(terms[i] - highest)
            if left < 0:
                break
    return chosen


@part
def _end_before(table, rank, tidy, subset, following, terms):
    """Fill in the log-weights of the nodes that a set may end with before another node follows."""
    for b in range(len(terms)):
        terms[b] = -math.inf
        if (subset >> b) & 1:
            terms[b] = tidy[subset, b]
            if following >= 0 and rank[b] > rank[following]:
                share = _share_with(table[following], _drop(subset, following), _bit(b, following))
                terms[b] += math.log(share) if share > 0.0 else -math.inf


@kernel
def draw_tidy_orders(table, rank, tidy, uniforms, before, needed):
    """Draw tidy orders, from their end: the nodes before each node, as bits, and the parent it must have.

    That is the place of the parent's bit in the sets without the node, and −1 where it may have any.
    """
    p = len(table)
    terms = np.empty(p)
    for k in range(len(uniforms)):
        subset, following = (1 << p) - 1, -1
        for step in range(p):
            _end_before(table, rank, tidy, subset, following, terms)
            node = _drawn(terms, uniforms[k, step])
            if following >= 0 and rank[node] > rank[following]:
                needed[following, k] = _bit(node, following)
            subset ^= 1 << node
            before[node, k], needed[node, k] = subset, -1
            following = node


@kernel
def draw_parents(layers, node, before, needed, uniforms, parents):
    """Draw parents of a node, as bits, with their weights among the nodes before it.

    Whether a node is a parent is decided for one node after the other, from the last to the first.
    """
    for k in range(len(before)):
        place = _drop(before[k], node)
        for bit in range(len(layers) - 2, -1, -1):
            if (place >> bit) & 1 and bit != needed[k]:
                without = place ^ (1 << bit)
                share = math.exp(layers[bit, without] - layers[bit + 1, place])
                if needed[k] >= 0 and needed[k] < bit:
                    share *= _share_with(layers[bit], without, needed[k])
                    share /= _share_with(layers[bit + 1], place, needed[k])
                if uniforms[k, bit] < share:
                    place = without
        parents[k] = _lift(place, node)


@part
def _add(keys, values, slots, size, key, value):
    """Add to the value of a key; returns its slot, as −1 − slot if it is new. `slots` has those in use."""
    most = len(keys) - 1
    slot = ((key ^ (key >> 15)) * 0x9E3779B1) & most
    while keys[slot] != key and keys[slot] >= 0:
        slot = (slot + 1) & most
    if keys[slot] == key:
        values[slot] += value
        return slot
    keys[slot], values[slot], slots[size] = key, value, slot
    return -1 - slot


@part
def _children(parents, children):
    """Fill in the children of each node, as bits; returns the nodes without any."""
    for node in range(len(parents)):
        children[node] = 0
    sinks = (1 << len(parents)) - 1
    for node in range(len(parents)):
        sinks &= ~parents[node]
        for parent in range(len(parents)):
            if (parents[node] >> parent) & 1:
                children[parent] |= 1 << node
    return sinks


@inlined
def _index(bit):
    """Which bit it is that is set."""
    node = 0
    while bit > 1:
        bit >>= 1
        node += 1
    return node


@part
def _sinks_without(node, rest, sinks, parents, children):
    """The sinks of what is left when one of them is taken off: some of its parents may have become such."""
    sinks &= ~(1 << node)
    left = parents[node]
    while left:
        bit = left & -left
        if children[_index(bit)] & rest == 0:
            sinks |= bit
        left ^= bit
    return sinks


@part
def _step(parents, children, below, here, there, size):
    """Take one more node off all that is left, from one table to the other; returns the size of that.

    Tables are keys, values, sinks, slots. Returns −1 if the other table becomes too full.
    """
    keys, values, sinks, slots = here
    grown = 0
    for i in range(size):
        slot = slots[i]
        subset, following = keys[slot] >> 5, (keys[slot] & 31) - 1
        keys[slot] = -1  # free for the table after the next
        if 2 * (grown + len(parents)) > len(keys):
            return -1
        open_to = sinks[slot] & (below[following] | parents[following])  # −1, the last of `below`, has all
        while open_to:
            bit = open_to & -open_to
            open_to ^= bit
            node = _index(bit)
            rest = subset ^ bit
            added = _add(there[0], there[1], there[3], grown, (rest << 5) | (node + 1), values[slot])
            if added < 0:
                there[2][-1 - added] = _sinks_without(node, rest, sinks[slot], parents, children)
                grown += 1
    return grown


@kernel
def count_tidy_orders(graphs, below, here, there, counts):
    """Count the tidy orders of DAGs given by the parents of each node, as bits; False if memory runs out.

    Orders are taken apart from their end. What is left, and what follows it, is a key of the present table;
    its value is the number of ways that lead there. The next table has what is left one node later. `below`
    has the nodes of lower rank than each, and all nodes at its end.
    """
    p = graphs.shape[1]
    children = np.empty(p, dtype=np.int64)
    for k in range(len(graphs)):
        sinks = _children(graphs[k], children)
        slot = -1 - _add(here[0], here[1], here[3], 0, ((1 << p) - 1) << 5, 1.0)
        here[2][slot] = sinks
        size = 1
        for _ in range(p):
            size = _step(graphs[k], children, below, here, there, size)
            if size < 0:
                return False
            here, there = there, here
        counts[k] = 0.0
        for i in range(size):
            counts[k] += here[1][here[3][i]]
            here[0][here[3][i]] = -1
    return True


def compile_all() -> None:
    """Compile, or load from the cache, everything that is called."""
    table, uniforms, tidy = np.zeros((2, 2)), np.zeros((1, 2)), np.zeros((4, 2))
    before, needed = np.zeros((2, 2, 1), dtype=np.int64)
    rank = np.arange(2)
    sum_tidy(table, rank, tidy, 0, 3)
    draw_tidy_orders(table, rank, tidy, uniforms, before, needed)
    draw_parents(table, 0, before[0], needed[0], uniforms, before[1])
    count_tidy_orders(np.zeros((1, 2), dtype=np.int64), np.arange(3), memory(8), memory(8), np.empty(1))


def memory(capacity: int) -> tuple[Bits, Array, Bits, Bits]:
    """A table for `count_tidy_orders`: keys, values, sinks, and the slots in use."""
    sinks, slots = np.empty((2, capacity), dtype=np.int64)
    return np.full(capacity, -1), np.empty(capacity), sinks, slots
