"""Compiled loops of sums over all DAGs: dynamic programming over subsets of nodes, in logarithms.

A set of nodes is the bits of an integer. A table has a row for every node j, with an entry for every set S
without j: at `_drop(S, j)`, which squeezes the bit of j out, so that there are 2^(p−1) of them. Entries are
logarithms, so that nothing overflows however many rows the data have; −inf is an impossible set.
"""

import math

import numpy as np

from sparsest._core.jit import inlined, kernel, part

_NOTHING = 37.0  # e^−37 is lost beside 1 in a float


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
def _sum(a, b):
    """The logarithm of the sum of two numbers of which the logarithms are given."""
    if a < b:
        a, b = b, a
    if not b > a - _NOTHING:
        return a  # also if both are −inf
    return a + math.log1p(math.exp(b - a))


@kernel
def weigh(row, scores, node, n, prices, limit, forbidden, required):
    """Turn a row into log-weights of sets of parents, the largest 0: −n · (score + price), shifted.

    `scores` are the joint ones of `joint_scores`; if empty, the row holds the conditional scores. `prices`
    are those of the node's edges. Inadmissible sets get −inf.
    """
    p = len(prices)
    highest = -math.inf
    for place in range(len(row)):
        subset = _lift(place, node)
        score = row[place]
        if len(scores) > 0:
            score = scores[subset | (1 << node)] - scores[subset]
        size = 0
        for parent in range(p):
            if (subset >> parent) & 1:
                size += 1
                score += prices[parent]
        admissible = size <= limit and not subset & forbidden and not required & ~subset
        row[place] = -n * score if admissible else -math.inf
        highest = max(highest, row[place])
    for place in range(len(row)):
        row[place] -= highest


@part
def _add_subsets(fewer, more, bit):
    """One more layer: add to each set that has the bit the sum of the set without it."""
    for place in range(len(fewer)):
        more[place] = _sum(fewer[place], fewer[place ^ bit]) if place & bit else fewer[place]


@kernel
def subset_sums(row, sums):
    """Fill in the sums over all subsets of each set."""
    for place in range(len(row)):
        sums[place] = row[place]
    bit = 1
    while bit < len(row):
        _add_subsets(sums, sums, bit)
        bit *= 2


@kernel
def subset_layers(row, layers):
    """The same, keeping each layer: layers[k] sums over the subsets that agree with the set from bit k on."""
    for place in range(len(row)):
        layers[0, place] = row[place]
    for k in range(len(layers) - 1):
        _add_subsets(layers[k], layers[k + 1], 1 << k)


@part
def _log_sum(terms, count):
    """The logarithm of a sum of many."""
    highest = -math.inf
    for i in range(count):
        highest = max(highest, terms[i])
    if highest == -math.inf:
        return highest
    total = 0.0
    for i in range(count):
        total += math.exp(terms[i] - highest)
    return highest + math.log(total)


@kernel
def sum_forward(table, forward, first, last):
    """For the sets from `first` to `last`: the sum over the orders of the set, the last node taken off.

    `table` has the sums over sets of parents among each set. Earlier sets must be there.
    """
    p = len(table)
    terms = np.empty(p)
    for subset in range(first, last):
        count = 0
        for node in range(p):
            if (subset >> node) & 1:
                rest = subset ^ (1 << node)
                terms[count] = forward[rest] + table[node, _drop(rest, node)]
                count += 1
        forward[subset] = _log_sum(terms, count) if subset else 0.0


@kernel
def sum_backward(table, backward, first, last):
    """For the sets from `last` down to `first`: the sum over the orders in which the other nodes follow."""
    p = len(table)
    terms = np.empty(p)
    for subset in range(last - 1, first - 1, -1):
        count = 0
        for node in range(p):
            if not (subset >> node) & 1:
                terms[count] = backward[subset | (1 << node)] + table[node, _drop(subset, node)]
                count += 1
        backward[subset] = _log_sum(terms, count) if count else 0.0


@kernel
def orders_around(forward, backward, node, sums):
    """For each set S without the node: the sum over all orders in which S comes before it.

    That is the sum over the supersets U of S of what comes before and after: U, then the node, then the rest.
    """
    for place in range(len(sums)):
        subset = _lift(place, node)
        sums[place] = forward[subset] + backward[subset | (1 << node)]
    bit = 1
    while bit < len(sums):
        for place in range(len(sums)):
            if not place & bit:
                sums[place] = _sum(sums[place], sums[place | bit])
        bit *= 2


@kernel
def edges_into(row, around, total, node, probabilities):
    """Add up the probabilities of the sets of parents of a node, for each parent."""
    for place in range(len(row)):
        logarithm = row[place] + around[place] - total
        if logarithm > -745.0:  # else e to it is 0
            probability = math.exp(logarithm)
            subset = _lift(place, node)
            parent = 0
            while subset:
                if subset & 1:
                    probabilities[parent] += probability
                subset >>= 1
                parent += 1


def compile_all() -> None:
    """Compile, or load from the cache, everything that a program calls."""
    one, table, layers = np.zeros(2), np.zeros((2, 2)), np.zeros((2, 2))
    weigh(table[0], np.empty(0), 0, 1.0, np.zeros(2), 1, 0, 0)
    subset_sums(table[0], one)
    subset_layers(table[0], layers)
    sum_forward(table, np.zeros(4), 0, 4)
    sum_backward(table, np.zeros(4), 0, 4)
    orders_around(np.zeros(4), np.zeros(4), 0, one)
    edges_into(table[0], one, 0.0, 0, np.zeros(2))
