"""Compiled loops of branch and bound over orders: nodes are taken away from the end of the order.

A state is the set of nodes taken away so far, as bits of an integer. Their cost is measured as an excess:
over what they would cost with all nodes before them as parents, free of charge, and over the least price of
their pairs (`_pair_price_kernels.py`). An excess is never negative, and that of an order is the sum over its
nodes.

The best parents of a node form a tree. Its root has those among all nodes; the child that belongs to one of
these parents has the best without it, and so on. A branch is grown when it is asked for. Pairs of nodes have
trees too: of sets of nodes given which they are correlated enough to be worth an edge. Where there is no such
set for any pair between two parts of a state, one part is taken away first.
"""

import math

import numpy as np

from sparsest._core.jit import kernel, part
from sparsest.problem import ROUNDING

_ODD = -7046029254386353131  # with random bits: neighbouring sets get distant places in the table
_SHARE = 31  # bits of the product that choose the place: the table has at most 2^31 places
_MOST_NODES = 400_000  # of one branch and bound over parents, about 0.2 s: a denser problem is given up
_LOOKED_AT = 10  # nodes of it at which the parents that are worth their cost are tried
_MOST_SETS = 3_000  # of one branch and bound over what two nodes are given: else they may be worth an edge

# Columns of a tree: parents (or what a pair is given), nodes left out, first child, next sibling, and which
# node was left out last.
PARENTS, WITHOUT, CHILD, SIBLING, LAST = range(5)
NEVER, JOINED = 0.0, 1.0  # the scores of a pair
# What an expansion reports: entries of the tree and of the table, work done, and why it returned.
IN_TREE, IN_TABLE, WORK, REASON = range(4)
DONE, NO_ROOM, TOO_DENSE = range(3)


@part
def _count(subset):
    """How many nodes a set has."""
    size = 0
    while subset:
        subset &= subset - 1
        size += 1
    return size


@part
def _last(subset):
    """The last node of a set that is not empty."""
    node = 0
    for half in (32, 16, 8, 4, 2, 1):
        if subset >> half:
            subset >>= half
            node += half
    return node


@part
def _take_away(given, node, left, rest):
    """Fill in the precision of the nodes in `rest` when one more is taken away."""
    p = len(given)
    scale = 1.0 / given[node, node]
    for i in range(p):
        if (rest >> i) & 1:
            ratio = given[i, node] * scale
            for j in range(p):
                left[i, j] = given[i, j] - ratio * given[node, j]


@part
def _regressed(target, parents, asked, small, listed):
    """The score of a node with exactly these parents: its variance left, by elimination, and their cost."""
    covariance, cost = asked[1], asked[3]
    size = 0
    for node in range(len(covariance)):
        if (parents >> node) & 1:
            listed[size] = node
            size += 1
    left = covariance[target, target]
    for a in range(size):
        for b in range(a + 1):
            value = covariance[listed[a], listed[b]]
            for k in range(b):
                value -= small[a, k] * small[b, k] * small[k, k]
            small[a, b] = value if a == b else value / small[b, b]
        toward = covariance[listed[a], target]
        for k in range(a):
            toward -= small[a, k] * small[k, len(covariance)]
        small[a, len(covariance)] = toward
        left -= toward * toward / small[a, a]
    return 0.5 * math.log(left) + cost * size


@part
def _best_parents(target, first, asked, space, info):
    """The best parents of a node: (score, parents). Branch and bound over what to leave out.

    `levels[0]` is the precision of the nodes that remain, `state[0]` the parents decided upon and the nodes
    that are not yet decided; `first` are admissible parents to start with. Of the undecided, the one that
    matters most is left out first, and then decided upon.
    """
    cost, limit = asked[3], asked[4]
    levels, _, state, small = space
    listed = state[:, 3]
    best, parents = _regressed(target, first, asked, small, listed), first
    depth, nodes, worth = 0, 0, 1.0 - math.exp(-2.0 * cost)
    while True:
        nodes += 1
        now, decided, free = levels[depth], state[depth, 0], state[depth, 1]
        size, own = _count(decided), now[target, target]
        likelihood = -0.5 * math.log(own)  # with all that is free as parents, free of charge
        most, strongest, worthy = -1.0, -1, decided
        if likelihood + cost * size < best - ROUNDING and size <= limit:
            more = _count(free)
            if size + more <= limit and likelihood + cost * (size + more) < best - ROUNDING:
                best, parents = likelihood + cost * (size + more), decided | free
            # A node without which the score would be too high is a parent.
            decisive = own * (1.0 - math.exp(2.0 * (likelihood + cost * size - best + ROUNDING)))
            for node in range(len(now)):
                if (free >> node) & 1:
                    share = now[target, node] * now[target, node] / now[node, node]
                    if share >= decisive:
                        decided |= 1 << node
                        free &= ~(1 << node)
                        size += 1
                    elif share > most:
                        most, strongest = share, node
                    if share >= worth * own:
                        worthy |= 1 << node
            if likelihood + cost * size >= best - ROUNDING or size > limit:
                strongest = -1
            else:
                room = likelihood + cost * (size + 1) < best - ROUNDING and size < limit
                if not room:
                    worthy, strongest = decided, -1
                if (not room or nodes < _LOOKED_AT) and _count(worthy) <= limit:
                    score = _regressed(target, worthy, asked, small, listed)
                    if score < best - ROUNDING:
                        best, parents = score, worthy
        if strongest >= 0 and nodes < _MOST_NODES:
            rest = decided | (free & ~(1 << strongest)) | (1 << target)
            _take_away(now, strongest, levels[depth + 1], rest)
            state[depth, 0], state[depth, 1], state[depth, 2] = decided, free, strongest
            depth += 1
            state[depth, 0], state[depth, 1] = decided, free & ~(1 << strongest)
            continue
        if depth == 0 or nodes >= _MOST_NODES:
            info[WORK] += nodes
            if nodes >= _MOST_NODES:
                info[REASON] = TOO_DENSE
            return best, parents
        depth -= 1
        state[depth, 0] |= 1 << state[depth, 2]
        state[depth, 1] &= ~(1 << state[depth, 2])


@part
def _without(given, gone, left, rest):
    """Fill in the precision of all nodes but some."""
    p = len(given)
    for i in range(p):
        for j in range(p):
            left[i, j] = given[i, j]
    for node in range(p):
        if (gone >> node) & 1:
            rest &= ~(1 << node)
            _take_away(left, node, left, rest)


@part
def _given(before, node, after):
    """Fill in the covariance of all nodes given one more, whose own row is left as it is."""
    p = len(before)
    scale = 1.0 / before[node, node]
    for i in range(p):
        if i != node:
            ratio = before[i, node] * scale
            for j in range(p):
                after[i, j] = before[i, j] - ratio * before[node, j]


@part
def _joining(a, b, covariance, threshold, levels, above, state):
    """A set of nodes given which two others are correlated enough to be worth an edge: (whether, set).

    Branch and bound over what is given. With T given so far and C still open, the covariance of the two lies
    within ½ (s + s') ± ½ √((v − v')(w − w')), where s, v, w are covariance and variances given T, and s', v',
    w' given T and C: what a part of C explains of a node is a projection. `levels` are the precisions of all
    nodes but those ruled out, `above` the covariances given T. The empty set stands for "not known".
    """
    p = len(covariance)
    for i in range(p):
        for j in range(p):
            above[0, i, j] = covariance[i, j]
    depth = 0
    for _ in range(_MOST_SETS):
        now, rest, free, known = above[depth], levels[depth], state[depth, 0], state[depth, 1]
        s, v, w = now[a, b], now[a, a], now[b, b]
        if s * s >= threshold * v * w:
            return True, known
        determinant = rest[a, a] * rest[b, b] - rest[a, b] * rest[a, b]
        s1, v1, w1 = -rest[a, b] / determinant, rest[b, b] / determinant, rest[a, a] / determinant
        if s1 * s1 >= threshold * v1 * w1:
            return True, known | free
        most = 0.5 * (abs(s + s1) + math.sqrt(max(v - v1, 0.0) * max(w - w1, 0.0)))
        strongest, branch = -1.0, -1
        if most * most >= threshold * v1 * w1:
            for node in range(p):
                if (free >> node) & 1:
                    share = (now[a, node] ** 2 / v + now[b, node] ** 2 / w) / now[node, node]
                    if share > strongest:
                        strongest, branch = share, node
        if branch >= 0:  # first with this node given, then without it
            state[depth, 0], state[depth, 2] = free & ~(1 << branch), branch
            _given(now, branch, above[depth + 1])
            for i in range(p):
                for j in range(p):
                    levels[depth + 1, i, j] = rest[i, j]
            depth += 1
            state[depth, 0], state[depth, 1] = state[depth - 1, 0], known | (1 << branch)
            continue
        while depth > 0 and state[depth - 1, 2] < 0:
            depth -= 1
        if depth == 0:
            return False, 0
        node, state[depth - 1, 2] = state[depth - 1, 2], -1
        state[depth, 0], state[depth, 1] = state[depth - 1, 0], state[depth - 1, 1]
        for i in range(p):
            for j in range(p):
                above[depth, i, j] = above[depth - 1, i, j]
        rest_nodes = state[depth, 0] | state[depth, 1] | (1 << a) | (1 << b)
        _take_away(levels[depth - 1], node, levels[depth], rest_nodes)
    return True, 0


@part
def _grow(forest, place, root, without, first, asked, space, info):
    """Enter into a tree what belongs to its root, a node or a pair, without some other nodes.

    `first` are the parents of the branch above that remain.
    """
    tree, scores, _, _ = forest
    precision, covariance, required, cost, _ = asked
    levels, above, state, _ = space
    p = len(precision)
    rest = ((1 << p) - 1) & ~without
    _without(precision, without, levels[0], (1 << p) - 1)
    if root < p:
        state[0, 0], state[0, 1] = required[root], rest & ~required[root] & ~(1 << root)
        scores[place], tree[place, PARENTS] = _best_parents(root, first, asked, space, info)
    else:
        a, b = root // p - 1, root % p
        state[0, 0], state[0, 1], state[0, 2] = rest & ~(1 << a) & ~(1 << b), 0, -1
        threshold = 1.0 - math.exp(-2.0 * cost)
        joined, tree[place, PARENTS] = _joining(a, b, covariance, threshold, levels, above, state)
        scores[place] = JOINED if joined else NEVER
        info[WORK] += 10
    tree[place, WITHOUT], tree[place, CHILD], tree[place, SIBLING] = without, -1, -1


@part
def _descend(forest, root, gone, asked, space, info):
    """The place in a tree of what its root has when some nodes are gone; −1 if it cannot be grown.

    The way taken last is remembered: for a similar state it is much the same.
    """
    tree, scores, roots, ways = forest
    if roots[root] < 0:
        if info[IN_TREE] == len(scores):
            info[REASON] = NO_ROOM
            return -1
        roots[root] = info[IN_TREE]
        _grow(forest, roots[root], root, 0, 0, asked, space, info)
        info[IN_TREE] += 1
    entry, step = roots[root], 0
    missing = tree[entry, PARENTS] & gone
    while missing:
        last = _last(missing)
        if ways[root, step, 0] == last:
            child = ways[root, step, 1]
        else:
            child = tree[entry, CHILD]
            while child >= 0 and tree[child, LAST] != last:
                child = tree[child, SIBLING]
            if child < 0:
                child = info[IN_TREE]
                if child == len(scores):
                    info[REASON] = NO_ROOM
                    return -1
                fewer, first = tree[entry, WITHOUT] | (1 << last), tree[entry, PARENTS] & ~(1 << last)
                _grow(forest, child, root, fewer, first, asked, space, info)
                if info[REASON] == TOO_DENSE:
                    return -1
                tree[child, LAST], tree[child, SIBLING] = last, tree[entry, CHILD]
                tree[entry, CHILD] = child
                info[IN_TREE] += 1
            ways[root, step, 0], ways[root, step, 1] = last, child
            ways[root, step + 1, 0] = -1  # what came after is no longer known
        entry = child
        step += 1
        missing = tree[entry, PARENTS] & gone
    return entry


@part
def _connected(part, left, correlated):
    """A part of a state with all nodes that a path of correlated nodes joins to it."""
    wider = 0
    while wider != part:
        wider = part
        for node in range(len(correlated)):
            if (wider >> node) & 1:
                part |= correlated[node] & left
    return part


@part
def _first_part(left, gone, correlated, forest, asked, space, info):
    """The part of a state to take away first: no edge between it and the rest is ever worth its cost."""
    p = len(correlated)
    part = _connected(left & -left, left, correlated)
    i = 0
    while i < p and part != left:
        wider = part
        if (part >> i) & 1:
            for j in range(p):
                if (left & ~part) >> j & 1:
                    place = _descend(forest, (min(i, j) + 1) * p + max(i, j), gone, asked, space, info)
                    if place < 0:
                        return 0
                    if forest[1][place] == JOINED:
                        wider = _connected(part | (1 << j), left, correlated)
                        break
        i = i + 1 if wider == part else 0
        part = wider
    return part


@part
def _space(p):
    """Memory for branch and bound: two matrices and a few sets for each level, and one matrix."""
    levels, above = np.zeros((p + 2, p, p)), np.zeros((p + 2, p, p))
    return levels, above, np.zeros((p + 2, 4), dtype=np.int64), np.zeros((p, p + 1))


@kernel
def plant(forest, forbidden, asked, info):
    """The roots of the trees of nodes: the best parents of each among all others."""
    p = len(forbidden)
    space = _space(p)
    for node in range(p):
        _grow(forest, node, node, forbidden[node] & ~(1 << node), asked[2][node], asked, space, info)
        forest[2][node] = node
    info[IN_TREE] = p


@kernel
def parts_of(correlated, forest, asked, labels, info):
    """Label the parts of all nodes between which no edge is ever worth its cost; False without room."""
    p = len(correlated)
    space = _space(p)
    left = (1 << p) - 1
    while left:
        part = _first_part(left, 0, correlated, forest, asked, space, info)
        if part == 0:
            return False
        for node in range(p):
            if (part >> node) & 1:
                labels[node] = _last(part)
        left &= ~part
    return True


@part
def _insert(sets, values, lasts, subset, value, last, info):
    """Enter a state into the table, or lower the value that it has."""
    mask = len(sets) - 1
    place = ((subset * _ODD) >> (63 - _SHARE)) & mask
    while sets[place] != 0 and sets[place] != subset:
        place = (place + 1) & mask
    if sets[place] == 0:
        sets[place] = subset
        info[IN_TABLE] += 1
    elif values[place] <= value:
        return
    values[place], lasts[place] = value, last


@kernel
def enter(table, more, first, last, info):
    """Enter the states at some places of another table, where there are any."""
    sets, values, lasts = table
    for place in range(first, last):
        if more[0][place] != 0:
            _insert(sets, values, lasts, more[0][place], more[1][place], more[2][place], info)


@part
def _removed(gone, before, stack, depth, without):
    """Fill in the precision without some nodes, from the last to the first; how many.

    Those that the state before had too, at first, need not be taken away again.
    """
    p = without.shape[1]
    rest, same = (1 << p) - 1, 0
    while same < depth and ((gone ^ before) >> stack[same]) == 0:
        rest &= ~(1 << stack[same])
        same += 1
    for step in range(p):
        node = p - 1 - step
        if (gone & rest) >> node & 1:
            rest &= ~(1 << node)
            _take_away(without[same], node, without[same + 1], rest)
            stack[same] = node
            same += 1
    return same


@kernel
def expand(states, first, last, table, forest, asked, known, room, work, info):
    """Take one more node away from the states from `first` on; the state at which it stopped.

    It stops after so much `work`, where the trees have no room, or where the best parents of a node cannot be
    found soon. Only states are entered whose excess is below `room`.
    """
    taken, excesses = states
    sets, values, lasts = table
    heirs, correlated, pairs, prices = known
    precision = asked[0]
    p = len(precision)
    space = _space(p)
    without = np.zeros((p + 1, p, p))  # the precision when the first nodes of `stack` are taken away
    stack, depth, before = np.zeros(p + 1, dtype=np.int64), 0, 0
    _without(precision, 0, without[0], 0)
    info[WORK], info[REASON] = 0, DONE
    for number in range(first, last):
        info[WORK] += 20  # a state takes about as long as so many nodes of a branch and bound
        if info[WORK] > work:
            return number
        gone = taken[number]
        left = ((1 << p) - 1) & ~gone
        part = _first_part(left, gone, correlated, forest, asked, space, info)
        if part == 0:
            return number
        depth = _removed(gone, before, stack, depth, without)
        before = gone
        for node in range(p):
            if not (part >> node) & 1 or heirs[node] & left:
                continue
            entry = _descend(forest, node, gone, asked, space, info)
            if entry < 0:
                return number
            excess = excesses[number] + forest[1][entry] + 0.5 * math.log(without[depth, node, node])
            near = pairs[node] & left
            while near:
                other = _last(near)
                excess -= prices[node, other]
                near &= ~(1 << other)
            if excess < room:
                _insert(sets, values, lasts, gone | (1 << node), excess, node, info)
    return last


@kernel
def parents_of(forest, node, gone, asked, info):
    """The best parents of a node when some nodes are gone."""
    p = len(asked[0])
    space = _space(p)
    return forest[0][_descend(forest, node, gone, asked, space, info), PARENTS]
