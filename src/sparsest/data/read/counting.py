"""The rows of a text file, counted apart from its reader, which may stop early."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np

from sparsest._core.errors import DataError
from sparsest.data.read.damage import ragged
from sparsest.data.read.dialect import Dialect
from sparsest.data.read.packing import opened
from sparsest.data.read.quotation import rows_of_several_lines

_PIECE = 2**22  # bytes
_FEED, _QUOTE, _RETURN = 10, 34, 13


def require_all_rows(
    source: Path | bytes, dialect: Dialect, shown: str, rows: int, nothing: frozenset[str]
) -> tuple[str, ...]:
    """Refuse a table of fewer rows than its file has; cells in `nothing` are no values.

    Line feeds are counted first, which takes next to no time; then those outside of quotation marks; and only
    if both differ from the rows that were read, for instance because of lines without a value, every record.
    Line feeds inside of quotation marks lower the number of rows: the notice that is returned says so.
    """
    if rows + 1 == _lines(source):
        return ()
    records, enclosed = _records(source)
    notices = rows_of_several_lines(source, dialect, shown) if enclosed else ()
    if rows + 1 == records or rows >= _observations(source, dialect, nothing):
        return notices
    error = ragged(source, dialect, shown)
    if "damaged" in str(error):
        error = DataError(f"{shown} has more rows than the {rows} that could be read: is it damaged?")
    raise error


def _lines(source: Path | bytes) -> int:
    """The lines, the last of which may lack its end."""
    count, last = 0, b"\n"
    with opened(source) as file:
        while piece := file.read(_PIECE):
            count, last = count + piece.count(b"\n"), piece[-1:]
    return count + (last != b"\n")


def _records(source: Path | bytes) -> tuple[int, bool]:
    """The lines that are not blank and end outside of quotation marks, and whether others end inside."""
    count, quotes, filled, enclosed = 0, 0, False, False
    with opened(source) as file:
        while piece := file.read(_PIECE):
            letters = np.frombuffer(piece, dtype=np.uint8)
            inside = (np.cumsum(letters == _QUOTE) + quotes) % 2 == 1
            feeds = letters == _FEED
            enclosed = enclosed or bool((feeds & inside).any())
            ends = np.flatnonzero(feeds & ~inside)
            marks = np.concatenate([[filled], np.cumsum(~feeds & (letters != _RETURN)) + filled])
            here = marks[ends + 1]
            count += int(np.count_nonzero(np.diff(here, prepend=0)))
            filled = bool(marks[-1] > (here[-1] if len(here) else 0))
            quotes += int((letters == _QUOTE).sum())
    return count + filled, enclosed


def _observations(source: Path | bytes, dialect: Dialect, nothing: frozenset[str]) -> int:
    """The records with a value, without the header, as Python's own reader sees them."""
    with opened(source) as file, io.TextIOWrapper(file, "utf-8-sig", "replace", newline="") as text:
        reader = csv.reader(text, delimiter=dialect.separator)
        try:
            return sum(any(cell.strip() not in nothing for cell in row) for row in reader) - 1
        except csv.Error:
            return 0  # what cannot be counted is left to the reader
