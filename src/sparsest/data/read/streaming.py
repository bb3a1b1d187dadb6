"""Files larger than memory: passed over once, in blocks, into sums that do not grow.

Polars decodes the file on all cores and hands over block after block; here each block is added to the running
moments. The numbers equal those of the file read at once, up to rounding.
"""

from __future__ import annotations

import copy
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError
from sparsest._core.progress import Watch
from sparsest.data.columns.constant import varying_columns
from sparsest.data.columns.require import (
    FILL,
    checked_names,
    checked_weights,
    require_room_for,
    require_shape,
)
from sparsest.data.moments.checked import too_large
from sparsest.data.moments.from_table import TableMoments, pairwise_moments
from sparsest.data.moments.moments import Moments
from sparsest.data.moments.running import RunningMoments, RunningPairs, typical
from sparsest.data.read.blocks import blocks, clear_errors, require_all, scan
from sparsest.data.read.delimited import ROW_NAMES, SAMPLE_ROWS, dialect_of, sample_text
from sparsest.data.read.missing import HINT, MissingValueError, complete_rows, dropped_rows
from sparsest.data.read.options import TableOptions
from sparsest.data.read.packing import Part
from sparsest.data.read.parts import ARROW, TEXT, find_parts, require_same_names
from sparsest.data.read.sheets import chosen_positions, positions

if TYPE_CHECKING:
    import polars

_STREAMED = tuple(suffix for suffix in TEXT if suffix not in (".dat", ".data"))  # columns aligned by blanks
LARGE = 64 * 2**20  # bytes: smaller files are read at once


def worth_streaming(path: str | os.PathLike[str], options: TableOptions) -> bool:
    """Whether a file is large, and can be streamed under these options.

    EM needs all rows at once; so do variables in rows, and columns of words.
    """
    if options.transpose or options.missing == "em" or options.kinds or options.connection is not None:
        return False
    if options.weights is not None and not isinstance(options.weights, str):
        return False
    parts = find_parts(Path(path))
    if any(part.packing or part.format not in (*_STREAMED, *ARROW, ".parquet") for part in parts):
        return False
    return sum(part.path.stat().st_size for part in parts) >= LARGE


def first_rows(path: str | os.PathLike[str], options: TableOptions) -> polars.DataFrame:
    """Some thousand rows."""
    part = find_parts(Path(path))[0]
    with clear_errors(part):
        if part.format in TEXT:
            return sample_text(part.path, part.format, part.shown, options)
        return scan(part).head(SAMPLE_ROWS).collect()


def stream(path: str | os.PathLike[str], options: TableOptions, watch: Watch) -> TableMoments:
    """The moments of the table in a file or in a folder of parts."""
    parts = find_parts(Path(path))
    names, notices = read_names(parts, options)
    require_room_for(len(names))
    sums = Sums(names, options)
    add_parts(sums, parts, names, options, watch)
    require_shape((sums.rows, len(sums.variables)))
    return sums.moments(notices, options.drop_constant)


def add_parts(
    sums: Sums, parts: list[Part], names: tuple[str, ...], options: TableOptions, watch: Watch
) -> None:
    """Pass over the rows of all parts."""
    from sparsest._core.linalg import sensible_threads  # loads SciPy

    for part in parts:
        # Polars' threads are at work: those of the algebra library would only be in their way.
        with clear_errors(part), sensible_threads(len(names)):
            before = sums.rows
            for block in blocks(part, names, options):
                sums.add(block)
                watch.report("reading rows", sums.rows, math.nan)
            sums.notices += require_all(part, sums.rows - before, options)


class Sums:
    """What is collected over the blocks: the last column of a block holds the weights, if there are any."""

    def __init__(self, names: tuple[str, ...], options: TableOptions) -> None:
        self._weighed = isinstance(options.weights, str)
        self._missing, self._what = options.missing, f"the weights in column {options.weights!r}"
        self.variables = names[:-1] if self._weighed else names
        self.running: RunningMoments | RunningPairs | None = None
        self.rows = 0
        self.notices: tuple[str, ...] = ()

    def add(self, block: NDArray[np.float64]) -> None:
        """Take in some rows."""
        weights = None
        if self._weighed:
            block, weights = block[:, :-1], checked_weights(block[:, -1], len(block), self._what, some=False)
        if self._missing != "error":
            self._require_usable(block)
        self.rows += len(block)
        if self._missing == "drop":
            known = complete_rows(block)
            if not known.all():
                block, weights = block[known], None if weights is None else weights[known]
        if not len(block):
            return
        if self.running is None:
            make = RunningPairs if self._missing == "pairwise" else RunningMoments
            self.running = make(typical(block))
        with np.errstate(over="ignore", invalid="ignore"):
            self._take(block, weights)
        if self._missing == "error" and not np.isfinite(self.running.mean).all():  # cheaper than every cell
            self.rows -= len(block)
            self._require_usable(block)
            self.rows += len(block)

    def _take(self, block: NDArray[np.float64], weights: NDArray[np.float64] | None) -> None:
        """Add complete rows to the sums."""
        assert self.running is not None  # made for the first block
        self.running.add(block, weights)

    def merged(self, other: Sums) -> Sums:
        """The sums over the rows of both."""
        both = copy.copy(self)
        both.rows, both.notices = self.rows + other.rows, self.notices + other.notices
        one, two = self.running, other.running
        if isinstance(one, RunningMoments) and isinstance(two, RunningMoments):
            both.running = one.merged(two)
        else:  # one of them is empty
            both.running = two if one is None else one
        return both

    def moments(self, notices: tuple[str, ...], drop_constant: bool) -> TableMoments:
        """The moments of all rows taken in; `notices` are those of the file."""
        running = self.running
        notices += tuple(dict.fromkeys(self.notices))
        notices += dropped_rows(0 if running is None else running.rows, self.rows)
        if isinstance(running, RunningPairs):
            found = pairwise_moments(running, self.variables)
            return TableMoments(found.moments, None, notices + found.notices)
        assert running is not None  # there are complete rows
        moments = Moments.from_running(running, self.variables)
        if not np.isfinite(moments.covariance).all():
            j = int(np.argmin(np.isfinite(np.diag(moments.covariance))))
            raise too_large(moments.names[j])
        varying, dropped = _without_constants(moments, drop_constant)
        return TableMoments(varying, None, notices + dropped)

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
            raise (MissingValueError if what == "NaN" else DataError)(
                f"column {self.variables[j]!r} has {what} in row {self.rows + row} (counting from 0), "
                f"perhaps in others too: {HINT if what == 'NaN' else FILL}"
            )


def read_names(parts: list[Part], options: TableOptions) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns to read, first the variables, then the weights if they are a column; and notices."""
    found: list[list[str]] = []
    notices: tuple[str, ...] = ()
    for part in parts:
        with clear_errors(part):
            names, left_out = _names_of(part, options)
        found.append(names)
        notices = notices or left_out
    require_same_names(parts, found)
    wanted = [found[0][j] for j in chosen_positions(options, found[0])]
    if isinstance(options.weights, str):
        wanted = [*(name for name in wanted if name != options.weights), options.weights]
    chosen = [found[0][j] for j in positions(wanted, found[0])]
    return checked_names(chosen, len(chosen)), notices


def _names_of(part: Part, options: TableOptions) -> tuple[list[str], tuple[str, ...]]:
    if part.format not in TEXT:
        return scan(part).collect_schema().names(), ()
    dialect = dialect_of(part.path, part.format, part.shown, options)
    return [name for name in dialect.names if name], (ROW_NAMES,) if dialect.row_names else ()


def _without_constants(moments: Moments, drop: bool) -> tuple[Moments, tuple[str, ...]]:
    means: Any = moments.mean
    constant = {int(j): float(means[j]) for j in np.flatnonzero(np.diag(moments.covariance) == 0)}
    kept, notices = varying_columns(constant, moments.names, drop=drop)
    if not constant:
        return moments, ()
    covariance = moments.covariance[np.ix_(kept, kept)]
    return Moments(covariance, moments.n, means[kept], [moments.names[j] for j in kept]), notices
