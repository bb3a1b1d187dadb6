"""Compiled loops of the exact search: dynamic programming over subsets of nodes.

A set of nodes is the bits of an integer. The table has a row for every node j, with an entry for every set S
without j: at `drop(S, j)`, which squeezes the bit of j out, so that there are 2^(p−1) of them.
"""

import math

import numpy as np

from sparsest._jit import kernel, part
from sparsest.scores.gaussian import RESIDUAL_FLOOR

_NEAR = 1 << 13  # entries that a near cache holds
_STRIP = 64  # entries that are taken along where sets differ in higher bits than those
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
def _condition(given, node, own, left):
    """Fill in the covariance of the nodes before `node` given it too; whether it had variance left."""
    variance = given[node, node]
    has_some = variance > RESIDUAL_FLOOR * own
    for i in range(node):
        ratio = given[node, i] / variance if has_some else 0.0
        for j in range(i + 1):
            left[i, j] = given[i, j] - ratio * given[node, j]
    return has_some


@kernel
def complete_scores(scores, collinear, covariance, cost, first, last):
    """For the sets from `first` to `last`, both even: the score of a complete DAG on the set.

    All local scores are differences of these: ½ log var(j | S) + cost · |S| = scores[S and j] − scores[S]. So
    one number a set is enough. It is that of the set without its lowest node, and what this node adds; only
    nodes below it can come later, so that few covariances have to be kept up to date.

    Nodes that those before them explain wholly add no variance here, and are counted in `collinear` instead.
    """
    p = len(covariance)
    lefts = np.empty((p + 1, p, p))  # lefts[k]: given the nodes from k on, where k is one of the set
    sizes = np.zeros(p + 1, dtype=np.int64)  # how many those are
    for i in range(p):  # loops, not array expressions, which take numba seconds to compile
        for j in range(p):
            lefts[p, i, j] = covariance[i, j]
    lowest = p
    for node in range(p - 1, 0, -1):  # of the first set, since those after it share some of its nodes
        if (first >> node) & 1:
            _condition(lefts[lowest], node, covariance[node, node], lefts[node])
            sizes[node] = sizes[lowest] + 1
            lowest = node
    for subset in range(first, last, 2):
        lowest = p
        if subset > 0:
            lowest, rest = _lowest(subset), subset & (subset - 1)
            above = _lowest(rest) if rest else p
            scores[subset], collinear[subset] = scores[rest] + cost * sizes[above], collinear[rest]
            if _condition(lefts[above], lowest, covariance[lowest, lowest], lefts[lowest]):
                scores[subset] += 0.5 * math.log(lefts[above, lowest, lowest])
            else:
                collinear[subset] += 1
            sizes[lowest] = sizes[above] + 1
        # Half of all sets have node 0 too, and nothing is below it.
        more = subset + 1
        scores[more], collinear[more] = scores[subset] + cost * sizes[lowest], collinear[subset]
        if lefts[lowest, 0, 0] > RESIDUAL_FLOOR * covariance[0, 0]:
            scores[more] += 0.5 * math.log(lefts[lowest, 0, 0])
        else:
            collinear[more] += 1


@part
def _fill(row, scores, node, first, last):
    """Local scores of a node with the sets of a part of its row as its parents."""
    bit = 1 << node
    run = min(bit, last - first)  # so many sets in a row share the bits above the node's
    for start in range(first, last, run):
        without = _lift(start, node)
        here, fewer, more = row[start : start + run], scores[without:], scores[without + bit :]
        for i in range(run):
            here[i] = more[i] - fewer[i]


@part
def _except(row, collinear, node, own, cost, limit, forbidden, required, first, last):
    """The sets among those of a part that explain the node wholly, and those that may not be its parents."""
    least = 0.5 * math.log(RESIDUAL_FLOOR * own)
    for place in range(first, last):
        size, subset = _count(place), _lift(place, node)
        if collinear[subset | (1 << node)] > collinear[subset]:
            row[place] = least + cost * size
        if size > limit or subset & forbidden or required & ~subset:
            row[place] = math.inf


@part
def _lower(row, start, step, count):
    """Let some entries take those `step` before them where they are lower."""
    here, before = row[start : start + count], row[start - step :]
    for i in range(count):
        here[i] = _less(before[i], here[i])


@part
def _less(a, b):
    """The lesser of two; as the built-in, but vectorised."""
    return a if a < b else b


@part
def _lower_eight(row):
    """Let each of eight sets take the score of its best subset."""
    a, b, c, d, e, f, g, h = row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7]
    b, d, f, h = _less(a, b), _less(c, d), _less(e, f), _less(g, h)
    c, d, g, h = _less(a, c), _less(b, d), _less(e, g), _less(f, h)
    e, f, g, h = _less(a, e), _less(b, f), _less(c, g), _less(d, h)
    row[1], row[2], row[3], row[4], row[5], row[6], row[7] = b, c, d, e, f, g, h


@part
def _lower_near(row, first, last):
    """Let every set of a part of a row take the score of its best subset in it."""
    step = 1
    if last - first >= 8:  # the first three bits at once: loops over them are too short
        for start in range(first, last, 8):
            _lower_eight(row[start : start + 8])
        step = 8
    while step < last - first:
        for block in range(first, last, 2 * step):
            _lower(row, block + step, step, step)
        step *= 2


@part
def _lower_far(row, near):
    """Let every set take the score of its best subset that is the same up to the bits of `near`."""
    for strip in range(0, near, min(near, _STRIP)):
        step = near
        while step < len(row):
            for block in range(0, len(row), 2 * step):
                for start in range(block + step + strip, block + 2 * step, near):
                    _lower(row, start, step, min(near, _STRIP))
            step *= 2


@kernel
def best_subsets(row):
    """Let every set take the score of its best subset."""
    near = min(len(row), _NEAR)
    for first in range(0, len(row), near):
        _lower_near(row, first, first + near)
    _lower_far(row, near)


@kernel
def best_parents(row, scores, collinear, node, own, cost, limit, forbidden, required):
    """The least score of a node with parents among a set, at most `limit` of them, for all sets without it.

    `own` is its variance; no set has a node that is forbidden, or lacks one that is required, as its parent.
    """
    near = min(len(row), _NEAR)
    any_but = collinear[-1] > 0 or limit < _count(len(row) - 1) or forbidden & ~(1 << node) or required
    for first in range(0, len(row), near):
        _fill(row, scores, node, first, first + near)
        if any_but:
            _except(row, collinear, node, own, cost, limit, forbidden, required, first, first + near)
        _lower_near(row, first, first + near)
    _lower_far(row, near)


@kernel
def best_sinks(table, best, first, last):
    """For the sets from `first` to `last`: the least score of a DAG on the set; one of its nodes comes last.

    It must be 0 for the empty set, and infinite for all others at first. It stays infinite where each node
    of the set requires a parent outside.
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
    scores, collinear, table = np.zeros(4), np.zeros(4, dtype=np.int8), np.zeros((2, 2))
    complete_scores(scores, collinear, np.eye(2), 1.0, 0, 4)
    best_parents(table[0], scores, collinear, 0, 1.0, 1.0, 1, 0, 0)
    best_sinks(table, scores, 0, 4)
    read_off(table, scores)
