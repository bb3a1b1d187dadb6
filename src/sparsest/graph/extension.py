"""Consistent extensions: from a CPDAG (or any PDAG) to a DAG of its class.

Dor & Tarsi (1992, "A simple algorithm to construct a consistent extension of a partially oriented graph"):
repeatedly remove a node x without outgoing arrows each of whose undirected neighbours is adjacent to all
other neighbours of x; its undirected edges become arrows into x. After a removal only the neighbours of the
removed node need to be checked again.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import overload

import numpy as np

from sparsest._core.errors import GraphError
from sparsest._core.words import listed
from sparsest.graph._bits import bits, row_masks
from sparsest.graph._matrix import IntMatrix, Matrix, Pattern
from sparsest.graph._reading import read
from sparsest.graph.acyclicity import refuse_cycle
from sparsest.graph.types import Cpdag, Dag, Graph


@overload
def cpdag_to_dag(cpdag: Dag | Cpdag) -> Dag: ...
@overload
def cpdag_to_dag(cpdag: Matrix) -> IntMatrix: ...
def cpdag_to_dag(cpdag: Dag | Cpdag | Matrix) -> Dag | IntMatrix:
    """A DAG with the same adjacencies, arrows and v-structures: for a CPDAG, one member of its class.

    The same graph always gives the same DAG; nodes with small positions tend to come first.

    Parameters
    ----------
    cpdag : Cpdag, Dag or (p, p) matrix
        A matrix may be any PDAG.

    Returns
    -------
    Dag or (p, p) array of int64
        A Dag for a graph object, a matrix for a matrix.

    Raises
    ------
    GraphError
        If no DAG extends the graph; the message says why.

    Examples
    --------
    >>> from sparsest.graph import cpdag_to_dag
    >>> cpdag_to_dag([[0, 1], [1, 0]])
    array([[0, 1],
           [0, 0]])
    """
    pattern, names = read(cpdag)
    dag, stuck = extend(pattern)
    if stuck:
        refuse_extension(pattern, names, stuck)
    return Dag._trusted(dag, names) if isinstance(cpdag, Graph) else dag.astype(np.int64)


def extend(pattern: Pattern) -> tuple[Pattern, list[int]]:
    """Consistent extension, and the nodes that could not be removed (none on success)."""
    dag = pattern & ~pattern.T
    arrows, lines, near = row_masks(dag), row_masks(pattern & pattern.T), row_masks(pattern | pattern.T)
    left = [True] * len(pattern)
    tails: list[int] = []
    heads: list[int] = []
    queue = list(
        range(1 - len(pattern), 1)
    )  # negated positions, so that the largest comes first; already a heap
    while queue:
        x = -heapq.heappop(queue)
        if not left[x] or arrows[x] or any(near[x] & ~(near[y] | 1 << y) for y in bits(lines[x])):
            continue
        left[x] = False
        for y in bits(lines[x]):
            tails.append(y)
            heads.append(x)
        others = ~(1 << x)
        for y in bits(near[x]):
            arrows[y] &= others
            lines[y] &= others
            near[y] &= others
            heapq.heappush(queue, -y)
    dag[tails, heads] = True
    return dag, [x for x, waits in enumerate(left) if waits]


def refuse_extension(pattern: Pattern, names: Sequence[str], stuck: Sequence[int]) -> None:
    """Raise GraphError naming the cycle of arrows, or else the part that cannot be oriented."""
    refuse_cycle(pattern & ~pattern.T, names)
    part = listed([names[k] for k in stuck])
    raise GraphError(
        "no DAG has these edges and arrows without a new v-structure or a cycle; the conflict is among "
        f"{part}: add, remove or reverse an edge there"
    )
