"""The nodes that a question is about, by name or position, as sets of positions that do not overlap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from sparsest._core.errors import GraphError
from sparsest._core.words import listed
from sparsest.graph.types import Graph

Node: TypeAlias = str | int
Nodes: TypeAlias = str | int | Iterable[str | int]


def positions(graph: Graph, nodes: Nodes, what: str, *, empty: bool = False) -> list[int]:
    """Positions of one or several nodes, in increasing order."""
    if isinstance(nodes, Mapping | bytes):
        raise GraphError(f"{what} must be a node or a list of nodes, not {nodes!r}")
    several = nodes if isinstance(nodes, Iterable) and not isinstance(nodes, str) else [nodes]
    found = sorted({graph.position(node) for node in several})
    if not found and not empty:
        raise GraphError(f"{what} is empty: give at least one node")
    return found


def cause_and_outcome(graph: Graph, cause: Nodes, outcome: Nodes) -> tuple[list[int], list[int]]:
    """Positions of the causes and the outcomes, which must differ."""
    causes, outcomes = positions(graph, cause, "cause"), positions(graph, outcome, "outcome")
    refuse_overlap(graph, ("cause", causes), ("outcome", outcomes))
    return causes, outcomes


def refuse_overlap(graph: Graph, *groups: tuple[str, list[int]]) -> None:
    """Raise GraphError if two of the groups share a node."""
    for k, (what, nodes) in enumerate(groups):
        for other, others in groups[:k]:
            shared = [graph.names[node] for node in nodes if node in set(others)]
            if shared:
                raise GraphError(
                    f"{listed(shared)} cannot be in both {other} and {what}: name each node only once"
                )


def named(graph: Graph, nodes: Iterable[int]) -> list[str]:
    """Names of nodes, in the order of the graph."""
    return [graph.names[node] for node in sorted(nodes)]
