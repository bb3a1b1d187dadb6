"""d-separation, in time linear in the number of edges.

A walk is followed through the graph as by Shachter's (1998) Bayes ball: it passes a node that is not given
unless it enters and leaves by arrows into it, and a collider only if the collider or a descendant of it is
given (van der Zander, Liśkiewicz & Textor, 2019, "Separators and adjustment sets in causal graphs: complete
criteria and an algorithmic framework"). All members of an equivalence class have the same d-separations:
any one answers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sparsest.graph._asked import Nodes, positions, refuse_overlap
from sparsest.graph._links import Links, reach
from sparsest.graph.types import Graph


def d_separated(graph: Graph, a: Nodes, b: Nodes, given: Nodes = ()) -> bool:
    """Whether the nodes `given` d-separate all of a from all of b."""
    first, second = positions(graph, a, "a"), positions(graph, b, "b")
    known = positions(graph, given, "given", empty=True)
    refuse_overlap(graph, ("a", first), ("b", second), ("given", known))
    return separated(graph._member_links, first, second, known)


def separated(links: Links, a: Iterable[int], b: Iterable[int], given: Collection[int]) -> bool:
    """Whether `given` d-separates a from b in a DAG."""
    connected = d_connected(links, a, given)
    return not any(connected[node] for node in b)


def d_connected(links: Links, starts: Iterable[int], given: Collection[int]) -> bytearray:
    """Flags of the nodes, none of them given, that are d-connected to one of the starts."""
    parents, children = links.parents, links.children
    opened = reach(given, [parents])  # colliders that `given` opens
    known = bytearray(len(parents))
    for node in given:
        known[node] = 1
    left = bytearray(known)  # entered against an arrow, from a child; given nodes stop the walk
    entered = bytearray(len(parents))  # entered along an arrow, from a parent
    waiting = [node for node in starts if not known[node]]
    for node in waiting:
        left[node] = 1
    down: list[int] = []
    while waiting or down:
        if waiting:
            node = waiting.pop()
            through, up = True, True
        else:
            node = down.pop()
            through, up = not known[node], bool(opened[node])
        if up:
            for parent in parents[node]:
                if not left[parent]:
                    left[parent] = 1
                    waiting.append(parent)
        if through:
            for child in children[node]:
                if not entered[child]:
                    entered[child] = 1
                    down.append(child)
    return bytearray((x | y) & (1 - z) for x, y, z in zip(left, entered, known, strict=True))
