"""Checks of values in an experiment's file: each says what would be allowed, or nothing where all is well."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

Check = Callable[[Any], str | None]


def whole(least: int) -> Check:
    """A whole number that is large enough."""

    def check(value: Any) -> str | None:
        good = isinstance(value, int) and not isinstance(value, bool) and value >= least
        return None if good else f"a whole number from {least} on"

    return check


def between(low: float, high: float = float("inf")) -> Check:
    """A number within limits."""

    def check(value: Any) -> str | None:
        good = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
        return (
            None if good else f"a number from {low:g} on" if high == float("inf") else f"{low:g} to {high:g}"
        )

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


def quoted(value: Any) -> str | None:
    """Text in quotes."""
    return None if isinstance(value, str) else "text in quotes"


def list_of(item: Check) -> Check:
    """A list that is not empty, every entry of which passes a check."""

    def check(value: Any) -> str | None:
        if not isinstance(value, list) or not value:
            return "a list in brackets with at least one entry"
        wrong = [(entry, words) for entry in value if (words := item(entry)) is not None]
        return f"a list, and {wrong[0][0]!r} in it would have to be {wrong[0][1]}" if wrong else None

    return check


def by_name(name_check: Check, what: str, least: int) -> Check:
    """A table of names and whole numbers."""

    def check(value: Any) -> str | None:
        if not isinstance(value, dict):
            return f"a table of methods and {what}, such as {{ dagma = 5 }}"
        for name, given in value.items():
            if (words := name_check(name) or whole(least)(given)) is not None:
                return f"a table of methods and {what}, and {name!r} = {given!r} would have to be {words}"
        return None

    return check
