"""GraphML: XML with nodes n0, n1, ... whose names are in `data`, and directed and undirected edges.

XML holds no control characters: a name with some is written as a JSON string in `escaped` as well.
"""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from sparsest.graph.formats.dot import marked_triples
from sparsest.graph.tables import Marked, UnreadableError, marks
from sparsest.graph.types import Graph

_SPACE = "http://graphml.graphdrawing.org/xmlns"
_IMPOSSIBLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NAMES = ("escaped", "name", "label")  # the data in which a name is looked for, then the node's id


def write_graphml(graph: Graph) -> str:
    """The XML of a graph."""
    place = {name: k for k, name in enumerate(graph.names)}
    kind = str(getattr(graph, "kind", "dag"))
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<graphml xmlns="{_SPACE}">',
        '  <key id="name" for="node" attr.name="name" attr.type="string"/>',
        '  <key id="escaped" for="node" attr.name="escaped" attr.type="string"/>',
        f'  <graph id="{kind}" edgedefault="directed">',
    ]
    for k, name in enumerate(graph.names):
        shown = _text(_IMPOSSIBLE.sub("\ufffd", name))
        data = f'<data key="name">{shown}</data>'
        if _IMPOSSIBLE.search(name):
            data += f'<data key="escaped">{_text(json.dumps(name))}</data>'
        lines.append(f'    <node id="n{k}">{data}</node>')
    for a, mark, b in marked_triples(graph):
        directed = "true" if mark == "->" else "false"
        lines.append(f'    <edge source="n{place[a]}" target="n{place[b]}" directed="{directed}"/>')
    return "\n".join([*lines, "  </graph>", "</graphml>"]) + "\n"


def _text(name: str) -> str:
    return escape(name, {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;"})


def parse_graphml(text: str) -> Marked:
    """The graph in a GraphML file: its nodes and edges, without nested graphs, ports and hyperedges."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise UnreadableError("declares a document type, which a graph does not need: it is not read")
    try:
        root = ElementTree.fromstring(text.encode("utf-8", "surrogatepass"))
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # its encoding may be unknown
        raise UnreadableError(f"is not XML: {error}") from None
    graphs = list(root.iter(f"{{{_SPACE}}}graph")) or list(root.iter("graph"))
    if len(graphs) != 1:
        raise UnreadableError(f"holds {len(graphs)} graphs: one is read")
    keys = {one.get("id"): one.get("attr.name") for one in root if one.tag.endswith("key")}
    (graph,) = graphs
    nodes = {
        one.get("id", ""): _name(one, keys) for one in graph if one.tag.endswith("}node") or one.tag == "node"
    }
    names = tuple(nodes.values())
    if len(set(names)) < len(names):
        raise UnreadableError("has two nodes of the same name")
    edges = []
    for one in graph:
        if not one.tag.endswith("edge"):
            continue
        ends = [nodes.get(one.get(end, "")) for end in ("source", "target")]
        if ends[0] is None or ends[1] is None:
            raise UnreadableError(f"has an edge of an unknown node: {one.attrib}")
        if ends[0] == ends[1]:
            raise UnreadableError(f"has an edge from {ends[0]!r} to itself: leave it out")
        plain = (
            one.get("directed", "true" if graph.get("edgedefault") != "undirected" else "false") == "false"
        )
        edges.append((ends[0], "--" if plain else "->", ends[1]))
    lines = any(mark == "--" for _, mark, _ in edges) or graph.get("id") in ("cpdag", "mpdag")
    return Marked(names, marks(names, edges), "pdag" if lines else "dag", open=False)


def _name(node: ElementTree.Element, keys: dict[str | None, str | None]) -> str:
    found = {keys.get(data.get("key"), data.get("key")): data.text or "" for data in node}
    for key in _NAMES:
        if key in found:
            return str(json.loads(found[key])) if key == "escaped" else found[key]
    return node.get("id", "")
