"""The Markov blanket of a node: given it, the node is independent of all others.

It consists of parents, children and the other parents of the children. All members of an equivalence class
have the same adjacencies and v-structures, and therefore the same blankets.
"""

from __future__ import annotations

from sparsest.graph._asked import Node, named
from sparsest.graph.types import Graph


def markov_blanket(graph: Graph, node: Node) -> list[str]:
    """Names of the nodes in the Markov blanket of a node."""
    links, k = graph._member_links, graph.position(node)
    blanket = {k, *links.parents[k], *links.children[k]}
    for child in links.children[k]:
        blanket.update(links.parents[child])
    return named(graph, blanket - {k})
