"""All minimal adjustment sets, one after the other.

Minimal adjustment sets are the minimal separators of causes and outcomes in the moral graph of their
ancestors in the proper back-door graph, among the nodes that are not forbidden (van der Zander, Liśkiewicz
& Textor, 2019). Takata (2010, "Space-optimal, backtracking algorithms to list the minimal vertex separators
of a graph") lists them with polynomial time between one and the next: a separator is known by the part of
the graph that it leaves connected to the causes, and each step decides whether one more node belongs to
that part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from sparsest._core.errors import GraphError
from sparsest.graph._asked import Nodes, cause_and_outcome, named
from sparsest.graph._links import Links, flagged, reach
from sparsest.graph.adjustment import back_door
from sparsest.graph.identification import open_edge
from sparsest.graph.types import Graph


def adjustment_sets(graph: Graph, cause: Nodes, outcome: Nodes, most: int | None = 100) -> list[list[str]]:
    """The minimal valid adjustment sets, at most `most` of them, the smallest of those first."""
    if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
        raise GraphError(f"most must be a positive integer, or None for all sets, not {most!r}")
    causes, outcomes = cause_and_outcome(graph, cause, outcome)
    if open_edge(graph, causes, outcomes) is not None:
        return []
    door = back_door(graph._member_links, causes, outcomes)
    found = islice(minimal_separators(door.links, causes, outcomes, door.forbidden), most)
    return [named(graph, chosen) for chosen in sorted(found, key=lambda nodes: (len(nodes), sorted(nodes)))]


def minimal_separators(
    links: Links, a: Collection[int], b: Collection[int], forbidden: Collection[int]
) -> Iterator[set[int]]:
    """Minimal sets without forbidden nodes that d-separate a from b in a DAG."""
    moral = _moral(links, flagged(reach([*a, *b], [links.parents])))
    source, sink = min(a), min(b)
    _merge(moral, source, a)
    _merge(moral, sink, b)
    for node in set(forbidden).intersection(moral) - {source, sink}:
        _eliminate(moral, node)
    if sink not in moral[source]:
        yield from _separators(moral, source, sink)


_Moral = dict[int, set[int]]


def _moral(links: Links, nodes: Collection[int]) -> _Moral:
    """Moral graph of an ancestral set: neighbours, and parents of the same node, are joined."""
    moral: _Moral = {node: set() for node in nodes}
    for node in nodes:
        family = [node, *links.parents[node]]
        for member in family:
            moral[member].update(family)
    for node, near in moral.items():
        near.discard(node)
    return moral


def _merge(graph: _Moral, into: int, nodes: Collection[int]) -> None:
    """Make several nodes one."""
    for node in set(nodes) - {into}:
        for other in graph.pop(node):
            graph[other].discard(node)
            if other != into:
                graph[other].add(into)
                graph[into].add(other)


def _eliminate(graph: _Moral, node: int) -> None:
    """Take out a node that separators must not contain: its neighbours stay connected."""
    near = graph.pop(node)
    for other in near:
        graph[other] |= near
        graph[other] -= {node, other}


def _separators(graph: _Moral, source: int, sink: int) -> Iterator[set[int]]:
    """Minimal separators of two nodes that are not adjacent, each once."""
    waiting: list[tuple[set[int], set[int]]] = [({source}, set())]
    while waiting:
        inner, outer = waiting.pop()
        closest = _closest(graph, inner, sink)
        if closest is None:
            continue
        separator, inner = closest
        if inner & outer:
            continue
        undecided = separator - outer
        if not undecided:
            yield separator
            continue
        node = min(undecided)
        waiting.append((inner | {node}, outer))
        waiting.append((inner, outer | {node}))


def _closest(graph: _Moral, inner: set[int], sink: int) -> tuple[set[int], set[int]] | None:
    """The separator closest to a connected part, and the part that it cuts off; None if there is none."""
    border = _border(graph, inner)
    if sink in border:
        return None
    separator = _border(graph, _component(graph, sink, border))
    return separator, _component(graph, next(iter(inner)), separator)


def _border(graph: _Moral, part: set[int]) -> set[int]:
    near: set[int] = set()
    for node in part:
        near |= graph[node]
    return near - part


def _component(graph: _Moral, start: int, without: set[int]) -> set[int]:
    part, waiting = {start}, [start]
    while waiting:
        fresh = graph[waiting.pop()] - part - without
        part |= fresh
        waiting += fresh
    return part
