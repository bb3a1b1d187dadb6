"""Compiled loops of the exact search: dynamic programming over subsets of nodes.

A set of nodes is the bits of an integer. Sets are visited in strips: those of one strip differ in the `near`
lowest nodes, so that it fits into the first-level cache. Strips that differ in the `middle` nodes above are a
block. The best parents of a node among a set are those with all nodes of its strip's, or those among a set
with one node fewer. For the nodes of a block these are kept in a table: its row for a node j has an entry for
every set S without j, at `drop(S, j)`, which squeezes the bit of j out. For the few highest nodes all subsets
are looked at again, so that the table is one of a single block, and small.
"""

import math

import numpy as np

from sparsest._core.jit import inlined, kernel, part
from sparsest.scores.gaussian import RESIDUAL_FLOOR

_ROUNDING = 1e-12  # of sums of scores, as a share: the order in which costs are added
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


@part
def _first_three(given, scores):
    """Go on from the score of a set to those of it with each of the first three nodes, or some of them.

    Straight on, by hand: most of the time would go into finding out which node is next.
    """
    a, b, c, ab, ac, bc = given[0, 0], given[1, 1], given[2, 2], given[1, 0], given[2, 0], given[2, 1]
    scores[1] = scores[0] + 0.5 * math.log(a)
    scores[2] = scores[0] + 0.5 * math.log(b)
    scores[3] = scores[2] + 0.5 * math.log(a - ab / b * ab)
    scores[4] = scores[0] + 0.5 * math.log(c)
    a, b, ab = a - ac / c * ac, b - bc / c * bc, ab - bc / c * ac
    scores[5] = scores[4] + 0.5 * math.log(a)
    scores[6] = scores[4] + 0.5 * math.log(b)
    scores[7] = scores[6] + 0.5 * math.log(a - ab / b * ab)


@kernel
def joint_scores(scores, covariance, first, last):
    """For the sets from `first` to `last`: ½ log of the determinant of their covariance.

    Scores of single nodes are differences of these: ½ log var(j | S) = scores[S and j] − scores[S]. So one
    number per set is enough. It is that of the set without its lowest node plus what this node adds; only
    nodes below it can come later, so that few covariances have to be kept up to date. No nodes may be
    collinear. Both ends are multiples of eight, or the ends of all sets.
    """
    p = max(len(covariance), 3)  # with less, further nodes that are in no set
    lefts = np.zeros((p + 1, p, p))  # lefts[k]: given the nodes from k on, where k is one of the set
    for i in range(p):  # loops, not array expressions, which take numba seconds to compile
        lefts[p, i, i] = 1.0
    for i in range(len(covariance)):
        for j in range(len(covariance)):
            lefts[p, i, j] = covariance[i, j]
    lowest = p
    for node in range(p - 1, 2, -1):  # of the first set, since those after it share some of its nodes
        if (first >> node) & 1:
            _condition(lefts[lowest], node, lefts[node])
            lowest = node
    eight = np.zeros(8)
    for block in range(first, last, 8):
        lowest = p
        eight[0] = 0.0
        if block > 0:
            lowest, rest = _lowest(block), block & (block - 1)
            above = _lowest(rest) if rest else p
            variance = _condition(lefts[above], lowest, lefts[lowest])
            eight[0] = scores[rest] + 0.5 * math.log(variance)
        _first_three(lefts[lowest], eight)
        for k in range(min(8, last - block)):
            scores[block + k] = eight[k]


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
def _less(a, b):
    """The smaller of two; like the built-in, but vectorised."""
    return a if a < b else b


@part
def _merge(here, other):
    """Lower some entries to those of another strip."""
    for i in range(len(here)):
        here[i] = _less(other[i], here[i])


@part
def _differ(here, scores, node, extra):
    """Lower a strip to the scores of a node given each set, and an extra; `scores` are those of its strip.

    Runs of sets that have the nodes above in common are short for the first nodes: loops over them must be
    of a length that the compiler knows.
    """
    if node == 0:
        _differ_runs(here, scores, 1, extra)
    elif node == 1:
        _differ_runs(here, scores, 2, extra)
    elif node == 2:
        _differ_runs(here, scores, 4, extra)
    elif node == 3:
        _differ_runs(here, scores, 8, extra)
    elif node == 4:
        _differ_runs(here, scores, 16, extra)
    else:
        _differ_runs(here, scores, 1 << node, extra)


@inlined
def _differ_runs(here, scores, bit, extra):
    for run in range(len(here) // bit):
        to = here[run * bit : run * bit + bit]
        fewer, more = scores[2 * run * bit : 2 * run * bit + bit], scores[2 * run * bit + bit :]
        for i in range(bit):
            to[i] = _less(more[i] - fewer[i] + extra, to[i])


@part
def _differ_far(here, fewer, more, extra):
    """The same for a node that is in no set of the strip: `fewer` are scores without it, `more` with it."""
    for i in range(len(here)):
        here[i] = _less(more[i] - fewer[i] + extra, here[i])


@part
def _look_up(here, given, extra):
    """The same where the scores of a node are given."""
    for i in range(len(here)):
        here[i] = _less(given[i] + extra, here[i])


@part
def _charge(here, costs, same):
    """Add the cost of the parents: `costs` of those that differ in the strip, and of those that do not."""
    for i in range(len(here)):
        here[i] += costs[i] + same


@part
def _rule_out(here, limit, forbidden, required):
    """Make inadmissible sets of parents infinitely expensive."""
    for place in range(len(here)):
        if _count(place) > limit or place & forbidden or required & ~place:
            here[place] = math.inf


@part
def _lower(row, step):
    """Replace entries by those `step` before them where these are lower, in the second half of each run."""
    for start in range(0, len(row), 2 * step):
        here, before = row[start + step : start + 2 * step], row[start : start + step]
        for i in range(step):
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
def _lower_all(row):
    """Give every set of a strip the score of its best subset."""
    step = 1
    if len(row) >= 8:  # the first three bits at once: loops over them are too short
        for start in range(0, len(row), 8):
            _lower_eight(row[start : start + 8])
        step = 8
    if len(row) >= 64:  # of a length that the compiler knows
        _lower(row, 8)
        _lower(row, 16)
        _lower(row, 32)
        step = 64
    while step < len(row):
        _lower(row, step)
        step *= 2


@part
def _place(node, strip, shape):
    """Where the strip of a node begins in the table."""
    _, near, middle = shape
    row = 1 << (near + middle - 1)  # entries of a node that sets of a block may have; twice as many of others
    within = (strip & ((1 << middle) - 1)) << near
    return (node + max(0, node - near - middle)) * row + _drop(within, node)


@part
def _fill(here, spare, node, strip, shape, problem):
    """The least score of a node given each set of a strip, or that with fewer of its highest nodes."""
    scores, given, cost, costs, forbidden, required, limit = problem
    _, near, middle = shape
    below = (1 << near) - 1
    no, yes = forbidden[node] & ~(1 << node), required[node]
    same = strip & ((1 << middle) - 1)
    size = _count(same)
    no_here, yes_here = no & below, yes & below
    if node < near:
        no_here, yes_here = _drop(no_here, node), _drop(yes_here, node)
    free = limit >= len(forbidden) - 1 and no_here == 0 and yes_here == 0
    for i in range(len(here)):
        here[i] = math.inf
    highest = ((strip & ~(no >> near)) >> middle) << middle
    some = highest
    while True:
        base = (some | same) << near
        if yes & ~(base | below) == 0:
            extra = cost * _count(some)
            to = here if free else spare[: len(here)]
            if not free:
                for i in range(len(here)):
                    to[i] = math.inf
            if len(scores) == 0:
                _look_up(to, given[node, _drop(base, node) :], extra)
            elif node < near:
                _differ(to, scores[base:], node, extra)
            else:
                _differ_far(to, scores[base:], scores[base + (1 << node) :], extra)
            if not free:
                _rule_out(to, limit - size - _count(some), no_here, yes_here)
                _merge(here, to)
        if some == 0:
            break
        some = (some - 1) & highest
    _charge(here, costs, cost * size)


@part
def _best_parents(table, spare, node, strip, shape, problem):
    """The score of the best parents of a node among each set of a strip; where they stand in the table."""
    _, near, middle = shape
    able = strip & ~((problem[4][node] & ~(1 << node)) >> near)
    place = _place(node, able, shape)
    if ((able ^ strip) & ((1 << middle) - 1)) == 0:  # else it is another strip, done before
        here = table[place : place + (1 << (near - (node < near)))]
        _fill(here, spare, node, able, shape, problem)
        _lower_all(here)
        for bit in range(middle):
            if (able >> bit) & 1:
                _merge(here, table[_place(node, able & ~(1 << bit), shape) :])
    return place


@part
def _settle(here, table, places):
    """The least score of a DAG on each set of a strip: one of the nodes that differ in it comes last."""
    few = min(_FEW, len(places))
    for block in range(0, len(here), 1 << few):
        if block > 0:
            node = _lowest(block)
            before, row = here[block - (1 << node) :], table[places[node] + (block >> (node + 1) << node) :]
            if node == 3:
                _put_last(here[block:], before, row, 8)
            elif node == 4:
                _put_last(here[block:], before, row, 16)
            elif node == 5:
                _put_last(here[block:], before, row, 32)
            else:
                _put_last(here[block:], before, row, 1 << node)
        if few == _FEW:
            rows = block >> 1
            first, second = table[places[0] + rows :], table[places[1] + rows :]
            _settle_eight(here[block : block + 8], first, second, table[places[2] + rows :])
            continue
        for subset in range(block + 1, block + (1 << few)):
            for node in range(few):
                if (subset >> node) & 1:
                    rest = subset - (1 << node)
                    here[subset] = _less(here[rest] + table[places[node] + _drop(rest, node)], here[subset])


@inlined
def _put_last(to, before, row, count):
    """A node comes last in all sets with the same nodes from it on, of which it is the lowest."""
    for i in range(count):
        to[i] = _less(before[i] + row[i], to[i])


@part
def _settle_eight(here, first, second, third):
    """One of the first three nodes comes last."""
    a, b, c, d, e, f, g, h = here[0], here[1], here[2], here[3], here[4], here[5], here[6], here[7]
    b = _less(a + first[0], b)
    c = _less(a + second[0], c)
    d = _less(b + second[1], _less(c + first[1], d))
    e = _less(a + third[0], e)
    f = _less(b + third[1], _less(e + first[2], f))
    g = _less(c + third[2], _less(e + second[2], g))
    h = _less(d + third[3], _less(f + second[3], _less(g + first[3], h)))
    here[1], here[2], here[3], here[4], here[5], here[6], here[7] = b, c, d, e, f, g, h


@kernel
def best_dags(best, table, shape, problem, first, last):
    """For the sets of the strips from `first` to `last`: the least score of a DAG on the set.

    `best` must be 0 for the empty set and infinite for all others at first. It stays infinite where each node
    of a set requires a parent outside.
    """
    p, near, _ = shape
    size = 1 << near
    spare, places = np.empty(size), np.empty(near, dtype=np.int64)
    for strip in range(first, last):
        base = strip << near
        here = best[base : base + size]
        for node in range(p + 1):  # one call for all nodes: what is called is compiled once
            if node == near:
                _settle(here, table, places)
            if node < p and (node < near or not (base >> node) & 1):
                place = _best_parents(table, spare, node, strip, shape, problem)
            if node < near:
                places[node] = place
            elif node < p and not (base >> node) & 1:  # it comes last in the sets with it
                row, to = table[place:], best[base + (1 << node) : base + (1 << node) + size]
                for i in range(size):
                    to[i] = _less(here[i] + row[i], to[i])


@part
def _parents(node, among, most, problem, stack):
    """Parents of a node among a set with which it has the least score, and this, if at most `most`; else -1.

    More parents never make the likelihood worse, so that most sets are never looked at. Of sets that are as
    good, it is the one with the fewest of the first nodes.
    """
    scores, given, cost, _, forbidden, required, limit = problem
    found, size = -1, 1
    stack[0, 0], stack[0, 1] = required[node], among & ~forbidden[node] & ~required[node]
    if required[node] & ~among:
        size = 0
    while size:
        size -= 1
        decided, open_ones = stack[size, 0], stack[size, 1]
        subset = decided | open_ones
        if len(scores) == 0:
            least = given[node, _drop(subset, node)]
        else:
            least = scores[subset | (1 << node)] - scores[subset]
        many = _count(decided)
        least += cost * many
        if many > limit or least > most or (found >= 0 and least == most):
            continue
        if open_ones == 0:
            found, most = decided, least
        else:
            first = open_ones & -open_ones
            stack[size, 0], stack[size, 1] = decided | first, open_ones & ~first
            stack[size + 1, 0], stack[size + 1, 1] = decided, open_ones & ~first
            size += 2
    return found, most


@kernel
def last_of(subset, best, problem):
    """Which node of a set comes last in its best DAG, and the parents that it has; -1 if there is no DAG."""
    p = len(problem[4])
    stack = np.empty((p + 2, 2), dtype=np.int64)
    lowest, sink, parents = math.inf, -1, 0
    most = best[subset] + _ROUNDING * (1.0 + abs(best[subset]))
    for node in range(p):
        rest = subset & ~(1 << node)
        if rest != subset and best[rest] < math.inf:
            found, value = _parents(node, rest, most - best[rest], problem, stack)
            if found >= 0 and best[rest] + value < lowest:
                lowest, sink, parents = best[rest] + value, node, found
    return sink, parents


def compile_scores(clear: bool) -> None:
    """Compile, or load from the cache, what computes scores: joint ones, or those of collinear columns."""
    if clear:
        joint_scores(np.zeros(4), np.eye(2), 0, 4)
    else:
        conditional_scores(np.zeros((2, 2)), np.eye(2), 0, 2)


def compile_all(clear: bool) -> None:
    """Compile, or load from the cache, everything that a search calls."""
    compile_scores(clear)
    scores, given, table = np.zeros(4), np.zeros((2, 2)), np.zeros(4)
    none, best = np.zeros(2, dtype=np.int64), np.array([0.0, np.inf, np.inf, np.inf])
    problem = scores, given, 1.0, np.zeros(4), none, none, 1
    best_dags(best, table, (2, 2, 0), problem, 0, 1)
    last_of(3, best, problem)
