"""Kinds of columns, and how they are guessed.

The guesses are cautious: a column of numbers is continuous unless it is clearly something else. Names help
where values allow two readings (`guess_numbers`, which `fit` uses); under `strict=True` values decide alone
(`kind_of_numbers`), and only what is in brackets is missing from the list.

==============  ======================================================================================
binary          truth values; any column with exactly two different values
count           non-negative whole numbers, 0 among them, with 3 to 100 different values [unless the name is
                that of an age, a rank, a score or a time]
identifier      a different whole number in every row (20 rows or more), where these are consecutive [in any
                order, unless the name is that of a rank or a time], [or the name is that of an identifier];
                [more than 12 whole numbers under the name of a person or a unit]; words that are all
                different, or nearly so (9 of 10, in 20 rows or more)
categorical     other words; [3 to 12 small whole numbers under the name of a label: race, group, type, ...]
ordinal         ordered categories of pandas or PyArrow, Enum columns of Polars
date            dates and times; words that are all ISO dates (2024-05-31, perhaps with a time)
continuous      all other numbers
==============  ======================================================================================
"""

from __future__ import annotations

import enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsest.data.columns.name_words import ENTITIES, IDENTIFIERS, LABELS, RANKS, TIMES, tokens

_COUNT_LEVELS = 100  # more different values are treated as continuous
_KEY_ROWS = 20  # fewer rows may count up by chance
_NEARLY_UNIQUE = 0.9
_HEAD = 1000
_FEW_CODES = 12  # more different numbers are not the codes of a label
_LARGEST_CODE = 99
CONSECUTIVE = "consecutive whole numbers, one for each row"  #: why a column of numbers is an identifier


class Kind(enum.StrEnum):
    """What a column measures: guessed when a table is read, or given as `kinds={name: kind}`.

    Examples
    --------
    >>> from sparsest.data import Kind
    >>> [str(kind) for kind in Kind]
    ['continuous', 'binary', 'count', 'categorical', 'ordinal', 'identifier', 'date']
    """

    CONTINUOUS = "continuous"  #: numbers
    BINARY = "binary"  #: two values, coded 0 and 1
    COUNT = "count"  #: non-negative whole numbers
    CATEGORICAL = "categorical"  #: words without an order, coded 0, 1, 2, ...
    ORDINAL = "ordinal"  #: words with an order, coded 0, 1, 2, ... along it
    IDENTIFIER = "identifier"  #: a name or number of the row, not a measurement
    DATE = "date"  #: dates or times, as days since 1970


Wanted = Kind | tuple[str, ...]
"""What the user says of a column: its kind, or the words of an ordinal column from low to high."""


def kind_of_numbers(values: NDArray[np.float64]) -> Kind:
    """The kind of a column of numbers; missing values (NaN) are ignored."""
    head = values[:_HEAD]
    if _has_fractions(head) and np.unique(head[np.isfinite(head)]).size > 2:
        return Kind.CONTINUOUS  # as most columns are: the rest need not be read
    known = values[np.isfinite(values)]
    if known.size == 0:
        return Kind.CONTINUOUS
    if _different(known, 2) == 2:
        return Kind.BINARY
    if _has_fractions(known):
        return Kind.CONTINUOUS
    if _KEY_ROWS <= known.size == values.size and (np.diff(known) == 1).all():
        return Kind.IDENTIFIER
    few = 3 <= _different(known, _COUNT_LEVELS) <= _COUNT_LEVELS
    return Kind.COUNT if few and known.min() == 0 else Kind.CONTINUOUS


class Guess(NamedTuple):
    """A kind, and why a column was taken for it."""

    kind: Kind
    why: str


def guess_numbers(values: NDArray[np.float64], name: str) -> Guess:
    """The kind of a column of numbers by its values and its name; the order of the rows does not matter."""
    head = values[:_HEAD]
    if _has_fractions(head) and np.unique(head[np.isfinite(head)]).size > 2:
        return Guess(Kind.CONTINUOUS, "numbers with fractions")
    known = values[np.isfinite(values)]
    if known.size == 0:
        return Guess(Kind.CONTINUOUS, "no values")
    if _different(known, 2) == 2:
        return Guess(Kind.BINARY, "two different values")
    if _has_fractions(known):
        return Guess(Kind.CONTINUOUS, "numbers with fractions")
    return _guess_whole(known, tokens(name))


def _guess_whole(known: NDArray[np.float64], words: set[str]) -> Guess:
    low, high = known.min(), known.max()
    different = _different(known, _COUNT_LEVELS)
    if known.size >= _KEY_ROWS and different > _FEW_CODES:
        unique = different > min(_COUNT_LEVELS, known.size - 1) and np.unique(known).size == known.size
        if unique and words & IDENTIFIERS:
            return Guess(Kind.IDENTIFIER, "a different whole number in every row, and its name")
        if unique and high - low == known.size - 1 and not words & (TIMES | RANKS):
            return Guess(Kind.IDENTIFIER, CONSECUTIVE)
        if words & ENTITIES:
            return Guess(Kind.IDENTIFIER, "many whole numbers under the name of an identifier")
    if 3 <= different <= _FEW_CODES and low >= 0 and high <= _LARGEST_CODE and words & LABELS:
        return Guess(Kind.CATEGORICAL, "few whole numbers under the name of a label")
    if low == 0 and 3 <= different <= _COUNT_LEVELS and not words & (TIMES | RANKS):
        return Guess(Kind.COUNT, "whole numbers from 0 on")
    return Guess(Kind.CONTINUOUS, "whole numbers")


def kind_of_words(rows: int, levels: int) -> Kind:
    """The kind of a column of words, given how many rows are filled and how many words differ."""
    if levels == 2:
        return Kind.BINARY
    if levels > 2 and (levels == rows or (rows >= _KEY_ROWS and levels >= _NEARLY_UNIQUE * rows)):
        return Kind.IDENTIFIER
    return Kind.CATEGORICAL


def _has_fractions(values: NDArray[np.float64]) -> bool:
    known = values[np.isfinite(values)]
    return bool((known != np.floor(known)).any())


def _different(known: NDArray[np.float64], limit: int) -> int:
    """How many values differ, or some number above the limit."""
    first = np.unique(known[:_HEAD]).size
    return first if first > limit or known.size <= _HEAD else int(np.unique(known).size)
