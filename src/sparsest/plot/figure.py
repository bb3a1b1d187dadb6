"""Drawing of a graph with matplotlib, without pyplot and its global state."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from sparsest._core.errors import GraphError, OptionError
from sparsest._core.words import clipped
from sparsest._core.writing import named_trouble
from sparsest.export.strength import standardized_weights
from sparsest.graph.acyclicity import kahn_order
from sparsest.graph.types import Cpdag, Dag
from sparsest.plot.canvas import Canvas, text_widths
from sparsest.plot.curves import point_at, smooth
from sparsest.plot.drawn_edges import Array, DrawnEdge, edges_of
from sparsest.plot.layout import Layout, Spacing, layered
from sparsest.plot.legend import Legend
from sparsest.plot.style import LineStyle, line_style

if TYPE_CHECKING:
    from sparsest.confidence import Confidence

_SUFFIXES = (".png", ".svg", ".pdf")
_DPI = 200
# Lengths are in inches, font sizes in points.
_LONGEST_SIDE = 30.0  # larger graphs are scaled down, text included
_MARGIN = 0.25
_LEAST_WIDTH = 3.6  # leaves room for the legend
_LETTERS, _TITLE_LETTERS, _SHARE_LETTERS = 10.0, 12.0, 7.0
_NAME_MARGIN = 0.11
_WAYS, _ROOM = (0.5, 0.4, 0.6, 0.3, 0.7), 0.25  # where on its curve a share may stand, and how far apart
_WIDTH_PER_EDGE = 0.05  # of a box, to keep neighbouring arrowheads apart
_SPACING = Spacing(height=0.31, box=0.24, bend=0.12, row=0.46, port=0.15)


def draw(
    graph: Cpdag | Dag,
    weights: ArrayLike | None = None,
    path: str | os.PathLike[str] | None = None,
    *,
    noise_variances: ArrayLike | None = None,
    truth: Dag | Cpdag | None = None,
    title: str | None = None,
    confidence: Confidence | None = None,
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
    truth : Dag or Cpdag, optional
        A graph to compare with. Colours then show wrong and missing edges instead of signs.
    title : str, optional
        A line above the drawing.
    confidence : Confidence, optional
        How often each edge comes again: the share stands beside it, and edges that come again in less than
        half of the resamples are dashed.

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
    kind = None if path is None else _kind(Path(path))
    if not len(graph):
        raise GraphError("the graph has no nodes: there is nothing to draw")
    if noise_variances is not None and not np.isfinite(np.asarray(noise_variances)).all():
        noise_variances = None
    by_strength = weights is not None and noise_variances is not None
    edges = edges_of(graph, _effects(weights, noise_variances), truth, confidence)
    styles = [line_style(edge, by_strength=by_strength) for edge in edges]
    with warnings.catch_warnings():
        # Characters that the font lacks appear as boxes: one warning per character would not help.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = _picture(graph, edges, styles, title)
        if path is not None:
            # Stronger compression would take most of the time and save little space.
            how: dict[str, Any] = {"pil_kwargs": {"compress_level": 3}} if kind == "png" else {}
            with named_trouble(Path(path)):
                figure.savefig(path, format=kind, dpi=_DPI, facecolor="white", **how)
    return figure


def _kind(path: Path) -> str:
    if path.suffix.lower() not in _SUFFIXES:
        raise OptionError(
            f"cannot tell the format of {str(path)!r}: use one of the suffixes {', '.join(_SUFFIXES)}"
        )
    return path.suffix.lower()[1:]


def _effects(weights: ArrayLike | None, noise_variances: ArrayLike | None) -> Array | None:
    if weights is None:
        return None
    given = np.asarray(weights, dtype=np.float64)
    return given if noise_variances is None else standardized_weights(given, np.asarray(noise_variances))


def _picture(
    graph: Cpdag | Dag, edges: list[DrawnEdge], styles: list[LineStyle], title: str | None
) -> Figure:
    labels = [clipped(name, 22 if len(graph) <= 30 else 14) for name in graph.names]
    widths = np.maximum(text_widths(labels, _LETTERS) + 2 * _NAME_MARGIN, 1.3 * _SPACING.height)
    ends = [node for edge in edges for node in (edge.tail, edge.head)]
    widths = np.maximum(widths, _WIDTH_PER_EDGE * np.bincount(ends, minlength=len(graph)))
    layout = _layout(graph, edges, widths)
    scale = min(1.0, (_LONGEST_SIDE - 2 * _MARGIN) / max(layout.size))
    graph_width, graph_height = (scale * side for side in layout.size)
    legend = Legend.of(edges, max(graph_width, _LEAST_WIDTH))
    heading = 2 * _TITLE_LETTERS / 72 if title else 0.0
    title_width = text_widths([title], _TITLE_LETTERS, bold=True)[0] if title else 0.0
    width = max(graph_width, legend.width, title_width) + 2 * _MARGIN
    canvas = Canvas(width, graph_height + legend.height + heading + 2 * _MARGIN)
    shift = np.array([(width - graph_width) / 2, legend.height + _MARGIN])
    curves = [_curve(edge, layout) * scale + shift for edge in edges]
    canvas.edges(curves, styles, [edge.directed for edge in edges], scale)
    _write_shares(canvas, edges, curves, scale)
    for label, centre, box in zip(labels, layout.centres * scale + shift, widths * scale, strict=True):
        canvas.box(centre, box, _SPACING.height * scale)
        canvas.text(centre[0], centre[1], label, _LETTERS * scale)
    legend.draw(canvas, _MARGIN, _MARGIN)
    if title:
        top = shift[1] + graph_height + heading * 0.6
        canvas.text(width / 2, top, title, _TITLE_LETTERS, bold=True)
    return canvas.figure


def _write_shares(canvas: Canvas, edges: list[DrawnEdge], curves: list[Array], scale: float) -> None:
    """Write the share of each edge on its curve, as far from the other shares as it can be."""
    taken = np.full((1, 2), np.inf)
    for edge, curve in zip(edges, curves, strict=True):
        if edge.share is None:
            continue
        places = [point_at(curve, way) for way in _WAYS]
        room = [min(np.linalg.norm(taken - place, axis=1).min(), _ROOM * scale) for place in places]
        place = places[int(np.argmax(room))]  # the first of several that are far enough: near the middle
        taken = np.vstack([taken, place])
        canvas.label(place[0], place[1], f"{100 * edge.share:.0f}", _SHARE_LETTERS * scale)


def _layout(graph: Cpdag | Dag, edges: list[DrawnEdge], widths: Array) -> Layout:
    """Layout of one member of the class; edges that only the truth has are placed in its order."""
    member = (graph.to_dag() if isinstance(graph, Cpdag) else graph).pattern.copy()
    order = kahn_order(member)
    place = np.argsort(order)
    for edge in edges:
        if not (member[edge.tail, edge.head] or member[edge.head, edge.tail]):
            first, second = sorted((edge.tail, edge.head), key=lambda node: place[node])
            member[first, second] = True
    return layered(member, order, widths, _SPACING)


def _curve(edge: DrawnEdge, layout: Layout) -> Array:
    """Curve of an edge from its tail to its head."""
    if (edge.tail, edge.head) in layout.routes:
        return smooth(layout.routes[edge.tail, edge.head])
    return smooth(layout.routes[edge.head, edge.tail])[::-1]
