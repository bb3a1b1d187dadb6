"""Tetrad's text: a line of nodes with semicolons between, and a line per edge.

The format has no quotation marks: white space, semicolons, commas and per cent signs in names become %20, %3B
and so on, and are read back. Tetrad itself sees the names with these escapes.
"""

from __future__ import annotations

import re

from sparsest.graph.formats.dot import marked_triples
from sparsest.graph.tables import Marked, UnreadableError, marks
from sparsest.graph.types import Graph

_SIGNS = {"-->": "->", "<--": "<-", "---": "--"}
_EDGE = re.compile(r"\d+\.\s+(\S+)\s+(\S+)\s+(\S+)(\s.*)?")
_EMPTY = "%"


def write_tetrad(graph: Graph) -> str:
    """The text of a graph."""
    lines = ["Graph Nodes:", ";".join(map(_escaped, graph.names)), "", "Graph Edges:"]
    for number, (a, mark, b) in enumerate(marked_triples(graph), start=1):
        lines.append(f"{number}. {_escaped(a)} {'-->' if mark == '->' else '---'} {_escaped(b)}")
    return "\n".join(lines) + "\n"


def parse_tetrad(text: str) -> Marked:
    """The graph in the text of a Tetrad file."""
    head, found, tail = text.partition("Graph Edges:")
    nodes = head.partition("Graph Nodes:")[2].strip()
    if not found:
        raise UnreadableError("has no line 'Graph Edges:'")
    names = tuple(_meant(name.strip()) for name in re.split(r"[;,]", nodes)) if nodes else ()
    edges = []
    for line in filter(None, map(str.strip, tail.splitlines())):
        if not line[0].isdigit():
            break  # attributes of the graph may follow
        match = _EDGE.fullmatch(line)
        if match is None or match[2] not in _SIGNS:
            raise UnreadableError(f"has the line {line!r}, which is no edge -->, <-- or --- of two nodes")
        a, sign, b = _meant(match[1]), _SIGNS[match[2]], _meant(match[3])
        for name in (a, b):
            if name not in names:
                raise UnreadableError(f"has an edge of {name!r}, which is not among its nodes")
        edges.append((a, sign, b))
    lines = any(mark == "--" for _, mark, _ in edges)
    return Marked(names, marks(names, edges), "pdag" if lines else "dag", open=False)


def _escaped(name: str) -> str:
    return "".join(map(_letter, name)) or _EMPTY


def _letter(letter: str) -> str:
    if letter in ";,%" or letter.isspace() or not letter.isprintable():
        return "".join(f"%{byte:02X}" for byte in letter.encode("utf-8", "surrogatepass"))
    return letter


def _meant(name: str) -> str:
    if name == _EMPTY:
        return ""
    pieces = re.split(r"((?:%[0-9A-F]{2})+)", name)
    return "".join(
        bytes.fromhex(piece.replace("%", "")).decode("utf-8", "surrogatepass") if k % 2 else piece
        for k, piece in enumerate(pieces)
    )
