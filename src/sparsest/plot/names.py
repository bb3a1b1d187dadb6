"""Names of columns as they are drawn: on several lines, without characters that act on their surroundings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from sparsest._core.words import clipped, visible

# After marks, and within words LikeThis, but not within units such as mmHg.
_BREAKS = re.compile(r"(?<=[\s_\-./:,;|+])|(?<=[a-z]{3})(?=[A-Z][a-z]{2})")
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


def distinct(names: Sequence[str], most: int) -> list[str]:
    """Names on one line of about `most` letters, shortened so that different ones stay different.

    Where the usual way makes several alike, the part around their first difference is kept.
    """
    whole = [" ".join(visible(name).split()) for name in names]
    short = [clipped(name, most) for name in whole]
    alike: dict[str, list[int]] = {}
    for k, name in enumerate(short):
        alike.setdefault(name, []).append(k)
    for group in alike.values():
        shared = _alike([whole[k] for k in group]) if len(group) > 1 else 0
        for k in group if len(group) > 1 else ():
            start, first = max(shared - 6, most // 3), whole[k][: most // 3]
            rest = whole[k][start:]
            kept = most - len(first) - 2
            short[k] = f"{first}{'…' * (start > len(first))}{rest[:kept]}{'…' * (len(rest) > kept)}"
    return short


def _alike(names: Sequence[str]) -> int:
    """How many letters all of these names begin with."""
    columns = enumerate(zip(*names, strict=False))
    return next((k for k, letters in columns if len(set(letters)) > 1), min(map(len, names)))


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


def wide_letters(text: str) -> int:
    """How many letters of a text are as wide as they are high, as in Chinese, Japanese and Korean."""
    return sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)


def _width(text: str) -> int:
    """Letters of a text; those of Chinese, Japanese and Korean count twice, accents not at all."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )
