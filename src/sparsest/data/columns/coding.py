"""One column as numbers of a known kind: measurements as given, words as codes."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest.data.columns.kinds import Kind, Wanted, kind_of_numbers, kind_of_words
from sparsest.data.columns.numbers import (
    NotNumbersError,
    cells_of,
    days,
    floats,
    is_missing,
    numbers_spelled,
    real_word,
    spells_a_number,
)

_MANY_NUMBERS = 20  # this many numbers among words are measurements with typing errors, not categories

_ZONED = re.compile(r"\d\d:\d\d.*(Z|[+-]\d\d(:?\d\d)?)$")


@dataclass(frozen=True)
class Coded:
    """A column of a table. `levels` are the words behind the codes 0, 1, ..., None for plain numbers."""

    values: NDArray[np.float64]
    kind: Kind
    levels: tuple[str, ...] | None = None


def read_column(column: Any, wanted: Wanted | None, numbers_only: bool) -> Coded:
    """A column of an array or a data frame; raises NotNumbersError.

    With `numbers_only`, words are refused unless the user said what they are, and numbers stay as given.
    """
    if wanted is None and numbers_only:
        values = floats(cells_of(column))
        return Coded(values, kind_of_numbers(values))
    found = _found(column)
    return found if wanted is None else as_wanted(found, wanted)


def recoded(values: NDArray[np.float64], wanted: Wanted | None, numbers_only: bool) -> Coded:
    """The same for a column that is known to hold numbers."""
    kind = kind_of_numbers(values)
    if wanted is not None:
        return as_wanted(Coded(values, kind), wanted)
    if numbers_only or kind is not Kind.BINARY:
        return Coded(values, kind)
    return two_numbers(values)


def as_wanted(found: Coded, wanted: Wanted) -> Coded:
    """The column as the user wants it; raises NotNumbersError where it cannot be that."""
    if isinstance(wanted, tuple):
        return _ordered(found, wanted)
    if wanted is Kind.BINARY:
        return _binary(found)
    if wanted in (Kind.CONTINUOUS, Kind.COUNT):
        return _measured(found, wanted)
    if wanted is Kind.ORDINAL and found.levels is not None and found.kind is not Kind.ORDINAL:
        raise NotNumbersError("words whose order is not known (list them from low to high)", found.levels[0])
    if wanted in (Kind.CATEGORICAL, Kind.ORDINAL) and found.levels is None:
        return _numbers_as_levels(found.values, wanted)
    return Coded(found.values, wanted, found.levels)


def _found(column: Any) -> Coded:
    """The column as what it appears to be."""
    import narwhals

    if isinstance(column, narwhals.Series):
        dtype = column.dtype
        if dtype in (narwhals.Categorical, narwhals.Enum):
            return _categories(column)
        if dtype.is_temporal():
            return Coded(days(column), Kind.DATE)
    elif column.dtype.kind in "mM":
        return Coded(days(column), Kind.DATE)
    cells = cells_of(column)
    if cells.dtype.kind == "b":
        return Coded(cells.astype(np.float64), Kind.BINARY, ("False", "True"))
    try:
        return recoded(floats(cells), None, numbers_only=False)
    except NotNumbersError as reason:
        if reason.is_text:
            return _words(cells, reason)
        dates = _date_objects(cells)
        if dates is None:
            raise
        return Coded(dates, Kind.DATE)


def _words(cells: NDArray[Any], reason: NotNumbersError) -> Coded:
    words = [None if is_missing(cell) else _word(cell) for cell in cells]
    known = [word for word in words if word is not None]
    levels = sorted(set(known))
    numbers = sum(map(spells_a_number, levels))
    if numbers > _MANY_NUMBERS and numbers < len(levels) and 2 * numbers > len(levels):
        raise reason.among_numbers()
    return words_coded(words)


def words_coded(words: Sequence[str | None]) -> Coded:
    """Words as codes, None where one is missing; ISO dates as days."""
    dates = _iso_dates(words)
    if dates is not None:
        return Coded(dates, Kind.DATE)
    known = [word for word in words if word is not None]
    levels = sorted(set(known))
    return Coded(_codes(words, levels), kind_of_words(len(known), len(levels)), tuple(levels))


def _word(cell: Any) -> str:
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)


def _codes(words: Sequence[str | None], levels: Sequence[str]) -> NDArray[np.float64]:
    code: dict[str | None, float] = {word: float(k) for k, word in enumerate(levels)}
    code[None] = np.nan
    return np.array([code[word] for word in words], dtype=np.float64)


def _categories(series: Any) -> Coded:
    """Categories that the data frame knows; those that do not occur get no code."""
    words = [None if is_missing(cell) else str(cell) for cell in series.to_list()]
    present = {word for word in words if word is not None}
    order = _known_order(series)
    levels = tuple(sorted(present) if order is None else (word for word in order if word in present))
    kind = kind_of_words(len(words), len(levels))
    if len(levels) > 2:  # a column declared categorical means groups, even if all its words differ
        kind = Kind.CATEGORICAL if order is None else Kind.ORDINAL
    return Coded(_codes(words, levels), kind, levels)


def _known_order(series: Any) -> list[str] | None:
    """The categories from low to high, where they have an order."""
    import narwhals

    if series.dtype == narwhals.Enum:
        return [str(word) for word in series.dtype.categories]
    native = series.to_native()
    if getattr(getattr(native, "type", None), "ordered", False):  # PyArrow
        chunks = native.unify_dictionaries().chunks
        return [str(word) for word in chunks[0].dictionary.to_pylist()] if chunks else []
    return None


def _date_objects(cells: NDArray[Any]) -> NDArray[np.float64] | None:
    """Days, where all objects are dates or lengths of time, else None."""
    if cells.dtype.kind != "O":
        return None
    known = {type(cell) for cell in cells if not is_missing(cell)}
    for kind, unit in ((datetime.date, "M8[us]"), (datetime.timedelta, "m8[us]")):
        if known and all(issubclass(found, kind) for found in known):
            plain = [None if is_missing(cell) else _without_zone(cell) for cell in cells]
            return days(np.array(plain, dtype=unit))
    return None


def _without_zone(cell: Any) -> Any:
    zoned = isinstance(cell, datetime.datetime) and cell.tzinfo is not None
    return cell.astimezone(datetime.UTC).replace(tzinfo=None) if zoned else cell


def _iso_dates(words: Sequence[str | None]) -> NDArray[np.float64] | None:
    """Days since 1970 where all words are ISO dates, else None."""
    if not words or not all(word is None or (word[:4].isdigit() and word[4:5] == "-") for word in words):
        return None
    try:
        return days(np.array([_moment(word) for word in words]))
    except ValueError:
        return None


def _moment(word: str | None) -> np.datetime64:
    """A time in UTC; NumPy warns of words with a time zone."""
    if word is not None and _ZONED.search(word):
        moment = datetime.datetime.fromisoformat(word)
        return np.datetime64(_without_zone(moment), "ms")
    return np.datetime64("NaT" if word is None else word, "ms")


def two_numbers(values: NDArray[np.float64]) -> Coded:
    """Two numbers as 0 and 1; the levels are the numbers unless they are 0 and 1 themselves."""
    finite = np.isfinite(values)  # what is infinite stays so, to be refused with its row
    low, high = np.unique(values[finite])
    if (low, high) == (0, 1):
        return Coded(values, Kind.BINARY)
    codes = np.where(finite, values == high, values)
    return Coded(codes, Kind.BINARY, (f"{low:.15g}", f"{high:.15g}"))


def _binary(found: Coded) -> Coded:
    known = np.unique(found.values[np.isfinite(found.values)])
    if known.size > 2:
        raise NotNumbersError("more than two different values, so it is not binary", _shown(found, known[2]))
    if found.levels is None and known.size == 2:
        return two_numbers(found.values)
    return Coded(found.values, Kind.BINARY, found.levels)


def _measured(found: Coded, wanted: Kind) -> Coded:
    values = found.values
    if found.levels is not None:
        if word := real_word(found.levels):
            raise NotNumbersError(f"words, so it is not {wanted}", word)
        values = _replaced(values, numbers_spelled(found.levels))
    if wanted is Kind.COUNT:
        wrong = np.flatnonzero((values < 0) | (values != np.floor(values)) & ~np.isnan(values))
        if wrong.size:
            row = int(wrong[0])
            raise NotNumbersError(
                "other numbers than non-negative whole ones, so it is not a count", float(values[row]), row
            )
    return Coded(values, wanted)


def _numbers_as_levels(values: NDArray[np.float64], wanted: Kind) -> Coded:
    missing = np.isnan(values)
    known, codes = np.unique(values[~missing], return_inverse=True)
    coded = np.full(len(values), np.nan)
    coded[~missing] = codes
    return Coded(coded, wanted, tuple(f"{value:.15g}" for value in known))


def _ordered(found: Coded, words: tuple[str, ...]) -> Coded:
    if found.levels is None:
        found = _numbers_as_levels(found.values, Kind.ORDINAL)
    levels = found.levels or ()
    unknown = [word for word in levels if word not in words]
    if unknown:
        raise NotNumbersError("a word that is not in the order given for it", unknown[0])
    codes = _replaced(found.values, [float(words.index(word)) for word in levels])
    return Coded(codes, Kind.ORDINAL, words)


def _replaced(codes: NDArray[np.float64], numbers: Sequence[float]) -> NDArray[np.float64]:
    """A number for each code; what is missing or infinite stays so."""
    finite = np.isfinite(codes)
    replaced = codes.copy()
    replaced[finite] = np.array(numbers, dtype=np.float64)[codes[finite].astype(np.intp)]
    return replaced


def _shown(found: Coded, value: float) -> object:
    return value if found.levels is None else found.levels[int(value)]
