"""Text files: read by Polars, then columns of text that spell numbers become numbers.

No type is settled by the first rows: Polars looks at all of them, and a column of text gets a second look.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from sparsest._core.errors import DataError
from sparsest.data.columns.numbers import NotNumbersError, column_type_error
from sparsest.data.read.dialect import Dialect, find_dialect, look_like_row_names, not_utf8
from sparsest.data.read.options import TableOptions

if TYPE_CHECKING:
    import polars

MISSING = ["NA", "N/A", "#N/A", "<NA>", "n/a", "NaN", "nan", "NULL", "null", "None"]
ROW_NAMES = "left out the first column, which has no name: it holds the names of the rows"
_SAMPLE = 2**16
_LARGEST_SAMPLE = 2**26
SAMPLE_ROWS = 10_000
_EXPONENT = r"([eE][-+]?\d+)?"
# The decimal mark, the mark between thousands, and numbers written so.
_PATTERNS = {
    ".": (",", r"^[-+]?(\d+|\d{1,3}(,\d{3})+)?(\.\d*)?" + _EXPONENT + "$"),
    ",": (".", r"^[-+]?(\d+|\d{1,3}(\.\d{3})+)?(,\d*)?" + _EXPONENT + "$"),
}
_UNCLEAR = r"^[-+]?[1-9]\d{0,2},\d{3}$"  # 1,234: a decimal or a thousand?


def read_text(
    source: Path | bytes, suffix: str, shown: str, options: TableOptions, notices: list[str]
) -> polars.DataFrame:
    """The table in a text file."""
    import polars

    dialect = dialect_of(source, suffix, shown, options)
    try:
        frame = parsed(source, dialect, options.decimal != ",").collect()
        if frame.width != len(dialect.names):
            raise ragged(source, dialect, shown)
        frame.columns = list(dialect.names)
        if frame.height and frame[:, -1].null_count():
            _require_full_rows(source, dialect, shown)
        frame = frame.filter(~polars.all_horizontal(polars.all().is_null()))  # blank lines: no observations
        if not options.transpose:  # else they are names of columns
            frame = without_row_names(frame, dialect, notices)
        decimal = options.decimal or _decimal(frame, dialect, shown, options)
        if decimal == "," and options.decimal is None:  # 1.234 was read as a decimal: it is a thousand
            again = replace(options, separator=dialect.separator, decimal=",")
            return read_text(source, suffix, shown, again, [])
    except polars.exceptions.PolarsError as error:
        raise ragged(source, dialect, shown, error) from None
    return frame.with_columns(_numbers_spelled_out(frame, decimal, options.thousands))


def dialect_of(source: Path | bytes, suffix: str, shown: str, options: TableOptions) -> Dialect:
    """The dialect, from as much of the file as holds a few rows."""
    size = _SAMPLE
    with opened(source) as file:
        sample = file.read(size)
        while len(sample) == size < _LARGEST_SAMPLE and sample.count(b"\n") < 10:
            sample += file.read(size)
            size *= 2
        whole = not file.read(1)
    return find_dialect(sample, whole, suffix, shown, options)


@contextmanager
def opened(source: Path | bytes) -> Iterator[IO[bytes]]:
    """A file, or bytes as one."""
    if isinstance(source, bytes):
        yield io.BytesIO(source)
    else:
        with source.open("rb") as file:
            yield file


def parsed(source: Path | bytes, dialect: Dialect, typed: bool, **more: Any) -> polars.LazyFrame:
    """The file as Polars reads it; without types, all columns are text."""
    import polars

    return polars.scan_csv(
        source,
        separator=dialect.separator,
        has_header=dialect.headed,
        skip_rows=0 if dialect.headed else 1,
        null_values=MISSING,
        infer_schema=typed,
        glob=False,
        **({"infer_schema_length": None} | more),
    )


def without_row_names(frame: polars.DataFrame, dialect: Dialect, notices: list[str]) -> polars.DataFrame:
    """The frame without a first column of row names, and a notice that says so."""
    if not dialect.row_names:
        return frame
    if not look_like_row_names(frame[:, 0].to_list()):
        raise DataError(
            "column 0 (counting from 0) has no name, and its values are not row names, since they repeat or "
            "are plain numbers: name it"
        )
    notices.append(ROW_NAMES)
    return frame[:, 1:]


def _decimal(frame: polars.DataFrame, dialect: Dialect, shown: str, options: TableOptions) -> str:
    """The decimal mark: a comma if some column cannot be read otherwise."""
    import polars

    if dialect.separator == "," or options.thousands == ",":
        return "."
    unclear = None
    for column in frame.select(polars.col(polars.String)):
        cells = column.str.strip_chars().drop_nulls()
        if not cells.len() or not cells.str.contains(_PATTERNS[","][1]).all():
            continue
        if cells.str.contains(_UNCLEAR).any() and cells.str.contains(_PATTERNS["."][1]).all():
            unclear = unclear or (column.name, cells.filter(cells.str.contains(_UNCLEAR))[0])
        elif cells.str.contains(",", literal=True).any():
            return ","
    if unclear:
        raise DataError(
            f"column {unclear[0]!r} of {shown} has {unclear[1]!r}, which may be a decimal or a thousand: say "
            "decimal=',' or thousands=','"
        )
    return "."


def _numbers_spelled_out(frame: polars.DataFrame, decimal: str, thousands: str | None) -> list[polars.Series]:
    """Text columns in which every cell is a number between blanks, quotes or with marks, as numbers."""
    import polars

    found = []
    for column in frame.select(polars.col(polars.String)):
        cells = column.str.strip_chars()
        for numbers in (cells, without_marks(cells, decimal, thousands)):
            if numbers is None or (decimal == "," and numbers is cells):
                continue
            cast = numbers.cast(polars.Float64, strict=False)
            if cast.null_count() == column.null_count():
                found.append(cast)
                break
        else:
            truth = cells.str.to_lowercase().drop_nulls()
            if truth.len() and truth.is_in(["true", "false"]).all():
                found.append(cells.str.to_lowercase() == "true")
    return found


def without_marks(cells: polars.Series, decimal: str, thousands: str | None) -> polars.Series | None:
    """Numbers without marks between thousands and with a decimal point; None if some cell is no number."""
    if thousands is None:
        for mark in (decimal, "." if decimal == "," else None):  # a comma file may have columns with points
            if mark is not None and cells.drop_nulls().str.contains(_PATTERNS[mark][1]).all():
                other = _PATTERNS[mark][0]
                return cells.str.replace_all(other, "", literal=True).str.replace(mark, ".", literal=True)
        return None
    bare = cells.str.replace_all(thousands, "", literal=True)
    return bare.str.replace(",", ".", literal=True) if decimal == "," else bare


def sample_text(path: Path, suffix: str, shown: str, options: TableOptions) -> polars.DataFrame:
    """The first rows as `read_text` would read them."""
    dialect = dialect_of(path, suffix, shown, options)
    sample = _sample(path, dialect, shown, options)
    decimal = options.decimal or _decimal(sample, dialect, shown, options)
    named = [name for name in dialect.names if name]
    return sample.with_columns(_numbers_spelled_out(sample, decimal, options.thousands)).select(named)


def _sample(path: Path, dialect: Dialect, shown: str, options: TableOptions) -> polars.DataFrame:
    sample = parsed(path, dialect, options.decimal != ",", n_rows=SAMPLE_ROWS).collect()
    if sample.width != len(dialect.names):
        raise ragged(path, dialect, shown)
    sample.columns = list(dialect.names)
    return sample


def scan_numbers(
    path: Path, suffix: str, shown: str, names: Sequence[str], options: TableOptions
) -> polars.LazyFrame:
    """The columns with these names as numbers, lazily; the first rows tell which marks numbers have.

    A later cell that does not fit raises Polars' ComputeError when it is reached.
    """
    import polars

    dialect = dialect_of(path, suffix, shown, options)
    sample = _sample(path, dialect, shown, options)
    decimal = options.decimal or _decimal(sample, dialect, shown, options)
    spelled = {column.name for column in _numbers_spelled_out(sample, decimal, options.thousands)}
    refused: dict[str, NotNumbersError] = {}
    types: list[Any] = [polars.String] * len(dialect.names)
    expressions = []
    for name in names:
        j, dtype, column = dialect.names.index(name), sample[name].dtype, polars.col(name)
        if dtype != polars.String:
            types[j] = polars.Boolean if dtype == polars.Boolean else polars.Float64
        elif name in spelled:
            column = _without_marks_lazily(column, decimal, options.thousands)
        else:
            refused[name] = NotNumbersError("text", sample[name].drop_nulls()[0])
        expressions.append(column.cast(polars.Float64))
    if refused:
        raise column_type_error(refused)
    schema = dict(zip(dialect.names, types, strict=True))
    frame = parsed(path, dialect, typed=True, schema=schema)
    frame = frame.filter(~polars.all_horizontal(polars.all().is_null()))
    return frame.select(expressions)


def _without_marks_lazily(column: polars.Expr, decimal: str, thousands: str | None) -> polars.Expr:
    other = thousands or _PATTERNS[decimal][0]
    bare = column.str.strip_chars().str.replace_all(other, "", literal=True)
    return bare.str.replace(",", ".", literal=True) if decimal == "," else bare


def ragged(source: Path | bytes, dialect: Dialect, shown: str, error: Exception | None = None) -> DataError:
    """Why a text file cannot be read: the line that is not UTF-8, or has too many or too few fields."""
    try:
        _require_utf8(source, shown)
        _require_full_rows(source, dialect, shown)
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


def _require_full_rows(source: Path | bytes, dialect: Dialect, shown: str) -> None:
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
                        f"columns (separator {dialect.separator!r}): mend the line, or say separator='...'"
                    )
        except csv.Error as error:
            raise DataError(f"line {reader.line_num} of {shown} cannot be read: {error}") from None
