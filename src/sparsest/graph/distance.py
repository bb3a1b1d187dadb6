"""Structural Hamming distances between DAGs and between Markov equivalence classes."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sparsest._core.errors import GraphError, OptionError
from sparsest.graph._matrix import Matrix, Pattern
from sparsest.graph._reading import read_two
from sparsest.graph.acyclicity import kahn_order, refuse_cycle
from sparsest.graph.cpdag import complete
from sparsest.graph.types import Cpdag, Dag, Mpdag

Definition = Literal["strict", "causal-learn"]


def shd(a: Dag | Matrix, b: Dag | Matrix) -> int:
    """Structural Hamming distance between two DAGs: the number of pairs joined differently (none, ->, <-).

    A reversed edge counts once. Two Dags are matched by name; otherwise nodes are matched by position.

    Parameters
    ----------
    a, b : Dag or (p, p) matrix
        The DAGs to compare.

    Returns
    -------
    int
        The distance.

    Raises
    ------
    GraphError
        If one of the graphs is not a DAG.

    Examples
    --------
    >>> from sparsest.graph import shd
    >>> shd([[0, 1, 0], [0, 0, 1], [0, 0, 0]], [[0, 0, 0], [1, 0, 1], [0, 0, 0]])
    1
    """
    if isinstance(a, Cpdag) or isinstance(b, Cpdag):
        raise GraphError("shd compares DAGs; use cpdag_shd to compare classes")
    first, second, names = read_two(a, b)
    refuse_cycle(first, names)
    refuse_cycle(second, names)
    return _pairs(first != second)


def cpdag_shd(a: Dag | Cpdag | Matrix, b: Dag | Cpdag | Matrix, definition: Definition = "strict") -> int:
    """Structural Hamming distance between two CPDAGs.

    A DAG or an acyclic matrix stands for its class. An Mpdag, and a matrix with undirected edges, whether a
    CPDAG or not, is compared mark by mark, provided that its arrows form no cycle. Two graph objects are
    matched by name; otherwise nodes are matched by position.

    Parameters
    ----------
    a, b : Dag, Cpdag or (p, p) matrix
        The graphs to compare.
    definition : {"strict", "causal-learn"}, default "strict"
        "strict" counts the pairs of nodes whose mark (none, ->, <-, --) differs. It is a metric on classes,
        and what causal-learn has computed since release 0.1.3.4 (2023). "causal-learn" is what causal-learn
        computed up to release 0.1.3.3: pairs that are adjacent in only one graph, and pairs with opposite
        arrows. An arrow against an undirected edge does not count, so distinct classes can be at distance 0.

    Returns
    -------
    int
        The distance.

    Examples
    --------
    >>> from sparsest.graph import cpdag_shd
    >>> chain, fork = [[0, 1, 0], [0, 0, 1], [0, 0, 0]], [[0, 0, 0], [1, 0, 1], [0, 0, 0]]
    >>> cpdag_shd(chain, fork)  # the same class
    0
    >>> collider = [[0, 1, 0], [0, 0, 0], [0, 1, 0]]
    >>> cpdag_shd(chain, collider), cpdag_shd(chain, collider, "causal-learn")
    (2, 0)
    """
    first, second, _ = marks_of_classes(a, b)
    if definition == "strict":
        return _pairs(first != second)
    if definition == "causal-learn":
        joined = (first | first.T) != (second | second.T)
        opposite = (first & ~first.T) & (second & ~second.T).T
        return _pairs(joined | opposite)
    raise OptionError(f"definition={definition!r} is not known: use 'strict' or 'causal-learn'")


def marks_of_classes(
    a: Dag | Cpdag | Matrix, b: Dag | Cpdag | Matrix
) -> tuple[Pattern, Pattern, tuple[str, ...]]:
    """Two graphs as patterns over the same nodes, each DAG replaced by its CPDAG."""
    first, second, names = read_two(a, b)
    if not isinstance(a, Mpdag):  # its arrows count even if no undirected edge is left
        first = _completed(first, names)
    if not isinstance(b, Mpdag):
        second = _completed(second, names)
    return first, second, names


def _completed(pattern: Pattern, names: tuple[str, ...]) -> Pattern:
    order = kahn_order(pattern)
    if len(order) == len(names):
        return complete(pattern, order)
    refuse_cycle(pattern & ~pattern.T, names)
    return pattern


def _pairs(differs: Pattern) -> int:
    """Number of unordered pairs with a difference at [i, j] or [j, i]."""
    return int(np.count_nonzero(np.triu(differs | differs.T)))
