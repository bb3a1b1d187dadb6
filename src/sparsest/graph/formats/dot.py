r"""DOT (Graphviz) and DAGitty, which share a grammar: statements such as `"a" -> "b"` in braces.

Names are quoted where they are not plain words. In quotes `\"` is a quotation mark, `\\` a backslash, `\n`
a new line and `\u0007` a control character. Of DOT the plain form is read: nodes, edges and chains of
edges, with any attributes; no subgraphs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from sparsest.graph.tables import Marked, UnreadableError, marks
from sparsest.graph.types import Dag, Graph

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_KEYWORDS = {"graph", "digraph", "node", "edge", "subgraph", "strict", "dag", "pdag", "mag", "pag"}
_TOKEN = re.compile(
    r"""\s+|//[^\n]*|/\*.*?\*/|\#[^\n]*\n
    |(?P<quoted>"(?:[^"\\]|\\.)*")
    |(?P<edge><->|->|<-|--|@->|<-@|@-@|@--|--@)
    |(?P<mark>[{}\[\];,=:])
    |(?P<word>-?[\w.]+)
    |(?P<html><)|(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_MARKS = {"->": "->", "<-": "<-", "--": "--"}


def write_dot(graph: Graph) -> str:
    """A `digraph` whose name is the kind of graph; edges without a direction have `dir=none`."""
    lines = [f"digraph {_kind(graph)} {{", *(f"  {quoted(name)};" for name in graph.names)]
    for a, mark, b in marked_triples(graph):
        lines.append(f"  {quoted(a)} -> {quoted(b)}{' [dir=none]' if mark == '--' else ''};")
    return "\n".join([*lines, "}"]) + "\n"


def write_dagitty(graph: Graph) -> str:
    """A `dag` or `pdag` of DAGitty."""
    lines = [f"{'dag' if isinstance(graph, Dag) else 'pdag'} {{", *map(quoted, graph.names)]
    lines += [f"{quoted(a)} {mark} {quoted(b)}" for a, mark, b in marked_triples(graph)]
    return "\n".join([*lines, "}"]) + "\n"


def marked_triples(graph: Graph) -> Iterator[tuple[str, str, str]]:
    """The edges as (a, "->" or "--", b)."""
    for edge in graph.edges:  # type: ignore[attr-defined]
        yield (edge[0], "->", edge[1]) if len(edge) == 2 else edge


def _kind(graph: Graph) -> str:
    return str(getattr(graph, "kind", "dag"))


def quoted(name: str) -> str:
    """A name as it stands in the text."""
    if _PLAIN.fullmatch(name) and name.lower() not in _KEYWORDS:
        return name
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def unquoted(text: str) -> str:
    """The name that stands between quotation marks; unknown escapes stay as they are."""

    def meant(found: re.Match[str]) -> str:
        if found[1]:
            return chr(int(found[1], 16))
        return {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", '"': '"', "\\": "\\", "/": "\\/"}.get(
            found[2], found[0]
        )

    joined = re.sub(r"\\\r?\n", "", text[1:-1])  # a line that goes on
    return re.sub(r"\\(?:u([0-9a-fA-F]{4})|(.))", meant, joined, flags=re.DOTALL)


def parse_dot(text: str) -> Marked:
    """The graph in the text of a DOT file or of DAGitty."""
    tokens = _tokens(text)
    kind, name = _head(tokens)
    nodes: dict[str, None] = {}
    edges: list[tuple[str, str, str]] = []
    while tokens and tokens[0] != ("mark", "}"):
        _statement(tokens, nodes, edges, directed=kind != "graph")
    if not tokens:
        raise UnreadableError("ends before its graph does: a closing } is missing")
    names = tuple(nodes)
    lines = any(mark == "--" for _, mark, _ in edges)
    is_dag = kind == "dag" or (kind == "digraph" and name not in ("cpdag", "mpdag") and not lines)
    return Marked(names, marks(names, edges), "dag" if is_dag else "pdag", open=False)


Token = tuple[str, str]


def _tokens(text: str) -> list[Token]:
    found = []
    for match in _TOKEN.finditer(text):
        if match.lastgroup in ("html", "other"):
            line = text.count("\n", 0, match.start()) + 1
            raise UnreadableError(f"has {match[0]!r} in line {line}, which is not of DOT's plain form")
        if match.lastgroup is not None:
            kind = "name" if match.lastgroup in ("quoted", "word") else match.lastgroup
            found.append((kind, unquoted(match[0]) if match.lastgroup == "quoted" else match[0]))
    return found


def _head(tokens: list[Token]) -> tuple[str, str]:
    if tokens and tokens[0][1].lower() == "strict":
        tokens.pop(0)
    kind = tokens.pop(0)[1].lower() if tokens else ""
    if kind in ("mag", "pag"):
        raise UnreadableError(f"is a {kind.upper()}, which has hidden causes: only DAGs and PDAGs are read")
    name = tokens.pop(0)[1] if tokens and tokens[0][0] == "name" else ""
    if kind not in ("graph", "digraph", "dag", "pdag") or not tokens or tokens.pop(0)[1] != "{":
        raise UnreadableError("does not begin with digraph {, graph {, dag { or pdag {")
    return kind, name


def _statement(
    tokens: list[Token], nodes: dict[str, None], edges: list[tuple[str, str, str]], *, directed: bool
) -> None:
    """Take one statement from the tokens."""
    kind, text = tokens.pop(0)
    if (kind, text) in (("mark", ";"), ("mark", ",")):
        return
    if kind != "name":
        raise UnreadableError(f"has {text!r} where a node should be: subgraphs are not read")
    if text.lower() in ("graph", "node", "edge") and tokens and tokens[0] == ("mark", "["):
        _attributes(tokens)
        return
    if tokens and tokens[0] == ("mark", "="):  # a property of the whole graph
        del tokens[:2]
        return
    chain, signs = [text], []
    while tokens and tokens[0][0] == "edge":
        sign = tokens.pop(0)[1]
        if sign not in _MARKS:
            raise UnreadableError(f"has an edge {sign}, for hidden causes: only ->, <- and -- are read")
        if not tokens or tokens[0][0] != "name":
            raise UnreadableError(f"has no node after {chain[-1]!r} {sign}: subgraphs are not read")
        signs.append(sign)
        chain.append(tokens.pop(0)[1])
    attributes = _attributes(tokens)
    nodes.update(dict.fromkeys(chain))
    for a, sign, b in zip(chain, signs, chain[1:], strict=False):
        if a == b:
            raise UnreadableError(f"has an edge from {a!r} to itself: leave it out")
        plain = not directed or attributes.get("dir") == "none"
        back = attributes.get("dir") == "back"
        edges.append((a, "--" if plain else "<-" if back else _MARKS[sign], b))


def _attributes(tokens: list[Token]) -> dict[str, str]:
    found: dict[str, str] = {}
    while tokens and tokens[0] == ("mark", "["):
        tokens.pop(0)
        inside = []
        while tokens and tokens[0] != ("mark", "]"):
            inside.append(tokens.pop(0))
        if not tokens:
            raise UnreadableError("has attributes that do not end: a closing ] is missing")
        tokens.pop(0)
        for k in range(len(inside) - 2):
            if inside[k + 1] == ("mark", "="):
                found[inside[k][1].lower()] = inside[k + 2][1].lower()
    return found
