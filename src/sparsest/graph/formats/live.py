"""Graphs as objects of other Python packages, and back."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from sparsest._core.errors import GraphError, OptionError
from sparsest._core.words import listed
from sparsest.graph._matrix import Pattern
from sparsest.graph.formats.dot import marked_triples
from sparsest.graph.types import Dag, Graph

if TYPE_CHECKING:
    import networkx

_ARROW, _TAIL = 1, -1  # causal-learn's marks at the ends of edges


def to_networkx(graph: Graph, weights: Any = None) -> networkx.DiGraph:
    """A DiGraph for a DAG; a MultiDiGraph whose keys are marks for a class."""
    import networkx

    made = networkx.DiGraph() if isinstance(graph, Dag) else networkx.MultiDiGraph()
    made.add_nodes_from(graph.names)
    size = None if weights is None else np.asarray(weights, dtype=float)
    if size is not None and size.shape != (len(graph), len(graph)):
        raise GraphError(f"weights of shape {size.shape} for {len(graph)} nodes: one row and column per node")
    for a, mark, b in marked_triples(graph):
        for tail, head in ((a, b),) if mark == "->" else ((a, b), (b, a)):
            more = {} if size is None else {"weight": float(size[graph.position(tail), graph.position(head)])}
            if isinstance(graph, Dag):
                made.add_edge(tail, head, **more)
            else:
                made.add_edge(tail, head, key=mark, mark=mark, **more)
    return made


def from_networkx(given: Any) -> tuple[Pattern, tuple[str, ...]]:
    """Matrix and names of a networkx graph; two opposite arcs, and edges of a Graph, have no direction."""
    if not (hasattr(given, "edges") and hasattr(given, "is_directed")):
        raise GraphError(f"from_networkx takes a networkx graph, not a {type(given).__name__}")
    nodes = list(given.nodes)
    names = _distinct(nodes)
    place = {node: k for k, node in enumerate(nodes)}
    pattern = np.zeros((len(nodes), len(nodes)), dtype=bool)
    for tail, head in given.edges():
        pattern[place[tail], place[head]] = True
        pattern[place[head], place[tail]] |= not given.is_directed()
    return pattern, names


def to_pgmpy(graph: Graph) -> Any:
    """DAG or PDAG of pgmpy."""
    base = _package("pgmpy.base", "pgmpy")
    triples = list(marked_triples(graph))
    directed = [(a, b) for a, mark, b in triples if mark == "->"]
    if isinstance(graph, Dag):
        made = base.DAG()
        made.add_nodes_from(graph.names)
        made.add_edges_from(directed)
        return made
    made = base.PDAG(
        directed_ebunch=directed, undirected_ebunch=[(a, b) for a, mark, b in triples if mark == "--"]
    )
    made.add_nodes_from(graph.names)
    return made


def to_causallearn(graph: Graph) -> Any:
    """GeneralGraph of causal-learn."""
    package = "causallearn.graph"
    general, nodes, edges, ends = (
        _package(f"{package}.{name}", "causal-learn")
        for name in ("GeneralGraph", "GraphNode", "Edge", "Endpoint")
    )
    made = [nodes.GraphNode(name) for name in graph.names]
    found = general.GeneralGraph(made)
    tail, arrow = ends.Endpoint.TAIL, ends.Endpoint.ARROW
    for a, mark, b in marked_triples(graph):
        first, second = made[graph.position(a)], made[graph.position(b)]
        found.add_edge(edges.Edge(first, second, tail, arrow if mark == "->" else tail))
    return found


def from_causallearn(given: Any) -> tuple[Pattern, tuple[str, ...]]:
    """Matrix and names of a GeneralGraph, or of what an algorithm of causal-learn returned (`.G`)."""
    graph = getattr(given, "G", given)
    if not (hasattr(graph, "graph") and hasattr(graph, "get_nodes")):
        raise GraphError(f"from_causallearn takes a GeneralGraph, not a {type(given).__name__}")
    names = _distinct([node.get_name() for node in graph.get_nodes()])
    ends = np.asarray(graph.graph)  # [i, j] is the mark at i of the edge between i and j
    arrow = (ends == _TAIL) & (ends.T == _ARROW)
    line = (ends == _TAIL) & (ends.T == _TAIL)
    odd = np.argwhere((ends != 0) & ~(arrow | arrow.T | line))
    if len(odd):
        i, j = odd[0]
        raise GraphError(
            f"the edge between {names[i]} and {names[j]} has an end for hidden causes (<-> or o): only "
            "arrows and edges without a direction are taken"
        )
    pattern: Pattern = arrow | line
    return pattern, names


def _distinct(nodes: list[Any]) -> tuple[str, ...]:
    names = tuple(str(node) for node in nodes)
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise GraphError(f"different nodes have the same name as text: {listed(twice)}; rename them first")
    return names


def _package(module: str, name: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise OptionError(f"this needs {name}: pip install {name} ({error})") from None
