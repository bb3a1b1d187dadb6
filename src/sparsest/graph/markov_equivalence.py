"""Markov equivalence: the same adjacencies and the same v-structures (Verma & Pearl, 1990)."""

from __future__ import annotations

import numpy as np

from sparsest.graph._bits import row_masks
from sparsest.graph._matrix import Matrix, Pattern
from sparsest.graph._reading import read_two
from sparsest.graph.acyclicity import is_dag
from sparsest.graph.recognition import refuse_unless_cpdag
from sparsest.graph.types import Cpdag, Dag, Graph


def markov_equivalent(a: Dag | Cpdag | Matrix, b: Dag | Cpdag | Matrix) -> bool:
    """Whether two graphs represent the same Markov equivalence class.

    Two graph objects are matched by name; otherwise nodes are matched by position.

    Parameters
    ----------
    a, b : Dag, Cpdag or (p, p) matrix
        Each a DAG or a CPDAG.

    Returns
    -------
    bool
        True if the classes are equal.

    Examples
    --------
    >>> from sparsest.graph import markov_equivalent
    >>> chain, fork = [[0, 1, 0], [0, 0, 1], [0, 0, 0]], [[0, 0, 0], [1, 0, 1], [0, 0, 0]]
    >>> markov_equivalent(chain, fork)
    True
    >>> markov_equivalent(chain, [[0, 1, 0], [0, 0, 0], [0, 1, 0]])
    False
    """
    first, second, names = read_two(a, b)
    for given, pattern in ((a, first), (b, second)):
        if not isinstance(given, Graph) and not is_dag(pattern):
            refuse_unless_cpdag(pattern, names)
    if not np.array_equal(first | first.T, second | second.T):
        return False
    return v_structures(first) == v_structures(second)


def v_structures(pattern: Pattern) -> dict[tuple[int, int], int]:
    """For each arrow x -> y in a v-structure x -> y <- z (x, z not adjacent), the set of such z as bits."""
    arrows = pattern & ~pattern.T
    parents, near = row_masks(arrows.T), row_masks(pattern | pattern.T)
    found = {}
    for x, y in np.argwhere(arrows).tolist():
        partners = parents[y] & ~near[x] & ~(1 << x)
        if partners:
            found[x, y] = partners
    return found
