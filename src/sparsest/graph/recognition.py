"""Recognition of CPDAGs and MPDAGs, and the class that a graph represents.

A graph is a CPDAG exactly if it is the CPDAG of one of its extensions (Andersson, Madigan & Perlman, 1997,
characterise the same graphs by their structure).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sparsest._core.errors import GraphError
from sparsest.graph._matrix import Matrix, Pattern, edge_pattern
from sparsest.graph._reading import read
from sparsest.graph.acyclicity import kahn_order
from sparsest.graph.cpdag import complete
from sparsest.graph.extension import extend, refuse_extension
from sparsest.graph.meek import meek_closure
from sparsest.graph.types import Cpdag, Dag, Graph


def is_cpdag(graph: Dag | Cpdag | Matrix) -> bool:
    """Whether a graph is the CPDAG of a Markov equivalence class.

    Parameters
    ----------
    graph : Dag, Cpdag or (p, p) matrix
        A matrix must consist of zeros and ones.

    Returns
    -------
    bool
        True if the graph is a CPDAG.

    Examples
    --------
    >>> from sparsest.graph import is_cpdag
    >>> is_cpdag([[0, 1], [1, 0]])
    True
    >>> is_cpdag([[0, 1], [0, 0]])  # the class of this DAG has an undirected edge
    False
    """
    pattern = graph.pattern if isinstance(graph, Graph) else edge_pattern(graph)
    if pattern.diagonal().any():
        return False
    dag, stuck = extend(pattern)
    return not stuck and np.array_equal(complete(dag), pattern)


def refuse_unless_cpdag(pattern: Pattern, names: Sequence[str]) -> None:
    """Raise GraphError with the reason if a PDAG is not a CPDAG."""
    essential = _cpdag_of_extension(pattern, names)
    differs = np.argwhere(essential != pattern)
    if len(differs):
        i, j = sorted(int(k) for k in differs[0])
        raise GraphError(
            f"not a CPDAG: here {edge_words(pattern, names, i, j)}, but in the CPDAG of its class "
            f"{edge_words(essential, names, i, j)}; dag_to_cpdag(cpdag_to_dag(matrix)) gives that CPDAG"
        )


def refuse_unless_mpdag(pattern: Pattern, names: Sequence[str]) -> None:
    """Raise GraphError with the reason if a PDAG is not maximally oriented.

    A PDAG is maximally oriented exactly if it is the CPDAG of one of its extensions with some edges oriented,
    and none of Meek's rules (1995) orients another.
    """
    essential = _cpdag_of_extension(pattern, names)
    open_here = np.argwhere(pattern & pattern.T & ~(essential & essential.T))
    closed = meek_closure(pattern) != 0
    differs = open_here if len(open_here) else np.argwhere(closed != pattern)
    if len(differs):
        i, j = sorted(int(k) for k in differs[0])
        implied = essential if len(open_here) else closed
        raise GraphError(
            f"not maximally oriented: here {edge_words(pattern, names, i, j)}, but the other arrows "
            f"imply {edge_words(implied, names, i, j)}; refine(dag, allowed, required) orients all edges"
        )


def _cpdag_of_extension(pattern: Pattern, names: Sequence[str]) -> Pattern:
    dag, stuck = extend(pattern)
    if stuck:
        refuse_extension(pattern, names, stuck)
    return complete(dag)


def edge_words(pattern: Pattern, names: Sequence[str], i: int, j: int) -> str:
    """How two adjacent nodes are joined, for messages."""
    if pattern[i, j] and pattern[j, i]:
        return f"{names[i]} -- {names[j]}"
    return f"{names[i]} -> {names[j]}" if pattern[i, j] else f"{names[j]} -> {names[i]}"


def class_of(graph: Dag | Cpdag | Matrix) -> tuple[Pattern, tuple[str, ...]]:
    """Pattern and names of the class that a DAG (or acyclic matrix), a CPDAG or an MPDAG represents."""
    pattern, names = read(graph)
    if isinstance(graph, Cpdag):
        return pattern, names
    order = kahn_order(pattern)
    if len(order) == len(names):
        return complete(pattern, order), names
    refuse_unless_cpdag(pattern, names)
    return pattern, names
