"""Meek's four rules: every arrow that follows from the arrows of a PDAG.

Meek (1995, "Causal inference and causal explanation with background knowledge"). An undirected x -- y becomes
x -> y if the other direction would create a new v-structure or a cycle:

    1. w -> x -- y, w and y not adjacent;
    2. x -> z -> y;
    3. x -- z1 -> y and x -- z2 -> y, z1 and z2 not adjacent;
    4. x -- w -> z -> y, x and z adjacent, w and y not adjacent.

Rules 1 to 3 turn adjacencies and v-structures into a CPDAG; rule 4 is needed if arrows have other sources.
"""

from __future__ import annotations

import numpy as np

from sparsest.graph._bits import bits, row_masks
from sparsest.graph._matrix import IntMatrix, Matrix, Pattern
from sparsest.graph._reading import read
from sparsest.graph.acyclicity import refuse_cycle
from sparsest.graph.types import Cpdag, Dag


def meek_closure(pdag: Dag | Cpdag | Matrix) -> IntMatrix:
    """Closure of a PDAG under Meek's rules; no arrow of the PDAG is changed.

    A closed PDAG may still have no consistent extension (an undirected cycle of four nodes, for instance):
    `cpdag_to_dag` decides.

    Parameters
    ----------
    pdag : Dag, Cpdag or (p, p) matrix
        Any partially directed graph.

    Returns
    -------
    (p, p) array of int64
        The matrix of the closed PDAG.

    Raises
    ------
    GraphError
        If the arrows imply a directed cycle.

    Examples
    --------
    >>> from sparsest.graph import meek_closure
    >>> meek_closure([[0, 1, 0], [0, 0, 1], [0, 1, 0]])  # 0 -> 1 -- 2 becomes 0 -> 1 -> 2
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """
    pattern, names = read(pdag)
    marks, closed = _Marks(pattern), pattern.copy()
    queue = [(int(x), int(y)) for x, y in np.argwhere(pattern & pattern.T)]
    while queue:
        x, y = queue.pop()
        if marks.lines[x] >> y & 1 and marks.implies(x, y):
            marks.orient(x, y)
            closed[y, x] = False
            queue += marks.touched(x, y)
    refuse_cycle(closed & ~closed.T, names)
    return closed.astype(np.int64)


class _Marks:
    """Parents, children, undirected and all neighbours of each node, as sets of bits."""

    def __init__(self, pattern: Pattern) -> None:
        arrows = pattern & ~pattern.T
        self.children, self.parents = row_masks(arrows), row_masks(arrows.T)
        self.lines, self.near = row_masks(pattern & pattern.T), row_masks(pattern | pattern.T)

    def implies(self, x: int, y: int) -> bool:
        """Whether one of the rules orients x -- y as x -> y."""
        far = ~(self.near[y] | 1 << y)
        if self.parents[x] & far or self.children[x] & self.parents[y]:
            return True
        middle = self.lines[x] & self.parents[y]
        if any(middle & ~(self.near[z] | 1 << z) for z in bits(middle)):
            return True
        return any(self.parents[z] & self.lines[x] & far for z in bits(self.near[x] & self.parents[y]))

    def orient(self, x: int, y: int) -> None:
        """Turn x -- y into x -> y."""
        self.lines[x] &= ~(1 << y)
        self.lines[y] &= ~(1 << x)
        self.children[x] |= 1 << y
        self.parents[y] |= 1 << x

    def touched(self, x: int, y: int) -> list[tuple[int, int]]:
        """Undirected edges, in both directions, to which a rule may apply now that x -> y."""
        ends = [(node, other) for node in (x, y) for other in bits(self.lines[node])]
        # x -> y may be the first arrow in rule 4, which orients an edge that touches neither x nor y.
        far = [(w, z) for z in bits(self.children[y]) for w in bits(self.lines[x] & self.lines[z])]
        return [*ends, *((b, a) for a, b in ends), *far]
