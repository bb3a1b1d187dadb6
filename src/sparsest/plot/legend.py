"""Legend: the meaning of the arrows, lines, widths and colours in a drawing, and notes about it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sparsest.plot.canvas import Canvas, text_widths
from sparsest.plot.drawn_edges import DrawnEdge, Verdict
from sparsest.plot.style import LineStyle, Theme

_LETTERS = 8.5
_LINE, _SAMPLE, _GAP, _ABOVE = 0.23, 0.32, 0.22, 0.25  # inches
_LETTER = 0.062  # width of an average letter of a note


class Meaning(NamedTuple):
    """Text, style of the sample, if there is one, and whether it is an arrow."""

    words: str
    style: LineStyle | None = None
    arrow: bool = False


@dataclass(frozen=True)
class _Entry:
    meaning: Meaning
    x: float
    line: int


@dataclass(frozen=True)
class Legend:
    """Entries arranged in lines, with their total width and height."""

    entries: tuple[_Entry, ...]
    width: float
    height: float

    @classmethod
    def of(cls, meanings: Sequence[Meaning], notes: Sequence[str], room: float) -> Legend:
        """Legend with these entries, in lines no wider than `room` if possible, and notes below them."""
        entries = []
        x, line, width = 0.0, 0, 0.0
        lines = [
            Meaning(part) for note in notes for part in textwrap.wrap(note, max(int(room / _LETTER), 30))
        ]
        every = [*meanings, *lines]
        for meaning, length in zip(every, text_widths([one.words for one in every], _LETTERS), strict=True):
            taken = (_SAMPLE + 0.08 if meaning.style else 0.0) + float(length)
            if x and (x + taken > room or meaning in lines):
                x, line = 0.0, line + 1
            entries.append(_Entry(meaning, x, line))
            width = max(width, x + taken)
            x += taken + _GAP
        return cls(tuple(entries), width, _ABOVE + (line + 1) * _LINE if entries else 0.0)

    def draw(self, canvas: Canvas, left: float, low: float) -> None:
        """Draw the entries with their lower left corner at (left, low)."""
        for entry in self.entries:
            x, y = left + entry.x, low + self.height - _ABOVE - (entry.line + 0.5) * _LINE
            if entry.meaning.style is not None:
                sample = np.array([[x, y], [x + _SAMPLE, y]])
                canvas.edges([sample], [entry.meaning.style], [entry.meaning.arrow])
                x += _SAMPLE + 0.08
            canvas.text(x, y, entry.meaning.words, _LETTERS, align="left")


def meanings_of(
    edges: Sequence[DrawnEdge], theme: Theme, *, by_strength: bool, share_of: str
) -> list[Meaning]:
    """What the lines of a drawing mean; `share_of` says what the numbers on them are shares of."""
    found = [edge for edge in edges if edge.verdict is not Verdict.MISSING]
    meanings = []
    if any(edge.directed for edge in found):
        meanings.append(Meaning("direction identified", LineStyle(theme.line), True))
    if any(not edge.directed for edge in found):
        meanings.append(Meaning("direction not identified", LineStyle(theme.line)))
    for verdict in (Verdict.WRONG, Verdict.MISSING):
        count = sum(edge.verdict is verdict for edge in edges)
        if count:
            style = LineStyle(theme.verdict(verdict), dashed=verdict is Verdict.MISSING)
            meanings.append(Meaning(f"{verdict.value} ({count})", style))
    effects = [edge for edge in found if edge.verdict is None and edge.effect is not None]
    if any(edge.signed and (edge.effect or 0) > 0 for edge in effects):
        meanings.append(Meaning("positive effect", LineStyle(theme.positive, 2.2)))
    if any(edge.signed and (edge.effect or 0) <= 0 for edge in effects):
        meanings.append(Meaning("negative effect", LineStyle(theme.negative, 2.2)))
    if any(not edge.signed for edge in effects):
        meanings.append(Meaning("effect without a sign", LineStyle(theme.line, 2.2)))
    if any(edge.share is not None for edge in found):
        meanings.append(Meaning(f"numbers: per cent of {share_of} with this mark"))
    if any(edge.doubtful for edge in found):
        meanings.append(Meaning(f"in less than half of {share_of}", LineStyle(theme.line, dashed=True)))
    if by_strength and any(edge.effect is not None for edge in found):
        where = " in one graph of the class" if any(not edge.directed for edge in found) else ""
        meanings.append(Meaning(f"wider: stronger effect{where}"))
    return meanings
