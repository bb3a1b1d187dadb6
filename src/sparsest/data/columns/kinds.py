"""Kinds of columns, and how they are guessed.

The guesses are cautious: a column of numbers is continuous unless it is clearly something else.

==============  ======================================================================================
binary          truth values; any column with exactly two different values
count           non-negative whole numbers, 0 among them, with 3 to 100 different values
identifier      whole numbers that grow by exactly 1 from row to row (20 rows or more); words that are all
                different, or nearly so (9 of 10, in 20 rows or more)
categorical     other words
ordinal         ordered categories of pandas or PyArrow, Enum columns of Polars
date            dates and times; words that are all ISO dates (2024-05-31, perhaps with a time)
continuous      all other numbers
==============  ======================================================================================
"""

from __future__ import annotations

import enum

import numpy as np
from numpy.typing import NDArray

_COUNT_LEVELS = 100  # more different values are treated as continuous
_KEY_ROWS = 20  # fewer rows may count up by chance
_NEARLY_UNIQUE = 0.9
_HEAD = 1000


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
