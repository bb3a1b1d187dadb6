"""Parts of a drawing: the strongest edges, or the neighbourhood of a node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sparsest._core.errors import OptionError
from sparsest._core.validation import whole
from sparsest._core.words import count, nearest, quoted
from sparsest.plot.drawn_edges import DrawnEdge, Verdict


@dataclass(frozen=True)
class Drawing:
    """Names of the nodes, the edges between them, and what there is to say about the choice."""

    names: tuple[str, ...]
    edges: tuple[DrawnEdge, ...]
    notes: tuple[str, ...] = ()

    def keeping(self, nodes: Sequence[int], edges: Sequence[DrawnEdge], note: str) -> Drawing:
        """These nodes and edges, in new positions."""
        place = {node: k for k, node in enumerate(nodes)}
        moved = tuple(replace(one, tail=place[one.tail], head=place[one.head]) for one in edges)
        return Drawing(tuple(self.names[node] for node in nodes), moved, (*self.notes, note))


def selected(drawing: Drawing, top: int | None, around: str | Sequence[str] | None) -> Drawing:
    """The part that was asked for."""
    if around is not None:
        drawing = _around(drawing, [around] if isinstance(around, str) else list(around))
    return drawing if top is None else _top(drawing, whole("top", top))


def _around(drawing: Drawing, centres: Sequence[str]) -> Drawing:
    """Some nodes, those joined to them, and all edges between these."""
    for name in centres:
        if name not in drawing.names:
            raise OptionError(f"around={name!r}: {nearest(name, drawing.names, 'columns')}")
    kept = {drawing.names.index(name) for name in centres}
    kept |= {end for one in drawing.edges if {one.tail, one.head} & kept for end in (one.tail, one.head)}
    edges = [one for one in drawing.edges if {one.tail, one.head} <= kept]
    leaving = sum(len({one.tail, one.head} & kept) == 1 for one in drawing.edges)
    note = (
        f"around {quoted(list(centres), 3)}: {len(kept)} of {count(len(drawing.names), 'column')}, "
        f"{count(leaving, 'edge')} to others left out"
    )
    return drawing.keeping(sorted(kept), edges, note)


def _top(drawing: Drawing, most: int) -> Drawing:
    """The strongest edges, and the nodes that have one."""
    if most < 1:
        raise OptionError(f"top is a number of edges, at least 1, not {most}")
    if len(drawing.edges) <= most:
        return drawing
    strongest = sorted(drawing.edges, key=_strength, reverse=True)[:most]
    chosen = [one for one in drawing.edges if one in strongest]
    nodes = sorted({end for one in chosen for end in (one.tail, one.head)})
    by = "strongest" if any(one.effect is not None for one in chosen) else "surest" if any(
        one.share is not None for one in chosen) else "first"  # fmt: skip
    note = f"the {most} {by} of {count(len(drawing.edges), 'edge')}"
    if len(nodes) < len(drawing.names):
        note += f", and the {len(nodes)} of {len(drawing.names)} columns that have one"
    return drawing.keeping(nodes, chosen, note)


def _strength(edge: DrawnEdge) -> tuple[bool, float, float]:
    return edge.verdict is not Verdict.MISSING, abs(edge.effect or 0.0), edge.share or 0.0
