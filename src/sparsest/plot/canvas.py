"""Boxes, text, lines and arrows on matplotlib axes, with coordinates in inches of the drawing."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager
from matplotlib.patches import FancyBboxPatch

from sparsest.plot.coordinates import Array
from sparsest.plot.curves import arrow
from sparsest.plot.names import wide_letters
from sparsest.plot.picture import new_picture
from sparsest.plot.style import LIGHT, LineStyle, Theme

_FINE = 288.0  # dots per inch for measuring text: coarser measures are rounded up
_FAMILY = "DejaVu Sans"  # comes with matplotlib: the same drawing on every machine
# For letters that it lacks, the first of these that are installed.
_FURTHER = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari",
    "Noto Sans Thai", "Microsoft YaHei", "Hiragino Sans", "WenQuanYi Micro Hei", "Arial Unicode MS",
)  # fmt: skip
_HEAD = 0.075, 0.020  # length of an arrowhead: minimum, and per point of line width
_SLIM = 0.82  # width of an arrowhead relative to its length
LINE_HEIGHT = 1.2 / 72  # inches per point of font size


def text_widths(words: Sequence[str], size: float, *, bold: bool = False) -> Array:
    """Widths of words in inches."""
    font = _font(size, bold=bold)
    renderer = FigureCanvasAgg(Figure(figsize=(1, 1), dpi=_FINE)).get_renderer()  # type: ignore[no-untyped-call]
    with warnings.catch_warnings():
        # Where no font has a letter its width is that of a box, and the reader's own font may have it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        dots = [renderer.get_text_width_height_descent(word, font, False)[0] for word in words]
    return np.maximum(np.array(dots) / _FINE, [wide_letters(word) * size / 72 for word in words])


@cache
def _families() -> list[str]:
    installed = {font.name for font in fontManager.ttflist}
    return [_FAMILY, *(name for name in _FURTHER if name in installed)]


def _font(size: float, *, bold: bool) -> FontProperties:
    return FontProperties(family=_families(), size=size, weight="bold" if bold else "normal")


class Canvas:
    """Drawing area of a given size, with the origin in its lower left corner.

    By default a new figure of that size. In a figure of another size, or in given axes, the drawing is
    scaled to fit, letters and lines included.
    """

    def __init__(
        self,
        width: float,
        height: float,
        *,
        theme: Theme = LIGHT,
        axes: Any = None,
        size: tuple[float, float] | None = None,
    ) -> None:
        self.theme = theme
        if axes is None:
            self.figure = new_picture(size or (width, height), theme.ground)
            axes = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        else:
            self.figure = axes.figure
        self._axes = axes
        room = axes.get_window_extent().transformed(self.figure.dpi_scale_trans.inverted())
        self._zoom = min(room.width / width, room.height / height)
        axes.set_axis_off()
        spare = np.array([room.width / self._zoom - width, room.height / self._zoom - height]) / 2
        axes.set_xlim(-spare[0], width + spare[0])
        axes.set_ylim(-spare[1], height + spare[1])

    def box(self, centre: Array, width: float, height: float, line: float = 0.87) -> None:
        """Draw a box with rounded corners."""
        corner = (centre[0] - width / 2, centre[1] - height / 2)
        shape = f"round,pad=0,rounding_size={min(0.3 * height, 0.1)}"
        box = FancyBboxPatch(
            corner, width, height, shape, fc=self.theme.box, ec=self.theme.border, lw=line * self._zoom,
            zorder=3,
        )  # fmt: skip
        self._axes.add_artist(box)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        *,
        align: Literal["left", "center", "right"] = "center",
        bold: bool = False,
        turned: bool = False,
        colour: str | None = None,
    ) -> None:
        """Draw words literally, without interpreting them as TeX or mathematics."""
        text = self._axes.text(
            x, y, words, color=colour or self.theme.text,
            fontproperties=_font(size * self._zoom, bold=bold), zorder=4,
            rotation=90 if turned else 0, rotation_mode="anchor",
        )  # fmt: skip
        text.set_horizontalalignment(align)
        text.set_verticalalignment("center" if turned else "center_baseline")
        text.set_parse_math(False)
        text.set_usetex(False)

    def lines(self, x: float, y: float, words: Sequence[str], size: float) -> None:
        """Draw lines of text around a point."""
        for k, line in enumerate(words):
            self.text(x, y + ((len(words) - 1) / 2 - k) * size * LINE_HEIGHT, line, size)

    def label(self, x: float, y: float, words: str, size: float) -> None:
        """Draw words on the colour of the ground, above lines and below boxes."""
        text = self._axes.text(
            x,
            y,
            words,
            color=self.theme.text,
            fontproperties=_font(size * self._zoom, bold=False),
            zorder=2.8,
        )
        text.set_horizontalalignment("center")
        text.set_verticalalignment("center")
        text.set_bbox({"facecolor": self.theme.ground, "edgecolor": "none", "pad": 0.6, "alpha": 0.85})

    def cells(self, corners: Array, side: float, colours: Sequence[Any], *, filled: bool = True) -> None:
        """Draw squares with these lower left corners; outlines only if they are not filled."""
        square = np.array([[0, 0], [side, 0], [side, side], [0, side]])
        line = 0.0 if filled else 6.0 * side * self._zoom
        inset = 0.0 if filled else 0.14 * side
        shapes = corners[:, None] + inset + square * (1 - 2 * inset / side)
        self._axes.add_collection(
            PolyCollection(
                list(shapes), facecolors=colours if filled else "none",
                edgecolors="none" if filled else colours, linewidths=line, zorder=2,
            ),
            autolim=False,
        )  # fmt: skip

    def rules(self, segments: Sequence[Array], colour: str, width: float) -> None:
        """Draw thin straight lines below everything else."""
        self._axes.add_collection(
            LineCollection(list(segments), colors=colour, linewidths=width * self._zoom, zorder=1),
            autolim=False,
        )

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
        widths = [style.width * scale * self._zoom for style in styles]
        dashes = [(0, (4, 2.2)) if style.dashed else "solid" for style in styles]
        colours = [style.colour for style in styles]
        self._axes.add_collection(
            LineCollection(lines, colors=colours, linewidths=widths, linestyles=dashes, zorder=2),
            autolim=False,
        )
        self._axes.add_collection(
            PolyCollection(heads, facecolors=head_colours, linewidths=0, zorder=2.5), autolim=False
        )
