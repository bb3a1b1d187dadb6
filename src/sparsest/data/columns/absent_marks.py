"""Marks that stand for a missing value: ?, *, ., -, NA, null among words, -999 and the like among numbers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Words that stand for a missing value wherever they are a whole cell.
WORDS = frozenset(["", "?", "*", ".", "-", "--", "#NULL!", "#DIV/0!", "#VALUE!", "(null)"]) | frozenset(
    ["NA", "N/A", "#N/A", "<NA>", "n/a", "na", "NaN", "nan", "NULL", "null", "Null"]
)
#: Numbers that stand for a missing value where they lie far from all others.
CODES = (-9, -99, -999, -9999, -99999, 99, 999, 9999, 99999, 999999)
_OFTEN = 1000  # a code occurs at least twice, and in one row of so many


def missing_code(values: Array) -> float | None:
    """The number at an end of a column that looks like a code for missing values, if one does.

    It is one of the usual codes, occurs more than once, and lies further from all other values than these lie
    from each other.
    """
    with np.errstate(invalid="ignore"):
        ends = (np.fmin.reduce(values, initial=np.inf), np.fmax.reduce(values, initial=-np.inf))
    if not any(end in CODES for end in ends):
        return None
    known = values[np.isfinite(values)]
    for end in ends:
        rest = known[known != end]
        if end not in CODES or not rest.size:
            continue
        gap = np.abs(rest - end).min()
        often = len(known) - len(rest) >= max(2, len(known) // _OFTEN)
        if often and gap > max(np.ptp(rest), 3.0):
            return float(end)
    return None


def as_marks(given: Iterable[object]) -> tuple[frozenset[str], frozenset[float]]:
    """The marks that a user gave, as words and as the numbers they spell."""
    words, numbers = set(), set()
    for mark in given:
        words.add(str(mark).strip())
        try:
            numbers.add(float(str(mark)))
        except ValueError:
            continue
    return frozenset(words), frozenset(numbers)
