"""The legend: what arrows, lines and colours of this picture mean, and nothing that is not in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsest.plot.edges import Edge, Verdict
from sparsest.plot.pen import Pen, text_widths
from sparsest.plot.style import BLUE, ORANGE, SLATE, VERDICTS, Ink

_LETTERS = 8.5
_LINE, _SAMPLE, _GAP, _ABOVE = 0.23, 0.32, 0.22, 0.25  # inches


@dataclass(frozen=True)
class _Entry:
    words: str
    ink: Ink
    arrow: bool
    x: float
    line: int


@dataclass(frozen=True)
class Legend:
    """Entries set in lines, with the room they take."""

    entries: tuple[_Entry, ...]
    width: float
    height: float

    @classmethod
    def of(cls, edges: list[Edge], room: float) -> Legend:
        """The legend of a picture with these edges, in lines no wider than `room` if possible."""
        meanings = _meanings(edges)
        entries = []
        x, line, width = 0.0, 0, 0.0
        for (words, ink, arrow), length in zip(
            meanings, text_widths([words for words, _, _ in meanings], _LETTERS), strict=True
        ):
            taken = _SAMPLE + 0.08 + float(length)
            if x and x + taken > room:
                x, line = 0.0, line + 1
            entries.append(_Entry(words, ink, arrow, x, line))
            width = max(width, x + taken)
            x += taken + _GAP
        return cls(tuple(entries), width, _ABOVE + (line + 1) * _LINE if entries else 0.0)

    def draw(self, pen: Pen, left: float, low: float) -> None:
        """The entries, with their lower left corner at (left, low)."""
        middles = [low + self.height - _ABOVE - (entry.line + 0.5) * _LINE for entry in self.entries]
        starts = [left + entry.x for entry in self.entries]
        samples = [np.array([[x, y], [x + _SAMPLE, y]]) for x, y in zip(starts, middles, strict=True)]
        pen.edges(samples, [entry.ink for entry in self.entries], [entry.arrow for entry in self.entries])
        for entry, x, y in zip(self.entries, starts, middles, strict=True):
            pen.text(x + _SAMPLE + 0.08, y, entry.words, _LETTERS, align="left")


def _meanings(edges: list[Edge]) -> list[tuple[str, Ink, bool]]:
    """Words, the ink of the sample, and whether the sample is an arrow."""
    found = [edge for edge in edges if edge.verdict is not Verdict.MISSING]
    meanings = []
    if any(edge.directed for edge in found):
        meanings.append(("direction identified", Ink(SLATE), True))
    if any(not edge.directed for edge in found):
        meanings.append(("direction not identified", Ink(SLATE), False))
    for verdict in (Verdict.WRONG, Verdict.MISSING):
        count = sum(edge.verdict is verdict for edge in edges)
        if count:
            ink = Ink(VERDICTS[verdict], dashed=verdict is Verdict.MISSING)
            meanings.append((f"{verdict.value} ({count})", ink, False))
    effects = [edge.effect for edge in found if edge.verdict is None and edge.effect is not None]
    if any(effect > 0 for effect in effects):
        meanings.append(("positive effect", Ink(BLUE, 2.2), False))
    if any(effect <= 0 for effect in effects):
        meanings.append(("negative effect", Ink(ORANGE, 2.2), False))
    return meanings
