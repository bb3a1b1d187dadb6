"""Checks of a single value: each returns what would be allowed, in words, or None if the value is fine.

The words complete a sentence such as "seeds must be ..., not 0".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

Check = Callable[[Any], str | None]


def integer(least: int) -> Check:
    """An integer that is large enough.

    Examples
    --------
    >>> integer(2)(1)
    'an integer of at least 2'
    """

    def check(value: Any) -> str | None:
        good = isinstance(value, int) and not isinstance(value, bool) and value >= least
        return None if good else f"an integer of at least {least}"

    return check


def between(low: float, high: float = float("inf")) -> Check:
    """A number within limits."""

    def check(value: Any) -> str | None:
        good = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
        if good:
            return None
        return f"a number of at least {low:g}" if high == float("inf") else f"between {low:g} and {high:g}"

    return check


def one_of(words: Iterable[str]) -> Check:
    """One of some words; the nearest is proposed."""
    allowed = tuple(words)

    def check(value: Any) -> str | None:
        if value in allowed and isinstance(value, str):
            return None
        near = get_close_matches(str(value), allowed, 1)
        return (f"{near[0]!r}, or another of " if near else "one of ") + ", ".join(allowed)

    return check


def quoted_text(value: Any) -> str | None:
    """Text in quotes."""
    return None if isinstance(value, str) else "text in quotes"


def list_of(item: Check) -> Check:
    """A list with at least one entry, every entry of which passes a check."""

    def check(value: Any) -> str | None:
        if not isinstance(value, list) or not value:
            return "a list in brackets with at least one entry"
        wrong = [(entry, words) for entry in value if (words := item(entry)) is not None]
        return f"a list, and {wrong[0][0]!r} in it would have to be {wrong[0][1]}" if wrong else None

    return check
