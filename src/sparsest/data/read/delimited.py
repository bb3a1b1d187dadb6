"""Text files: read by Polars, then columns of text that spell numbers become numbers.

No type is settled by the first rows: Polars looks at all of them, and a column of text gets a second look.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparsest._core.errors import DataError
from sparsest.data.columns.numbers import NotNumbersError, column_type_error
from sparsest.data.read.counting import require_all_rows
from sparsest.data.read.damage import ragged, require_full_rows
from sparsest.data.read.dialect import Dialect, find_dialect, look_like_row_names
from sparsest.data.read.marks import decimal_mark, numbers_spelled_out, without_marks_lazily
from sparsest.data.read.options import TableOptions
from sparsest.data.read.packing import opened
from sparsest.data.read.plain_text import plain_text

if TYPE_CHECKING:
    import polars

MISSING = ["NA", "N/A", "#N/A", "<NA>", "n/a", "NaN", "nan", "NULL", "null", "None"]
NOTHING = frozenset(["", *MISSING])
ROW_NAMES = "left out the first column, which has no name: it holds the names of the rows"
_SAMPLE = 2**16
_LARGEST_SAMPLE = 2**26
SAMPLE_ROWS = 10_000


@dataclass(frozen=True)
class Contents:
    """The table in a file, and what reading it had to say."""

    frame: polars.DataFrame
    notices: tuple[str, ...] = ()


def read_text(source: Path | bytes, suffix: str, shown: str, options: TableOptions) -> Contents:
    """The table in a text file."""
    import polars

    plain = plain_text(source, suffix, options)
    source, told = plain.source, plain.notices
    dialect = dialect_of(source, suffix, shown, options)
    named = dialect.row_names and not options.transpose  # transposed, they are the names of the columns
    try:
        frame = parsed(source, dialect, options.decimal != ",").collect()
        if frame.width != len(dialect.names):
            raise ragged(source, dialect, shown)
        frame.columns = list(dialect.names)
        if frame.height and frame[:, -1].null_count():
            require_full_rows(source, dialect, shown)
        frame = frame.filter(~polars.all_horizontal(polars.all().is_null()))  # blank lines: no observations
        told += require_all_rows(source, dialect, shown, frame.height, NOTHING)
        if named:
            frame = _without_row_names(frame)
        decimal = options.decimal or decimal_mark(frame, dialect, shown, options)
        if decimal == "," and options.decimal is None:  # 1.234 was read as a decimal: it is a thousand
            again = replace(options, separator=dialect.separator, decimal=",")
            found = read_text(source, suffix, shown, again)
            return replace(found, notices=tuple(dict.fromkeys(told + found.notices)))
    except polars.exceptions.PolarsError as error:
        raise ragged(source, dialect, shown, error) from None
    numbers = numbers_spelled_out(frame, decimal, options.thousands)
    return Contents(frame.with_columns(numbers), told + ((ROW_NAMES,) if named else ()))


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


def parsed(source: Path | bytes, dialect: Dialect, typed: bool, **more: Any) -> polars.LazyFrame:
    """The file as Polars reads it; without types, all columns are text."""
    import polars

    return polars.scan_csv(
        source,
        separator=dialect.separator,
        has_header=dialect.skipped == 0,
        skip_rows=dialect.skipped,
        null_values=MISSING,
        infer_schema=typed,
        glob=False,
        **({"infer_schema_length": None} | more),
    )


def by_name(name: str) -> Any:
    """The column of this name, which `polars.col` takes for a pattern if it begins with ^ and ends in $."""
    import polars.selectors

    return polars.selectors.by_name(name)


def _without_row_names(frame: polars.DataFrame) -> polars.DataFrame:
    """The frame without its first column, which must hold row names."""
    if not look_like_row_names(frame[:, 0].to_list()):
        raise DataError(
            "column 0 (counting from 0) has no name, and its values are not row names, since they repeat or "
            "are plain numbers: name it"
        )
    return frame[:, 1:]


def sample_text(path: Path, suffix: str, shown: str, options: TableOptions) -> polars.DataFrame:
    """The first rows as `read_text` would read them."""
    dialect = dialect_of(path, suffix, shown, options)
    sample = _sample(path, dialect, shown, options)
    decimal = options.decimal or decimal_mark(sample, dialect, shown, options)
    named = [name for name in dialect.names if name]
    return sample.with_columns(numbers_spelled_out(sample, decimal, options.thousands))[named]


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
    decimal = options.decimal or decimal_mark(sample, dialect, shown, options)
    spelled = {column.name for column in numbers_spelled_out(sample, decimal, options.thousands)}
    refused: dict[str, NotNumbersError] = {}
    types: list[Any] = [polars.String] * len(dialect.names)
    expressions = []
    for name in names:
        j, dtype, column = dialect.names.index(name), sample[name].dtype, by_name(name)
        if dtype != polars.String:
            types[j] = polars.Boolean if dtype == polars.Boolean else polars.Float64
        elif name in spelled:
            column = without_marks_lazily(column, decimal, options.thousands)
        else:
            refused[name] = NotNumbersError("text", sample[name].drop_nulls()[0])
        expressions.append(column.cast(polars.Float64))
    if refused:
        raise column_type_error(refused)
    schema = dict(zip(dialect.names, types, strict=True))
    frame = parsed(path, dialect, typed=True, schema=schema)
    frame = frame.filter(~polars.all_horizontal(polars.all().is_null()))
    return frame.select(expressions)
