"""Files larger than memory: passed over once, in blocks, into sums that do not grow.

Polars decodes the file on all cores and hands over block after block; here each block is added to the running
moments. The numbers equal those of the file read at once, up to rounding.
"""

from __future__ import annotations

import math
import os
import re
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError
from sparsest._core.progress import Watch
from sparsest._core.words import quoted
from sparsest.data.checks import checked_names, require_shape
from sparsest.data.columns.numbers import NotNumbersError, cells_of, column_type_error, floats
from sparsest.data.moments.moments import Moments
from sparsest.data.moments.running import RunningMoments, RunningPairs, typical
from sparsest.data.read.constant import constant_error
from sparsest.data.read.files import ARROW, TEXT, Part, damaged, find_parts, require_same_names
from sparsest.data.read.missing import HINT, too_few_complete
from sparsest.data.read.options import TableOptions
from sparsest.data.read.parquet import require_whole
from sparsest.data.read.sheets import positions
from sparsest.data.read.weights import checked_weights

if TYPE_CHECKING:
    import polars

LARGE = 64 * 2**20  # bytes: smaller files are read at once
_LATE_WORDS = (  # what Polars says of a cell that is no number
    r"could not parse `(?P<word>.*?)` as dtype `\w+` at column '(?P<column>.*?)' \(",
    r"conversion from `str` to `f64` failed in column '(?P<column>.*?)' for .*? values: \[\"(?P<word>.*?)\"",
)
_PIECE = 2**21  # numbers decoded at once, if row groups are not larger: 16 MB
_BLOCK = 2**18  # numbers added up at once: 2 MB, which fits into the processor's cache


def worth_streaming(path: str | os.PathLike[str], options: TableOptions) -> bool:
    """Whether a file is large, and can be streamed under these options.

    EM needs all rows at once; so do variables in rows, and columns of words.
    """
    if options.transpose or options.missing == "em" or options.kinds:
        return False
    if options.weights is not None and not isinstance(options.weights, str):
        return False
    parts = find_parts(Path(path))
    if any(part.packing or part.format not in (*TEXT, *ARROW, ".parquet") for part in parts):
        return False
    return sum(part.path.stat().st_size for part in parts) >= LARGE


def first_rows(path: str | os.PathLike[str], options: TableOptions) -> polars.DataFrame:
    """Some thousand rows."""
    from sparsest.data.read.text import SAMPLE_ROWS, sample_text

    part = find_parts(Path(path))[0]
    with _clear_errors(part):
        if part.format in TEXT:
            return sample_text(part.path, part.format, part.shown, options)
        return _scan(part).head(SAMPLE_ROWS).collect()


def stream(path: str | os.PathLike[str], options: TableOptions, notices: list[str], watch: Watch) -> Moments:
    """The moments of the table in a file or in a folder of parts."""
    from sparsest._core.linalg import sensible_threads
    from sparsest.data.moments.from_table import pairwise_moments

    parts = find_parts(Path(path))
    names = _names(parts, options, notices)
    sums = _Sums(names, options)
    for part in parts:
        # Polars' threads are at work: those of the algebra library would only be in their way.
        with _clear_errors(part), sensible_threads(len(names)):
            for block in _blocks(part, names, options):
                sums.add(block)
                watch.report("reading rows", sums.rows, math.nan)
    require_shape((sums.rows, len(sums.variables)))
    running = sums.running
    if running is None or running.rows < 2:
        raise too_few_complete(0 if running is None else running.rows, sums.rows)
    if sums.rows > running.rows:
        notices.append(f"dropped {sums.rows - running.rows} of {sums.rows} rows, which have missing values")
    if isinstance(running, RunningMoments):
        moments = Moments.from_running(running, sums.variables)
        return _without_constants(moments, options.drop_constant, notices)
    return pairwise_moments(running, sums.variables, notices)


class _Sums:
    """What is collected over the blocks: the last column of a block holds the weights, if there are any."""

    def __init__(self, names: tuple[str, ...], options: TableOptions) -> None:
        self._weighed = isinstance(options.weights, str)
        self._missing, self._what = options.missing, f"the weights in column {options.weights!r}"
        self.variables = names[:-1] if self._weighed else names
        self.running: RunningMoments | RunningPairs | None = None
        self.rows = 0

    def add(self, block: NDArray[np.float64]) -> None:
        """Take in some rows."""
        weights = None
        if self._weighed:
            block, weights = block[:, :-1], checked_weights(block[:, -1], len(block), self._what, some=False)
        if self._missing != "error":
            self._require_usable(block)
        self.rows += len(block)
        if self._missing == "drop":
            known = ~np.isnan(block).any(axis=1)
            if not known.all():
                block, weights = block[known], None if weights is None else weights[known]
        if not len(block):
            return
        if self.running is None:
            make = RunningPairs if self._missing == "pairwise" else RunningMoments
            self.running = make(typical(block))
        with np.errstate(over="ignore", invalid="ignore"):
            self.running.add(block, weights)
        if self._missing == "error" and not np.isfinite(self.running.mean).all():  # cheaper than every cell
            self.rows -= len(block)
            self._require_usable(block)
            self.rows += len(block)

    def _require_usable(self, block: NDArray[np.float64]) -> None:
        """Refuse infinity, and NaN where it is an error, with the row in the whole file."""
        with np.errstate(over="ignore", invalid="ignore"):
            fine = np.isfinite(block.sum(axis=0)).all()
        if fine:
            return
        wrong = ~np.isfinite(block) if self._missing == "error" else np.isinf(block)
        if wrong.any():
            row, j = map(int, np.argwhere(wrong)[0])
            what = "NaN" if np.isnan(block[row, j]) else "inf"
            raise DataError(
                f"column {self.variables[j]!r} has {what} in row {self.rows + row} (counting from 0), "
                f"perhaps in others too: {HINT if what == 'NaN' else 'drop those rows or fill the values in'}"
            )


def _names(parts: list[Part], options: TableOptions, notices: list[str]) -> tuple[str, ...]:
    """The columns to read: the variables, then the weights if they are a column."""
    found = []
    for part in parts:
        with _clear_errors(part):
            found.append(_names_of(part, options, notices))
    require_same_names(parts, found)
    wanted = found[0] if options.columns is None else list(options.columns)
    if isinstance(options.weights, str):
        wanted = [*(name for name in wanted if name != options.weights), options.weights]
    chosen = [found[0][j] for j in positions(wanted, found[0])]
    return checked_names(chosen, len(chosen))


def _names_of(part: Part, options: TableOptions, notices: list[str]) -> list[str]:
    if part.format not in TEXT:
        return _scan(part).collect_schema().names()
    from sparsest.data.read.text import ROW_NAMES, dialect_of

    dialect = dialect_of(part.path, part.format, part.shown, options)
    if dialect.row_names and ROW_NAMES not in notices:
        notices.append(ROW_NAMES)
    return [name for name in dialect.names if name]


def _scan(part: Part) -> polars.LazyFrame:
    import polars

    if part.format == ".parquet":
        return polars.scan_parquet(part.path, glob=False, low_memory=True)
    return polars.scan_ipc(part.path, glob=False)


def _blocks(part: Part, names: tuple[str, ...], options: TableOptions) -> Iterator[NDArray[np.float64]]:
    """The columns as blocks of numbers."""
    import polars

    if part.format in TEXT:
        from sparsest.data.read.text import scan_numbers

        frame = scan_numbers(part.path, part.format, part.shown, names, options)
    else:
        frame = _scan(part)
        _require_numbers(frame, names)
        frame = frame.select(polars.col(name).cast(polars.Float64) for name in names)
    rows = max(1024, _BLOCK // len(names))
    for batch in _batches(part, frame, len(names)):
        for block in batch.iter_slices(rows):
            yield block.to_numpy()


def _batches(part: Part, frame: polars.LazyFrame, p: int) -> Iterator[polars.DataFrame]:
    """The rows in pieces: whole row groups of a Parquet file, or what Polars makes of others.

    Polars' own pieces would do for Parquet as well, but it decodes row groups ahead of whoever is slower: the
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
        sample = frame.select(polars.col(name)).head(1000).collect()[name]
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


def _without_constants(moments: Moments, drop: bool, notices: list[str]) -> Moments:
    if not np.isfinite(moments.covariance).all():
        j = int(np.argmin(np.isfinite(np.diag(moments.covariance))))
        raise DataError(
            f"the numbers in column {moments.names[j]!r} are too large to square: change its units"
        )
    means: Any = moments.mean
    constant = {int(j): float(means[j]) for j in np.flatnonzero(np.diag(moments.covariance) == 0)}
    if not constant:
        return moments
    if not drop or len(constant) == moments.p:
        raise constant_error(constant, moments.names, drop=drop)
    notices.append(f"dropped the constant columns {quoted([moments.names[j] for j in constant])}")
    kept = [j for j in range(moments.p) if j not in constant]
    covariance = moments.covariance[np.ix_(kept, kept)]
    return Moments(covariance, moments.n, means[kept], [moments.names[j] for j in kept])


@contextmanager
def _clear_errors(part: Part) -> Iterator[None]:
    """Polars' errors as ours."""
    import polars

    try:
        yield
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError) as error:
        for pattern in _LATE_WORDS:
            if cell := re.search(pattern, str(error), re.DOTALL):
                raise column_type_error({cell["column"]: NotNumbersError("text", cell["word"])}) from None
        if part.format in TEXT:
            from sparsest.data.read.text import dialect_of, ragged

            dialect = dialect_of(part.path, part.format, part.shown, TableOptions())
            raise ragged(part.path, dialect, part.shown, error) from None
        raise damaged(part, error) from None
