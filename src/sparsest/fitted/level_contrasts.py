"""Effects of and on categories in words: which level, against which, and what they act on."""

from __future__ import annotations

from sparsest.fitted.base import Fitted
from sparsest.scores.bases import Levels

_MOST = 3


def contrasts(fitted: Fitted, i: int, j: int) -> str:
    """What the weight of an edge i → j is about where one of its ends has levels; "" for plain numbers."""
    source, target = fitted.levels[i], fitted.levels[j]
    parts = [_of(fitted, i, j), _on(fitted, j, target)]
    return " ".join(part for part in parts if part) if source or target else ""


def _of(fitted: Fitted, i: int, j: int) -> str:
    """The contrasts of a parent with levels, each against the first."""
    words, name = fitted.levels[i], fitted.columns[i].name
    if words is None:
        return ""
    part = next(part for parent, part in fitted.parts(fitted.nodes[j]) if parent == i)
    if not isinstance(fitted.columns[i].basis, Levels):
        return f"{name}={words[-1]} against {words[0]}" if len(words) == 2 else f"{name}, per level"
    if part.shape[1] > 1:
        return f"{name} against {words[0]}"
    sizes = part[:, 0] * fitted.unit(j)
    strongest = sorted(range(len(sizes)), key=lambda k: -abs(sizes[k]))[:_MOST]
    said = ", ".join(f"{words[k + 1]} {sizes[k]:+.3g}" for k in strongest)
    more = ", ..." if len(sizes) > _MOST else ""
    return f"{name}={said}{more} against {words[0]}"


def _on(fitted: Fitted, j: int, words: tuple[str, ...] | None) -> str:
    column = fitted.columns[j]
    if words is None or column.family.has_units:
        return ""
    if len(words) == 2:
        return f"on the log-odds of {column.name}={words[1]}"
    return f"on the log-odds of the levels of {column.name} against {words[0]}"
