"""A graph as a matrix: causes in rows, effects in columns, in causal order.

Readable where lines are not: with many edges or many nodes. Cells of arrows are filled and lie above the
diagonal; an edge without a direction is two outlined cells.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.colors import to_rgb

from sparsest.plot.arranging import causal_order, pattern_of
from sparsest.plot.canvas import Canvas, text_widths
from sparsest.plot.drawn_edges import DrawnEdge, Verdict
from sparsest.plot.legend import Legend, Meaning
from sparsest.plot.names import distinct
from sparsest.plot.selection import Drawing
from sparsest.plot.style import LineStyle, Theme

_MARGIN = 0.25
_LARGEST, _SMALLEST, _ROOM = (
    0.2,
    0.055,
    11.0,
)  # side of a cell, and of the matrix where cells need not be tiny
_LETTERS_PER_CELL = 55.0  # points of a letter per inch of a cell
_LONGEST_NAME = 26
_LEAST_SEEN, _DOUBTFUL = 0.045, 0.5


def draw_matrix(
    drawing: Drawing,
    theme: Theme,
    title: str | None,
    *,
    axes: Any = None,
    size: tuple[float, float] | None = None,
) -> Any:
    """Draw the matrix with names along both sides."""
    p = len(drawing.names)
    order = causal_order(pattern_of(drawing.edges, p))
    place = np.argsort(order)
    side = min(_ROOM / p, _LARGEST)
    letters = min(_LETTERS_PER_CELL * side, 9.0)
    names = distinct(drawing.names, _LONGEST_NAME)
    strip = float(text_widths(names, letters).max(initial=0.0)) + 0.08
    width = p * side
    legend = Legend.of(_meanings(drawing.edges, theme), drawing.notes, max(width + strip, 4.0))
    heading = 0.35 if title else 0.0
    full = max(width + strip, legend.width) + 2 * _MARGIN
    high = width + strip + legend.height + heading + 2 * _MARGIN
    zoom = max(1.0, _SMALLEST / side)  # of large matrices, so that their names can be read in print
    canvas = Canvas(full, high, theme=theme, axes=axes, size=size or (zoom * full, zoom * high))
    origin = np.array([_MARGIN + strip, _MARGIN + legend.height])
    top = origin[1] + width
    _ruled(canvas, origin, p, side, theme)
    for k, node in enumerate(order):
        middle = (k + 0.5) * side
        canvas.text(origin[0] - 0.05, top - middle, names[node], letters, align="right")
        canvas.text(origin[0] + middle, top + 0.05, names[node], letters, align="left", turned=True)
    for filled, doubtful in ((True, False), (False, False), (True, True), (False, True)):
        chosen = [one for one in drawing.edges if one.directed is filled and one.doubtful is doubtful]
        if chosen:
            ends = [(one.tail, one.head) for one in chosen]
            colours = [_colour(one, theme) for one in chosen]
            if not filled:
                ends, colours = ends + [pair[::-1] for pair in ends], colours * 2
            rows, columns = place[np.array(ends)].T
            seen = max(side, _LEAST_SEEN) * (_DOUBTFUL if doubtful else 1.0)  # not specks in large matrices
            corners = (
                np.column_stack([origin[0] + columns * side, top - (rows + 1) * side]) - (seen - side) / 2
            )
            canvas.cells(corners, seen, colours, filled=filled)
    if title:
        canvas.text(full / 2, top + strip + heading * 0.6, title, 12.0, bold=True)
    legend.draw(canvas, _MARGIN, _MARGIN)
    return canvas.figure


def _ruled(canvas: Canvas, origin: Any, p: int, side: float, theme: Theme) -> None:
    """A frame, the diagonal, and a thin line at every tenth node."""
    (x, y), width = origin, p * side
    frame = [[(x, y), (x + width, y), (x + width, y + width), (x, y + width), (x, y)]]
    tenth = [k * side for k in range(10, p, 10)]
    lines = [[(x + k, y), (x + k, y + width)] for k in tenth] + [
        [(x, y + k), (x + width, y + k)] for k in tenth
    ]
    canvas.rules([np.array(line) for line in lines], theme.box, 0.6)
    canvas.rules([np.array(line) for line in [*frame, [(x, y + width), (x + width, y)]]], theme.faint, 0.6)


def _colour(edge: DrawnEdge, theme: Theme) -> tuple[float, float, float]:
    """Blue or orange, paler where the effect is weak; by the verdict against a truth."""
    if edge.verdict is not None:
        return to_rgb(theme.verdict(edge.verdict))
    if edge.effect is None:
        return to_rgb(theme.line)
    signed = theme.positive if edge.effect > 0 else theme.negative
    full, ground = np.array(to_rgb(signed if edge.signed else theme.line)), np.array(to_rgb(theme.ground))
    share = 0.35 + 0.65 * min(abs(edge.effect), 1.0)
    r, g, b = (share * full + (1 - share) * ground).tolist()
    return r, g, b


def _meanings(edges: tuple[DrawnEdge, ...], theme: Theme) -> list[Meaning]:
    meanings = [Meaning("the row is a cause of the column")]
    if any(not edge.directed for edge in edges):
        meanings[0] = Meaning("filled: the row is a cause of the column")
        meanings.append(Meaning("outlined: direction not identified"))
    for verdict in Verdict:
        count = sum(edge.verdict is verdict for edge in edges)
        if count:
            meanings.append(Meaning(f"{verdict.value} ({count})", LineStyle(theme.verdict(verdict), 5.0)))
    effects = [edge for edge in edges if edge.verdict is None and edge.effect is not None]
    if any(edge.signed and (edge.effect or 0) > 0 for edge in effects):
        meanings.append(Meaning("positive effect", LineStyle(theme.positive, 5.0)))
    if any(edge.signed and (edge.effect or 0) < 0 for edge in effects):
        meanings.append(Meaning("negative effect", LineStyle(theme.negative, 5.0)))
    if any(not edge.signed for edge in effects):
        meanings.append(Meaning("effect without a sign", LineStyle(theme.line, 5.0)))
    if effects:
        meanings.append(Meaning("paler: weaker"))
    if any(edge.doubtful for edge in edges):
        meanings.append(Meaning("smaller: in less than half of the resamples"))
    return meanings
