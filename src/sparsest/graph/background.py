"""A Markov equivalence class refined by background knowledge.

Meek (1995, "Causal inference and causal explanation with background knowledge"): give the undirected edges of
the CPDAG the directions that are known, and apply his four rules. What is then directed is so in every
member that agrees with the knowledge, and what is not is so in none: a maximally oriented PDAG.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np

from sparsest._core.errors import GraphError
from sparsest.graph._matrix import IntMatrix, Matrix, Pattern, edge_pattern
from sparsest.graph.acyclicity import kahn_order
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
    """The members of a class that agree with knowledge, as a maximally oriented PDAG.

    `allowed[i, j]` is False (or 0) where i -> j must not be, `required[i, j]` is True (or 1) where it must;
    `Knowledge.masks(names)` gives both. A DAG stands for its class. Of a graph object, an Mpdag where the
    knowledge directs an edge that the class alone does not, else the Cpdag; of a matrix, an int64 matrix.
    Knowledge with which no member agrees raises GraphError and names the edge.
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
    if stuck or not np.array_equal(complete(dag, kahn_order(dag)), _cpdag(essential)):
        raise GraphError(
            "no DAG of this class agrees with the knowledge: its directions together make a cycle or a new "
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
    return complete(dag, kahn_order(dag))


def _masks(p: int, allowed: Matrix | None, required: Matrix | None) -> tuple[Pattern, Pattern]:
    banned = np.zeros((p, p), dtype=bool) if allowed is None else ~edge_pattern(allowed)
    needed = np.zeros((p, p), dtype=bool) if required is None else edge_pattern(required)
    for name, mask in (("allowed", banned), ("required", needed)):
        if mask.shape != (p, p):
            raise GraphError(f"{name} must have a row and a column a node, ({p}, {p}), not {mask.shape}")
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
            f"{names[i]} and {names[j]} are adjacent in this class, and the knowledge rules out each "
            "direction that its members have: no member of it agrees with the knowledge"
        )
