"""Which layout a drawing gets: by the class, so that a line does not look like an arrow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse.csgraph import connected_components

from sparsest.graph.acyclicity import kahn_order
from sparsest.plot.coordinates import Array
from sparsest.plot.drawn_edges import DrawnEdge, Verdict
from sparsest.plot.layers import Pattern, widest_layer
from sparsest.plot.layout import Edge, Layout, Spacing, layered
from sparsest.plot.springs import sprung

_SWEEPS = 12
_SIDE_BY_SIDE = 6  # nodes that always may stand in one row


def arranged(
    edges: Sequence[DrawnEdge], widths: Array, tall: Array, spacing: Spacing, view: str = "auto"
) -> Layout:
    """Layout in layers, or by springs where more nodes are joined by lines than fit side by side.

    Nodes joined by edges without a direction form blocks. Edges that only the truth has do not count for the
    blocks.
    """
    pattern = pattern_of(edges, len(widths))
    count, block = connected_components(pattern, directed=True, connection="strong")
    nodes = int((pattern | pattern.T).any(axis=0).sum())
    largest = int(np.bincount(block, minlength=1).max(initial=0))
    if view == "springs" or (view == "auto" and largest > max(_SIDE_BY_SIDE, widest_layer(nodes))):
        return sprung(pattern_of(edges, len(widths), missing=True), widths, tall, spacing)
    return _in_layers(edges, pattern, count, block, widths, tall, spacing)


def pattern_of(edges: Sequence[DrawnEdge], p: int, *, missing: bool = False) -> Pattern:
    """Matrix of edges, both entries set where there is no direction."""
    pattern = np.zeros((p, p), dtype=bool)
    for edge in edges:
        if missing or edge.verdict is not Verdict.MISSING:
            pattern[edge.tail, edge.head] = True
            pattern[edge.head, edge.tail] |= not edge.directed
    return pattern


def causal_order(pattern: Pattern) -> list[int]:
    """Nodes in an order in which arrows lead forward, and what is joined stands close together.

    Kahn's order of the blocks, taking next the one whose neighbours lie first on average in the order before;
    parts that nothing joins come one after the other, the largest first.
    """
    count, block = connected_components(pattern, directed=True, connection="strong")
    blocks = _ordered(pattern, count, block)
    of_node = {node: k for k, nodes in enumerate(blocks) for node in nodes}
    condensed = np.zeros((count, count), dtype=bool)
    for tail, head in np.argwhere(pattern).tolist():
        condensed[of_node[tail], of_node[head]] |= of_node[tail] != of_node[head]
    joined = condensed | condensed.T
    _, part = connected_components(joined, directed=False)
    size = np.bincount(part, [len(nodes) for nodes in blocks])
    place = np.arange(count, dtype=float)
    for _ in range(_SWEEPS):
        mean = (joined @ place) / np.maximum(joined.sum(axis=1), 1)
        wish = np.lexsort((mean, part, -size[part]))
        order = wish[kahn_order(condensed[np.ix_(wish, wish)])]
        place = np.argsort(order).astype(float)
    return [node for k in np.argsort(place) for node in blocks[k]]


def _ordered(pattern: Pattern, count: int, block: Array) -> list[list[int]]:
    """The blocks, in an order in which arrows lead from earlier to later ones."""
    condensed = np.zeros((count, count), dtype=bool)
    tails, heads = np.nonzero(pattern)
    condensed[block[tails], block[heads]] = True
    np.fill_diagonal(condensed, False)
    members: list[list[int]] = [[] for _ in range(count)]
    for node, k in enumerate(block.tolist()):
        members[k].append(node)
    # The strong components are numbered at will: the order is by the smallest node.
    first = np.argsort([nodes[0] for nodes in members])
    return [members[first[k]] for k in kahn_order(condensed[np.ix_(first, first)])]


def _in_layers(
    edges: Sequence[DrawnEdge],
    pattern: Pattern,
    count: int,
    block: Array,
    widths: Array,
    tall: Array,
    spacing: Spacing,
) -> Layout:
    blocks = _ordered(pattern, count, block)
    place = {node: k for k, nodes in enumerate(blocks) for node in nodes}
    between = np.zeros_like(pattern)
    flat: list[Edge] = []
    for edge in edges:
        first, second = sorted((edge.tail, edge.head), key=lambda node: place[node])
        if place[first] == place[second]:
            flat.append((edge.tail, edge.head))
        else:
            between[first, second] = True
    return layered(between, blocks, flat, widths, tall, spacing)
