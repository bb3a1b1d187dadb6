"""Legend: the meaning of the arrows, lines and colours that occur in a drawing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsest.plot.canvas import Canvas, text_widths
from sparsest.plot.drawn_edges import DrawnEdge, Verdict
from sparsest.plot.style import BLUE, ORANGE, SLATE, VERDICTS, LineStyle

_LETTERS = 8.5
_LINE, _SAMPLE, _GAP, _ABOVE = 0.23, 0.32, 0.22, 0.25  # inches


@dataclass(frozen=True)
class _Entry:
    words: str
    style: LineStyle | None
    arrow: bool
    x: float
    line: int


@dataclass(frozen=True)
class Legend:
    """Entries arranged in lines, with their total width and height."""

    entries: tuple[_Entry, ...]
    width: float
    height: float

    @classmethod
    def of(cls, edges: list[DrawnEdge], room: float) -> Legend:
        """Legend of a drawing with these edges, in lines no wider than `room` if possible."""
        meanings = _meanings(edges)
        entries = []
        x, line, width = 0.0, 0, 0.0
        for (words, style, is_arrow), length in zip(
            meanings, text_widths([words for words, _, _ in meanings], _LETTERS), strict=True
        ):
            taken = (_SAMPLE + 0.08 if style else 0.0) + float(length)
            if x and x + taken > room:
                x, line = 0.0, line + 1
            entries.append(_Entry(words, style, is_arrow, x, line))
            width = max(width, x + taken)
            x += taken + _GAP
        return cls(tuple(entries), width, _ABOVE + (line + 1) * _LINE if entries else 0.0)

    def draw(self, canvas: Canvas, left: float, low: float) -> None:
        """Draw the entries with their lower left corner at (left, low)."""
        for entry in self.entries:
            x, y = left + entry.x, low + self.height - _ABOVE - (entry.line + 0.5) * _LINE
            if entry.style is not None:
                canvas.edges([np.array([[x, y], [x + _SAMPLE, y]])], [entry.style], [entry.arrow])
                x += _SAMPLE + 0.08
            canvas.text(x, y, entry.words, _LETTERS, align="left")


def _meanings(edges: list[DrawnEdge]) -> list[tuple[str, LineStyle | None, bool]]:
    """Text, style of the sample, if there is one, and whether it is an arrow."""
    found = [edge for edge in edges if edge.verdict is not Verdict.MISSING]
    meanings: list[tuple[str, LineStyle | None, bool]] = []
    if any(edge.directed for edge in found):
        meanings.append(("direction identified", LineStyle(SLATE), True))
    if any(not edge.directed for edge in found):
        meanings.append(("direction not identified", LineStyle(SLATE), False))
    if any(edge.share is not None for edge in found):
        meanings.append(("numbers: per cent of the resamples that have the mark", None, False))
    if any(edge.doubtful for edge in found):
        meanings.append(("in less than half of the resamples", LineStyle(SLATE, dashed=True), False))
    for verdict in (Verdict.WRONG, Verdict.MISSING):
        count = sum(edge.verdict is verdict for edge in edges)
        if count:
            style = LineStyle(VERDICTS[verdict], dashed=verdict is Verdict.MISSING)
            meanings.append((f"{verdict.value} ({count})", style, False))
    effects = [edge.effect for edge in found if edge.verdict is None and edge.effect is not None]
    if any(effect > 0 for effect in effects):
        meanings.append(("positive effect", LineStyle(BLUE, 2.2), False))
    if any(effect <= 0 for effect in effects):
        meanings.append(("negative effect", LineStyle(ORANGE, 2.2), False))
    return meanings
