"""Syntax of edges: pairs ("a", "b") or text "a -> b"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sparsest._core.errors import OptionError
from sparsest.knowledge.column_lookup import Column, checked_column

Edge = tuple[Column, Column]


def checked_edges(edges: object, where: str, *, undirected: bool) -> tuple[Edge, ...]:
    """Pairs (cause, effect); if `undirected`, "a -- b" stands for both directions."""
    if isinstance(edges, str | bytes) or not isinstance(edges, Iterable) or isinstance(edges, Mapping):
        raise OptionError(f"{where} must be a list of edges such as ('a', 'b') or 'a -> b', not {edges!r}")
    return tuple(pair for edge in edges for pair in _pairs(edge, where, undirected))


def _pairs(edge: object, where: str, undirected: bool) -> list[Edge]:
    if isinstance(edge, str):
        return _from_text(edge, where, undirected)
    if not isinstance(edge, Iterable) or isinstance(edge, Mapping | bytes):
        raise OptionError(f"{where}: {edge!r} is not an edge: write ('a', 'b') or 'a -> b'")
    ends = list(edge)
    if len(ends) != 2:
        raise OptionError(f"{where}: an edge has two ends, cause and effect, but {edge!r} has {len(ends)}")
    return [(checked_column(ends[0], where), checked_column(ends[1], where))]


def _from_text(edge: str, where: str, undirected: bool) -> list[Edge]:
    for mark in ("->", "--"):
        ends = [end.strip() for end in edge.split(mark)]
        if len(ends) == 2 and all(ends):
            break
    else:
        raise OptionError(
            f"{where}: {edge!r} is not an edge: write 'a -> b', or ('a', 'b') if a name contains an arrow"
        )
    if mark == "--" and not undirected:
        raise OptionError(f"{where}: {edge!r} has no direction: write 'a -> b' or 'b -> a'")
    pair = ends[0], ends[1]
    return [pair] if mark == "->" else [pair, pair[::-1]]
