"""Compiled loops of the least price of pairs of nodes: what constrains it, node by node.

The price of a pair is paid when the later of its nodes comes: whatever set P of nodes comes before a node,
the prices of its pairs with P must not exceed the least excess of the node, which is c · parents plus the
information that the rest of P has beyond the parents.
"""

import math

import numpy as np

from sparsest._core.jit import kernel, part


@part
def _condition(given, node, left, size):
    """Fill in a covariance given one more node, whose own row is left as it is."""
    scale = 1.0 / given[node, node]
    for i in range(size):
        if i == node:
            continue
        ratio = given[i, node] * scale
        for j in range(size):
            left[i, j] = given[i, j] - ratio * given[node, j]


@part
def _information(given, chosen, count, small):
    """The information of some nodes about the first one, from their covariance, by elimination."""
    for a in range(count):
        small[a, count] = given[chosen[a], 0]
        for b in range(count):
            small[a, b] = given[chosen[a], chosen[b]]
    explained = 0.0
    for a in range(count):
        explained += small[a, count] * small[a, count] / small[a, a]
        for b in range(a + 1, count):
            ratio = small[b, a] / small[a, a]
            for k in range(a + 1, count + 1):
                small[b, k] -= ratio * small[a, k]
    return -0.5 * math.log(1.0 - explained / given[0, 0])


@part
def _look(given, near, parents, others, cost, least, chosen, small):
    """Note what a set of parents, `others` of which are strangers, leaves for sets of weak neighbours.

    A neighbour whose own information is worth its cost constrains nothing: the same set with this neighbour
    among the parents constrains as much. And what has as many strangers as neighbours pays for all of them.
    """
    weak = 0
    for k in range(near):
        if not (parents >> k) & 1:
            share = given[0, k + 1] * given[0, k + 1] / (given[0, 0] * given[k + 1, k + 1])
            if -0.5 * math.log(1.0 - share) < cost:
                weak |= 1 << k
    paid, known = others, parents
    while known:
        known &= known - 1
        paid += 1
    few = weak
    while few:
        count = 0
        for k in range(near):
            if (few >> k) & 1:
                chosen[count] = k + 1
                count += 1
        if count > others:
            excess = cost * paid + _information(given, chosen, count, small)
            if excess < least[parents | few]:
                least[parents | few] = excess
        few = (few - 1) & weak


@kernel
def least_excess(covariance, near, cost, least, parents):
    """The least excess of the first node after sets of its neighbours and any strangers; where it matters.

    The neighbours are the nodes from 1 to `near`, a set of them the place in `least`, which must be infinite
    at first. This call is about the parents among the neighbours that are given.
    """
    size = len(covariance)
    levels = np.empty((near + 2, size, size))
    chosen, small = np.empty(near + 1, dtype=np.int64), np.empty((near + 1, near + 2))
    stack = np.zeros(near + 2, dtype=np.int64)
    free = near
    for i in range(size):
        for j in range(size):
            levels[0, i, j] = covariance[i, j]
    for k in range(near):
        if (parents >> k) & 1:
            _condition(levels[0], k + 1, levels[0], size)
            free -= 1
    depth, following = 0, near + 1
    _look(levels[0], near, parents, 0, cost, least, chosen, small)
    while True:
        if following < size and depth + 1 < free:
            _condition(levels[depth], following, levels[depth + 1], size)
            stack[depth] = following
            depth += 1
            _look(levels[depth], near, parents, depth, cost, least, chosen, small)
            following += 1
        elif depth > 0:
            depth -= 1
            following = stack[depth] + 1
        else:
            return
