"""The sets of parents that a node has in the members of a class.

Maathuis, Kalisch & Bühlmann (2009, "Estimating high-dimensional intervention effects from observational
data"): some of a node's undirected neighbours can be its further parents, and the others its children,
exactly if that makes no new v-structure at the node. With knowledge there must be no directed triangle at
the node either (Fang & He, 2020, "IDA with background knowledge"). No member has to be enumerated.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sparsest._core.errors import GraphError
from sparsest._core.words import listed
from sparsest.graph._asked import Node, Nodes, named, positions, refuse_overlap
from sparsest.graph._matrix import edge_pattern
from sparsest.graph.meek import meek_closure
from sparsest.graph.types import Cpdag, Graph, Mpdag


def possible_parent_sets(graph: Graph, node: Node) -> list[list[str]]:
    """The sets of parents that a node has in the members, each once, small ones first."""
    x = graph.position(node)
    sure = graph._links.parents[x]
    chosen = sorted(_chosen(graph, x), key=lambda nodes: (len(nodes), nodes))
    return [named(graph, [*sure, *nodes]) for nodes in chosen]


def _chosen(graph: Graph, x: int) -> Iterator[tuple[int, ...]]:
    """Sets of undirected neighbours that can be the further parents of x together."""
    lines, pattern = graph._links.lines[x], graph.pattern
    joined = {v: {u for u in lines if pattern[u, v] or pattern[v, u]} for v in lines}
    before = {v: {u for u in lines if pattern[u, v] and not pattern[v, u]} for v in lines}
    waiting: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((), tuple(lines))]
    while waiting:
        clique, candidates = waiting.pop()
        if all(before[v].issubset(clique) for v in clique):  # else u -> v -> x -> u for a child u
            yield clique
        for k, v in enumerate(candidates):
            waiting.append(((*clique, v), tuple(u for u in candidates[k + 1 :] if u in joined[v])))


def with_parents(graph: Cpdag, node: Node, parents: Nodes) -> Mpdag:
    """The members in which a node has exactly these parents."""
    x = graph.position(node)
    wanted = positions(graph, parents, "parents", empty=True)
    refuse_overlap(graph, ("node", [x]), ("parents", wanted))
    extra = set(wanted) - set(graph._links.parents[x])
    valid = len(wanted) - len(extra) == len(graph._links.parents[x])
    if not valid or tuple(sorted(extra)) not in _chosen(graph, x):
        words = listed(named(graph, wanted)) or "no nodes at all"
        raise GraphError(
            f"in no member are {words} the parents of {graph.names[x]}; possible_parent_sets lists those "
            "that are"
        )
    oriented = np.array(graph.pattern)
    for v in graph._links.lines[x]:
        oriented[(x, v) if v in extra else (v, x)] = False
    return Mpdag._trusted(edge_pattern(meek_closure(oriented)), graph.names)
