"""From a DAG to its CPDAG: the arrows that all members of the class share.

Chickering (1995, "A transformational characterization of equivalent Bayesian network structures") labels the
edges compelled or reversible one by one, in a certain order. In that order the first edge into y comes from
its latest parent x, and its label decides all others, so the labelling can be stated node by node:

    the compelled parents of y are those of x, if  compelled(x) ⊆ parents(y) ⊆ parents(x) ∪ {x};
    otherwise all parents of y are compelled.

With the nodes in topological order this takes a few set operations per node.
"""

from __future__ import annotations

from typing import overload

import numpy as np

from sparsest.graph._bits import is_subset, row_masks
from sparsest.graph._matrix import IntMatrix, Matrix, Pattern
from sparsest.graph._reading import read
from sparsest.graph.acyclicity import kahn_order, refuse_cycle
from sparsest.graph.types import Cpdag, Dag, Graph


@overload
def dag_to_cpdag(dag: Dag) -> Cpdag: ...
@overload
def dag_to_cpdag(dag: Matrix) -> IntMatrix: ...
def dag_to_cpdag(dag: Dag | Matrix) -> Cpdag | IntMatrix:
    """Markov equivalence class of a DAG.

    Parameters
    ----------
    dag : Dag or (p, p) matrix
        In a weighted matrix every nonzero entry is an edge.

    Returns
    -------
    Cpdag or (p, p) array of int64
        A Cpdag for a Dag, a matrix for a matrix.

    Raises
    ------
    GraphError
        If the graph has a cycle; the message names it.

    Examples
    --------
    >>> from sparsest.graph import dag_to_cpdag
    >>> dag_to_cpdag([[0, 1, 0], [0, 0, 0], [0, 1, 0]])  # a collider is its own class
    array([[0, 1, 0],
           [0, 0, 0],
           [0, 1, 0]])
    >>> dag_to_cpdag([[0, 1], [0, 0]])
    array([[0, 1],
           [1, 0]])
    """
    pattern, names = read(dag, weighted=True)
    order = kahn_order(pattern)
    refuse_cycle(pattern, names, order)
    essential = complete(pattern, order)
    return Cpdag._trusted(essential, names) if isinstance(dag, Graph) else essential.astype(np.int64)


def complete(dag: Pattern, order: list[int] | None = None) -> Pattern:
    """CPDAG of a DAG; `order` is a topological order, if already known."""
    order = kahn_order(dag) if order is None else order
    tails, heads = np.nonzero(dag)
    edges = list(zip(tails.tolist(), heads.tolist(), strict=True))
    parents = row_masks(dag.T)
    latest = _latest_parents(edges, order)
    compelled = [0] * len(order)
    for y in order:
        x = latest[y]
        covered = (
            x >= 0 and is_subset(compelled[x], parents[y]) and is_subset(parents[y], parents[x] | 1 << x)
        )
        compelled[y] = compelled[x] if covered else parents[y]
    reversible = np.array([not compelled[y] >> x & 1 for x, y in edges], dtype=bool)
    essential = dag.copy()
    essential[heads[reversible], tails[reversible]] = True
    return essential


def _latest_parents(edges: list[tuple[int, int]], order: list[int]) -> list[int]:
    """For each node the parent that comes last in the order; -1 if it has no parents."""
    place = [0] * len(order)
    for k, node in enumerate(order):
        place[node] = k
    latest = [-1] * len(order)
    for x, y in edges:
        if latest[y] < 0 or place[x] > place[latest[y]]:
            latest[y] = x
    return latest
