"""Rows of a text file that go over several lines, because quotation marks enclose the line ends.

A mark too many turns the lines up to the next one into a single cell, which readers take without a word.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from sparsest._core.errors import DataError
from sparsest.data.read.dialect import Dialect
from sparsest.data.read.packing import opened

_LONGEST = 2**24  # characters of a row


def rows_of_several_lines(source: Path | bytes, dialect: Dialect, shown: str) -> tuple[str, ...]:
    """A notice of such rows; a quotation mark that fits no cell is refused."""
    rows = []
    for first, lines in _joined(source):
        _require_one_row(lines, first, dialect, shown)
        if first > 1:  # names are seen anyway, and may have any character
            rows.append(first)
    if not rows:
        return ()
    over = "1 row goes" if len(rows) == 1 else f"{len(rows)} rows go"
    return (f"{over} over several lines that quotation marks join, the first from line {rows[0]} on",)


def _joined(source: Path | bytes) -> Iterator[tuple[int, list[str]]]:
    """Lines that a quotation mark joins, with the number of the first one."""
    with opened(source) as file, io.TextIOWrapper(file, "utf-8-sig", "replace", newline="\n") as text:
        lines: list[str] = []
        first = length = 0
        for number, line in enumerate(text, 1):
            odd = line.count('"') % 2 == 1
            if not (lines or odd):
                continue
            if not lines:
                first, length = number, 0
            lines.append(line)
            length += len(line)
            if (odd and len(lines) > 1) or length > _LONGEST:
                yield first, lines
                lines = []
        if lines:
            yield first, lines


def _require_one_row(lines: list[str], first: int, dialect: Dialect, shown: str) -> None:
    try:
        if len(list(csv.reader(lines, delimiter=dialect.separator, strict=True))) == 1:
            return
        why = "it is inside of a cell"
    except csv.Error as error:
        why = str(error)
    raise DataError(
        f"a quotation mark in line {first} of {shown} joins it to the lines after it ({why}): leave it out, "
        "or close it in its line"
    )
