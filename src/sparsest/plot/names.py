"""Names of columns as they are drawn: on several lines, without characters that act on their surroundings."""

from __future__ import annotations

import re
import unicodedata

from sparsest._core.words import visible

_BREAKS = re.compile(r"(?<=[\s_\-./:,;|+])|(?<=[a-z])(?=[A-Z])")
_MOST_LINES = 6


def wrapped(name: str, most: int, lines: int = _MOST_LINES) -> tuple[str, ...]:
    """A name in lines of about `most` letters, broken where its words end.

    What does not fit into so many lines ends in an ellipsis; nothing is cut from the middle.
    """
    found, line = [], ""
    for piece in _pieces(" ".join(visible(name).split()), most):
        if line and _width(line + piece.rstrip()) > most:
            found.append(line.strip())
            line = ""
        line += piece
    found.append(line.strip())
    found = [one for one in found if one] or [""]
    if len(found) <= lines:
        return tuple(found)
    return (*found[: lines - 1], found[lines - 1][: max(most - 1, 1)] + "…")


def _pieces(name: str, most: int) -> list[str]:
    """The words of a name with the marks that follow them; longer ones are divided."""
    pieces = []
    for word in _BREAKS.split(name):
        rest = word
        while _width(rest) > most:
            cut = next(k for k in range(1, len(rest) + 1) if _width(rest[: k + 1]) > most)
            while cut > 1 and unicodedata.combining(rest[cut]):  # an accent stays with its letter
                cut -= 1
            pieces.append(rest[:cut])
            rest = rest[cut:]
        pieces.append(rest)
    return pieces


def _width(text: str) -> int:
    """Letters of a text; those of Chinese, Japanese and Korean count twice, accents not at all."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )
