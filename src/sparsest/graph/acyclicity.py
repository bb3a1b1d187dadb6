"""Acyclicity: topological orders, and the cycles that prevent them."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import overload

import numpy as np

from sparsest._core.errors import GraphError
from sparsest._core.words import default_names
from sparsest.graph._matrix import Matrix, Pattern, edge_pattern
from sparsest.graph.types import Cpdag, Dag, Graph


def is_dag(graph: Dag | Cpdag | Matrix) -> bool:
    """Whether a graph has no directed cycle.

    An undirected edge (both entries set) is a cycle of two nodes, a nonzero diagonal entry a cycle of one.

    Parameters
    ----------
    graph : Dag, Cpdag or (p, p) matrix
        In a weighted matrix every nonzero entry is an edge.

    Returns
    -------
    bool
        True if the graph is a DAG.

    Examples
    --------
    >>> from sparsest.graph import is_dag
    >>> is_dag([[0, 1], [0, 0]])
    True
    >>> is_dag([[0, 1], [1, 0]])
    False
    """
    pattern = _read(graph)
    return len(kahn_order(pattern)) == len(pattern)


@overload
def topological_order(graph: Dag) -> list[str]: ...
@overload
def topological_order(graph: Matrix) -> list[int]: ...
def topological_order(graph: Dag | Matrix) -> list[str] | list[int]:
    """Order of the nodes in which parents come before their children.

    Among the nodes that could come next, the one with the smallest position does.

    Parameters
    ----------
    graph : Dag or (p, p) matrix
        In a weighted matrix every nonzero entry is an edge.

    Returns
    -------
    list of str or list of int
        Names for a Dag, positions for a matrix.

    Raises
    ------
    GraphError
        If the graph has a cycle; the message names it.

    Examples
    --------
    >>> from sparsest.graph import topological_order
    >>> topological_order([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    [2, 1, 0]
    """
    pattern = _read(graph)
    order = kahn_order(pattern)
    if isinstance(graph, Graph):
        refuse_cycle(pattern, graph.names, order)
        return [graph.names[k] for k in order]
    refuse_cycle(pattern, default_names(len(pattern)), order)
    return order


def find_cycle(graph: Dag | Cpdag | Matrix) -> list[int] | None:
    """A directed cycle of a graph, if there is one.

    Parameters
    ----------
    graph : Dag, Cpdag or (p, p) matrix
        In a weighted matrix every nonzero entry is an edge.

    Returns
    -------
    list of int or None
        Positions of the nodes on a cycle, each once, in the direction of the arrows; None for a DAG.

    Examples
    --------
    >>> from sparsest.graph import find_cycle
    >>> find_cycle([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    [0, 1, 2]
    """
    pattern = _read(graph)
    return cycle_outside(pattern, kahn_order(pattern))


def _read(graph: Dag | Cpdag | Matrix) -> Pattern:
    return graph.pattern if isinstance(graph, Graph) else edge_pattern(graph, weighted=True)


def kahn_order(pattern: Pattern) -> list[int]:
    """Kahn's topological order (1962), smallest position first; without the nodes on or after a cycle."""
    indegree = [0] * len(pattern)
    children: list[list[int]] = [[] for _ in indegree]
    tails, heads = np.nonzero(pattern)
    for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):
        children[tail].append(head)
        indegree[head] += 1
    ready = [node for node, count in enumerate(indegree) if count == 0]
    order = []
    while ready:
        node = heapq.heappop(ready)
        order.append(node)
        for child in children[node]:
            indegree[child] -= 1
            if indegree[child] == 0:
                heapq.heappush(ready, child)
    return order


def path_matrix(pattern: Pattern) -> Pattern:
    """Matrix whose entry [i, j] says whether there is a directed path of at least one edge from i to j."""
    reach = pattern.copy()
    while True:
        counts = reach.astype(np.float32)  # float products are fast, and counts are at most p
        longer = reach | (counts @ counts > 0)
        if np.array_equal(longer, reach):
            return reach
        reach = longer


def reach_matrix(pattern: Pattern) -> Pattern:
    """[i, j]: there is a directed path, possibly of length 0, from i to j."""
    return path_matrix(pattern) | np.eye(len(pattern), dtype=bool)


def order_near(order: Sequence[int], pattern: Pattern) -> list[int]:
    """Topological order of a DAG that stays as close as possible to the given order."""
    given = np.asarray(order, dtype=np.intp)
    return [int(given[k]) for k in kahn_order(pattern[np.ix_(given, given)])]


def forward_mask(order: Sequence[int]) -> Pattern:
    """Matrix whose entry [i, j] says whether i comes before j in an order of the nodes."""
    place = np.argsort(np.asarray(order, dtype=np.intp))
    forward: Pattern = place[:, None] < place
    return forward


def indirect_path(pattern: Pattern, start: int, end: int) -> list[int] | None:
    """A shortest directed path from one node to another, other than the edge between them; None if none."""
    before: dict[int, int] = {start: start}
    waiting = [start]
    while waiting:
        node = waiting.pop(0)
        for child in map(int, np.flatnonzero(pattern[node])):
            if child in before or (node, child) == (start, end):
                continue
            before[child] = node
            if child == end:
                path = [end]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return path[::-1]
            waiting.append(child)
    return None


def cycle_outside(pattern: Pattern, order: Sequence[int]) -> list[int] | None:
    """A cycle among the nodes that Kahn's order did not reach; None if it reached all of them."""
    if len(order) == len(pattern):
        return None
    left = np.ones(len(pattern), dtype=bool)
    left[list(order)] = False
    # Each remaining node has a remaining parent: walk from parent to parent until a node repeats.
    node = int(np.flatnonzero(left)[0])
    step: dict[int, int] = {}
    walk: list[int] = []
    while node not in step:
        step[node] = len(walk)
        walk.append(node)
        node = int(np.flatnonzero(pattern[:, node] & left)[0])
    cycle = walk[step[node] :][::-1]
    first = cycle.index(min(cycle))
    return cycle[first:] + cycle[:first]


def refuse_cycle(pattern: Pattern, names: Sequence[str], order: Sequence[int] | None = None) -> None:
    """Raise GraphError naming a cycle, if there is one; `order` is Kahn's, if already known."""
    cycle = cycle_outside(pattern, kahn_order(pattern) if order is None else order)
    if cycle is None:
        return
    words = [names[k] for k in [*cycle, cycle[0]]]
    if len(words) > 12:
        words = [*words[:6], f"... ({len(words) - 11} more)", *words[-5:]]
    hint = "remove one of these edges"
    if len(cycle) == 2:
        hint += " (both directions of an edge together mean an undirected edge, which a DAG does not have)"
    raise GraphError(f"not acyclic: {' -> '.join(words)}; {hint}")
