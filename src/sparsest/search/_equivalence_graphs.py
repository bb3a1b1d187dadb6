"""Compiled steps between Markov equivalence classes: the class next to a class, one edge away.

A class is its CPDAG, as in `graph`: `graph[i, j]` alone is i → j, together with `graph[j, i]` it is i – j.
`joined[i, : degree[i]]` lists the nodes adjacent to i, so that only copying costs p² operations here.
"""

import numpy as np

from sparsest._core.jit import kernel

INSERT, DELETE, TURN = 0, 1, 2


@kernel
def _adjacent(graph, i, j):
    return graph[i, j] or graph[j, i]


@kernel
def join(joined, degree, i, j):
    """Make two nodes adjacent."""
    joined[i, degree[i]], joined[j, degree[j]] = j, i
    degree[i] += 1
    degree[j] += 1


@kernel
def part(joined, degree, i, j):
    """Make two nodes not adjacent."""
    for node, other in ((i, j), (j, i)):
        degree[node] -= 1
        for k in range(degree[node]):
            if joined[node, k] == other:
                joined[node, k] = joined[node, degree[node]]


@kernel
def _operate(graph, joined, degree, operator, x, y, clique):
    """The PDAG that an operator makes of a CPDAG (Chickering, 2002; Hauser & Bühlmann, 2012)."""
    pdag = graph.copy()
    before = np.zeros(len(graph), dtype=np.bool_)
    for node in clique:
        before[node] = True
    pdag[x, y], pdag[y, x] = operator != DELETE, False
    for k in range(degree[y]):
        node = joined[y, k]
        if node == x or not (graph[node, y] and graph[y, node]):
            continue
        if operator == DELETE:
            if _adjacent(graph, node, x) and not before[node]:  # y → node, and x → node if that is open
                pdag[node, y] = False
                pdag[node, x] = pdag[node, x] and not pdag[x, node]
        elif before[node] and (operator == TURN or not _adjacent(graph, node, x)):
            pdag[y, node] = False
    return pdag


@kernel
def _is_sink(pdag, joined, degree, gone, node):
    """Whether a node can be the last of those that are left, without a cycle or a new v-structure."""
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
def _extend(pdag, joined, degree):
    """A DAG that extends a PDAG, as in `graph.extension`, and its order. Valid operators leave one."""
    p = len(pdag)
    dag = np.zeros((p, p), dtype=np.bool_)
    order = np.empty(p, dtype=np.int64)
    queue, waits, gone = np.empty(p, dtype=np.int64), np.ones(p, dtype=np.bool_), np.zeros(p, dtype=np.bool_)
    for i in range(p):
        queue[i] = p - 1 - i
    head, waiting, open_places = 0, p, p
    while waiting:
        node = queue[head % p]
        head += 1
        waiting -= 1
        waits[node] = False
        if not _is_sink(pdag, joined, degree, gone, node):
            continue
        gone[node] = True
        open_places -= 1
        order[open_places] = node
        for k in range(degree[node]):
            other = joined[node, k]
            if gone[other]:
                continue
            dag[other, node] = True
            if not waits[other]:  # it may have become a sink
                waits[other] = True
                queue[(head + waiting) % p] = other
                waiting += 1
    return dag, order


@kernel
def _complete(dag, joined, degree, order):
    """The CPDAG of a DAG, as in `graph.cpdag`: a node has the compelled parents of its last one, or all."""
    p = len(dag)
    position = np.empty(p, dtype=np.int64)
    for i in range(p):
        position[order[i]] = i
    compelled = np.zeros((p, p), dtype=np.bool_)
    graph = np.zeros((p, p), dtype=np.bool_)
    for node in order:
        last = -1
        for k in range(degree[node]):
            other = joined[node, k]
            if dag[other, node] and (last < 0 or position[other] > position[last]):
                last = other
        if last < 0:
            continue
        covered = True
        for k in range(degree[node]):  # parents(node) ⊆ parents(last) ∪ {last}
            other = joined[node, k]
            covered = covered and (not dag[other, node] or other == last or dag[other, last])
        for k in range(degree[last]):  # compelled(last) ⊆ parents(node)
            other = joined[last, k]
            covered = covered and (not compelled[other, last] or dag[other, node])
        for k in range(degree[node]):
            other = joined[node, k]
            if dag[other, node]:
                compelled[other, node] = compelled[other, last] or not covered
                graph[other, node], graph[node, other] = True, not compelled[other, node]
    return graph


@kernel
def next_class(graph, joined, degree, operator, x, y, clique):
    """A member and the CPDAG of the class that an operator leads to; updates `joined` and `degree`."""
    pdag = _operate(graph, joined, degree, operator, x, y, clique)
    if operator == INSERT:
        join(joined, degree, x, y)
    elif operator == DELETE:
        part(joined, degree, x, y)
    dag, order = _extend(pdag, joined, degree)
    return dag, _complete(dag, joined, degree, order)


@kernel
def reach_of_change(before, after, joined, degree, x, y):
    """The nodes with semi-directed paths to a node whose marks differ between two CPDAGs.

    `x` and `y` are the nodes of the edge that made the difference, and `joined` is that of `after`.
    """
    p = len(after)
    reached = np.zeros(p, dtype=np.bool_)
    queue = np.empty(p, dtype=np.int64)
    head = tail = 0
    for node in range(p):
        changed = node in (x, y)
        for k in range(degree[node]):
            other = joined[node, k]
            changed = changed or after[node, other] != before[node, other]
            changed = changed or after[other, node] != before[other, node]
        if changed:
            reached[node] = True
            queue[tail] = node
            tail += 1
    while head < tail:
        node = queue[head]
        head += 1
        for k in range(degree[node]):
            other = joined[node, k]
            if not reached[other] and after[other, node]:
                reached[other] = True
                queue[tail] = other
                tail += 1
    return reached


def compile_all() -> None:
    """Compile, or load from the cache, everything that a search calls."""
    graph, joined, degree = np.zeros((2, 2), dtype=bool), np.zeros((2, 2), dtype=np.int64), np.zeros(2, int)
    _, after = next_class(graph, joined, degree, INSERT, 0, 1, np.zeros(0, dtype=np.int64))
    reach_of_change(graph, after, joined, degree, 0, 1)
    part(joined, degree, 0, 1)
    join(joined, degree, 0, 1)
