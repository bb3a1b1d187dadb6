"""One column read as a statistician would: what it is, what was done to it, and whether it can be used.

Nothing is refused here unless the user asked for something that the column cannot be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.words import count, quoted
from sparsest.data.columns.absent_marks import WORDS, as_marks, missing_code
from sparsest.data.columns.account import ColumnNote
from sparsest.data.columns.coding import Coded, as_wanted, read_column, two_numbers, words_coded
from sparsest.data.columns.kinds import Kind, Wanted, guess_numbers
from sparsest.data.columns.numbers import NotNumbersError, cells_of, floats, is_missing, spells_a_number
from sparsest.data.columns.rare_levels import OTHER, covered, merged, present

Array = NDArray[np.float64]

_MOSTLY = 0.95  # of the filled cells: if so many are numbers, the others are typing errors
_LONG = 40  # letters of an average cell, in free text
_FEWEST_WORDS = 2  # without marks: in a column of + and -, a dash is no mark


@dataclass(frozen=True)
class Reading:
    """A column as numbers, with its note; `coded` is None where it cannot be used."""

    coded: Coded | None
    note: ColumnNote


@dataclass(frozen=True)
class Asked:
    """What the user said of a column: its kind, the marks of missing values, and what the model takes.

    `marks` is None where marks are to be found.
    """

    kind: Wanted | None = None
    marks: Sequence[object] | None = None
    numbers_only: bool = False


def read_leniently(column: Any, name: str, asked: Asked) -> Reading:
    """A column of an array or a data frame; raises NotNumbersError where it cannot be the kind asked for."""
    try:
        found, done = _numbers_or_words(column, asked.marks)
    except NotNumbersError as reason:
        if asked.kind is not None and asked.kind is not Kind.IDENTIFIER:
            raise
        return Reading(None, ColumnNote(name, "other", f"it holds {reason}").left_out("not numbers or words"))
    note = ColumnNote(name, str(found.kind), "", missing=float(np.isnan(found.values).mean()), done=done)
    if asked.kind is not None:
        return _as_asked(found, note, asked)
    if found.levels is None and found.kind is not Kind.DATE:
        return _guessed(found.values, note, asked.numbers_only)
    return _of_words(found, note, asked.numbers_only)


def _numbers_or_words(column: Any, marks: Sequence[object] | None) -> tuple[Coded, str]:
    """The column with marks of missing values taken out, and what was done for that."""
    words, numbers = (WORDS, None) if marks is None else as_marks(marks)
    text = _text_of(column)
    if text is not None:
        return _of_text(text, words)
    if not _may_be_plain(column):
        return _without_levels(read_column(column, None, numbers_only=False), words)
    try:
        cells = cells_of(column)
        values = cells if cells.dtype == np.float64 else floats(cells)  # borrowed, never changed
    except NotNumbersError:
        return read_column(column, None, numbers_only=False), ""  # dates as objects, or it raises again
    return _without_codes(values, numbers)


def _may_be_plain(column: Any) -> bool:
    """Whether the type of a column allows plain numbers: not declared categories, dates or truth values."""
    import narwhals

    if not isinstance(column, narwhals.Series):
        return column.dtype.kind not in "mMb"
    dtype = column.dtype
    return not (dtype in (narwhals.Categorical, narwhals.Enum, narwhals.Boolean) or dtype.is_temporal())


def _without_codes(values: Array, numbers: frozenset[float] | None) -> tuple[Coded, str]:
    """Numbers without codes of missing values, and without infinity."""
    done = []
    infinite = np.isinf(values)
    if infinite.any():
        values = np.where(infinite, np.nan, values)
        done.append(f"infinite in {count(int(infinite.sum()), 'row')}, which counts as missing")
    if numbers is None:
        code = missing_code(values)
        codes = [] if code is None else [code]
    else:
        codes = [number for number in sorted(numbers) if (values == number).any()]
    if codes:
        here = np.isin(values, codes)
        values = np.where(here, np.nan, values)
        shown = ", ".join(f"{code:g}" for code in codes)
        done.append(f"{shown} in {count(int(here.sum()), 'row')} counts as missing")
    return Coded(values, Kind.CONTINUOUS), "; ".join(done)


def _text_of(column: Any) -> list[str | None] | None:
    """The cells of a column of text, None where one is missing; None if there is any other type of cell."""
    import narwhals

    if isinstance(column, narwhals.Series):
        if column.dtype not in (narwhals.String, narwhals.Object, narwhals.Unknown):
            return None
    elif column.dtype.kind not in "OUS":
        return None
    cells = [None if is_missing(cell) else cell for cell in cells_of(column).tolist()]
    kinds = {type(cell) for cell in cells if cell is not None}
    if not any(issubclass(kind, str | bytes) for kind in kinds):
        return None
    if not all(issubclass(kind, str | bytes | int | float) for kind in kinds):
        return None
    return [
        None if cell is None else cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)
        for cell in cells
    ]


def _of_text(cells: list[str | None], marks: frozenset[str]) -> tuple[Coded, str]:
    """Text without marks of missing values: numbers where (nearly) all of it spells numbers, else words."""
    stripped = [None if cell is None else cell.strip() for cell in cells]
    marked = sorted({cell for cell in stripped if cell is not None and cell in marks})
    words = [None if cell in marks else cell for cell in stripped]
    done = [f"{quoted(marked)} counts as missing"] if any(marked) else []
    filled = [word for word in words if word is not None]
    spelled = sum(map(spells_a_number, filled))
    if filled and spelled >= _MOSTLY * len(filled):
        values = np.array([float(w) if w is not None and spells_a_number(w) else np.nan for w in words])
        if spelled < len(filled):
            odd = sorted({word for word in filled if not spells_a_number(word)})
            done.append(f"{quoted(odd, 3)} among numbers counts as missing")
        return Coded(np.where(np.isinf(values), np.nan, values), Kind.CONTINUOUS), "; ".join(
            ["numbers stored as text", *done]
        )
    if len(set(filled)) < _FEWEST_WORDS and marks is WORDS:
        return words_coded([None if cell in ("", None) else cell for cell in stripped]), ""
    return words_coded(words), "; ".join(done)


def _without_levels(found: Coded, marks: frozenset[str]) -> tuple[Coded, str]:
    """Declared categories without those that stand for a missing value."""
    levels = found.levels or ()
    marked = [k for k, word in enumerate(levels) if word.strip() in marks]
    if not marked or len(levels) - len(marked) < _FEWEST_WORDS:
        return found, ""
    values = np.where(np.isin(found.values, marked), np.nan, found.values)
    shown = quoted([levels[k] for k in marked])
    return present(replace(found, values=values)), f"{shown} counts as missing"


def _guessed(values: Array, note: ColumnNote, numbers_only: bool) -> Reading:
    """A column of numbers of which nobody said what they are."""
    kind, why = guess_numbers(values, note.name)
    note = replace(note, kind=str(kind), why=why)
    if kind is Kind.IDENTIFIER:
        return Reading(None, note.left_out("an identifier"))
    if numbers_only:
        return Reading(Coded(values, kind), note)
    if kind is Kind.BINARY:
        coded = two_numbers(values)
        return Reading(coded, replace(note, levels=coded.levels or ()))
    if kind is Kind.CATEGORICAL:
        coded = as_wanted(Coded(values, Kind.CONTINUOUS), kind)
        return _with_few_levels(coded, note, asked=False)
    return Reading(Coded(values, kind), note)


def _of_words(found: Coded, note: ColumnNote, numbers_only: bool) -> Reading:
    """A column of words or dates of which nobody said what they are."""
    levels = found.levels or ()
    if found.kind is Kind.DATE:
        note = replace(note, why="dates or times")
        return Reading(None, note.left_out(f"a date; kinds={{{note.name!r}: 'date'}} takes it as days"))
    if found.kind is Kind.IDENTIFIER:
        letters = sum(map(len, levels)) / len(levels)
        if letters > _LONG:
            return Reading(None, replace(note, kind="text", why="long text").left_out("free text"))
        note = replace(note, why="(nearly) every row has another word")
        return Reading(None, note.left_out("an identifier"))
    if not levels:
        return Reading(found, replace(note, why="no values"))
    why = {
        Kind.BINARY: "two different values",
        Kind.ORDINAL: "ordered categories",
    }.get(found.kind, f"{count(len(levels), 'different word')}")
    note = replace(note, why=why, levels=levels)
    if found.kind is not Kind.CATEGORICAL:
        return Reading(found, note)
    if numbers_only:
        return Reading(None, note.left_out("words; model='mixed' takes them"))
    return _with_few_levels(found, note, asked=False)


def _with_few_levels(coded: Coded, note: ColumnNote, *, asked: bool) -> Reading:
    """Categories, the rare ones merged."""
    few, gone = merged(coded)
    note = replace(note, levels=few.levels or ())
    if not gone:
        return Reading(few, note)
    if not covered(few) and not asked:
        different = len(coded.levels or ())
        return Reading(None, note.left_out(f"{different} levels are too many for {len(coded.values)} rows"))
    if few.levels and len(few.levels) == 2 and not asked:
        few, note = replace(few, kind=Kind.BINARY), replace(note, kind=str(Kind.BINARY))
    if few.levels and few.levels[-1] != OTHER:
        return Reading(few, note.also("a level of one row counts as missing"))
    return Reading(few, note.also(f"{count(gone, 'rare level')} merged into {OTHER!r}"))


def _as_asked(found: Coded, note: ColumnNote, asked: Asked) -> Reading:
    """The column as the kind that the user gave, which is never overruled."""
    wanted = asked.kind
    if wanted is Kind.IDENTIFIER:
        return Reading(None, replace(note, kind="identifier", why="as asked").left_out("as asked"))
    assert wanted is not None
    note = replace(note, kind=str(Kind.ORDINAL if isinstance(wanted, tuple) else wanted), why="as asked")
    if wanted is Kind.DATE:
        coded = Coded(found.values, Kind.CONTINUOUS)
        return Reading(coded, note.also("taken as days" if found.kind is Kind.DATE else "taken as a number"))
    if wanted is Kind.CONTINUOUS and found.kind is Kind.DATE:
        return Reading(Coded(found.values, Kind.CONTINUOUS), note.also("taken as days"))
    coded = as_wanted(found, wanted)
    note = replace(note, levels=coded.levels or ())
    if coded.kind is not Kind.CATEGORICAL:
        return Reading(coded, note)
    if asked.numbers_only:
        return Reading(None, note.left_out("categories; model='mixed' takes them"))
    return _with_few_levels(coded, note, asked=True)
