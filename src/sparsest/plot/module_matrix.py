"""Modules as a matrix of numbers of edges: from the module of the row to the module of the column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import to_rgb

from sparsest.plot.canvas import Canvas, text_widths
from sparsest.plot.legend import Legend, Meaning
from sparsest.plot.names import distinct
from sparsest.plot.style import Theme

if TYPE_CHECKING:
    from sparsest.plot.modules import Modules

_MARGIN, _SIDE, _LETTERS, _SMALL, _TITLE_LETTERS = 0.25, 0.36, 9.0, 8.0, 12.0
_GAP = 0.14
_NAMED, _LONGEST = 3, 22  # columns named beside a row, and the letters of a name


def draw_numbers(
    found: Modules, theme: Theme, title: str | None, *, axes: Any, size: tuple[float, float] | None
) -> Any:
    """Draw the matrix, modules numbered, each with its size and its best connected columns."""
    k = len(found.names)
    beside = (_best(found), [found.size(i) for i in range(k)], [str(i + 1) for i in range(k)])
    room = [float(text_widths(words, _SMALL).max(initial=0.0)) + _GAP for words in beside]
    strip = sum(room)
    width = k * _SIDE
    notes = (*((found.apart,) if found.apart else ()), *found.notes)
    legend = Legend.of(_meanings(found), notes, max(width + strip, 4.0))
    heading = 0.35 if title else 0.0
    full = max(width + strip, legend.width) + 2 * _MARGIN
    high = width + 0.3 + legend.height + heading + 2 * _MARGIN
    canvas = Canvas(full, high, theme=theme, axes=axes, size=size)
    left, low = _MARGIN + strip, _MARGIN + legend.height
    top = low + width
    numbers = found.arrows + found.lines
    off = np.where(np.eye(k, dtype=bool), 0, numbers)
    rows, columns = np.nonzero(numbers)
    shade = [
        _shade(int(numbers[i, j]), int(off.max(initial=1)), theme, i == j)
        for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
    ]
    corners = np.column_stack([left + columns * _SIDE, top - (rows + 1) * _SIDE])
    canvas.cells(corners, _SIDE, [colour for colour, _ in shade])
    grid = [np.array([[left + i * _SIDE, low], [left + i * _SIDE, top]]) for i in range(k + 1)]
    grid += [np.array([[left, low + i * _SIDE], [left + width, low + i * _SIDE]]) for i in range(k + 1)]
    canvas.rules(grid, theme.box, 0.6)
    for i, j, (_, ink) in zip(rows.tolist(), columns.tolist(), shade, strict=True):
        text = str(found.arrows[i, j]) if i != j else str(numbers[i, i])
        if i != j and found.lines[i, j]:
            text = f"{text} ({found.lines[i, j]})"
        middle = (left + (j + 0.5) * _SIDE, top - (i + 0.5) * _SIDE)
        canvas.text(*middle, text, _LETTERS if len(text) < 5 else 6.5, colour=ink)
    # Each on its own: names in a right-to-left script would turn what stands on the same line.
    for words, after in zip(beside, (room[1] + room[2], room[2], 0.0), strict=True):
        for i, line in enumerate(words):
            canvas.text(left - after - _GAP / 2, top - (i + 0.5) * _SIDE, line, _SMALL, align="right")
    for i in range(k):
        canvas.text(left + (i + 0.5) * _SIDE, top + 0.14, str(i + 1), _LETTERS)
    legend.draw(canvas, _MARGIN, _MARGIN)
    if title:
        canvas.text(full / 2, top + 0.3 + heading * 0.6, title, _TITLE_LETTERS, bold=True)
    return canvas.figure


def _best(found: Modules) -> list[str]:
    """The best connected columns of each module, shortened so that different ones stay different."""
    named = [names[:_NAMED] for names in found.names]
    short = iter(distinct([name for names in named for name in names], _LONGEST))
    return [
        ", ".join([next(short) for _ in some] + ["…"] * (len(names) > _NAMED))
        for some, names in zip(named, found.names, strict=True)
    ]


def _shade(number: int, most: int, theme: Theme, inside: bool) -> tuple[Any, str]:
    """The colour of a cell, darker for more edges, and of the number in it."""
    if inside:
        return to_rgb(theme.box), theme.text
    share = 0.15 + 0.75 * min(number / max(most, 1), 1.0)
    full, ground = np.array(to_rgb(theme.positive)), np.array(to_rgb(theme.ground))
    colour = tuple((share * full + (1 - share) * ground).tolist())
    return colour, theme.ground if share > 0.6 else theme.text


def _meanings(found: Modules) -> list[Meaning]:
    meanings = [
        Meaning("numbers of edges from columns of the row's module to columns of the column's module"),
        Meaning("on the diagonal: edges inside"),
    ]
    if (found.lines - np.diag(np.diag(found.lines))).any():
        meanings.append(Meaning("in brackets: further edges whose direction is not identified"))
    return meanings
