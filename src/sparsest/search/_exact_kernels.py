"""Compiled loops of the exact search: dynamic programming over subsets of nodes.

A set of nodes is the bits of an integer. `table[j, drop(S, j)]` belongs to node j and a set S without j,
where `drop` squeezes the bit of j out, so that the table has p · 2^(p−1) entries.
"""

import math

import numpy as np

from sparsest._jit import kernel
from sparsest.scores.gaussian import RESIDUAL_FLOOR


@kernel
def _drop(subset, node):
    """The set without the bit of `node`, which must not be in it, squeezed together."""
    low = subset & ((1 << node) - 1)
    return low | ((subset >> (node + 1)) << node)


@kernel
def _condition(source, target, node, floors):
    """`target` = the covariance `source` given one more node, unless that node has no variance left."""
    p = len(source)
    variance = source[node, node]
    informative = variance > floors[node]
    for i in range(p):
        ratio = source[i, node] / variance if informative else 0.0
        for j in range(p):
            target[i, j] = source[i, j] - ratio * source[node, j]


@kernel
def _record(table, conditional, floors, subset, cost, limit, forbidden, required):
    """Write the local scores of all nodes outside `subset` with exactly `subset` as their parents."""
    p = len(conditional)
    size = 0
    for node in range(p):
        size += (subset >> node) & 1
    for node in range(p):
        if not (subset >> node) & 1:
            value = math.inf
            if size <= limit and not subset & forbidden[node] and not required[node] & ~subset:
                value = 0.5 * math.log(max(conditional[node, node], floors[node])) + cost * size
            table[node, _drop(subset, node)] = value


@kernel
def local_scores(table, covariance, cost, limit, forbidden, required, high, low_bits):
    """Local scores of all parent sets whose nodes from `low_bits` on are exactly those of `high`.

    Walks the lattice depth first. Each level holds the covariance given one more node, so that a set costs
    one rank-one update for all p targets at once.
    """
    p = len(covariance)
    floors = np.empty(p)
    levels = np.empty((p + 1, p, p))
    for i in range(p):  # loops, not array expressions, which take numba seconds to compile
        floors[i] = RESIDUAL_FLOOR * covariance[i, i]
        for j in range(p):
            levels[0, i, j] = covariance[i, j]
    depth = 0
    for node in range(low_bits, p):
        if (high >> node) & 1:
            _condition(levels[depth], levels[depth + 1], node, floors)
            depth += 1
    base, subset = depth, high
    _record(table, levels[depth], floors, subset, cost, limit, forbidden, required)
    chosen = np.empty(p + 1, dtype=np.int64)
    following = 0  # the next node to add at this level
    while True:
        if following < low_bits:
            _condition(levels[depth], levels[depth + 1], following, floors)
            chosen[depth] = following
            depth += 1
            subset |= 1 << following
            _record(table, levels[depth], floors, subset, cost, limit, forbidden, required)
            following += 1
        elif depth > base:
            depth -= 1
            subset &= ~(1 << chosen[depth])
            following = chosen[depth] + 1
        else:
            return


@kernel
def best_subsets(row, bit):
    """Let every set holding `bit` take the score of the set without it where that is lower."""
    step = 1 << bit
    for block in range(0, len(row), 2 * step):
        for i in range(block, block + step):
            if row[i] < row[i + step]:
                row[i + step] = row[i]


@kernel
def best_sinks(table, best, sinks, first, last):
    """For the sets from `first` to `last`: the least score of a DAG on the set, and its last node."""
    p = len(table)
    for subset in range(first, last):
        lowest, arg = math.inf, -1
        for node in range(p):
            if (subset >> node) & 1:
                rest = subset & ~(1 << node)
                value = best[rest] + table[node, _drop(rest, node)]
                if value < lowest:
                    lowest, arg = value, node
        best[subset] = lowest  # infinite where a required parent of each node is outside the set
        sinks[subset] = arg


@kernel
def read_off(table, sinks):
    """The DAG behind the table: sinks from last to first, each with its best parents."""
    p = len(table)
    dag = np.zeros((p, p), dtype=np.bool_)
    subset = (1 << p) - 1
    while subset:
        sink = sinks[subset]
        subset &= ~(1 << sink)
        parents = subset
        for node in range(p):  # what can be left out without losing score is not a parent
            if (parents >> node) & 1:
                fewer = parents & ~(1 << node)
                if table[sink, _drop(fewer, sink)] <= table[sink, _drop(parents, sink)]:
                    parents = fewer
        for node in range(p):
            if (parents >> node) & 1:
                dag[node, sink] = True
    return dag


def compile_all() -> None:
    """Compile, or load from the cache, everything a search will call."""
    table, none = np.zeros((2, 2)), np.zeros(2, dtype=np.int64)
    best, sinks = np.zeros(4), np.zeros(4, dtype=np.int8)
    local_scores(table, np.eye(2), 1.0, 1, none, none, 0, 2)
    best_subsets(table[0], 0)
    best_sinks(table, best, sinks, 1, 4)
    read_off(table, sinks)
