"""DAG to CPDAG: the arrows that all members of the class share.

Chickering (1995, "A transformational characterization of equivalent Bayesian network structures") labels the
edges compelled or reversible in an order of the edges. In that order the first edge into y comes from its
latest parent x, and it decides all others, so the labelling can be said node by node:

    the compelled parents of y are those of x, if  compelled(x) ⊆ parents(y) ⊆ parents(x) ∪ {x};
    otherwise all parents of y are compelled.

With nodes taken in topological order this needs a few set operations a node.
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
    """The Markov equivalence class of a DAG: a Cpdag for a Dag, an int64 matrix for a matrix.

    A weighted matrix is read by its nonzero entries. A cycle raises GraphError and is named.
    """
    pattern, names = read(dag, weighted=True)
    order = kahn_order(pattern)
    refuse_cycle(pattern, names, order)
    essential = complete(pattern, order)
    return Cpdag._trusted(essential, names) if isinstance(dag, Graph) else essential.astype(np.int64)


def complete(dag: Pattern, order: list[int]) -> Pattern:
    """CPDAG of a DAG whose topological order is known."""
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
    """For each node its parent that comes last in the order; -1 for a node without parents."""
    place = [0] * len(order)
    for k, node in enumerate(order):
        place[node] = k
    latest = [-1] * len(order)
    for x, y in edges:
        if latest[y] < 0 or place[x] > place[latest[y]]:
            latest[y] = x
    return latest
