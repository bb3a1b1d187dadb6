"""Boxes, text, lines and arrows on a matplotlib figure, with coordinates in inches."""

from __future__ import annotations

from typing import Literal

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import FancyBboxPatch

from sparsest.plot.coordinates import Array
from sparsest.plot.curves import arrow
from sparsest.plot.style import BOX_EDGE, BOX_FACE, TEXT, LineStyle

_FINE = 288.0  # dots per inch for measuring text: coarser measures are rounded up
_FAMILY = "DejaVu Sans"  # comes with matplotlib: the same drawing on every machine
_HEAD = 0.075, 0.020  # length of an arrowhead: minimum, and per point of line width
_SLIM = 0.82  # width of an arrowhead relative to its length


def text_widths(words: list[str], size: float, *, bold: bool = False) -> Array:
    """Widths of words in inches."""
    font = _font(size, bold=bold)
    renderer = FigureCanvasAgg(Figure(figsize=(1, 1), dpi=_FINE)).get_renderer()  # type: ignore[no-untyped-call]
    return np.array([renderer.get_text_width_height_descent(word, font, False)[0] for word in words]) / _FINE


def _font(size: float, *, bold: bool) -> FontProperties:
    return FontProperties(family=_FAMILY, size=size, weight="bold" if bold else "normal")


class Canvas:
    """Drawing area of a given size, with the origin in its lower left corner."""

    def __init__(self, width: float, height: float) -> None:
        self.figure = Figure(figsize=(width, height), facecolor="white")
        FigureCanvasAgg(self.figure)
        self._axes = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self._axes.set_axis_off()
        self._axes.set_xlim(0, width)
        self._axes.set_ylim(0, height)

    def box(self, centre: Array, width: float, height: float) -> None:
        """Draw a box with rounded corners."""
        corner = (centre[0] - width / 2, centre[1] - height / 2)
        shape = f"round,pad=0,rounding_size={0.3 * height}"
        box = FancyBboxPatch(
            corner, width, height, shape, fc=BOX_FACE, ec=BOX_EDGE, lw=2.8 * height, zorder=3
        )
        self._axes.add_artist(box)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        *,
        align: Literal["left", "center"] = "center",
        bold: bool = False,
    ) -> None:
        """Draw words literally, without interpreting them as TeX or mathematics."""
        text = self._axes.text(x, y, words, color=TEXT, fontproperties=_font(size, bold=bold), zorder=4)
        text.set_horizontalalignment(align)
        text.set_verticalalignment("center_baseline")
        text.set_parse_math(False)
        text.set_usetex(False)

    def label(self, x: float, y: float, words: str, size: float) -> None:
        """Draw words on a white ground, above lines and below boxes."""
        text = self._axes.text(x, y, words, color=TEXT, fontproperties=_font(size, bold=False), zorder=2.8)
        text.set_horizontalalignment("center")
        text.set_verticalalignment("center")
        text.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85})

    def edges(
        self, curves: list[Array], styles: list[LineStyle], arrows: list[bool], scale: float = 1.0
    ) -> None:
        """Draw curves, arrows with a head at the end; `scale` shrinks lines and heads."""
        lines, heads, head_colours = [], [], []
        for curve, style, is_arrow in zip(curves, styles, arrows, strict=True):
            line = curve
            if is_arrow:
                length = (_HEAD[0] + _HEAD[1] * style.width) * scale
                line, head = arrow(curve, length, _SLIM * length)
                heads.append(head)
                head_colours.append(style.colour)
            lines.append(line)
        widths = [style.width * scale for style in styles]
        dashes = [(0, (4, 2.2)) if style.dashed else "solid" for style in styles]
        colours = [style.colour for style in styles]
        self._axes.add_collection(
            LineCollection(lines, colors=colours, linewidths=widths, linestyles=dashes, zorder=2),
            autolim=False,
        )
        self._axes.add_collection(
            PolyCollection(heads, facecolors=head_colours, linewidths=0, zorder=2.5), autolim=False
        )
