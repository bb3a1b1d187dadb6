"""Compiled loops of the greedy equivalence search: operators on a CPDAG, one row of them a node.

All operators that give node y one parent more (insert), one less (delete) or turn an edge towards it share a
scheme: a clique Q of undirected neighbours of y stands before y, so that some member of the class has exactly
pa(y) ∪ Q as the parents of y, apart from the other end x of the edge. So a row is one walk through the cliques
among the neighbours of y. Its best operator stays the best until a mark changes at a node that y reaches by a
semi-directed path (arrows forward, lines either way): whatever decides on validity and gain lies on such paths.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsest._jit import kernel
from sparsest.graph import dag_to_cpdag
from sparsest.scores.gaussian import RESIDUAL_FLOOR

INSERT, DELETE, TURN = 0, 1, 2

# A node with less than this share of its variance left is collinear with those before it.
_COLLINEAR = 1e-9
# Improvements below this are rounding.
_TIE = 1e-10


class Search(NamedTuple):
    """A CPDAG on its way down, with the best operator of each row."""

    covariance: NDArray[np.float64]
    cost: float
    limit: int  # the most parents a node may have
    graph: NDArray[np.bool_]  # the CPDAG
    dag: NDArray[np.bool_]  # one of its members
    local: NDArray[np.float64]  # the scores of the nodes in that member
    joined: NDArray[np.int64]  # joined[i, : degree[i]]: the nodes adjacent to i
    degree: NDArray[np.int64]
    gain: NDArray[np.float64]  # of the best operator of each row; 0 where none improves
    partner: NDArray[np.int64]  # its x
    clique: NDArray[np.int64]  # its Q: clique[y, : size[y]]
    size: NDArray[np.int64]
    stale: NDArray[np.bool_]  # rows to walk through again
    place: NDArray[np.int64]  # where a walk was broken off: its row or -1, and the size of its clique
    walk: NDArray[np.int64]  # the clique of the walk, as positions among the neighbours
    rows: NDArray[np.float64]  # Cholesky rows of pa(y) ∪ Q over all nodes
    toward: NDArray[np.float64]  # covariance of all nodes with y given the first nodes of pa(y) ∪ Q
    left: NDArray[np.float64]  # their variances, likewise


@kernel
def _adjacent(graph, i, j):
    return graph[i, j] or graph[j, i]


# Local scores


@kernel
def _variances(covariance, target, nodes):
    """Residual variances of the target given all but the last of the nodes, and given all."""
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
        if i < count and spare > _COLLINEAR * own:
            scale[i] = 1.0 / math.sqrt(spare)
    return max(before, floor), max(spare, floor)


@kernel
def _explained(covariance, target, nodes):
    """What the last of the nodes adds to the likelihood of the target given the others."""
    before, after = _variances(covariance, target, nodes)
    return 0.5 * math.log(before / after)


@kernel
def _local(s, dag, node):
    """The score of a node with its parents in the DAG."""
    parents = np.empty(s.degree[node], dtype=np.int64)
    count = 0
    for k in range(s.degree[node]):
        if dag[s.joined[node, k], node]:
            parents[count] = s.joined[node, k]
            count += 1
    _, variance = _variances(s.covariance, node, parents[:count])
    return 0.5 * math.log(variance) + s.cost * count


# Graphs


@kernel
def _extend(joined, degree, pdag):
    """A DAG that extends a PDAG (Dor & Tarsi, 1992), and its order. Valid operators leave one that has some."""
    p = len(pdag)
    dag = np.zeros((p, p), dtype=np.bool_)
    order = np.empty(p, dtype=np.int64)
    queue, waits, gone = np.empty(p, dtype=np.int64), np.ones(p, dtype=np.bool_), np.zeros(p, dtype=np.bool_)
    for i in range(p):
        queue[i] = p - 1 - i
    head, waiting, unplaced = 0, p, p
    while waiting:
        node = queue[head % p]
        head += 1
        waiting -= 1
        waits[node] = False
        if not _is_sink(joined, degree, pdag, gone, node):
            continue
        gone[node] = True
        unplaced -= 1
        order[unplaced] = node
        for k in range(degree[node]):
            other = joined[node, k]
            if gone[other]:
                continue
            dag[other, node] = True
            if not waits[other]:
                waits[other] = True
                queue[(head + waiting) % p] = other
                waiting += 1
    return dag, order


@kernel
def _is_sink(joined, degree, pdag, gone, node):
    """Whether the node can be the last of those that are left: no v-structure and no cycle would be made."""
    for k in range(degree[node]):
        other = joined[node, k]
        if gone[other] or not pdag[node, other]:
            continue
        if not pdag[other, node]:
            return False
        for i in range(degree[node]):
            third = joined[node, i]
            if third != other and not gone[third] and not _adjacent(pdag, other, third):
                return False
    return True


@kernel
def _complete(joined, degree, dag, order):
    """The CPDAG of a DAG, as in `graph.cpdag`: the compelled parents of a node are those of its last parent,
    or all.
    """
    p = len(dag)
    position = np.empty(p, dtype=np.int64)
    for i in range(p):
        position[order[i]] = i
    compelled = np.zeros((p, p), dtype=np.bool_)
    graph = np.zeros((p, p), dtype=np.bool_)
    for node in order:
        last, parents = -1, 0
        for k in range(degree[node]):
            other = joined[node, k]
            if dag[other, node]:
                parents += 1
                if last < 0 or position[other] > position[last]:
                    last = other
        covered = last >= 0
        for k in range(degree[node]):  # parents(node) ⊆ parents(last) ∪ {last}
            other = joined[node, k]
            if dag[other, node] and other != last and not dag[other, last]:
                covered = False
        if covered:  # compelled(last) ⊆ parents(node)
            for k in range(degree[last]):
                other = joined[last, k]
                if compelled[other, last] and not dag[other, node]:
                    covered = False
        for k in range(degree[node]):
            other = joined[node, k]
            if dag[other, node]:
                compelled[other, node] = compelled[other, last] if covered else True
                graph[other, node] = True
                graph[node, other] = not compelled[other, node]
    return graph


@kernel
def _join(joined, degree, i, j):
    joined[i, degree[i]], joined[j, degree[j]] = j, i
    degree[i] += 1
    degree[j] += 1


@kernel
def _part(joined, degree, i, j):
    for node, other in ((i, j), (j, i)):
        degree[node] -= 1
        for k in range(degree[node]):
            if joined[node, k] == other:
                joined[node, k] = joined[node, degree[node]]


@kernel
def _reach(s, start, blocked, skip):
    """The nodes on semi-directed paths from `start` around the blocked ones; its edge to `skip` is not taken."""
    reached = np.zeros(len(blocked), dtype=np.bool_)
    queue = np.empty(len(blocked), dtype=np.int64)
    queue[0], head, tail = start, 0, 1
    reached[start] = True
    while head < tail:
        node = queue[head]
        head += 1
        for k in range(s.degree[node]):
            other = s.joined[node, k]
            if reached[other] or blocked[other] or not s.graph[node, other]:
                continue
            if node == start and other == skip:
                continue
            reached[other] = True
            queue[tail] = other
            tail += 1
    return reached


# One row: the operators that end in y


@kernel
def _next_clique(graph, pool, deepest, walk, depth):
    """The clique after walk[:depth] in a depth-first walk through the cliques of the pool: its size, or -1."""
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
def _condition(s, level, node):
    """Fill the level above: what is known of all nodes and y given one node more."""
    row = s.rows[level]
    for t in range(len(row)):
        row[t] = s.covariance[node, t]
    for below in range(level):
        pivot = s.rows[below, node]
        for t in range(len(row)):
            row[t] -= pivot * s.rows[below, t]
    spare = s.left[level, node]
    informative = spare > _COLLINEAR * s.covariance[node, node]
    scale = 1.0 / math.sqrt(spare) if informative else 0.0
    slope = s.toward[level, node] * scale
    for t in range(len(row)):
        value = row[t] * scale
        row[t] = value
        s.toward[level + 1, t] = s.toward[level, t] - slope * value
        s.left[level + 1, t] = s.left[level, t] - value * value


@kernel
def _note(s, y, x, gain, members):
    """Take an operator as the best of its row."""
    s.gain[y], s.partner[y], s.size[y] = gain, x, len(members)
    for i in range(len(members)):
        s.clique[y, i] = members[i]


@kernel
def _holds(members, x):
    found = False
    for node in members:
        found = found or node == x
    return found


@kernel
def _inside(members, graph, x):
    """How many of some nodes are adjacent to x."""
    count = 0
    for node in members:
        if _adjacent(graph, node, x):
            count += 1
    return count


@kernel
def _inserts(s, y, parents, members, needed):
    """x → y for the x not adjacent to y (Chickering, 2002, Theorem 15).

    Q must hold the neighbours of y adjacent to x, and block the semi-directed paths from y to x.
    """
    p, level = len(s.graph), len(parents) + len(members)
    floor = RESIDUAL_FLOOR * s.covariance[y, y]
    variance = max(s.left[level, y], floor)
    missing = needed.copy()
    blocked = np.zeros(p, dtype=np.bool_)
    for node in members:
        blocked[node] = True
        for k in range(s.degree[node]):
            missing[s.joined[node, k]] -= 1
    # The share of the variance that must be explained to beat the best so far.
    least = (1.0 - math.exp(-2.0 * (s.gain[y] + s.cost + _TIE))) * variance
    reached = blocked
    explored = False
    best = 0.0
    for x in range(p):
        spare, toward = s.left[level, x], s.toward[level, x]
        if missing[x] or toward * toward <= least * spare or x == y or _adjacent(s.graph, x, y):
            continue
        share = min(toward * toward / spare, variance - floor)
        if spare <= _COLLINEAR * s.covariance[x, x] or share <= least:
            continue
        if not explored:
            reached = _reach(s, y, blocked, y)
            explored = True
        if not reached[x]:
            s.partner[y], best, least = x, share, share + _TIE * variance
    if best > 0.0:
        _note(s, y, s.partner[y], -0.5 * math.log(1.0 - best / variance) - s.cost, members)


@kernel
def _deletes(s, y, parents, members):
    """No edge between x and y (Chickering, 2002, Theorem 17): Q stays before y, its other neighbours adjacent
    to x come after.
    """
    nodes = np.empty(len(parents) + len(members) + 1, dtype=np.int64)
    for k in range(s.degree[y]):
        x = s.joined[y, k]
        # No node is adjacent to itself, so this leaves out the x in Q as well.
        if not s.graph[x, y] or _inside(members, s.graph, x) < len(members):
            continue
        count = 0
        for node in parents:
            if node != x:
                nodes[count] = node
                count += 1
        for node in members:
            nodes[count] = node
            count += 1
        nodes[count] = x
        gain = s.cost - _explained(s.covariance, y, nodes[: count + 1])
        if gain > s.gain[y] + _TIE:
            _note(s, y, x, gain, members)


@kernel
def _turns(s, y, parents, pool, members, needed):
    """y → x or y – x becomes x → y (Hauser & Bühlmann, 2012, Propositions 31 and 34)."""
    size = len(parents) + len(members)
    nodes = np.empty(size + 1, dtype=np.int64)
    for i in range(size):
        nodes[i] = parents[i] if i < len(parents) else members[i - len(parents)]
    for k in range(s.degree[y]):
        x = s.joined[y, k]
        inside = _inside(members, s.graph, x)
        directed = not s.graph[x, y]
        if not s.graph[y, x] or (inside < needed[x] if directed else inside == len(members)):
            continue
        if _holds(members, x):
            continue
        nodes[size] = x
        gain = _explained(s.covariance, y, nodes)
        if gain <= s.gain[y] + _TIE:
            continue
        before = np.empty(s.degree[x] + 1, dtype=np.int64)  # the parents of x, y the last of them
        count = 0
        for i in range(s.degree[x]):
            node = s.joined[x, i]
            arrow = s.graph[node, x] and not s.graph[x, node]
            if node != y and (arrow or (not directed and _holds(members, node))):
                before[count] = node
                count += 1
        before[count] = y
        gain -= _explained(s.covariance, x, before[: count + 1])
        if gain > s.gain[y] + _TIE and (
            _no_way_back(s, y, x, members) if directed else _parted(s.graph, x, pool, members)
        ):
            _note(s, y, x, gain, members)


@kernel
def _no_way_back(s, y, x, members):
    """Whether Q and the neighbours of x block the semi-directed paths from y to x, but for y → x itself."""
    blocked = np.zeros(len(s.graph), dtype=np.bool_)
    for node in members:
        blocked[node] = True
    for k in range(s.degree[x]):
        node = s.joined[x, k]
        if s.graph[node, x] and s.graph[x, node]:
            blocked[node] = True
    return not _reach(s, y, blocked, x)[x]


@kernel
def _parted(graph, x, pool, members):
    """Whether, among the neighbours of y, the nodes of Q adjacent to x part its other nodes from the neighbours
    adjacent to x outside Q.
    """
    count = len(pool)
    queue = np.empty(count, dtype=np.int64)
    seen = np.zeros(count, dtype=np.bool_)
    head = tail = 0
    for i in range(count):
        if _holds(members, pool[i]):
            seen[i] = True
            if not _adjacent(graph, pool[i], x):
                queue[tail] = i
                tail += 1
    while head < tail:
        node = pool[queue[head]]
        head += 1
        for i in range(count):
            if not seen[i] and pool[i] != x and _adjacent(graph, node, pool[i]):
                if _adjacent(graph, pool[i], x):
                    return False
                seen[i] = True
                queue[tail] = i
                tail += 1
    return True


@kernel
def _around(s, y):
    """The compelled parents of a node, its neighbours, and how many of these each node is adjacent to."""
    parents, pool = np.empty(s.degree[y], dtype=np.int64), np.empty(s.degree[y], dtype=np.int64)
    needed = np.zeros(len(s.graph), dtype=np.int64)
    above = beside = 0
    for k in range(s.degree[y]):
        node = s.joined[y, k]
        if s.graph[node, y] and s.graph[y, node]:
            pool[beside] = node
            beside += 1
            for i in range(s.degree[node]):
                needed[s.joined[node, i]] += 1
        elif s.graph[node, y]:
            parents[above] = node
            above += 1
    return parents[:above], pool[:beside], needed


@kernel
def _row(s, phase, y, budget):
    """Walk through a row, or on from where that was broken off; what is left of the budget, below 0 if it
    was broken off (again).
    """
    parents, pool, needed = _around(s, y)
    deepest = s.limit - len(parents) - (0 if phase == DELETE else 1)
    if s.place[0] == y:
        depth = _next_clique(s.graph, pool, deepest, s.walk, s.place[1])
    else:
        s.gain[y] = 0.0
        depth = 0 if deepest >= 0 else -1
        if phase == INSERT and depth == 0:
            for t in range(len(s.graph)):
                s.toward[0, t], s.left[0, t] = s.covariance[y, t], s.covariance[t, t]
            for level in range(len(parents)):
                _condition(s, level, parents[level])
    while depth >= 0:
        members = np.empty(depth, dtype=np.int64)
        for i in range(depth):
            members[i] = pool[s.walk[i]]
        size = len(parents) + depth
        if phase == INSERT:
            if depth:
                _condition(s, size - 1, members[-1])
            _inserts(s, y, parents, members, needed)
            budget -= len(s.graph) * (size + 4)
        elif phase == DELETE:
            _deletes(s, y, parents, members)
            budget -= s.degree[y] * (size + 4) ** 2
        else:
            _turns(s, y, parents, pool, members, needed)
            budget -= s.degree[y] * (size + 4) ** 2
        if budget < 0:
            s.place[0], s.place[1] = y, depth
            return budget
        depth = _next_clique(s.graph, pool, deepest, s.walk, depth)
    s.place[0] = -1
    s.stale[y] = False
    return budget


# The search


@kernel
def _operate(s, phase, y):
    """The PDAG that the best operator of a row makes of the CPDAG. Changes who is joined to whom, too."""
    x, members = s.partner[y], s.clique[y, : s.size[y]]
    pdag = s.graph.copy()
    if phase == INSERT:
        pdag[x, y] = True
        for node in members:
            if not _adjacent(s.graph, node, x):
                pdag[y, node] = False
        _join(s.joined, s.degree, x, y)
    elif phase == DELETE:
        pdag[x, y] = pdag[y, x] = False
        for k in range(s.degree[y]):
            node = s.joined[y, k]
            if pdag[node, y] and pdag[y, node] and _adjacent(s.graph, node, x) and not _holds(members, node):
                pdag[node, y] = False
                pdag[node, x] = pdag[node, x] and not pdag[x, node]
        _part(s.joined, s.degree, x, y)
    else:
        pdag[x, y], pdag[y, x] = True, False
        for node in members:
            pdag[y, node] = False
    return pdag


@kernel
def _apply(s, phase, y):
    """Apply the best operator of a row; False where the score says that it was none.

    That happens where residual variances are at their floor, as there members of a class differ in score.
    """
    x = s.partner[y]
    pdag = _operate(s, phase, y)
    dag, order = _extend(s.joined, s.degree, pdag)
    local = s.local.copy()
    change = 0.0
    for node in range(len(dag)):
        same = node != x and node != y
        for k in range(s.degree[node]):
            same = same and dag[s.joined[node, k], node] == s.dag[s.joined[node, k], node]
        if not same:
            local[node] = _local(s, dag, node)
            change += local[node] - s.local[node]
    if change > -0.5 * _TIE:
        if phase == INSERT:
            _part(s.joined, s.degree, x, y)
        elif phase == DELETE:
            _join(s.joined, s.degree, x, y)
        return False
    graph = _complete(s.joined, s.degree, dag, order)
    _mark_stale(s, graph, x, y)
    for node in range(len(dag)):
        s.local[node] = local[node]
        for other in range(len(dag)):
            s.graph[node, other], s.dag[node, other] = graph[node, other], dag[node, other]
    return True


@kernel
def _mark_stale(s, graph, x, y):
    """Mark the rows of the nodes that reach a change between the CPDAG and the next one, `graph`."""
    p = len(graph)
    reached = np.zeros(p, dtype=np.bool_)
    queue = np.empty(p, dtype=np.int64)
    head = tail = 0
    for node in range(p):
        changed = node == x or node == y
        for k in range(s.degree[node]):
            other = s.joined[node, k]
            changed = changed or graph[node, other] != s.graph[node, other]
            changed = changed or graph[other, node] != s.graph[other, node]
        if changed:
            reached[node] = True
            queue[tail] = node
            tail += 1
    while head < tail:
        node = queue[head]
        head += 1
        s.stale[node] = True
        for k in range(s.degree[node]):
            other = s.joined[node, k]
            if not reached[other] and graph[other, node]:
                reached[other] = True
                queue[tail] = other
                tail += 1


@kernel
def _best(gain):
    """The first of the rows with the highest gain, up to rounding."""
    best = 0
    for y in range(1, len(gain)):
        if gain[y] > gain[best] + _TIE:
            best = y
    return best


@kernel
def advance(s, phase, budget):
    """Apply the best operator of a phase again and again: how many, and whether no more improves the score.

    Returns early when the budget is used up: about so many floating-point operations.
    """
    p, steps = len(s.graph), 0
    while True:
        for y in range(p):
            if s.stale[y]:
                budget = _row(s, phase, y, budget)
                if budget < 0:
                    return steps, False
        best = _best(s.gain)
        if s.gain[best] <= _TIE:
            return steps, True
        if _apply(s, phase, best):
            steps += 1
        else:
            s.gain[best] = 0.0  # passed over until its row is stale
        budget -= p * p


def new_search(covariance: NDArray[np.float64], cost: float, limit: int, dag: NDArray[np.bool_]) -> Search:
    """A search that starts from the class of a DAG."""
    p = len(covariance)
    search = Search(
        covariance=np.ascontiguousarray(covariance),
        cost=float(cost),
        limit=int(limit),
        graph=np.ascontiguousarray(dag_to_cpdag(dag) != 0),
        dag=np.array(dag, dtype=bool, order="C"),
        local=np.zeros(p),
        joined=np.zeros((p, p), dtype=np.int64),
        degree=np.zeros(p, dtype=np.int64),
        gain=np.zeros(p),
        partner=np.zeros(p, dtype=np.int64),
        clique=np.zeros((p, limit + 1), dtype=np.int64),
        size=np.zeros(p, dtype=np.int64),
        stale=np.ones(p, dtype=bool),
        place=np.full(2, -1),
        walk=np.zeros(p + 1, dtype=np.int64),
        rows=np.empty((limit + 1, p)),
        toward=np.empty((limit + 2, p)),
        left=np.empty((limit + 2, p)),
    )
    for i, j in np.argwhere(dag):
        _join(search.joined, search.degree, i, j)
    for node in range(p):
        search.local[node] = _local(search, search.dag, node)
    return search


def compile_all() -> None:
    """Compile, or load from the cache, everything a search will call."""
    search = new_search(np.eye(2), 1.0, 1, np.zeros((2, 2), dtype=bool))
    advance(search, INSERT, 1.0)
