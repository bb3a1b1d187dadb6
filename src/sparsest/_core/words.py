"""Words for numbers and names, so that every message says the same thing in the same way."""

from __future__ import annotations

import difflib
import math
import re
import unicodedata
from collections.abc import Sequence, Sized

_MOST_COMPARED = 5000  # names searched for the closest match: more would take too long
# What a terminal would act on: control characters but line breaks and tabs, marks that turn the direction of
# what follows, and halves of characters, which no encoding has.
_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def default_names(count: int) -> tuple[str, ...]:
    """Default names for columns or nodes: x0, x1, ..."""
    return tuple(f"x{k}" for k in range(count))


def quoted(names: Sequence[str], limit: int = 5) -> str:
    """Names for a message that must stay short: `'a', 'b' and 3 more`."""
    shown = ", ".join(repr(name) for name in names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def listed(words: Sequence[str], limit: int = 8) -> str:
    """The first few words as they are, and how many were left out: `a, b, ... (3 more)`."""
    rest = len(words) - limit
    return ", ".join(words[:limit]) + (f", ... ({rest} more)" if rest > 0 else "")


def clipped(name: str, most: int, ellipsis: str = "…") -> str:
    """A name on one line of at most `most` characters, shortened in the middle.

    Long names often differ only in their endings (pressure_left, pressure_right).
    """
    line = visible(" ".join(name.split()))
    if len(line) <= most:
        return line
    kept = most - len(ellipsis)
    tail = kept // 2
    return line[: kept - tail] + ellipsis + line[len(line) - tail :]


def visible(name: str) -> str:
    r"""A name in which characters that would act on their surroundings are spelled out.

    Control characters, and the marks that turn the direction of what follows, become their escapes, such as
    `\u202e`; letters of all scripts stay.
    """
    return "".join(_escaped(letter) if _acts(letter) else letter for letter in name)


def printable(text: str) -> str:
    r"""A text in which what a terminal would act on is spelled out; line breaks and tabs stay.

    Names of columns may hold escape sequences, which could hide or rewrite what was printed before.
    """
    return _ACTING.sub(lambda found: _escaped(found[0]), text)


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def _acts(letter: str) -> bool:
    turns = unicodedata.bidirectional(letter) in (
        "LRE",
        "RLE",
        "LRO",
        "RLO",
        "PDF",
        "LRI",
        "RLI",
        "FSI",
        "PDI",
    )
    return turns or (unicodedata.category(letter) in ("Cc", "Cs") and not letter.isspace())


def count(number: float, noun: str) -> str:
    """A number with its noun: `1 row`, `2 rows`, `about 137 rows` for 137.4974."""
    whole = number == round(number) if math.isfinite(number) else True
    said = (
        f"{number:.12g}" if whole else f"about {number:.3g}" if abs(number) < 100 else f"about {number:.0f}"
    )
    return f"{said} {noun}" + ("" if number == 1 else "s")


def agreeing(things: Sized, one: str, several: str) -> str:
    """The form of a word that agrees with one thing or with several: `holds`, `hold`."""
    return one if len(things) == 1 else several


def percent(share: float) -> str:
    """A share in percent, with as many digits as it takes to tell it from 0 and 100."""
    if 0.01 <= share <= 0.99 or share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    return f"{100 * share:.2g} %" if share < 0.5 else f"{100 * share:.4g} %"


def duration(seconds: float) -> str:
    """An estimate in the unit a person would use: `less than a second`, `about 12 s`, `about 2 days`."""
    for unit, size in (("years", 3.15e7), ("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 1.5 * size:  # so that it is never "1 minutes"
            return f"about {seconds / size:.0f} {unit}"
    return f"about {seconds:.0f} s" if seconds >= 1 else "less than a second"


def nearest(name: str, known: Sequence[str], what: str) -> str:
    """The known name closest to one that is not known, or the first few: `did you mean 'age'?`."""
    near = difflib.get_close_matches(name, known[:_MOST_COMPARED], n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}?" if near else f"the {what} are {listed(known)}"


def bytes_words(size: float) -> str:
    """A number of bytes with its unit, such as `3.1 MB`."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" or size >= 10 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:,.1f} TB"
