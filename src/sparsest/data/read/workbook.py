"""How large is the sheet of an Excel file? Asked before its reader lays out a cell for every address.

The reader keeps the rectangle around all addresses in memory, so that two cells in opposite corners of a sheet
ask for half a terabyte. Here the addresses are read as they stand in the file, nothing else.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from sparsest._core.budget import expansion_limit, require_modest
from sparsest._core.errors import DataError
from sparsest.data.read.packing import Part, too_much_inside

_PIECE = 2**20
_CELL = re.compile(rb"<(?:\w+:)?c\b[^>]*?\br\s*=\s*[\"']([^\"'>]{0,40})[\"']")
_ROW = re.compile(rb"<(?:\w+:)?row\b[^>]*?\br\s*=\s*[\"']([^\"'>]{0,40})[\"']")
_COUNT = re.compile(rb"\b(?:unique)?[cC]ount\s*=\s*[\"'](\d+)[\"']")
_ADDRESS = re.compile(rb"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")
_LONGEST = 200  # bytes that the beginning of a cell may take
_BYTES = 64  # that a cell takes while it is read
_MOST_ROWS, _MOST_COLUMNS = 2**20, 2**14  # of Excel


def require_modest_sheets(source: Path | bytes, part: Part) -> None:
    """Refuse an Excel file whose sheets claim more cells than such a file can have."""
    size = part.path.stat().st_size
    if isinstance(source, bytes):
        source = io.BytesIO(source)  # type: ignore[assignment]
    try:
        with zipfile.ZipFile(source) as archive:
            most, whole = expansion_limit(size), 0
            for member in archive.infolist():
                with archive.open(member) as inside:
                    found = _Sheet(part.shown)
                    for piece in _pieces(inside):
                        whole += len(piece)
                        if whole > most:
                            raise too_much_inside(part.path, most)
                        found.take(piece)
                require_modest(
                    _BYTES * found.cells, size, f"the sheet of {part.shown}, up to {found.corner},",
                    "delete what stands far away from the table",
                )  # fmt: skip
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, OSError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"cannot read {part.shown}: {error}. Is it a complete .xlsx file?") from None


def _pieces(inside: IO[bytes]) -> Iterator[bytes]:
    """What is inside, in pieces that overlap by the beginning of a cell."""
    tail = b""
    while piece := inside.read(_PIECE):
        yield tail + piece
        tail = piece[-_LONGEST:]


class _Sheet:
    """The rectangle around all addresses seen so far, and what else asks for memory."""

    def __init__(self, shown: str) -> None:
        self._shown = shown
        self._rows: tuple[int, int] | None = None
        self._columns: tuple[int, int] | None = None
        self._counted = 0

    def take(self, piece: bytes) -> None:
        for found in _CELL.finditer(piece):
            address = _ADDRESS.fullmatch(found[1])
            row = int(address[2]) if address else 0
            column = _column(address[1]) if address else 0
            if not (0 < row <= _MOST_ROWS and 0 < column <= _MOST_COLUMNS):
                raise DataError(
                    f"cannot read {self._shown}: {found[1].decode('ascii', 'replace')!r} is no address of a "
                    "cell. Save it anew"
                )
            self._rows, self._columns = _around(self._rows, row), _around(self._columns, column)
        for found in _ROW.finditer(piece):
            if not (found[1].isdigit() and 0 < int(found[1]) <= _MOST_ROWS):
                raise DataError(
                    f"cannot read {self._shown}: {found[1].decode('ascii', 'replace')!r} is no number of a "
                    "row. Save it anew"
                )
            self._rows = _around(self._rows, int(found[1]))
        self._counted = max([self._counted, *(int(found[1][:20]) for found in _COUNT.finditer(piece))])

    @property
    def cells(self) -> int:
        """The cells of the rectangle, or the things that a header counts."""
        (top, bottom), (left, right) = self._rows or (1, 1), self._columns or (1, 1)
        return max((bottom - top + 1) * (right - left + 1), self._counted)

    @property
    def corner(self) -> str:
        """The last row and column, for messages."""
        return f"row {(self._rows or (1, 1))[1]} and column {(self._columns or (1, 1))[1]}"


def _around(span: tuple[int, int] | None, at: int) -> tuple[int, int]:
    return (at, at) if span is None else (min(span[0], at), max(span[1], at))


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number
