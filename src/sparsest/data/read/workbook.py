"""Excel files: how large is the sheet? Asked before its reader lays out a cell for every address.

The reader keeps the rectangle around all addresses in memory: two cells in opposite corners of a sheet ask
for half a terabyte. The addresses are read first as they stand in the file, nothing else.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from sparsest._core.budget import expansion_limit, require_modest
from sparsest._core.errors import DataError
from sparsest.data.read.packing import Part, damaged, panics_as, too_much_inside

if TYPE_CHECKING:
    import polars

_PIECE = 2**20
_CELL = re.compile(rb"<(?:\w+:)?c\b[^>]*?\br\s*=\s*[\"']([^\"'>]{0,40})[\"']")
_ROW = re.compile(rb"<(?:\w+:)?row\b[^>]*?\br\s*=\s*[\"']([^\"'>]{0,40})[\"']")
_COUNT = re.compile(rb"\b(?:unique)?[cC]ount\s*=\s*[\"'](\d+)[\"']")
_ADDRESS = re.compile(rb"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")
_UNNAMED = re.compile(r"__UNNAMED__\d+")
_LONGEST = 200  # bytes that the beginning of a cell may take
_BYTES = 64  # that a cell takes while it is read
_MOST_ROWS, _MOST_COLUMNS = 2**20, 2**14  # of Excel


def read_workbook(source: Path | bytes, part: Part) -> polars.DataFrame:
    """The first sheet, without rows that are empty and columns without a name or a value."""
    import polars

    try:
        import fastexcel
    except ImportError:
        raise DataError(
            f"reading {part.shown} needs the package fastexcel: pip install 'sparsest[excel]', or save it "
            "as .csv"
        ) from None
    _require_modest_sheets(source, part)
    try:
        with panics_as(ValueError):
            given: Any = source if isinstance(source, bytes) else str(source)
            sheet: Any = fastexcel.read_excel(given).load_sheet(0, schema_sample_rows=None)
            frame = polars.DataFrame(sheet)
    except (fastexcel.FastExcelError, ValueError) as error:
        raise damaged(part, error) from None
    columns = [
        _narrowed(column.alias("")).alias(column.name)  # Polars takes names such as "^a.*$" as patterns
        for column in frame
        if not (_UNNAMED.fullmatch(column.name) and column.null_count() == frame.height)
    ]
    kept = polars.DataFrame(columns)
    return kept.filter(~polars.all_horizontal(polars.all().is_null())) if columns else kept


def _narrowed(column: polars.Series) -> polars.Series:
    """Excel knows neither whole numbers nor days: they are numbers without a fraction, times at midnight."""
    import polars

    known = column.drop_nulls()
    if column.dtype.is_float() and known.is_finite().all() and (known == known.floor()).all():
        if len(known) and known.abs().max() < 2**53:  # type: ignore[operator]
            return column.cast(polars.Int64)
    elif column.dtype == polars.Datetime and (known.dt.truncate("1d") == known).all():
        return column.cast(polars.Date)
    return column


def _require_modest_sheets(source: Path | bytes, part: Part) -> None:
    """Refuse an Excel file whose sheets claim more cells than such a file can have."""
    size = part.path.stat().st_size
    file = io.BytesIO(source) if isinstance(source, bytes) else source
    try:
        with zipfile.ZipFile(file) as archive:
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
    except (
        zipfile.BadZipFile,
        NotImplementedError,
        RuntimeError,
        EOFError,
        ValueError,
        OSError,
        zlib.error,
    ) as error:
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
