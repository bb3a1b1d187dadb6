"""Whether a total effect is the same in every member of a class, and whether there can be one at all.

Perković (2020, "Identifying causal effects in maximally oriented partially directed acyclic graphs"): the
effect of X on Y is identified exactly if no possibly causal path from X to Y that meets X only at its start
begins with an undirected edge. In an Mpdag, no node of the path may have an arrow to the node it starts
from, even outside the path. This condition is the amenability of Perković, Textor, Kalisch & Maathuis
(2018).
"""

from __future__ import annotations

from collections.abc import Collection

from sparsest.graph._asked import Nodes, cause_and_outcome
from sparsest.graph.ancestry import possible_reach
from sparsest.graph.types import Graph, Mpdag


def identified(graph: Graph, cause: Nodes, outcome: Nodes) -> bool:
    """Whether the effect of the causes on the outcomes is the same in every member."""
    return open_edge(graph, *cause_and_outcome(graph, cause, outcome)) is None


def unidentified_edge(graph: Graph, cause: Nodes, outcome: Nodes) -> tuple[str, str] | None:
    """An undirected edge that starts a possibly causal path, as (cause, neighbour); None if identified."""
    edge = open_edge(graph, *cause_and_outcome(graph, cause, outcome))
    return None if edge is None else (graph.names[edge[0]], graph.names[edge[1]])


def may_affect(graph: Graph, cause: Nodes, outcome: Nodes) -> bool:
    """Whether a member has a directed path from a cause to an outcome."""
    causes, outcomes = cause_and_outcome(graph, cause, outcome)
    flags = possible_reach(graph, causes)
    return any(flags[node] for node in outcomes)


def open_edge(graph: Graph, causes: Collection[int], outcomes: Collection[int]) -> tuple[int, int] | None:
    """The first undirected edge, from a cause, that starts a proper possibly causal path to an outcome."""
    links = graph._links
    for x in causes:
        barred = {*causes, *links.parents[x]} if isinstance(graph, Mpdag) else set(causes)
        starts = [v for v in links.lines[x] if v not in barred]
        if not starts or not _meets(graph, starts, barred, outcomes):
            continue
        return x, next(v for v in starts if _meets(graph, [v], barred, outcomes))
    return None


def _meets(graph: Graph, starts: list[int], barred: set[int], outcomes: Collection[int]) -> bool:
    flags = possible_reach(graph, starts, barred)
    return any(flags[node] for node in outcomes)
