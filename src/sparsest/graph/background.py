"""A Markov equivalence class refined by background knowledge.

Meek (1995, "Causal inference and causal explanation with background knowledge"): orient the undirected edges
of the CPDAG whose directions are known and apply his four rules. The result is a maximally oriented PDAG: an
edge is directed exactly if it has the same direction in every member that agrees with the knowledge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np

from sparsest._core.errors import GraphError
from sparsest.graph._matrix import IntMatrix, Matrix, Pattern, edge_pattern
from sparsest.graph.cpdag import complete
from sparsest.graph.extension import extend
from sparsest.graph.meek import meek_closure
from sparsest.graph.recognition import class_of
from sparsest.graph.types import Cpdag, Dag, Graph, Mpdag


@overload
def refine(graph: Dag | Cpdag, allowed: Matrix | None = None, required: Matrix | None = None) -> Cpdag: ...
@overload
def refine(graph: Matrix, allowed: Matrix | None = None, required: Matrix | None = None) -> IntMatrix: ...
def refine(
    graph: Dag | Cpdag | Matrix, allowed: Matrix | None = None, required: Matrix | None = None
) -> Cpdag | IntMatrix:
    """Members of a Markov equivalence class that agree with background knowledge.

    `Knowledge.masks(names)` gives both masks.

    Parameters
    ----------
    graph : Dag, Cpdag or (p, p) matrix
        An equivalence class; a DAG stands for its class.
    allowed : (p, p) matrix of bool, optional
        allowed[i, j] is False where i -> j is ruled out; by default nothing is.
    required : (p, p) matrix of bool, optional
        required[i, j] is True where i -> j must be present; by default nothing is required.

    Returns
    -------
    Mpdag, Cpdag or (p, p) array of int64
        For a graph object, an Mpdag if the knowledge orients an edge that the class alone does not, else the
        Cpdag. For a matrix, a matrix.

    Raises
    ------
    GraphError
        If no member of the class agrees with the knowledge; the message names the edge.

    Examples
    --------
    >>> import sparsest as sp
    >>> chain = sp.Dag([[0, 1, 0], [0, 0, 1], [0, 0, 0]], names=["a", "b", "c"])
    >>> knowledge = sp.Knowledge(forbidden=["b -> a"])
    >>> sp.graph.refine(chain, *knowledge.masks(chain.names))
    Mpdag(3 nodes, 2 edges: a -> b, b -> c)
    """
    essential, names = class_of(graph)
    banned, needed = _masks(len(names), allowed, required)
    _refuse_absent(needed & ~(essential | essential.T), names)
    oriented = essential & ~(essential.T & (needed.T | banned))
    conflict = (essential | essential.T) & ~(oriented | oriented.T)
    _refuse(conflict | (essential & ~essential.T & (banned | needed.T)), names)
    try:
        closed = edge_pattern(meek_closure(Mpdag._trusted(oriented, names)))
    except GraphError as error:
        raise GraphError(f"no DAG of this class agrees with the knowledge: {error}") from error
    dag, stuck = extend(closed)
    if stuck or not np.array_equal(complete(dag), _cpdag(essential)):
        raise GraphError(
            "no DAG of this class agrees with the knowledge: its directions together create a cycle or a new "
            "v-structure; leave some of them out"
        )
    if not isinstance(graph, Graph):
        return closed.astype(np.int64)
    if np.array_equal(closed, _cpdag(essential)):
        return Cpdag._trusted(closed, names)
    return Mpdag._trusted(closed, names)


def _cpdag(essential: Pattern) -> Pattern:
    """The CPDAG behind a CPDAG or an MPDAG."""
    dag, _ = extend(essential)
    return complete(dag)


def _masks(p: int, allowed: Matrix | None, required: Matrix | None) -> tuple[Pattern, Pattern]:
    banned = np.zeros((p, p), dtype=bool) if allowed is None else ~edge_pattern(allowed)
    needed = np.zeros((p, p), dtype=bool) if required is None else edge_pattern(required)
    for name, mask in (("allowed", banned), ("required", needed)):
        if mask.shape != (p, p):
            raise GraphError(
                f"{name} must have shape ({p}, {p}), one row and column per node, not {mask.shape}"
            )
    return banned, needed


def _refuse_absent(absent: Pattern, names: Sequence[str]) -> None:
    if absent.any():
        i, j = np.argwhere(absent)[0]
        raise GraphError(
            f"{names[i]} -> {names[j]} is required, but the two are not adjacent in this class: no member "
            "of it agrees with the knowledge"
        )


def _refuse(conflict: Pattern, names: Sequence[str]) -> None:
    if conflict.any():
        i, j = np.argwhere(conflict)[0]
        raise GraphError(
            f"{names[i]} and {names[j]} are adjacent in this class, and the knowledge rules out every "
            "direction that the edge has in its members: no member of it agrees with the knowledge"
        )
