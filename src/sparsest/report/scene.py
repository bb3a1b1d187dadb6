"""The graph of a result as SVG: every node and edge an element that the page can find again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsest._core.words import percent
from sparsest.export.strength import strengths_of
from sparsest.plot.arranging import arranged
from sparsest.plot.curves import arrow
from sparsest.plot.drawn_edges import Array, DrawnEdge, edges_of
from sparsest.plot.figure import SPACING, boxes_of, curve_of
from sparsest.plot.selection import Drawing
from sparsest.report.markup import text
from sparsest.result import Result

_INCH = 96.0
_LETTERS = 10.0 * 96 / 72
_LINE = 1.2 * _LETTERS
_MARGIN = 24.0
_HEAD = 11.0
_FEW_POINTS = 12  # longer curves are drawn through every third point: nobody sees it


@dataclass(frozen=True, eq=False)
class Scene:
    """The edges in the order in which they are drawn, and the drawing."""

    edges: tuple[DrawnEdge, ...]
    svg: str


def scene_of(result: Result) -> Scene:
    """Lay the class out and draw it; heads that only the learned DAG has are hidden until asked for."""
    found = strengths_of(result)
    edges = edges_of(result.cpdag, found.effects, confidence=result.confidence, signed=found.signed)
    drawing = Drawing(result.names, tuple(edges))
    names, widths, tall = boxes_of(drawing)
    layout = arranged(edges, widths, tall, SPACING)
    width, height = (side * _INCH + 2 * _MARGIN for side in layout.size)
    flip = np.array([1.0, -1.0])
    shift = np.array([_MARGIN, height - _MARGIN])
    parts = [
        f'<svg class="graph" role="group" aria-label="Graph of {len(names)} columns and {len(edges)} edges" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" data-w="{width:.0f}" data-h="{height:.0f}" '
        'preserveAspectRatio="xMidYMid meet"><g class="world">',
        '<g class="edges">',
    ]
    for k, edge in enumerate(edges):
        curve = curve_of(edge, layout) * _INCH * flip + shift
        parts.append(_edge(k, edge, curve, result, comparable=found.comparable))
    parts.append('</g><g class="nodes">')
    for k, centre in enumerate(layout.centres * _INCH * flip + shift):
        parts.append(_node(k, centre, widths[k] * _INCH, tall[k] * _INCH, names[k], result.names[k]))
    return Scene(tuple(edges), "\n".join([*parts, "</g></g></svg>"]))


def _edge(k: int, edge: DrawnEdge, curve: Array, result: Result, *, comparable: bool) -> str:
    size = min(abs(edge.effect or 0.0), 1.0) if comparable else 0.3
    width = 1.2 + 3.0 * size
    sign = "plain" if edge.effect is None or not edge.signed else "up" if edge.effect > 0 else "down"
    points, heads = curve, ""
    length = _HEAD + 1.4 * width
    if edge.directed:
        points, head = arrow(curve, length, 0.8 * length)
        heads = _polygon(head, "head")
    else:  # the direction that the learned DAG happens to have
        forward = bool(result.dag.pattern[edge.tail, edge.head])
        _, head = arrow(curve if forward else curve[::-1], length, 0.8 * length)
        heads = _polygon(head, "head member")
    thinned = points if len(points) < _FEW_POINTS else np.concatenate([points[:-1:3], points[-1:]])
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in thinned)
    doubt = " doubt" if edge.doubtful else ""
    mark = "→" if edge.directed else "–"
    said = f"{result.names[edge.tail]} {mark} {result.names[edge.head]}"
    if edge.share is not None:
        said += f", {percent(edge.share)}"
    share = "" if edge.share is None else f' data-s="{edge.share:.3f}"'
    return (
        f'<g class="edge {sign}{doubt}" data-k="{k}"{share} tabindex="0" role="button" '
        f'aria-label="{text(said)}">'
        f'<title>{text(said)}</title><path class="hit" d="{path}"/>'
        f'<path class="line" d="{path}" stroke-width="{width:.1f}"/>{heads}</g>'
    )


def _polygon(points: Array, kind: str) -> str:
    return f'<polygon class="{kind}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'


def _node(k: int, centre: Array, width: float, height: float, lines: tuple[str, ...], full: str) -> str:
    x, y = centre
    first = y - (len(lines) - 1) / 2 * _LINE + 0.36 * _LETTERS
    words = "".join(
        f'<text x="{x:.1f}" y="{first + number * _LINE:.1f}">{text(line)}</text>'
        for number, line in enumerate(lines)
    )
    return (
        f'<g class="node" data-k="{k}" data-x="{x:.1f}" data-y="{y:.1f}" tabindex="0" role="button" '
        f'aria-label="{text(full)}"><title>{text(full)}</title><rect x="{x - width / 2:.1f}" '
        f'y="{y - height / 2:.1f}" width="{width:.1f}" height="{height:.1f}" rx="8"/>{words}</g>'
    )
