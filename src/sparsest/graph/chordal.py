"""The undirected part of a CPDAG: connected chordal graphs, and their clique trees.

A graph is given as `lines`: for each node the set (as bits) of the nodes it is joined to.

In an MPDAG such a connected part, a *bucket*, may contain arrows. As in a CPDAG, all its nodes have the same
parents outside (rules 1 and 2), so the buckets can be oriented independently of one another. The skeleton of
a bucket is an induced subgraph of an undirected part of the CPDAG, and therefore chordal.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from sparsest.graph._bits import bits, lowest, row_masks
from sparsest.graph._matrix import Pattern


@dataclass(frozen=True)
class CliqueTree:
    """Maximal cliques, joined so that the cliques containing any given node form a subtree.

    `links[k]` lists pairs (other clique, separator); the separator is the intersection of the two cliques.
    """

    cliques: list[int]
    links: list[list[tuple[int, int]]]


def buckets(pattern: Pattern) -> tuple[list[int], list[int]]:
    """Buckets of a CPDAG or MPDAG, and the `lines` inside them, arrows included."""
    undirected = row_masks(pattern & pattern.T)
    parts = components(undirected, sum(1 << node for node, others in enumerate(undirected) if others))
    near = row_masks(pattern | pattern.T)
    lines = [0] * len(pattern)
    for part in parts:
        for node in bits(part):
            lines[node] = near[node] & part
    return parts, lines


def components(lines: list[int], nodes: int) -> list[int]:
    """Connected components of the subgraph induced on a set of nodes, sorted by smallest member."""
    found = []
    while nodes:
        part, edge = 0, nodes & -nodes
        while edge:
            part |= edge
            edge = _neighbourhood(lines, edge) & nodes & ~part
        found.append(part)
        nodes &= ~part
    return found


def _neighbourhood(lines: list[int], nodes: int) -> int:
    joined = 0
    for node in bits(nodes):
        joined |= lines[node]
    return joined


def clique_tree(lines: list[int], component: int) -> CliqueTree:
    """Clique tree of a connected chordal graph by maximum cardinality search (Blair & Peyton, 1993).

    The search always visits a node with the most visited neighbours next. As long as that number grows, the
    visited nodes form one clique; when it does not, a new clique begins and is attached to the clique of its
    most recently visited neighbour.
    """
    cliques: list[int] = []
    links: list[list[tuple[int, int]]] = []
    home: dict[int, int] = {}
    visited = before = 0
    rank = dict.fromkeys(bits(component), 0)
    last: dict[int, int] = {}
    queue = [(0, lowest(component))]
    while queue:
        _, node = heapq.heappop(queue)
        if visited >> node & 1:
            continue
        earlier = lines[node] & visited
        if cliques and rank[node] > before:
            cliques[-1] |= 1 << node
        else:
            cliques.append(earlier | 1 << node)
            links.append([])
            if earlier:
                parent = home[last[node]]
                links[parent].append((len(cliques) - 1, earlier))
                links[-1].append((parent, earlier))
        before = rank[node]
        home[node] = len(cliques) - 1
        visited |= 1 << node
        for other in bits(lines[node] & component & ~visited):
            rank[other] += 1
            last[other] = node
            heapq.heappush(queue, (-rank[other], other))
    return CliqueTree(cliques, links)


def roots_first(lines: list[int], component: int, source: int) -> list[int]:
    """Parts that stay undirected when `source` comes first, in the order that this implies.

    In every orientation of a connected chordal graph with this source and without cycles and v-structures,
    the edges between two parts point from the earlier to the later part, and each part can be oriented
    independently. They are found by the lexicographic search of Wienöbst, Bannach & Liśkiewicz (2021): a
    block that heads the partition before any of its nodes has been visited is a union of parts.
    """
    parts: list[int] = []
    begun = 0
    blocks = [1 << source, component & ~(1 << source)]
    while blocks:
        first = blocks[0]
        if not first & begun:
            parts += components(lines, first)
            begun |= first
        node = lowest(first)
        blocks[0] ^= 1 << node
        joined = lines[node]
        blocks = [half for block in blocks for half in (block & joined, block & ~joined) if half]
    return parts
