"""Columns that are not measurements: text, identifiers and dates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sparsest._core.words import agreeing, count
from sparsest.data.audit.findings import Finding
from sparsest.data.audit.profile import MANY, Flags, Profile
from sparsest.data.audit.raw import Raw, Words
from sparsest.data.columns.kinds import Kind
from sparsest.data.columns.name_words import IDENTIFIERS, tokens

LEAST_ROWS = 20  #: fewer rows are too few to guess kinds from
_YEARS = {"year", "date", "day", "time", "timestamp", "datetime"}
_UNIMPORTANT = {Kind.IDENTIFIER, Kind.DATE}


def check_words(raw: Raw) -> Iterator[Finding]:
    """Columns that are not numbers."""
    about = raw.about
    once = [j for j, words in raw.words.items() if words.kind is Kind.IDENTIFIER]
    dates = [j for j, words in raw.words.items() if words.kind is Kind.DATE]
    others = [j for j in raw.words if j not in once and j not in dates]
    if once:
        yield about.finding(
            "identifier", "caution", once,
            f"{about.listed(once)} {_hold(once)} different text in every row: an identifier of "
            "the row rather than a measurement",
            "leave it out with columns=[...]",
        )  # fmt: skip
    if dates:
        yield about.finding(
            "dates", "caution", dates, f"{about.listed(dates)} {_hold(dates)} dates or times",
            "leave them out, or turn them into a number that can be a cause (age, season, days since the "
            "start)",
        )  # fmt: skip
    if others:
        what = about.listed(others, lambda j: _what(raw.words[j]))
        yield about.finding(
            "text", "caution", others, f"{what} {agreeing(others, 'is', 'are')} not numeric",
            "leave them out, or say what kind they are; a number for each word means something only if the "
            "words have an order, or there are two of them",
        )  # fmt: skip


def _what(words: Words) -> str:
    return f"{words.what}, {count(words.levels, 'value')}" if words.levels else words.what


def identifiers(raw: Raw, facts: Profile, usable: Flags) -> Flags:
    """Which columns hold whole numbers that count the rows, or that name them."""
    result = np.zeros(len(raw.numeric), dtype=bool)
    for k in np.flatnonzero(usable & facts.whole & (raw.n >= LEAST_ROWS)):
        j = int(raw.numeric[k])
        column = raw.values[:, k]
        counts_rows = facts.high[k] - facts.low[k] == facts.finite[k] - 1
        named = bool(tokens(raw.names[j]) & IDENTIFIERS)
        if (counts_rows or named) and facts.distinct[k] > min(MANY, facts.finite[k] - 1):
            result[k] = len(np.unique(column[np.isfinite(column)])) == facts.finite[k]
    result |= np.array([raw.kinds.get(int(j)) in _UNIMPORTANT for j in raw.numeric], dtype=bool)
    return result


def check_identifiers(raw: Raw, named: Flags) -> Iterator[Finding]:
    """Columns that name or number the rows."""
    about = raw.about
    if named.any():
        where = raw.numeric[named]
        yield about.finding(
            "identifier", "caution", where,
            f"{about.listed(where)} {_hold(where)} a different whole number in every row: an identifier of "
            "the row, or its place in time, rather than a measurement",
            "leave it out with columns=[...]",
        )  # fmt: skip


def check_dates(raw: Raw, facts: Profile, usable: Flags) -> Iterator[Finding]:
    """Dates written as numbers: 20240531, or years."""
    about = raw.about
    low, high = facts.low, facts.high
    days = usable & facts.whole & (low >= 19000101) & (high <= 21001231)
    for k in np.flatnonzero(days):
        column = raw.values[np.isfinite(raw.values[:, k]), k]
        month, day = column // 100 % 100, column % 100
        days[k] = bool(((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all())
    named = np.array([bool(tokens(raw.names[int(j)]) & _YEARS) for j in raw.numeric], dtype=bool)
    years = usable & facts.whole & (low >= 1800) & (high <= 2200) & named
    if days.any() or years.any():
        where = raw.numeric[days | years]
        yield about.finding(
            "dates", "caution", where, f"{about.listed(where)} {_hold(where)} dates written as numbers",
            "turn them into a number that can be a cause (age, days since the start), or leave them out",
        )  # fmt: skip


def _hold(columns: Sequence[int] | NDArray[np.intp]) -> str:
    return agreeing(columns, "holds", "hold")
