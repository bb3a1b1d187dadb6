"""Compiled loops over tidy orders: their sums, draws from them, and their number for a DAG.

An order is tidy for a DAG if each node's parents precede it and neighbours in the order that no edge joins
stand with the larger first. Sets, tables and logarithms are as in `_subset_kernels`.
"""

import math

import numpy as np

from sparsest._core.jit import inlined, kernel, part


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
def _share_with(sums, place, parent):
    """The share of the sets of parents at a place that have a parent, one whose bit has not moved."""
    return -math.expm1(sums[place ^ (1 << parent)] - sums[place])


@kernel
def sum_tidy(table, tidy, first, last):
    """For the sets from `first` to `last`, each followed by one node more: the sum over tidy orders.

    `tidy[set, node]` is the sum over the tidy orders of the set that end with the node. `table` has the sums
    over sets of parents among each set. A node may follow a smaller one only as its child.
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
                    for b in range(a):
                        if shares[b] > 0.0:
                            total += shares[b] * _share_with(table[a], place, b)
                    for b in range(a + 1, p):
                        total += shares[b]
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
def _end_before(table, tidy, subset, following, terms):
    """Fill in the log-weights of the nodes that a set may end with before another node follows."""
    for b in range(len(terms)):
        terms[b] = -math.inf
        if (subset >> b) & 1:
            terms[b] = tidy[subset, b]
            if b < following:
                share = _share_with(table[following], _drop(subset, following), b)
                terms[b] += math.log(share) if share > 0.0 else -math.inf


@kernel
def draw_tidy_orders(table, tidy, uniforms, before, needed):
    """Draw tidy orders, from their end: the nodes before each node, as bits, and the parent it must have.

    That is −1 where it may have any.
    """
    p = len(table)
    terms = np.empty(p)
    for k in range(len(uniforms)):
        subset, following = (1 << p) - 1, -1
        for step in range(p):
            _end_before(table, tidy, subset, following, terms)
            node = _drawn(terms, uniforms[k, step])
            if following >= 0:
                needed[following, k] = node if node < following else -1
            subset ^= 1 << node
            before[node, k] = subset
            following = node
        needed[following, k] = -1


@kernel
def draw_parents(layers, node, before, needed, uniforms, parents):
    """Draw parents of a node, as bits, with their weights among the nodes before it.

    Whether a node is a parent is decided for one node after the other, from the last to the first. A parent
    that is needed is smaller than the node, so that its bit is where it was.
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
    """Add to the value of a key; returns how many keys there are. `slots` says where, in order."""
    most = len(keys) - 1
    slot = ((key ^ (key >> 15)) * 0x9E3779B1) & most
    while keys[slot] != key and keys[slot] >= 0:
        slot = (slot + 1) & most
    if keys[slot] == key:
        values[slot] += value
        return size
    keys[slot], values[slot], slots[size] = key, value, slot
    return size + 1


@part
def _children(parents, children):
    """Fill in the children of each node, as bits."""
    for node in range(len(parents)):
        children[node] = 0
    for node in range(len(parents)):
        for parent in range(len(parents)):
            if (parents[node] >> parent) & 1:
                children[parent] |= 1 << node


@kernel
def count_tidy_orders(graphs, keys, values, slots, counts):
    """Count the tidy orders of DAGs given by the parents of each node, as bits; False if memory runs out.

    Orders are taken apart from their end. What is left, and what follows it, is a key of the present table;
    its value is the number of ways that lead there. The next table has what is left one node later.
    """
    p, capacity = graphs.shape[1], keys.shape[1]
    children = np.empty(p, dtype=np.int64)
    for k in range(len(graphs)):
        _children(graphs[k], children)
        now, size = 0, _add(keys[0], values[0], slots[0], 0, ((1 << p) - 1) << 5, 1.0)
        for _ in range(p):
            grown = 0
            for i in range(size):
                slot = slots[now, i]
                key, ways = keys[now, slot], values[now, slot]
                keys[now, slot] = -1  # free for the table after the next
                subset, following = key >> 5, (key & 31) - 1
                if 2 * (grown + p) > capacity:
                    return False
                for node in range(p):
                    last = (subset >> node) & 1 and children[node] & subset == 0
                    if last and (node > following or (graphs[k, following] >> node) & 1):
                        rest = ((subset ^ (1 << node)) << 5) | (node + 1)
                        grown = _add(keys[1 - now], values[1 - now], slots[1 - now], grown, rest, ways)
            now, size = 1 - now, grown
        counts[k] = 0.0
        for i in range(size):
            counts[k] += values[now, slots[now, i]]
            keys[now, slots[now, i]] = -1
    return True


def compile_all() -> None:
    """Compile, or load from the cache, everything that is called."""
    table, uniforms, tidy = np.zeros((2, 2)), np.zeros((1, 2)), np.zeros((4, 2))
    before, needed = np.zeros((2, 2, 1), dtype=np.int64)
    sum_tidy(table, tidy, 0, 3)
    draw_tidy_orders(table, tidy, uniforms, before, needed)
    draw_parents(table, 0, before[0], needed[0], uniforms, before[1])
    keys, slots = np.full((2, 8), -1), np.zeros((2, 8), dtype=np.int64)
    count_tidy_orders(np.zeros((1, 2), dtype=np.int64), keys, np.empty((2, 8)), slots, np.empty(1))
