"""The ways in which a class can orient the edges at some nodes, without listing its members.

Intervening on a node cuts it off from its parents, so what matters of a member is which of its neighbours are
parents (Maathuis, Kalisch & Bühlmann, 2009, "Estimating high-dimensional intervention effects from
observational data"; Nandy, Maathuis & Richardson, 2017, for several nodes). In a maximally oriented PDAG each
undirected edge points either way in some member, and once it is oriented and Meek's rules are applied the
graph is maximally oriented again (Meek, 1995). So orienting one edge after the other at these nodes, each
time both ways, reaches every possible orientation exactly once, and never a wrong one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.streams import EFFECTS, generator
from sparsest.graph import mec_size, meek_closure
from sparsest.graph.chordal import buckets, clique_tree
from sparsest.graph.extension import extend
from sparsest.graph.types import Cpdag, Mpdag

#: The most orientations that are listed; beyond, this many are drawn at random.
MOST_ORIENTATIONS = 1024
#: The largest clique of undirected edges up to which members of a refined class are counted.
COUNTABLE_CLIQUE = 9

Pattern = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Orientations:
    """Classes, each with all edges at some nodes oriented: together they are the whole class.

    Parameters
    ----------
    patterns : tuple of bool arrays
        The refined classes.
    names : tuple of str
        The nodes.
    complete : bool
        False if there were too many, and these are a random choice of them.
    """

    patterns: tuple[Pattern, ...]
    names: tuple[str, ...]
    complete: bool

    def member(self, k: int) -> Pattern:
        """A DAG with orientation k."""
        return extend(self.patterns[k])[0]

    def counts(self, whole: Cpdag) -> tuple[int, ...] | None:
        """How many members of the class have each orientation; None if counting would take too long."""
        if not self.complete or largest_clique(whole) > COUNTABLE_CLIQUE:
            return None
        return tuple(mec_size(Mpdag._trusted(pattern, self.names)) for pattern in self.patterns)


def orientations(graph: Cpdag, nodes: Sequence[int], most: int = MOST_ORIENTATIONS) -> Orientations:
    """All ways to orient the edges at some nodes.

    Parameters
    ----------
    graph : Cpdag or Mpdag
        The class.
    nodes : sequence of int
        The nodes, by position.
    most : int
        If there are more orientations, so many are drawn at random.

    Returns
    -------
    Orientations

    Examples
    --------
    >>> import sparsest as sp
    >>> chain = sp.Cpdag([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> found = orientations(chain, [1])
    >>> [pattern[:, 1].nonzero()[0].tolist() for pattern in found.patterns]  # parents of the middle
    [[], [0], [2]]
    """
    found: list[Pattern] = []
    stack = [graph.pattern]
    while stack and len(found) < most:
        pattern = stack.pop()
        edge = _open_edge(pattern, nodes)
        if edge is None:
            found.append(pattern)
        else:
            stack += [oriented(pattern, *edge, graph.names), oriented(pattern, *edge[::-1], graph.names)]
    if not stack:
        order = sorted(range(len(found)), key=lambda k: _parents(found[k], nodes))
        return Orientations(tuple(found[k] for k in order), graph.names, complete=True)
    return _drawn(graph, nodes, most)


def _drawn(graph: Cpdag, nodes: Sequence[int], most: int) -> Orientations:
    """Random orientations, each edge either way with the same probability; the extremes come first."""
    rng = generator(0, EFFECTS, *nodes)
    found: dict[Any, Pattern] = {}
    for number in range(most):
        pattern = graph.pattern
        while (edge := _open_edge(pattern, nodes)) is not None:
            into = number == 1 or (number > 1 and rng.random() < 0.5)  # none, then as many parents as can be
            pattern = oriented(pattern, *(edge[::-1] if into else edge), graph.names)
        found[_parents(pattern, nodes)] = pattern
    return Orientations(tuple(found.values()), graph.names, complete=False)


def _open_edge(pattern: Pattern, nodes: Sequence[int]) -> tuple[int, int] | None:
    """The first undirected edge at one of the nodes, from the node."""
    for node in nodes:
        others = np.flatnonzero(pattern[node] & pattern[:, node])
        if len(others):
            return node, int(others[0])
    return None


def oriented(pattern: Pattern, tail: int, head: int, names: tuple[str, ...]) -> Pattern:
    """The class refined by the arrow tail -> head in place of an undirected edge."""
    changed = pattern.copy()
    changed[head, tail] = False
    closed: Pattern = meek_closure(Mpdag._trusted(changed, names)) != 0
    return closed


def _parents(pattern: Pattern, nodes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(np.flatnonzero(pattern[:, node]).tolist()) for node in nodes)


def largest_clique(graph: Cpdag) -> int:
    """The size of the largest clique in an undirected part of a class."""
    parts, lines = buckets(graph.pattern)
    sizes = [clique.bit_count() for part in parts for clique in clique_tree(lines, part).cliques]
    return max(sizes, default=1)


def shares_of(counts: Sequence[int]) -> tuple[float, ...]:
    """Counts as shares of their sum; counts may be beyond the range of floats."""
    total = sum(counts)
    return tuple(float(Fraction(one, total)) for one in counts)
