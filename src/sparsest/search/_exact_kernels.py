"""Compiled loops of the exact search: dynamic programming over subsets of nodes.

A set of nodes is the bits of an integer. The table has a row for every node j, with an entry for every set S
without j: at `drop(S, j)`, which squeezes the bit of j out, so that there are 2^(p−1) of them.
"""

import math

import numpy as np

from sparsest._core.jit import kernel, part
from sparsest.scores.gaussian import RESIDUAL_FLOOR

NEAR = 1 << 13  # entries that fit into the first-level cache
_STRIP = 64  # entries processed together where sets differ in higher bits
_FEW = 3  # bits, the lowest, over which loops are too short to be vectorised


@part
def _drop(subset, node):
    """The set without the bit of `node`, which must not be in it, squeezed together."""
    low = subset & ((1 << node) - 1)
    return low | ((subset >> (node + 1)) << node)


@part
def _lift(place, node):
    """The set without `node` at a place of its row: the opposite of `_drop`."""
    return ((place >> node) << (node + 1)) | (place & ((1 << node) - 1))


@part
def _lowest(subset):
    """The first node of a set that is not empty."""
    node = 0
    while not (subset >> node) & 1:
        node += 1
    return node


@part
def _count(subset):
    """How many nodes a set has."""
    size = 0
    while subset:
        subset &= subset - 1
        size += 1
    return size


@part
def _condition(given, node, left):
    """Fill in the covariance of the nodes before `node` given it too, a triangle; returns its variance."""
    variance = given[node, node]
    for i in range(node):
        ratio = given[node, i] / variance
        for j in range(i + 1):
            left[i, j] = given[i, j] - ratio * given[node, j]
    return variance


@kernel
def joint_scores(scores, covariance, first, last):
    """For the sets from `first` to `last`, both even: ½ log of the determinant of their covariance.

    Scores of single nodes are differences of these: ½ log var(j | S) = scores[S and j] − scores[S]. So one
    number per set is enough. It is that of the set without its lowest node plus what this node adds; only
    nodes below it can come later, so that few covariances have to be kept up to date. No nodes may be
    collinear.
    """
    p = len(covariance)
    lefts = np.empty((p + 1, p, p))  # lefts[k]: given the nodes from k on, where k is one of the set
    for i in range(p):  # loops, not array expressions, which take numba seconds to compile
        for j in range(p):
            lefts[p, i, j] = covariance[i, j]
    lowest = p
    for node in range(p - 1, 0, -1):  # of the first set, since those after it share some of its nodes
        if (first >> node) & 1:
            _condition(lefts[lowest], node, lefts[node])
            lowest = node
    for subset in range(first, last, 2):
        lowest = p
        if subset > 0:
            lowest, rest = _lowest(subset), subset & (subset - 1)
            above = _lowest(rest) if rest else p
            variance = _condition(lefts[above], lowest, lefts[lowest])
            scores[subset] = scores[rest] + 0.5 * math.log(variance)
        scores[subset + 1] = scores[subset] + 0.5 * math.log(lefts[lowest, 0, 0])  # nothing is below node 0


@part
def _condition_all(given, node, floors, left):
    """Fill in the covariance of all nodes given one more; a node without variance left explains nothing."""
    p = len(given)
    variance = given[node, node]
    for i in range(p):
        ratio = given[i, node] / variance if variance > floors[node] else 0.0
        for j in range(p):
            left[i, j] = given[i, j] - ratio * given[node, j]


@part
def _record(table, left, floors, subset):
    """Write the scores of all nodes outside a set given this set."""
    for node in range(len(left)):
        if not (subset >> node) & 1:
            table[node, _drop(subset, node)] = 0.5 * math.log(max(left[node, node], floors[node]))


@kernel
def conditional_scores(table, covariance, high, low_bits):
    """½ log var(j | S) for all nodes, and all sets whose nodes from `low_bits` on are those of `high`.

    Nodes may be collinear. Walks the lattice depth first; a level holds the covariance given one more node.
    """
    p = len(covariance)
    floors = np.empty(p)
    levels = np.empty((p + 1, p, p))
    for i in range(p):
        floors[i] = RESIDUAL_FLOOR * covariance[i, i]
        for j in range(p):
            levels[0, i, j] = covariance[i, j]
    depth = 0
    for node in range(low_bits, p):
        if (high >> node) & 1:
            _condition_all(levels[depth], node, floors, levels[depth + 1])
            depth += 1
    base, subset = depth, high
    _record(table, levels[depth], floors, subset)
    chosen = np.empty(p + 1, dtype=np.int64)
    following = 0  # the next node to add at this level
    while True:
        if following < low_bits:
            _condition_all(levels[depth], following, floors, levels[depth + 1])
            chosen[depth] = following
            depth += 1
            subset |= 1 << following
            _record(table, levels[depth], floors, subset)
            following += 1
        elif depth > base:
            depth -= 1
            subset &= ~(1 << chosen[depth])
            following = chosen[depth] + 1
        else:
            return


@part
def _differ(row, scores, node, first, last):
    """Fill a part of a row with the scores of a node given each set."""
    bit = 1 << node
    run = min(bit, last - first)  # so many sets in a row share the bits above the node's
    for start in range(first, last, run):
        without = _lift(start, node)
        here, fewer, more = row[start : start + run], scores[without:], scores[without + bit :]
        for i in range(run):
            here[i] = more[i] - fewer[i]


@part
def _charge(row, costs, cost, first, last):
    """Add the cost of the parents to a part of a row; `costs` is that of the bits that differ in it."""
    here, same = row[first:last], cost * _count(first)
    for i in range(last - first):
        here[i] += costs[i] + same


@part
def _rule_out(row, node, limit, forbidden, required, first, last):
    """Make inadmissible sets of parents infinitely expensive."""
    for place in range(first, last):
        subset = _lift(place, node)
        if _count(place) > limit or subset & forbidden or required & ~subset:
            row[place] = math.inf


@part
def _less(a, b):
    """The smaller of two; like the built-in, but vectorised."""
    return a if a < b else b


@part
def _lower(row, start, step, count):
    """Replace some entries by those `step` before them where these are lower."""
    here, before = row[start : start + count], row[start - step :]
    for i in range(count):
        here[i] = _less(before[i], here[i])


@part
def _lower_eight(row):
    """Give each of eight sets the score of its best subset."""
    a, b, c, d, e, f, g, h = row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7]
    b, d, f, h = _less(a, b), _less(c, d), _less(e, f), _less(g, h)
    c, d, g, h = _less(a, c), _less(b, d), _less(e, g), _less(f, h)
    e, f, g, h = _less(a, e), _less(b, f), _less(c, g), _less(d, h)
    row[1], row[2], row[3], row[4], row[5], row[6], row[7] = b, c, d, e, f, g, h


@part
def _lower_near(row, first, last):
    """Give every set in a part of a row the score of its best subset in that part."""
    step = 1
    if last - first >= 8:  # the first three bits at once: loops over them are too short
        for start in range(first, last, 8):
            _lower_eight(row[start : start + 8])
        step = 8
    while step < last - first:
        for start in range(first + step, last, 2 * step):
            _lower(row, start, step, step)
        step *= 2


@kernel
def best_near_subsets(row, first, last):
    """Give every set in a part of a row the score of its best subset with the same bits from NEAR on.

    Parts begin and end at multiples of NEAR, or are the whole row.
    """
    near = min(last - first, NEAR)
    for block in range(first, last, near):
        _lower_near(row, block, block + near)


@kernel
def best_near_parents(row, scores, node, cost, limit, forbidden, required, first, last):
    """The same for a node's score plus the cost of its parents, over admissible sets of parents.

    `scores` are the joint ones; if empty, the row is that of `conditional_scores`.
    """
    near = min(last - first, NEAR)
    free = limit >= _count(len(row) - 1) and not forbidden & ~(1 << node) and not required
    costs = np.empty(near)
    for i in range(near):
        costs[i] = cost * _count(i)
    for block in range(first, last, near):
        if len(scores) > 0:
            _differ(row, scores, node, block, block + near)
        _charge(row, costs, cost, block, block + near)
        if not free:
            _rule_out(row, node, limit, forbidden, required, block, block + near)
        _lower_near(row, block, block + near)


@kernel
def best_far_subsets(row, first, last):
    """Give sets the score of their best subset with the same bits below NEAR, from `first` to `last`."""
    width = min(last - first, _STRIP)
    for strip in range(first, last, width):
        step = NEAR
        while step < len(row):
            for block in range(0, len(row), 2 * step):
                for start in range(block + step + strip, block + 2 * step, NEAR):
                    _lower(row, start, step, width)
            step *= 2


@kernel
def best_sinks(table, best, first, last):
    """For the sets from `first` to `last`: the least score of a DAG on the set; one of its nodes comes last.

    It must be 0 for the empty set and infinite for all others at first. It stays infinite where each node of
    the set requires a parent outside. `first` is a multiple of eight. Sets after `last` are prepared too.
    """
    few = min(_FEW, len(table))
    for block in range(first, last, 1 << few):
        if block > 0:
            # All sets with the same nodes from its lowest on: that one may come last in each of them.
            node = _lowest(block)
            without, row = best[block - (1 << node) : block], table[node, (block >> (node + 1)) << node :]
            here = best[block : block + (1 << node)]
            for i in range(len(here)):
                here[i] = _less(without[i] + row[i], here[i])
        for subset in range(block + 1, block + (1 << few)):
            for node in range(few):
                if (subset >> node) & 1:
                    rest = subset - (1 << node)
                    best[subset] = _less(best[rest] + table[node, _drop(rest, node)], best[subset])


@kernel
def read_off(table, best):
    """The DAG behind the table: sinks from last to first, each with its best parents."""
    p = len(table)
    dag = np.zeros((p, p), dtype=np.bool_)
    subset = (1 << p) - 1
    while subset:
        lowest, sink = math.inf, -1
        for node in range(p):
            if (subset >> node) & 1:
                rest = subset & ~(1 << node)
                value = best[rest] + table[node, _drop(rest, node)]
                if value < lowest:
                    lowest, sink = value, node
        if sink < 0:
            raise ValueError("no DAG has a finite score")
        subset &= ~(1 << sink)
        parents = subset
        for node in range(p):  # whatever can be left out at no loss is not a parent
            if (parents >> node) & 1:
                fewer = parents & ~(1 << node)
                if table[sink, _drop(fewer, sink)] <= table[sink, _drop(parents, sink)]:
                    parents = fewer
        for node in range(p):
            if (parents >> node) & 1:
                dag[node, sink] = True
    return dag


def compile_all() -> None:
    """Compile, or load from the cache, everything that a search calls."""
    scores, table = np.zeros(4), np.zeros((2, 2))
    joint_scores(scores, np.eye(2), 0, 4)
    conditional_scores(table, np.eye(2), 0, 2)
    best_near_subsets(table[0], 0, 2)
    best_near_parents(table[0], scores, 0, 1.0, 1, 0, 0, 0, 2)
    best_far_subsets(table[0], 0, 2)
    best_sinks(table, np.array([0.0, np.inf, np.inf, np.inf]), 0, 4)
    read_off(table, scores)
