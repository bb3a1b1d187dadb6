"""Drawing of a graph with matplotlib: which view, which part, and how it is put together."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from sparsest._core.errors import GraphError, OptionError
from sparsest.export.strength import standardized_weights
from sparsest.graph.types import Cpdag, Dag
from sparsest.plot.arranging import arranged
from sparsest.plot.canvas import LINE_HEIGHT, Canvas, text_widths
from sparsest.plot.curves import point_at, smooth
from sparsest.plot.drawn_edges import Array, DrawnEdge, edges_of
from sparsest.plot.heat_map import draw_matrix
from sparsest.plot.layout import Layout, Spacing
from sparsest.plot.legend import Legend, meanings_of
from sparsest.plot.modules import draw_modules, worth_modules
from sparsest.plot.names import wrapped
from sparsest.plot.picture import format_of, save_picture
from sparsest.plot.selection import Drawing, selected
from sparsest.plot.style import Theme, line_style, theme_called

if TYPE_CHECKING:
    from sparsest.confidence import Confidence

VIEWS = ("auto", "layers", "springs", "matrix", "modules")
# Lengths are in inches, font sizes in points.
_LONGEST_SIDE = 30.0  # larger graphs are scaled down, text included
_MARGIN = 0.25
_LEAST_WIDTH = 3.6  # leaves room for the legend
_LETTERS, _TITLE_LETTERS, _SHARE_LETTERS = 10.0, 12.0, 7.0
_NAME_MARGIN, _LINE_MARGIN = 0.11, 0.14
_WAYS, _ROOM = (
    (0.5, 0.43, 0.57, 0.36, 0.64, 0.29, 0.71),
    0.25,
)  # where on its curve a share may stand, and how far apart
_SAMPLES = tuple(k / 32 for k in range(33))  # of other curves, to keep shares off crossings
_WIDTH_PER_EDGE = 0.05  # of a box, to keep neighbouring arrowheads apart
_BOX_WITH_SHARE = 0.42
SPACING = Spacing(box=0.24, bend=0.16, row=0.46, port=0.15)
# From where on lines cannot be followed any more: a matrix can be read.
_MOST_NODES, _MOST_EDGES, _MOST_PER_NODE, _ALWAYS_DRAWN = 150, 170, 2.6, 40
_MOST_IN_MATRIX = 200  # columns: their names can be read on a screen


def draw(
    graph: Cpdag | Dag,
    weights: ArrayLike | None = None,
    path: str | os.PathLike[str] | None = None,
    *,
    noise_variances: ArrayLike | None = None,
    comparable: bool = False,
    signed: ArrayLike | None = None,
    truth: Dag | Cpdag | None = None,
    title: str | None = None,
    confidence: Confidence | None = None,
    top: int | None = None,
    around: str | Sequence[str] | None = None,
    view: str = "auto",
    theme: str = "auto",
    ax: Any = None,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draw a graph: arrows where the direction is identified, plain lines where it is not.

    Parameters
    ----------
    graph : Dag or Cpdag
        The graph.
    weights : (p, p) array_like, optional
        weights[i, j] is the effect of i on j. Colours then show signs.
    path : path-like, optional
        File to save the drawing to; its suffix, .png, .svg or .pdf, determines the format.
    noise_variances : (p,) array_like, optional
        Used to put effects on a common scale; line widths then show strengths. If one is NaN, as for
        user-defined models, all lines have the same width.
    comparable : bool
        Whether the weights are on a common scale already.
    signed : (p, p) array_like of bool, optional
        Which weights have a sign; all by default.
    truth : Dag or Cpdag, optional
        A graph to compare with. Colours then show wrong and missing edges instead of signs.
    title : str, optional
        A line above the drawing.
    confidence : Confidence, optional
        How often each edge comes again: the share stands beside it, and edges that come again in less than
        half of the resamples are dashed.
    top : int, optional
        Draw so many edges, the strongest ones.
    around : str or list of str, optional
        Draw these nodes and those joined to them.
    view : {"auto", "layers", "springs", "matrix", "modules"}
        Rows of boxes with arrows that point down, boxes held by springs, a matrix, or a box for each group of
        columns with the numbers of edges between them. "auto" takes the readable one: springs where many
        nodes are joined by edges without a direction; a matrix for many or dense edges; modules where there
        are too many columns for a matrix and most edges are inside of groups.
    theme : {"auto", "light", "dark"}
        Colours; "auto" is dark where matplotlib's figures are.
    ax : matplotlib.axes.Axes, optional
        Axes to draw into, instead of a new figure.
    size : (float, float), optional
        Width and height of the figure in inches; by default as large as the graph needs.

    Returns
    -------
    matplotlib.figure.Figure
        The drawing.

    Examples
    --------
    >>> import sparsest as sp
    >>> from sparsest.plot.figure import draw
    >>> figure = draw(sp.Dag([[0, 1], [0, 0]], names=["rain", "wet"]), path="graph.svg")
    """
    if path is not None:
        format_of(Path(path))
    if not len(graph):
        raise GraphError("the graph has no nodes: there is nothing to draw")
    if view not in VIEWS:
        raise OptionError(f"view is one of {', '.join(map(repr, VIEWS))}, not {view!r}")
    if view == "modules" and truth is not None:
        raise OptionError("view='modules' shows numbers of edges and no truth: take view='matrix'")
    if noise_variances is not None and not np.isfinite(np.asarray(noise_variances)).all():
        noise_variances = None
    marks = None if signed is None else np.asarray(signed, dtype=bool)
    edges = edges_of(graph, _effects(weights, noise_variances), truth, confidence, marks)
    drawing = selected(Drawing(graph.names, tuple(edges)), top, around)
    colours = theme_called(theme)
    share_of = (
        "the posterior" if confidence is not None and confidence.how == "posterior" else "the resamples"
    )
    with warnings.catch_warnings():
        # Characters that the font lacks appear as boxes: one warning per character would not help.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        if view == "auto":
            view, drawing = _readable(drawing)
        if view in ("matrix", "modules"):
            overview = draw_matrix if view == "matrix" else draw_modules
            figure: Figure = overview(drawing, colours, title, axes=ax, size=size)
        else:
            by_strength = weights is not None and (comparable or noise_variances is not None)
            figure = _picture(drawing, colours, title, view, share_of, ax, size, by_strength=by_strength)
    if path is not None:
        save_picture(figure, path)
    return figure


def unreadable(drawing: Drawing) -> bool:
    """Whether lines could not be followed: too many nodes, or too many edges for these nodes."""
    nodes, edges = len(drawing.names), len(drawing.edges)
    if edges <= _ALWAYS_DRAWN:
        return nodes > 2 * _MOST_NODES
    return nodes > _MOST_NODES or edges > min(_MOST_EDGES, _MOST_PER_NODE * nodes)


def _readable(drawing: Drawing) -> tuple[str, Drawing]:
    """The view in which a drawing can be read, with a note that says why it is not one of boxes and lines."""
    if not unreadable(drawing):
        return "auto", drawing
    named = len(drawing.names) <= _MOST_IN_MATRIX or any(one.verdict is not None for one in drawing.edges)
    view = "modules" if not named and worth_modules(drawing) else "matrix"
    how = "as modules, each with its best connected columns" if view == "modules" else (
        "as a matrix in causal order")  # fmt: skip
    other = " view='matrix' draws every edge," if view == "modules" else ""
    note = (
        f"{len(drawing.names)} columns with {len(drawing.edges)} edges, drawn {how}: lines could not be "
        f"followed.{other} top=30 draws the strongest edges, around='name' a neighbourhood."
    )
    return view, Drawing(drawing.names, drawing.edges, (*drawing.notes, note))


def _effects(weights: ArrayLike | None, noise_variances: ArrayLike | None) -> Array | None:
    if weights is None:
        return None
    given = np.asarray(weights, dtype=np.float64)
    return given if noise_variances is None else standardized_weights(given, np.asarray(noise_variances))


def boxes_of(drawing: Drawing) -> tuple[list[tuple[str, ...]], Array, Array]:
    """The lines of each name, and the widths and heights of the boxes around them."""
    names = [wrapped(name, 22 if len(drawing.names) <= 30 else 16) for name in drawing.names]
    longest = iter(text_widths([line for lines in names for line in lines], _LETTERS))
    widths = np.array([max(next(longest) for _ in lines) for lines in names]) + 2 * _NAME_MARGIN
    tall = np.array([len(lines) * _LETTERS * LINE_HEIGHT + _LINE_MARGIN for lines in names])
    ends = [node for edge in drawing.edges for node in (edge.tail, edge.head)]
    least = np.maximum(0.4, _WIDTH_PER_EDGE * np.bincount(ends, minlength=len(names)))
    return names, np.maximum(widths, least), tall


def _picture(
    drawing: Drawing,
    theme: Theme,
    title: str | None,
    view: str,
    share_of: str,
    axes: Any,
    size: tuple[float, float] | None,
    *,
    by_strength: bool,
) -> Figure:
    names, widths, tall = boxes_of(drawing)
    edges = list(drawing.edges)
    shared = any(edge.share is not None for edge in edges)
    spacing = replace(SPACING, box=_BOX_WITH_SHARE) if shared else SPACING  # room for numbers on lines
    layout = arranged(edges, widths, tall, spacing, view)
    scale = min(1.0, (_LONGEST_SIDE - 2 * _MARGIN) / max(layout.size))
    graph_width, graph_height = (scale * side for side in layout.size)
    meanings = meanings_of(edges, theme, by_strength=by_strength, share_of=share_of)
    legend = Legend.of(meanings, drawing.notes, max(graph_width, _LEAST_WIDTH))
    heading = 2 * _TITLE_LETTERS / 72 if title else 0.0
    title_width = text_widths([title], _TITLE_LETTERS, bold=True)[0] if title else 0.0
    width = max(graph_width, legend.width, title_width) + 2 * _MARGIN
    height = graph_height + legend.height + heading + 2 * _MARGIN
    canvas = Canvas(width, height, theme=theme, axes=axes, size=size)
    shift = np.array([(width - graph_width) / 2, legend.height + _MARGIN])
    curves = [curve_of(edge, layout) * scale + shift for edge in edges]
    styles = [line_style(edge, by_strength=by_strength, theme=theme) for edge in edges]
    canvas.edges(curves, styles, [edge.directed for edge in edges], scale)
    _write_shares(canvas, edges, curves, scale)
    for k, centre in enumerate(layout.centres * scale + shift):
        canvas.box(centre, widths[k] * scale, tall[k] * scale, 0.87 * math.sqrt(scale))
        canvas.lines(centre[0], centre[1], names[k], _LETTERS * scale)
    legend.draw(canvas, _MARGIN, _MARGIN)
    if title:
        top = shift[1] + graph_height + heading * 0.6
        canvas.text(width / 2, top, title, _TITLE_LETTERS, bold=True)
    return canvas.figure


def _write_shares(canvas: Canvas, edges: list[DrawnEdge], curves: list[Array], scale: float) -> None:
    """Write the share of each edge on its curve, away from the other shares and from crossings."""
    taken = np.full((1, 2), np.inf)
    sampled = np.array([[point_at(curve, way) for way in _SAMPLES] for curve in curves])
    for k, (edge, curve) in enumerate(zip(edges, curves, strict=True)):
        if edge.share is None:
            continue
        others = np.delete(sampled, k, axis=0).reshape(-1, 2)
        places = [point_at(curve, way) for way in _WAYS]
        room = [min(_nearest(taken, place), 2 * _nearest(others, place), _ROOM * scale) for place in places]
        place = places[int(np.argmax(room))]  # the first of several that are far enough: near the middle
        taken = np.vstack([taken, place])
        canvas.label(place[0], place[1], f"{100 * edge.share:.0f}", _SHARE_LETTERS * scale)


def _nearest(points: Array, place: Array) -> float:
    return float(np.linalg.norm(points - place, axis=1).min(initial=np.inf))


def curve_of(edge: DrawnEdge, layout: Layout) -> Array:
    """Curve of an edge from its tail to its head."""
    there, back = (edge.tail, edge.head), (edge.head, edge.tail)
    if there in layout.curves:
        return layout.curves[there]
    if back in layout.curves:
        return layout.curves[back][::-1]
    return smooth(layout.routes[there]) if there in layout.routes else smooth(layout.routes[back])[::-1]
