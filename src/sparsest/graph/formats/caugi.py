"""The JSON of caugi, an R package for causal graphs: nodes, and edges with their signs."""

from __future__ import annotations

import json
from typing import Any

from sparsest._core.errors import SparsestError
from sparsest.graph.formats.dot import marked_triples
from sparsest.graph.tables import Marked, UnreadableError, marks
from sparsest.graph.types import Dag, Graph

_SIGNS = {"-->": "->", "<--": "<-", "---": "--", "--": "--"}


def write_caugi(graph: Graph) -> str:
    """The JSON of a graph; a class is a PDAG to caugi."""
    edges = [
        {"from": a, "to": b, "edge": "-->" if mark == "->" else "---"} for a, mark, b in marked_triples(graph)
    ]
    tree = {
        "$schema": "https://caugi.org/schemas/caugi-v1.schema.json",
        "format": "caugi",
        "version": "1.0.0",
        "graph": {
            "class": "DAG" if isinstance(graph, Dag) else "PDAG",
            "nodes": list(graph.names),
            "edges": edges,
        },
    }
    return json.dumps(tree, indent=2, ensure_ascii=False) + "\n"


def parse_caugi(text: str) -> Marked:
    """The graph in the JSON of caugi."""
    try:
        return read_caugi_tree(json.loads(text))
    except SparsestError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableError(f"is not the JSON of caugi: {error}") from None


def read_caugi_tree(tree: Any) -> Marked:
    """The graph in a tree of plain values."""
    graph = tree["graph"]
    names = tuple(str(name) for name in graph["nodes"])
    edges = []
    for edge in graph["edges"]:
        if edge["edge"] not in _SIGNS:
            raise UnreadableError(f"has an edge {edge['edge']}: only -->, <-- and --- are read")
        edges.append((str(edge["from"]), _SIGNS[edge["edge"]], str(edge["to"])))
    is_dag = graph["class"] == "DAG"
    return Marked(names, marks(names, edges), "dag" if is_dag else "pdag", open=False)
