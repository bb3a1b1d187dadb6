"""Ancestors and descendants, in every member of a class or in some.

An undirected edge of a class can point either way, but not independently of the others. A node x is a
possible ancestor of y exactly if a path from x to y consists of undirected edges, no three successive nodes
of which form a triangle, and then of arrows: once the first edge points away from x, Meek's first rule
(1995) orients the others (Perković, Kalisch & Maathuis, 2017, "Interpreting and using CPDAGs with
background knowledge"). In a CPDAG triangles need no attention, because a path that avoids them exists
whenever a longer one does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sparsest.graph._asked import Nodes, named, positions
from sparsest.graph._links import Links, flagged, reach
from sparsest.graph.types import Graph, Mpdag


def ancestors(graph: Graph, node: Nodes) -> list[str]:
    """Nodes with a directed path to one of the given nodes, without these."""
    asked = positions(graph, node, "node")
    return named(graph, set(flagged(reach(asked, [graph._links.parents]))) - set(asked))


def descendants(graph: Graph, node: Nodes) -> list[str]:
    """Nodes with a directed path from one of the given nodes, without these."""
    asked = positions(graph, node, "node")
    return named(graph, set(flagged(reach(asked, [graph._links.children]))) - set(asked))


def possible_ancestors(graph: Graph, node: Nodes) -> list[str]:
    """Nodes that are ancestors of one of the given nodes in some member, without these."""
    asked = positions(graph, node, "node")
    links = graph._links
    if not isinstance(graph, Mpdag):
        flags = reach(asked, [links.parents, links.lines])
    else:
        flags = along_lines(graph, flagged(reach(asked, [links.parents])))
    return named(graph, set(flagged(flags)) - set(asked))


def possible_descendants(graph: Graph, node: Nodes) -> list[str]:
    """Nodes that are descendants of one of the given nodes in some member, without these."""
    asked = positions(graph, node, "node")
    return named(graph, set(flagged(possible_reach(graph, asked))) - set(asked))


def possible_reach(graph: Graph, starts: Collection[int], barred: Collection[int] = ()) -> bytearray:
    """Flags of the nodes that a possibly directed path reaches from the starts, these included.

    The path must not enter a barred node.
    """
    links: Links = graph._links
    if not isinstance(graph, Mpdag):
        return reach(starts, [links.children, links.lines], barred)
    return reach(flagged(along_lines(graph, starts, barred)), [links.children], barred)


def along_lines(graph: Graph, starts: Iterable[int], barred: Collection[int] = ()) -> bytearray:
    """Flags of the nodes on undirected paths from the starts whose successive triples are no triangles."""
    lines, adjacent, closed = graph._links.lines, graph.pattern, set(barred)
    seen = bytearray(len(graph))
    waiting = []
    for node in starts:
        if node not in closed:
            seen[node] = 1
            waiting += [(node, other) for other in lines[node] if other not in closed]
    done = set(waiting)
    while waiting:
        before, node = waiting.pop()
        seen[node] = 1
        for other in lines[node]:
            step = (node, other)
            if other in closed or step in done or other == before:
                continue
            if not (adjacent[before, other] or adjacent[other, before]):
                done.add(step)
                waiting.append(step)
    return seen
