"""The rows of a large file in blocks of numbers, decoded while the last block is added up."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError
from sparsest.data.columns.numbers import NotNumbersError, cells_of, column_type_error, floats
from sparsest.data.read.arrow import rows_declared
from sparsest.data.read.counting import require_all_rows
from sparsest.data.read.damage import ragged
from sparsest.data.read.delimited import NOTHING, by_name, dialect_of, scan_numbers
from sparsest.data.read.options import TableOptions
from sparsest.data.read.packing import Part, damaged
from sparsest.data.read.parquet import require_whole
from sparsest.data.read.parts import TEXT

if TYPE_CHECKING:
    import polars

_LATE_WORDS = (  # Polars' messages about a cell that is not a number
    r"could not parse `(?P<word>.*?)` as dtype `\w+` at column '(?P<column>.*?)' \(",
    r"conversion from `str` to `f64` failed in column '(?P<column>.*?)' for .*? values: \[\"(?P<word>.*?)\"",
)
_PIECE = 2**21  # numbers decoded at once, if row groups are not larger: 16 MB
_BLOCK = 2**18  # numbers added up at once: 2 MB, which fits into the processor's cache


def blocks(part: Part, names: tuple[str, ...], options: TableOptions) -> Iterator[NDArray[np.float64]]:
    """The columns as blocks of numbers."""
    import polars

    if part.format in TEXT:
        frame = scan_numbers(part.path, part.format, part.shown, names, options)
    else:
        frame = scan(part)
        _require_numbers(frame, names)
        frame = frame.select(by_name(name).cast(polars.Float64) for name in names)
    rows = max(1024, _BLOCK // len(names))
    for batch in _batches(part, frame, len(names)):
        for block in batch.iter_slices(rows):
            yield block.to_numpy()


def require_all(part: Part, rows: int, options: TableOptions) -> tuple[str, ...]:
    """Refuse a file that has more rows than were read; what there is to say of those that were."""
    if part.format in TEXT:
        dialect = dialect_of(part.path, part.format, part.shown, options)
        return require_all_rows(part.path, dialect, part.shown, rows, NOTHING)
    declared = (
        sum(require_whole(part.path, part.shown))
        if part.format == ".parquet"
        else rows_declared(part.path, part)
    )
    if declared and declared != rows:
        raise DataError(
            f"{part.shown} says that it has {declared} rows, and {rows} could be read: save it anew"
        )
    return ()


def _batches(part: Part, frame: polars.LazyFrame, p: int) -> Iterator[polars.DataFrame]:
    """The rows in pieces: whole row groups of a Parquet file, or what Polars makes of others.

    Polars' own pieces would do for Parquet as well, but it decodes row groups ahead of a slower consumer: the
    memory then depends on the machine. Here one piece is decoded while the last one is added up.
    """
    groups = require_whole(part.path, part.shown) if part.format == ".parquet" else []
    if not groups:
        yield from frame.collect_batches(chunk_size=max(1024, _PIECE // p))
        return
    with ThreadPoolExecutor(1) as ahead:
        pieces = deque(_pieces(groups, max(1024, _PIECE // p)))
        waiting = ahead.submit(frame.slice(*pieces.popleft()).collect)
        while pieces:
            batch = waiting.result()
            waiting = ahead.submit(frame.slice(*pieces.popleft()).collect)
            yield batch
        yield waiting.result()


def _pieces(groups: Sequence[int], enough: int) -> Iterator[tuple[int, int]]:
    """First row and number of rows of pieces that consist of whole row groups."""
    start = rows = 0
    for k, group in enumerate(groups, 1):
        rows += group
        if rows >= enough or k == len(groups):
            yield start, rows
            start, rows = start + rows, 0


def _require_numbers(frame: polars.LazyFrame, names: tuple[str, ...]) -> None:
    """Refuse columns of words, dates and the like, each with a sample."""
    import narwhals
    import polars

    schema = frame.collect_schema()
    refused: dict[str, NotNumbersError] = {}
    for name in names:
        if schema[name].is_numeric() or schema[name] == polars.Boolean:
            continue
        sample = frame.select(by_name(name)).head(1000).collect()[name]
        try:
            floats(cells_of(narwhals.from_native(sample, series_only=True)))
        except NotNumbersError as reason:
            refused[name] = reason
        else:
            refused[name] = NotNumbersError(
                f"values of type {schema[name]}", sample[0] if len(sample) else None
            )
    if refused:
        raise column_type_error(refused)


def scan(part: Part) -> polars.LazyFrame:
    """A Parquet or Arrow file, not read yet."""
    import polars

    if part.format == ".parquet":
        return polars.scan_parquet(part.path, glob=False, low_memory=True)
    return polars.scan_ipc(part.path, glob=False)


@contextmanager
def clear_errors(part: Part) -> Iterator[None]:
    """Polars' errors as ours."""
    import polars

    try:
        yield
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError) as error:
        for pattern in _LATE_WORDS:
            if cell := re.search(pattern, str(error), re.DOTALL):
                raise column_type_error({cell["column"]: NotNumbersError("text", cell["word"])}) from None
        if part.format in TEXT:
            dialect = dialect_of(part.path, part.format, part.shown, TableOptions())
            raise ragged(part.path, dialect, part.shown, error) from None
        raise damaged(part, error) from None
