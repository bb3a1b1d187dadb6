"""Compiled loops of the greedy equivalence search: the operators on a CPDAG, one row of them per node.

All operators that give node y a parent x (insert), take one away (delete) or turn an edge towards y share a
scheme. A clique Q among the undirected neighbours of y is put before y: some member of the class has exactly
pa(y) ∪ Q as the parents of y, the other end x of the edge aside. So a row is a walk through the cliques of
the neighbours of y. Its best operator stays what it is until a mark changes at a node to which y has a
semi-directed path (arrows forward, lines either way): what decides on validity and gain lies on such paths.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsest._core.jit import kernel
from sparsest.problem import ROUNDING
from sparsest.scores.gaussian import RESIDUAL_FLOOR
from sparsest.search._equivalence_graphs import DELETE, INSERT
from sparsest.search.common import COLLINEAR


class Rows(NamedTuple):
    """A CPDAG with the best operator of each row; `new_rows` makes it."""

    covariance: NDArray[np.float64]
    cost: float
    limit: int  # the most parents a node may have
    graph: NDArray[np.bool_]  # the CPDAG
    joined: NDArray[np.int64]  # joined[i, : degree[i]]: the nodes adjacent to i
    degree: NDArray[np.int64]
    stale: NDArray[np.bool_]  # rows still to be walked through
    gain: NDArray[np.float64]  # of the best operator of a row; 0 where none improves the score
    partner: NDArray[np.int64]  # its x
    clique: NDArray[np.int64]  # its Q: clique[y, : size[y]]
    size: NDArray[np.int64]
    place: NDArray[np.int64]  # where a walk was interrupted: the row (or -1) and the size of the clique
    walk: NDArray[np.int64]  # that clique, as positions among the neighbours
    factor: NDArray[np.float64]  # Cholesky rows of the nodes of pa(y) ∪ Q, over all nodes
    toward: NDArray[np.float64]  # toward[k]: covariances of all nodes with y given the first k of pa(y) ∪ Q
    left: NDArray[np.float64]  # left[k]: their variances, likewise


def new_rows(covariance: NDArray[np.float64], cost: float, limit: int, graph: NDArray[np.bool_]) -> Rows:
    """All rows of a CPDAG, to be walked through."""
    p = len(graph)
    joined, degree = np.zeros((p, p), dtype=np.int64), np.zeros(p, dtype=np.int64)
    for node in range(p):
        adjacent = np.flatnonzero(graph[node] | graph[:, node])
        degree[node] = len(adjacent)
        joined[node, : len(adjacent)] = adjacent
    return Rows(
        covariance=np.ascontiguousarray(covariance),
        cost=float(cost),
        limit=int(limit),
        graph=np.array(graph, dtype=bool, order="C"),
        joined=joined,
        degree=degree,
        stale=np.ones(p, dtype=bool),
        gain=np.zeros(p),
        partner=np.zeros(p, dtype=np.int64),
        clique=np.zeros((p, limit + 1), dtype=np.int64),
        size=np.zeros(p, dtype=np.int64),
        place=np.full(2, -1, dtype=np.int64),
        walk=np.zeros(p, dtype=np.int64),
        factor=np.empty((limit + 1, p)),
        toward=np.empty((limit + 1, p)),
        left=np.empty((limit + 1, p)),
    )


@kernel
def _adjacent(graph, i, j):
    return graph[i, j] or graph[j, i]


@kernel
def _holds(clique, x):
    found = False
    for node in clique:
        found = found or node == x
    return found


@kernel
def _shared(graph, clique, x):
    """How many nodes of a clique are adjacent to x."""
    count = 0
    for node in clique:
        if _adjacent(graph, node, x):
            count += 1
    return count


@kernel
def _variances(covariance, target, nodes):
    """Residual variances of the target given all but the last of some nodes, and given all of them."""
    count = len(nodes)
    factor = np.empty((count + 1, count))
    scale = np.zeros(count)
    before = spare = covariance[target, target]
    floor = RESIDUAL_FLOOR * spare
    for i in range(count + 1):
        node = nodes[i] if i < count else target
        own = before = spare = covariance[node, node]
        for j in range(i):
            value = covariance[node, nodes[j]]
            for k in range(j):
                value -= factor[i, k] * factor[j, k]
            value *= scale[j]
            factor[i, j] = value
            before = spare
            spare -= value * value
        if i < count and spare > COLLINEAR * own:
            scale[i] = 1.0 / math.sqrt(spare)
    return max(before, floor), max(spare, floor)


@kernel
def _explained(covariance, target, nodes):
    """How much the last of some nodes adds to the likelihood of the target given the others."""
    before, after = _variances(covariance, target, nodes)
    return 0.5 * math.log(before / after)


@kernel
def rescore(rows, scores, before, after, x, y):
    """The scores of the nodes in the DAG `after`, from those in the DAG `before`: new parents are scored.

    `x` and `y` are the nodes of the edge that made the difference.
    """
    scores = scores.copy()
    for node in range(len(scores)):
        parents = np.empty(rows.degree[node], dtype=np.int64)
        count, same = 0, node != x and node != y
        for k in range(rows.degree[node]):
            other = rows.joined[node, k]
            same = same and before[other, node] == after[other, node]
            if after[other, node]:
                parents[count] = other
                count += 1
        if not same:
            _, variance = _variances(rows.covariance, node, parents[:count])
            scores[node] = 0.5 * math.log(variance) + rows.cost * count
    return scores


@kernel
def _reach(rows, start, blocked, skip):
    """The nodes on semi-directed paths from `start` around the blocked ones, not by its edge to `skip`."""
    reached = np.zeros(len(blocked), dtype=np.bool_)
    queue = np.empty(len(blocked), dtype=np.int64)
    queue[0], head, tail = start, 0, 1
    reached[start] = True
    while head < tail:
        node = queue[head]
        head += 1
        for k in range(rows.degree[node]):
            other = rows.joined[node, k]
            if reached[other] or blocked[other] or not rows.graph[node, other]:
                continue
            if node == start and other == skip:
                continue
            reached[other] = True
            queue[tail] = other
            tail += 1
    return reached


@kernel
def _next_clique(graph, pool, deepest, walk, depth):
    """The clique after walk[:depth], depth first, among those of at most `deepest` nodes: its size, or -1."""
    first = walk[depth - 1] + 1 if depth else 0
    while True:
        if depth < deepest:
            for k in range(first, len(pool)):
                fits = True
                for i in range(depth):
                    fits = fits and _adjacent(graph, pool[k], pool[walk[i]])
                if fits:
                    walk[depth] = k
                    return depth + 1
        if depth == 0:
            return -1
        depth -= 1
        first = walk[depth] + 1


@kernel
def _condition(rows, level, node):
    """Fill the next level: covariances with y and variances of all nodes, given one node more."""
    p, factor = len(rows.graph), rows.factor
    spare = rows.left[level, node]
    scale = 1.0 / math.sqrt(spare) if spare > COLLINEAR * rows.covariance[node, node] else 0.0
    for t in range(p):
        factor[level, t] = rows.covariance[node, t]
    for below in range(level):
        pivot = factor[below, node]
        for t in range(p):
            factor[level, t] -= pivot * factor[below, t]
    slope = rows.toward[level, node] * scale
    for t in range(p):
        value = factor[level, t] * scale
        factor[level, t] = value
        rows.toward[level + 1, t] = rows.toward[level, t] - slope * value
        rows.left[level + 1, t] = rows.left[level, t] - value * value


@kernel
def _note(rows, y, x, gain, clique):
    """Record an operator as the best of its row."""
    rows.gain[y], rows.partner[y], rows.size[y] = gain, x, len(clique)
    for i in range(len(clique)):
        rows.clique[y, i] = clique[i]


@kernel
def _inserts(rows, y, level, pool, clique):
    """Make x → y for all x not adjacent to y (Chickering, 2002, Theorem 15).

    Q must hold the neighbours of y adjacent to x, and block the semi-directed paths from y to x. The first
    follows from the second, since such a neighbour lies on such a path; being cheap, it is checked first.
    """
    p = len(rows.graph)
    floor = RESIDUAL_FLOOR * rows.covariance[y, y]
    variance = max(rows.left[level, y], floor)
    blocked = np.zeros(p, dtype=np.bool_)
    for node in clique:
        blocked[node] = True
    reached, explored = blocked, False
    # What x must explain of the variance of y to beat the best so far; saves logarithms and walks.
    best, least = 0.0, (1.0 - math.exp(-2.0 * (rows.gain[y] + rows.cost + ROUNDING))) * variance
    for x in range(p):
        spare, toward = rows.left[level, x], rows.toward[level, x]
        if toward * toward <= least * spare or x == y or _adjacent(rows.graph, x, y):
            continue
        share = min(toward * toward / spare, variance - floor)
        if share <= least or spare <= COLLINEAR * rows.covariance[x, x]:
            continue
        if _shared(rows.graph, clique, x) < _shared(rows.graph, pool, x):
            continue
        if not explored:
            reached, explored = _reach(rows, y, blocked, y), True
        if not reached[x]:
            rows.partner[y], best, least = x, share, share + ROUNDING * variance
    if best > 0.0:
        _note(rows, y, rows.partner[y], -0.5 * math.log(1.0 - best / variance) - rows.cost, clique)


@kernel
def _deletes(rows, y, parents, clique):
    """Part x and y (Chickering, 2002, Theorem 17).

    All of Q must be adjacent to x; the other neighbours of y that are adjacent to x come after both.
    """
    nodes = np.empty(len(parents) + len(clique) + 1, dtype=np.int64)
    for k in range(rows.degree[y]):
        x = rows.joined[y, k]
        # No node is adjacent to itself, so that x is not in Q either.
        if not rows.graph[x, y] or _shared(rows.graph, clique, x) < len(clique):
            continue
        count = 0
        for node in parents:
            if node != x:
                nodes[count] = node
                count += 1
        for node in clique:
            nodes[count] = node
            count += 1
        nodes[count] = x
        gain = rows.cost - _explained(rows.covariance, y, nodes[: count + 1])
        if gain > rows.gain[y] + ROUNDING:
            _note(rows, y, x, gain, clique)


@kernel
def _turns(rows, y, parents, pool, clique):
    """Make x → y of y → x or y – x (Hauser & Bühlmann, 2012, Propositions 34 and 31).

    If the edge is a line, some node of Q must not be adjacent to x: else the turn would stay in the class.
    """
    size = len(parents) + len(clique)
    nodes = np.empty(size + 1, dtype=np.int64)
    for i in range(size):
        nodes[i] = parents[i] if i < len(parents) else clique[i - len(parents)]
    for k in range(rows.degree[y]):
        x = rows.joined[y, k]
        arrow = not rows.graph[x, y]
        if not rows.graph[y, x] or _holds(clique, x):
            continue
        if not arrow and _shared(rows.graph, clique, x) == len(clique):
            continue
        nodes[size] = x
        gain = _explained(rows.covariance, y, nodes)
        if gain <= rows.gain[y] + ROUNDING:
            continue
        gain -= _explained(rows.covariance, x, _parents_of_turned(rows, x, y, arrow, clique))
        if gain <= rows.gain[y] + ROUNDING:
            continue
        if _no_way_round(rows, y, x, clique) if arrow else _parted(rows.graph, x, pool, clique):
            _note(rows, y, x, gain, clique)


@kernel
def _parents_of_turned(rows, x, y, arrow, clique):
    """The parents of x before y → x is turned, y the last of them."""
    nodes = np.empty(rows.degree[x], dtype=np.int64)
    count = 0
    for k in range(rows.degree[x]):
        node = rows.joined[x, k]
        compelled = rows.graph[node, x] and not rows.graph[x, node]
        if node != y and (compelled or (not arrow and _holds(clique, node))):
            nodes[count] = node
            count += 1
    nodes[count] = y
    return nodes[: count + 1]


@kernel
def _no_way_round(rows, y, x, clique):
    """Whether Q and the neighbours of x block the semi-directed paths from y to x, y → x itself aside."""
    blocked = np.zeros(len(rows.graph), dtype=np.bool_)
    for node in clique:
        blocked[node] = True
    for k in range(rows.degree[x]):
        node = rows.joined[x, k]
        blocked[node] = blocked[node] or (rows.graph[node, x] and rows.graph[x, node])
    return not _reach(rows, y, blocked, x)[x]


@kernel
def _parted(graph, x, pool, clique):
    """Whether the nodes of Q adjacent to x part its other nodes from neighbours of y adjacent to x."""
    queue = np.empty(len(pool), dtype=np.int64)
    seen = np.zeros(len(pool), dtype=np.bool_)
    head = tail = 0
    for i in range(len(pool)):
        seen[i] = pool[i] == x or _holds(clique, pool[i])
        if seen[i] and pool[i] != x and not _adjacent(graph, pool[i], x):
            queue[tail] = pool[i]
            tail += 1
    while head < tail:
        for i in range(len(pool)):
            if not seen[i] and _adjacent(graph, queue[head], pool[i]):
                if _adjacent(graph, pool[i], x):
                    return False
                seen[i] = True
                queue[tail] = pool[i]
                tail += 1
        head += 1
    return True


@kernel
def _surroundings(rows, y):
    """The compelled parents of a node and its neighbours."""
    parents, pool = np.empty(rows.degree[y], dtype=np.int64), np.empty(rows.degree[y], dtype=np.int64)
    above = beside = 0
    for k in range(rows.degree[y]):
        node = rows.joined[y, k]
        if rows.graph[node, y] and rows.graph[y, node]:
            pool[beside] = node
            beside += 1
        elif rows.graph[node, y]:
            parents[above] = node
            above += 1
    return parents[:above], pool[:beside]


@kernel
def _walk(rows, operator, y, budget):
    """Walk through a row, or on from where that stopped; the budget left, negative if it ran out."""
    parents, pool = _surroundings(rows, y)
    deepest = rows.limit - len(parents) - (0 if operator == DELETE else 1)
    if rows.place[0] == y:
        depth = _next_clique(rows.graph, pool, deepest, rows.walk, rows.place[1])
    else:
        rows.gain[y] = 0.0
        depth = 0 if deepest >= 0 else -1
        if operator == INSERT and depth == 0:
            for t in range(len(rows.graph)):
                rows.toward[0, t], rows.left[0, t] = rows.covariance[y, t], rows.covariance[t, t]
            for level in range(len(parents)):
                _condition(rows, level, parents[level])
    while depth >= 0:
        clique = np.empty(depth, dtype=np.int64)
        for i in range(depth):
            clique[i] = pool[rows.walk[i]]
        size = len(parents) + depth
        if operator == INSERT:
            if depth:
                _condition(rows, size - 1, clique[depth - 1])
            _inserts(rows, y, size, pool, clique)
            budget -= len(rows.graph) * (size + 4)
        elif operator == DELETE:
            _deletes(rows, y, parents, clique)
            budget -= rows.degree[y] * (size + 4) ** 2
        else:
            _turns(rows, y, parents, pool, clique)
            budget -= rows.degree[y] * (size + 4) ** 2
        if budget < 0:
            rows.place[0], rows.place[1] = y, depth
            return budget
        depth = _next_clique(rows.graph, pool, deepest, rows.walk, depth)
    rows.place[0] = -1
    rows.stale[y] = False
    return budget


@kernel
def refresh(rows, operator, budget):
    """Walk through the stale rows; False if the budget of floating-point operations is used up first."""
    for y in range(len(rows.graph)):
        if rows.stale[y]:
            budget = _walk(rows, operator, y, budget)
            if budget < 0:
                return False
    return True


def compile_all() -> None:
    """Compile, or load from the cache, everything that a search calls."""
    dag = np.zeros((2, 2), dtype=bool)
    rows = new_rows(np.eye(2), 1.0, 1, dag)
    refresh(rows, INSERT, 1e6)
    rescore(rows, np.zeros(2), dag, dag, 0, 1)
