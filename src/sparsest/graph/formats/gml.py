"""GML: nested lists of keys and values in ASCII, other letters as XML entities."""

from __future__ import annotations

import html
import re
from typing import Any

from sparsest.graph.formats.dot import marked_triples
from sparsest.graph.tables import Marked, UnreadableError, marks
from sparsest.graph.types import Graph

_TOKEN = re.compile(r'\s+|\#[^\n]*|(?P<text>"[^"]*")|(?P<mark>[\[\]])|(?P<word>[^\s\[\]"]+)|(?P<other>")')
_ENTITY = re.compile(r"&#(\d+);|&(amp|quot);")


def write_gml(graph: Graph) -> str:
    """The text of a graph; edges without a direction have `directed 0`."""
    place = {name: k for k, name in enumerate(graph.names)}
    kind = str(getattr(graph, "kind", "dag"))
    lines = ["graph [", "  directed 1", f'  kind "{kind}"']
    for k, name in enumerate(graph.names):
        lines += ["  node [", f"    id {k}", f'    label "{_escaped(name)}"', "  ]"]
    for a, mark, b in marked_triples(graph):
        lines += ["  edge [", f"    source {place[a]}", f"    target {place[b]}"]
        lines += [*(["    directed 0"] if mark == "--" else []), "  ]"]
    return "\n".join([*lines, "]"]) + "\n"


def _escaped(name: str) -> str:
    return "".join(
        letter if letter.isascii() and letter.isprintable() and letter not in '"&' else f"&#{ord(letter)};"
        for letter in name
    )


def _meant(text: str) -> str:
    """Decimal entities are read by their number: html would replace those of control characters."""
    if not re.search(r"&[a-zA-Z]|&#x", text):
        return re.sub(r"&#(\d+);", lambda found: chr(int(found[1])), text)
    return html.unescape(text)


def parse_gml(text: str) -> Marked:
    """The graph in a GML file."""
    tokens: list[tuple[str, str]] = []
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "other":
            raise UnreadableError("has a text that does not end")
        if match.lastgroup is not None:
            tokens.append((match.lastgroup, match[0]))
    tree = dict(_pairs(tokens, 0)[0])
    graph = tree.get("graph")
    if not isinstance(graph, list):
        raise UnreadableError("holds no graph [ ... ]")
    if any(not isinstance(value, list) for key, value in graph if key in ("node", "edge")):
        raise UnreadableError("has a node or an edge without [ ... ]")
    plain = dict(graph)
    nodes = {}
    for node in (dict(value) for key, value in graph if key == "node"):
        nodes[node.get("id")] = str(node.get("label", node.get("name", node.get("id"))))
    names, edges = tuple(nodes.values()), []
    directed = plain.get("directed", "0") == "1"
    for edge in (dict(value) for key, value in graph if key == "edge"):
        ends = [nodes.get(edge.get(end)) for end in ("source", "target")]
        if ends[0] is None or ends[1] is None or ends[0] == ends[1]:
            raise UnreadableError(f"has an edge that does not join two of its nodes: {edge}")
        arrow = edge.get("directed", "1") == "1" and directed
        edges.append((ends[0], "->" if arrow else "--", ends[1]))
    lines = any(mark == "--" for _, mark, _ in edges) or plain.get("kind") in ("cpdag", "mpdag")
    if len(set(names)) < len(names):
        raise UnreadableError("has two nodes of the same name")
    return Marked(names, marks(names, edges), "pdag" if lines else "dag", open=False)


def _pairs(tokens: list[tuple[str, str]], start: int) -> tuple[list[tuple[str, Any]], int]:
    """Keys with their values, and where they end."""
    found: list[tuple[str, Any]] = []
    k = start
    while k < len(tokens) and tokens[k][1] != "]":
        if k + 1 >= len(tokens) or tokens[k][0] != "word":
            raise UnreadableError(f"has {tokens[k][1]!r} where a key with a value should be")
        key, (kind, value) = tokens[k][1], tokens[k + 1]
        if kind == "mark":
            inside, k = _pairs(tokens, k + 2)
            found.append((key, inside))
        else:
            found.append((key, _meant(value[1:-1]) if kind == "text" else value))
            k += 1
        k += 1
    return found, k
