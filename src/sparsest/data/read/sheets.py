"""Arrays, data frames and files alike as named columns that are not interpreted yet."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError, OptionError
from sparsest._core.words import default_names, quoted
from sparsest.data.columns.numbers import NotNumbersError, cells_of, column_type_error, floats
from sparsest.data.columns.require import checked_names, require_distinct, require_shape
from sparsest.data.read.databases import read_query
from sparsest.data.read.options import TableOptions
from sparsest.data.read.parts import read_file

if TYPE_CHECKING:
    import narwhals


@dataclass(frozen=True)
class Sheet:
    """Named columns: a matrix of numbers, borrowed where possible, or else one array or series each."""

    names: tuple[str, ...]
    rows: int
    matrix: NDArray[np.float64] | None
    columns: tuple[Any, ...] = ()
    notices: tuple[str, ...] = ()  #: what reading had to say

    def column(self, j: int) -> Any:
        """One column."""
        return self.columns[j] if self.matrix is None else self.matrix[:, j]

    def picked(self, positions: Sequence[int]) -> Sheet:
        """Some of the columns, in the order given."""
        names = tuple(self.names[j] for j in positions)
        if self.matrix is not None:
            return replace(self, names=names, matrix=self.matrix[:, positions])
        return replace(self, names=names, columns=tuple(self.columns[j] for j in positions))


def read_sheet(data: Any, options: TableOptions) -> Sheet:
    """The columns of an array, a list of rows, a data frame or a file: at least one column and two rows."""
    if isinstance(data, Sheet):
        return data
    if isinstance(data, str | os.PathLike):
        if options.connection is not None:
            return _in_memory(read_query(str(data), options.connection), options)
        read = read_file(Path(data), options)
        return replace(_in_memory(read.frame, options), notices=read.notices)
    if options.separator or options.decimal or options.thousands:
        raise OptionError("separator, decimal and thousands are for files: this table was read already")
    return _in_memory(data, options)


def _in_memory(data: Any, options: TableOptions) -> Sheet:
    if hasattr(data, "nnz") and hasattr(data, "todense"):
        raise DataError("sparse matrices are not supported: pass a dense array, for example data.toarray()")
    if isinstance(data, np.ndarray | list | tuple):
        return _from_array(_as_array(data), options)
    frame = _as_frame(data)
    if frame is not None:
        return _from_frame(frame, options)
    if hasattr(data, "__array__"):
        return _from_array(np.asarray(data), options)
    raise DataError(
        f"cannot read a table from {type(data).__name__}: pass a 2-D array, a data frame (pandas, Polars, "
        "PyArrow) or a path to a file"
    )


def chosen_positions(options: TableOptions, names: Sequence[str]) -> list[int]:
    """Where the columns are that `columns` and `exclude` choose; both may hold wildcards such as `gene*`."""
    chosen = list(range(len(names))) if options.columns is None else positions(options.columns, names)
    without = set() if options.exclude is None else set(positions(options.exclude, names))
    left = [j for j in chosen if j not in without]
    if not left:
        raise OptionError("exclude leaves no column to learn from: leave some of its names out")
    return left


def positions(columns: Sequence[str], names: Sequence[str]) -> list[int]:
    """Where the wanted columns are; a wildcard such as `gene*` stands for all columns that it matches."""
    require_distinct(columns)
    where = {name: j for j, name in enumerate(names)}
    matched = {
        name: [j for j, one in enumerate(names) if fnmatchcase(one, name)]
        for name in columns
        if name not in where and any(mark in name for mark in "*?[")
    }
    unknown = [name for name in columns if name not in where and not matched.get(name)]
    if unknown:
        near = difflib.get_close_matches(unknown[0], names, n=1) if len(names) <= 10_000 else []
        hint = f"did you mean {near[0]!r}?" if near else f"the table has {quoted(names)}"
        raise DataError(f"there is no column {quoted(unknown)}: {hint}")
    found = [j for name in columns for j in matched.get(name, [where.get(name, -1)])]
    return list(dict.fromkeys(found))


def _as_array(data: Any) -> NDArray[Any]:
    if isinstance(data, np.ma.MaskedArray):
        cells: NDArray[Any] = np.ma.getdata(data).astype(object)
        cells[np.ma.getmaskarray(data)] = None  # a missing value
        return cells
    try:
        array = np.asarray(data)
    except ValueError:
        raise DataError("the rows differ in length: give every row one number per column") from None
    if isinstance(data, np.ndarray) or array.dtype.kind in "biufcO":
        return array
    return np.array(data, dtype=object)  # so that numbers next to text stay numbers


def _from_array(array: NDArray[Any], options: TableOptions) -> Sheet:
    if options.transpose and array.ndim == 2:
        array = array.T
    require_shape(array.shape)
    rows, names = len(array), default_names(array.shape[1])
    borrowed = array.dtype == np.float64 and (array.flags.c_contiguous or array.flags.f_contiguous)
    if borrowed:
        return Sheet(names, rows, array)
    if array.dtype.kind in "biufc":
        return Sheet(names, rows, floats(array))
    return Sheet(names, rows, None, tuple(array[:, j] for j in range(array.shape[1])))


def _as_frame(data: Any) -> narwhals.DataFrame[Any] | None:
    import narwhals
    from narwhals.exceptions import DuplicateError

    try:
        frame = narwhals.from_native(data, pass_through=True)
    except DuplicateError:
        labels = data.column_names if hasattr(data, "column_names") else data.columns
        require_distinct([str(label) for label in labels])
        raise DataError(
            f"some of the labels {quoted(list(map(str, labels)))} are equal to Python, as 1 and True are: "
            "rename them"
        ) from None
    if isinstance(frame, narwhals.LazyFrame):
        frame = frame.collect()
    return frame if isinstance(frame, narwhals.DataFrame) else None


def _from_frame(frame: narwhals.DataFrame[Any], options: TableOptions) -> Sheet:
    labels = list(frame.columns)  # pandas allows labels that are not strings
    names = [str(label) for label in labels]
    require_distinct(names)
    if options.transpose:
        return _transposed(frame, labels)
    if not options.strict:
        names = [name if name.strip() else f"unnamed_{j}" for j, name in enumerate(names)]
        require_distinct(names)
    if options.columns is not None:  # here already, so that a column without a name does no harm unread
        named = [str(options.weights)] if isinstance(options.weights, str) else []
        chosen = positions(options.columns, names)
        chosen += [j for j in positions(named, names) if j not in chosen]
        labels, names = [labels[j] for j in chosen], [names[j] for j in chosen]
    require_shape((len(frame), len(names)))
    # A nameless one each: Polars takes names such as "^a.*$" as patterns, even of a single column.
    columns = tuple(frame.get_column(label).alias("") for label in labels)
    return Sheet(checked_names(names, len(names)), len(frame), None, columns)


def _transposed(frame: narwhals.DataFrame[Any], labels: Sequence[Any]) -> Sheet:
    """One column per row of the frame, named by its first column if that holds words, or by its index."""
    import narwhals

    require_shape((len(labels), len(frame)))
    names: list[str] | None = None
    first = frame.get_column(labels[0])
    if first.dtype in (narwhals.String, narwhals.Categorical, narwhals.Enum, narwhals.Object) or not str(
        labels[0]
    ):
        names, labels = [str(cell) for cell in first.to_list()], labels[1:]
    else:
        index = narwhals.maybe_get_index(frame)
        if index is not None and type(index).__name__ != "RangeIndex":
            names = [str(label) for label in index]
    require_shape((len(labels), len(frame)))
    matrix = np.empty((len(labels), len(frame)))
    refused: dict[str, NotNumbersError] = {}
    for i, label in enumerate(labels):
        try:
            matrix[i] = floats(cells_of(frame.get_column(label)))
        except NotNumbersError as reason:
            refused[str(label)] = reason
    if refused:
        raise column_type_error(refused)
    return Sheet(checked_names(names, len(frame)), len(labels), matrix)
