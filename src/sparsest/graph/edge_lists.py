"""Graphs from lists of edges: pairs, triples with a mark, or text such as "a -> b"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from sparsest._core.errors import GraphError
from sparsest._core.words import default_names, nearest
from sparsest.graph._matrix import Pattern, check_names
from sparsest.graph.tables import ENDS

Node: TypeAlias = str | int
Edge: TypeAlias = str | Sequence[str | int]

_MARKS = ("->", "<-", "--")


def edge_list_pattern(
    edges: Iterable[Edge], names: Iterable[object] | None = None
) -> tuple[Pattern, tuple[str, ...]]:
    """Matrix and names of the graph with these edges."""
    edges = _rows_of(edges)
    if isinstance(edges, str | bytes) or not isinstance(edges, Iterable):
        raise GraphError(f"edges must be a list such as [('a', 'b')] or ['a -> b'], not {edges!r}")
    triples = [_triple(edge) for edge in edges]
    nodes = [node for tail, _, head in triples for node in (tail, head)]
    checked = _names_of(nodes) if names is None else _given(names)
    places = {name: k for k, name in enumerate(checked)}
    pattern = np.zeros((len(checked), len(checked)), dtype=bool)
    for tail, mark, head in triples:
        i, j = _place(tail, checked, places), _place(head, checked, places)
        _refuse_conflict(pattern, (i, j), mark, checked)
        pattern[i, j] |= mark != "<-"
        pattern[j, i] |= mark != "->"
    return pattern, checked


def _rows_of(edges: Any) -> Any:
    """The rows of a data frame as triples; anything else as it is."""
    if not (hasattr(edges, "columns") and hasattr(edges, "shape")):
        return edges
    import narwhals

    frame = narwhals.from_native(edges, eager_only=True)
    found = {name.lower(): name for name in frame.columns}
    for source, target in ENDS:
        if source in found and target in found:
            marks = frame[found["mark"]].to_list() if "mark" in found else ["->"] * len(frame)
            columns = (frame[found[source]].to_list(), marks, frame[found[target]].to_list())
            return list(zip(*columns, strict=True))
    pairs = " or ".join(f"{source} and {target}" for source, target in ENDS)
    raise GraphError(f"a table of edges has columns {pairs}; this one has {', '.join(frame.columns)}")


def _given(names: Iterable[object]) -> tuple[str, ...]:
    given = names if isinstance(names, str) else list(names)  # text is refused below
    return check_names(given, len(given))


def _triple(edge: Any) -> tuple[Node, str, Node]:
    if isinstance(edge, str):
        for mark in _MARKS:
            ends = [end.strip() for end in edge.split(mark)]
            if len(ends) == 2 and all(ends):
                return ends[0], mark, ends[1]
    elif isinstance(edge, Sequence) and len(edge) == 2:
        return _node(edge[0], edge), "->", _node(edge[1], edge)
    elif isinstance(edge, Sequence) and len(edge) == 3 and edge[1] in _MARKS:
        return _node(edge[0], edge), edge[1], _node(edge[2], edge)
    raise GraphError(f"{edge!r} is not an edge: write ('a', 'b'), ('a', '--', 'b'), 'a -> b' or 'a -- b'")


def _node(node: Any, edge: Any) -> Node:
    if isinstance(node, str):
        return node
    if isinstance(node, int | np.integer) and not isinstance(node, bool) and node >= 0:
        return int(node)
    raise GraphError(f"{node!r} in {edge!r} is not a node: give its name or its position, counted from 0")


def _names_of(nodes: list[Node]) -> tuple[str, ...]:
    """Names in the order in which edges mention them; default names up to the largest position."""
    texts = [node for node in nodes if isinstance(node, str)]
    if len(texts) == len(nodes):
        return tuple(dict.fromkeys(texts))
    if texts:
        raise GraphError(f"the edges mix names ({texts[0]!r}) and positions: pass names=[...] as well")
    return default_names(1 + max((node for node in nodes if isinstance(node, int)), default=-1))


def _place(node: Node, names: tuple[str, ...], places: dict[str, int]) -> int:
    if isinstance(node, int):
        if node >= len(names):
            raise GraphError(f"no node has position {node}; positions run from 0 to {len(names) - 1}")
        return node
    if node not in places:
        raise GraphError(f"no node is called {node!r}; {nearest(node, names, 'names')}")
    return places[node]


def _refuse_conflict(pattern: Pattern, ends: tuple[int, int], mark: str, names: tuple[str, ...]) -> None:
    """Raise GraphError if an edge was given before in another way: two arrows would read as one line."""
    i, j = ends
    before = bool(pattern[i, j]), bool(pattern[j, i])
    if any(before) and before != (mark != "<-", mark != "->"):
        raise GraphError(f"the edge between {names[i]} and {names[j]} is given twice, with different marks")
