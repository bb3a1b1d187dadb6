"""How a text file is written: its separator, its names, and R's column of row names."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from sparsest._core.errors import DataError
from sparsest._core.words import quoted
from sparsest.data.columns.require import require_distinct
from sparsest.data.read.options import TableOptions

_SEPARATORS = {".csv": ",;\t|", ".tsv": "\t,;|"} | dict.fromkeys(
    (".txt", ".dat", ".data"), "\t,;| "
)  # the likeliest first
_ROWS = 100  # looked at to tell the separator
_FIELDS = 10**6  # in a row: more columns than any graph can have
_CELLS = 3 * 10**6  # looked at
_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"PK\x03\x04": "a zip archive", b"PAR1": "Parquet"}


@dataclass(frozen=True)
class Dialect:
    """What is known of a text file before it is read in full.

    `names` are those of all columns; the first is "" where the first column holds row names and has no name.
    `skipped` is how many lines come before the data where the header cannot be left to the reader: it lacks a
    field for the row names, as R's write.table leaves it, or follows lines with blanks or separators alone.
    """

    separator: str
    names: tuple[str, ...]
    skipped: int = 0

    @property
    def row_names(self) -> bool:
        """Whether the first column holds row names."""
        return self.names[0] == ""


def find_dialect(sample: bytes, whole: bool, suffix: str, shown: str, options: TableOptions) -> Dialect:
    """The dialect of a file that begins with `sample` (which is all of it if `whole`)."""
    text = _decoded(sample, whole, shown)
    _require_sane_lines(text, shown)
    likely = [mark for mark in _SEPARATORS[suffix] if mark not in (options.decimal, options.thousands)]
    rows = _best_rows(text, whole, likely if options.separator is None else [options.separator])
    if rows is None:
        empty = "the file is empty" if whole and not text.strip() else "no row of a table begins it"
        raise DataError(f"cannot read {shown}: {empty}")
    separator, (header, *body) = rows
    names = [name.strip() for name in header]
    headed = not _row_names_without_a_header(header, *body)
    if not headed:
        names = ["", *names]
    if _is_a_row_of_numbers(names):
        raise DataError(
            f"the first line of {shown} holds numbers, not names: add a line with the column names"
        )
    _require_names(names, body, shown)
    above = _lines_above(text, separator)
    plain = headed and not any(above)
    return Dialect(separator, tuple(names), 0 if plain else len(above) + 1)


def _require_sane_lines(text: str, shown: str) -> None:
    """Refuse lines that are none of a table, before they are split."""
    longest, start = csv.field_size_limit(), 0
    for number in range(1, 4):
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)]
        fields = 1 + max(line.count(mark) for mark in ",;\t| ")
        if fields > _FIELDS:
            raise DataError(f"line {number} of {shown} has {fields} fields: that is no table of columns")
        if len(line) / fields > longest:
            raise DataError(
                f"line {number} of {shown} has a cell of more than {longest} characters: is it a "
                "table, with one line for each row?"
            )
        if end < 0:
            return
        start = end + 1


def _decoded(sample: bytes, whole: bool, shown: str) -> str:
    for mark, what in _MARKS.items():
        if sample.startswith(mark):
            raise DataError(f"cannot read {shown} as text: it is {what}. Save it as text in UTF-8")
    try:
        return sample.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if not whole and error.start > len(sample) - 4:  # cut within a character
            return sample[: error.start].decode("utf-8-sig")
        raise not_utf8(shown, sample.count(b"\n", 0, error.start) + 1, sample[error.start]) from None


def not_utf8(shown: str, line: int, byte: int) -> DataError:
    """The error for a byte that is not UTF-8."""
    return DataError(
        f"cannot read {shown}: line {line} is not UTF-8 (byte {byte:#04x}). Save the file in UTF-8"
    )


def _best_rows(text: str, whole: bool, separators: Sequence[str]) -> tuple[str, list[list[str]]] | None:
    """The rows of the sample under the separator that makes the most regular table of it.

    The first separator wins that splits all rows alike; else the first that splits the header at all.
    """
    candidates = [(separator, rows) for separator in separators if (rows := _rows(text, separator, whole))]
    if not candidates:
        return None
    for separator, rows in candidates:
        width = len(rows[-1])
        regular = width > 1 and all(len(row) == width for row in rows[1:])
        if regular and (len(rows[0]) == width or _row_names_without_a_header(*rows)):
            return separator, rows
    return next(((separator, rows) for separator, rows in candidates if len(rows[0]) > 1), candidates[0])


def _rows(text: str, separator: str, whole: bool) -> list[list[str]]:
    """The first rows that are not blank, without the last one if it may have been cut."""
    rows, cells = [], 0
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append(row)
                cells += len(row)
            if len(rows) > _ROWS or (len(rows) > 2 and cells > _CELLS):
                return rows[:_ROWS]
    except csv.Error:
        pass  # errors are reported when the whole file is read
    return rows if whole or len(rows) < 2 else rows[:-1]


def _lines_above(text: str, separator: str) -> list[list[str]]:
    """The lines before the header: empty ones, or cells without anything in them."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    return list(takewhile(lambda row: not any(cell.strip() for cell in row), reader))


def _row_names_without_a_header(header: Sequence[str], *body: Sequence[str]) -> bool:
    """One field more in every row than in the header, and the first one names the row."""
    return (
        bool(body)
        and all(len(row) == len(header) + 1 for row in body)
        and look_like_row_names([row[0] for row in body])
    )


def look_like_row_names(cells: Sequence[object]) -> bool:
    """Words that are all different, or 0, 1, 2, ... or 1, 2, 3, ..."""
    words = [str(cell).strip() for cell in cells]
    if not words or len(set(words)) != len(words):
        return False
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        return True
    return numbers[0] in (0, 1) and all(b - a == 1 for a, b in pairwise(numbers))


def _is_a_row_of_numbers(names: Sequence[str]) -> bool:
    """Whole numbers can be names (years, positions); a row of numbers with a fraction is data."""
    try:
        numbers = [float(name.replace(",", ".")) for name in names]
    except ValueError:
        return False
    return not all(number.is_integer() for number in numbers)


def _require_names(names: Sequence[str], body: Sequence[Sequence[str]], shown: str) -> None:
    require_distinct([name for name in names if name], shown)
    nameless = [j for j, name in enumerate(names) if not name]
    if nameless and not (nameless == [0] and body and look_like_row_names([row[0] for row in body if row])):
        known = [name for name in names if name]
        among = f" (the others are {quoted(known)})" if known else ""
        raise DataError(f"column {nameless[-1]} (counting from 0) of {shown} has no name{among}: give it one")
