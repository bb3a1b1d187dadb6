"""What is wrong with a text file that cannot be read: the line, and why."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from sparsest._core.errors import DataError
from sparsest.data.read.dialect import Dialect, not_utf8
from sparsest.data.read.packing import opened
from sparsest.data.read.quotation import rows_of_several_lines


def ragged(source: Path | bytes, dialect: Dialect, shown: str, error: Exception | None = None) -> DataError:
    """Why a text file cannot be read: the line that is not UTF-8, or has the wrong marks or fields."""
    try:
        _require_utf8(source, shown)
        rows_of_several_lines(source, dialect, shown)
        require_full_rows(source, dialect, shown)
    except DataError as found:
        return found
    reason = (
        str(error).strip().splitlines()[0] if error is not None and str(error).strip() else "it is damaged"
    )
    return DataError(f"cannot read {shown}: {reason}. Is it a complete text file in UTF-8?")


def _require_utf8(source: Path | bytes, shown: str) -> None:
    with opened(source) as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                raise not_utf8(shown, number, line[error.start]) from None


def require_full_rows(source: Path | bytes, dialect: Dialect, shown: str) -> None:
    """Refuse the first row that has more or fewer fields than there are columns."""
    width = len(dialect.names)
    with opened(source) as file, io.TextIOWrapper(file, "utf-8", "replace", newline="") as text:
        reader = csv.reader(text, delimiter=dialect.separator)
        try:
            next(row for row in reader if any(cell.strip() for cell in row))
            for row in reader:
                if len(row) != width and any(cell.strip() for cell in row):
                    raise DataError(
                        f"line {reader.line_num} of {shown} has {len(row)} fields, but there are {width} "
                        f"columns (separator {dialect.separator!r}): correct it, or pass separator='...'"
                    )
        except csv.Error as error:
            raise DataError(f"line {reader.line_num} of {shown} cannot be read: {error}") from None
