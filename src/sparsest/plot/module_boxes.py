"""Modules as boxes, with arrows that say how many edges lead from one to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sparsest.plot.canvas import LINE_HEIGHT, Canvas, text_widths
from sparsest.plot.coordinates import Array
from sparsest.plot.layout import Spacing
from sparsest.plot.legend import Legend, Meaning
from sparsest.plot.names import wrapped
from sparsest.plot.springs import sprung
from sparsest.plot.style import LineStyle, Theme

if TYPE_CHECKING:
    from sparsest.plot.modules import Modules

_SPACING = Spacing(box=0.3, bend=0.16, row=0.5, port=0.15)
_MARGIN, _LETTERS, _COUNT_LETTERS, _TITLE_LETTERS = 0.25, 9.0, 7.5, 12.0
_NAMED, _LONGEST, _NAME_LINES = 4, 24, 2  # columns named in a box, and the letters and lines of a name
_BESIDE = 0.07  # inches that an arrow is beside the middle, where there are several
_NUMBER_AT = 0.38  # of the way, so that the numbers of two directions do not hide each other


def draw_boxes(
    found: Modules, theme: Theme, title: str | None, *, axes: Any, size: tuple[float, float] | None
) -> Any:
    """Draw a box per module, with its best connected columns."""
    boxes = [_words(found, k) for k in range(len(found.names))] + ([[found.apart]] if found.apart else [])
    widths = np.array([text_widths(lines, _LETTERS).max() for lines in boxes]) + 0.2
    tall = np.array([len(lines) * _LETTERS * LINE_HEIGHT + 0.16 for lines in boxes])
    pattern = np.zeros((len(boxes),) * 2, dtype=bool)
    groups = len(found.names)
    pattern[:groups, :groups] = found.joined & (found.arrows >= found.arrows.T)
    layout = sprung(pattern, widths, tall, _SPACING)
    legend = Legend.of(_meanings(found, theme), found.notes, max(layout.size[0], 4.0))
    heading = 0.35 if title else 0.0
    width = max(layout.size[0], legend.width) + 2 * _MARGIN
    height = layout.size[1] + legend.height + heading + 2 * _MARGIN
    canvas = Canvas(width, height, theme=theme, axes=axes, size=size)
    shift = np.array([(width - layout.size[0]) / 2, legend.height + _MARGIN])
    for (i, j), curve in layout.curves.items():
        there, back, open_ = found.arrows[i, j], found.arrows[j, i], found.lines[i, j]
        _draw_between(canvas, curve + shift, int(there), int(open_), int(back), theme)
    for centre, wide, high, lines in zip(layout.centres + shift, widths, tall, boxes, strict=True):
        canvas.box(centre, wide, high)
        canvas.lines(centre[0], centre[1], lines, _LETTERS)
    legend.draw(canvas, _MARGIN, _MARGIN)
    if title:
        canvas.text(width / 2, height - _MARGIN - heading * 0.3, title, _TITLE_LETTERS, bold=True)
    return canvas.figure


def _words(found: Modules, k: int) -> list[str]:
    names = found.names[k]
    named = [line for name in names[:_NAMED] for line in wrapped(name, _LONGEST, _NAME_LINES)]
    return [found.size(k), *named, *([f"and {len(names) - _NAMED} more"] if len(names) > _NAMED else [])]


def _draw_between(canvas: Canvas, curve: Array, there: int, unoriented: int, back: int, theme: Theme) -> None:
    """Up to three lines side by side, each with its number."""
    way = curve[-1] - curve[0]
    aside = np.array([-way[1], way[0]]) / max(float(np.hypot(*way)), 1e-9) * 2 * _BESIDE
    each = ((there, curve, True), (unoriented, curve, False), (back, curve[::-1], True))
    drawn = [one for one in each if one[0]]
    for k, (number, line, arrow) in enumerate(drawn):
        moved = line + (k - (len(drawn) - 1) / 2) * aside
        width = min(0.8 + 0.5 * float(np.sqrt(number)), 4.0)
        canvas.edges([moved], [LineStyle(theme.line, width)], [arrow])
        place = moved[0] + _NUMBER_AT * (moved[-1] - moved[0])
        canvas.label(place[0], place[1], str(number), _COUNT_LETTERS)


def _meanings(found: Modules, theme: Theme) -> list[Meaning]:
    off = ~np.eye(len(found.names), dtype=bool)
    meanings = []
    if found.arrows[off].any():
        words = "so many edges lead from columns of one module to columns of the other"
        meanings.append(Meaning(words, LineStyle(theme.line), True))
    if found.lines[off].any():
        meanings.append(Meaning("so many edges whose direction is not identified", LineStyle(theme.line)))
    return meanings
