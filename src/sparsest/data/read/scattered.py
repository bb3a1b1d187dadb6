"""Tables in pieces: Dask data frames, PyArrow datasets, files on several workers.

The sums of each piece are computed where the piece lies, on the workers of a Dask cluster if there is a
client, and merged in the order of the pieces: the moments do not depend on which is finished first. They
equal those of the whole table up to rounding.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError
from sparsest._core.progress import Watch
from sparsest.data.columns.numbers import NotNumbersError, cells_of, column_type_error, floats
from sparsest.data.columns.require import checked_names, require_shape
from sparsest.data.moments.from_table import TableMoments
from sparsest.data.read.missing import MissingValueError
from sparsest.data.read.options import TableOptions
from sparsest.data.read.parts import find_parts
from sparsest.data.read.sheets import chosen_positions, positions
from sparsest.data.read.streaming import Sums, add_parts, read_names, worth_streaming

_HEAD = 5000  # rows that tell the kinds of the columns

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scattered:
    """A table in pieces: its columns, its first rows, and how to get the sums of all pieces in order."""

    names: tuple[str, ...]
    notices: tuple[str, ...]
    head: Callable[[], Any]
    sums: Callable[[], Sequence[Sums]]

    def moments(self, options: TableOptions) -> TableMoments:
        """The moments of all pieces together."""
        total = functools.reduce(lambda one, other: one.merged(other), self.sums())
        require_shape((total.rows, len(total.variables)))
        return total.moments(self.notices, options.drop_constant)


def scattered(data: Any, options: TableOptions) -> Scattered | None:
    """The pieces of data that come in pieces; None for everything else, and where all rows are needed."""
    named = options.weights is None or isinstance(options.weights, str)
    if options.transpose or options.kinds or options.missing in ("em", "pairwise") or not named:
        return None
    if is_dataset(data):
        return _dataset(data, options)
    if is_dask(data):
        return _dask_frame(data, options)
    if isinstance(data, str | os.PathLike) and (client := _client()) is not None:
        return _files(data, options, client) if worth_streaming(data, options) else None
    return None


def is_dask(data: Any) -> bool:
    """Whether this is a data frame of Dask."""
    return type(data).__module__.startswith("dask") and hasattr(data, "to_delayed")


def is_dataset(data: Any) -> bool:
    """Whether this is a dataset of PyArrow."""
    return type(data).__module__.startswith("pyarrow") and hasattr(data, "get_fragments")


def _dask_frame(frame: Any, options: TableOptions) -> Scattered:
    import dask

    names = _chosen([str(name) for name in frame.columns], options)
    one = dask.delayed(_sums_of_frames)

    def sums() -> Sequence[Sums]:
        parts = frame.to_delayed()
        found: Sequence[Sums] = dask.compute(*(one([p], names, options, k) for k, p in enumerate(parts)))
        return found

    return Scattered(names, (), lambda: frame.head(_HEAD, npartitions=-1), sums)


def _dataset(dataset: Any, options: TableOptions) -> Scattered:
    names = _chosen(dataset.schema.names, options)
    pieces = list(dataset.get_fragments())
    work = functools.partial(_sums_of_fragment, names=names, options=options, schema=dataset.schema)
    return Scattered(names, (), lambda: dataset.head(_HEAD), lambda: _mapped(work, pieces))


def _files(path: str | os.PathLike[str], options: TableOptions, client: Any) -> Scattered | None:
    parts = find_parts(Path(path))
    if len(parts) < 2 or client is None:
        return None
    names, notices = read_names(parts, options)
    work = functools.partial(_sums_of_file, names=names, options=options)

    def head() -> Any:
        from sparsest.data.read.streaming import first_rows

        return first_rows(path, options)

    return Scattered(names, notices, head, lambda: _mapped(work, parts))


def _mapped(work: Callable[..., Sums], pieces: Sequence[Any]) -> Sequence[Sums]:
    """The sums of each piece in order: on the workers of a Dask client if there is one, else here."""
    client = _client()
    numbers = list(range(len(pieces)))
    if client is None:
        return [work(piece, number) for piece, number in zip(pieces, numbers, strict=True)]
    found: Sequence[Sums] = client.gather(client.map(work, pieces, numbers, pure=False))
    return found


def _client() -> Any:
    """The Dask client of this program, if it has one."""
    if sys.modules.get("distributed") is None:
        return None
    try:
        return sys.modules["distributed"].get_client()
    except ValueError:
        return None


def _sums_of_file(part: Any, number: int, *, names: tuple[str, ...], options: TableOptions) -> Sums:
    sums = Sums(names, options)
    with _said(number):
        add_parts(sums, [part], names, options, Watch())
    return sums


def _sums_of_fragment(
    fragment: Any, number: int, *, names: tuple[str, ...], options: TableOptions, schema: Any
) -> Sums:
    return _sums_of_frames(_tables(fragment, names, schema), names, options, number)


def _tables(fragment: Any, names: tuple[str, ...], schema: Any) -> Iterator[Any]:
    import pyarrow

    for batch in fragment.to_batches(columns=list(names), schema=schema):
        yield pyarrow.Table.from_batches([batch])


def _sums_of_frames(frames: Any, names: tuple[str, ...], options: TableOptions, number: int) -> Sums:
    sums = Sums(names, options)
    with _said(number):
        for frame in frames:
            if len(frame):
                sums.add(_numbers(frame, names))
    return sums


def _numbers(frame: Any, names: tuple[str, ...]) -> Array:
    import narwhals

    wrapped = narwhals.from_native(frame, eager_only=True)
    labels = {str(label): label for label in wrapped.columns}
    found, refused = np.empty((len(wrapped), len(names))), {}
    for j, name in enumerate(names):
        try:
            found[:, j] = floats(cells_of(wrapped.get_column(labels[name])))
        except NotNumbersError as reason:
            refused[name] = reason
    if refused:
        raise column_type_error(refused)
    return found


class _said:  # noqa: N801 (used like a function)
    """Says in which piece something was wrong."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, DataError):
            kind = MissingValueError if isinstance(error, MissingValueError) else DataError
            raise kind(f"in part {self._number} (counting from 0): {error}") from None


def _chosen(found: Sequence[str], options: TableOptions) -> tuple[str, ...]:
    """The columns to read, the weights last."""
    wanted = [found[j] for j in chosen_positions(options, found)]
    if isinstance(options.weights, str):
        wanted = [*(name for name in wanted if name != options.weights), options.weights]
    chosen = [found[j] for j in positions(wanted, found)]
    return checked_names(chosen, len(chosen))
