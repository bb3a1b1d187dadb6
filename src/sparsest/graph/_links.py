"""Parents, children and undirected neighbours of every node as lists, for algorithms linear in the edges.

A graph stores a dense matrix, whose rows take time proportional to the nodes to scan. The lists are built
once per graph, when the first question needs them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from sparsest.graph._matrix import Pattern

Neighbors: TypeAlias = list[list[int]]


class Links(NamedTuple):
    """Neighbours of every node, each list in increasing order."""

    parents: Neighbors
    children: Neighbors
    lines: Neighbors

    def without(self, arrows: Iterable[tuple[int, int]]) -> Links:
        """The same without some arrows; the lists of other nodes are shared."""
        parents, children = list(self.parents), list(self.children)
        for tail, head in arrows:
            children[tail] = [node for node in children[tail] if node != head]
            parents[head] = [node for node in parents[head] if node != tail]
        return Links(parents, children, self.lines)


def links_of(pattern: Pattern) -> Links:
    """Lists of neighbours from a matrix."""
    p = len(pattern)
    tails, heads = np.nonzero(pattern)
    both = pattern[heads, tails]
    lines = _grouped(tails[both], heads[both], p)
    tails, heads = tails[~both], heads[~both]
    order = np.argsort(heads, kind="stable")
    return Links(_grouped(heads[order], tails[order], p), _grouped(tails, heads, p), lines)


def _grouped(keys: np.ndarray, values: np.ndarray, p: int) -> Neighbors:
    """Values of each key, where the keys are sorted."""
    ends = np.searchsorted(keys, np.arange(p + 1)).tolist()
    flat = values.tolist()
    return [flat[ends[k] : ends[k + 1]] for k in range(p)]


def reach(starts: Iterable[int], steps: Sequence[Neighbors], barred: Collection[int] = ()) -> bytearray:
    """Nodes, as flags, that a walk along the steps reaches from the starts, these included.

    Barred nodes are never entered, and are no starts.
    """
    seen = bytearray(len(steps[0]))
    for node in barred:
        seen[node] = 1
    waiting = []
    for node in starts:
        if not seen[node]:
            seen[node] = 1
            waiting.append(node)
    while waiting:
        node = waiting.pop()
        for neighbors in steps:
            for other in neighbors[node]:
                if not seen[other]:
                    seen[other] = 1
                    waiting.append(other)
    for node in barred:
        seen[node] = 0
    return seen


def flagged(flags: bytearray) -> list[int]:
    """Positions of the nodes whose flag is set, in increasing order."""
    return [k for k, flag in enumerate(flags) if flag]
