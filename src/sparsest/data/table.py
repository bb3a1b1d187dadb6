"""A table of numbers with named columns, from whatever the user has."""

from __future__ import annotations

import difflib
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsest.data.checks import (
    checked_names,
    default_names,
    quoted,
    require_distinct,
    require_finite,
    require_shape,
)
from sparsest.data.columns import NotNumbersError, column_type_error, floats
from sparsest.data.constant import constant_columns, constant_error
from sparsest.errors import DataError, DataWarning, OptionError

if TYPE_CHECKING:
    import narwhals


@dataclass(frozen=True, eq=False)
class Table:
    """Finite numbers, one row per observation, and the names of the columns.

    `values` is read-only and in C or Fortran order; it may share memory with the array it was read from.
    """

    values: NDArray[np.float64]
    names: tuple[str, ...]


def read_table(data: object, *, columns: Sequence[str] | None = None, drop_constant: bool = False) -> Table:
    """The table in an array, a data frame, a list of rows or a file.

    Parameters
    ----------
    data : numpy array, list of rows, pandas, Polars (also lazy) or PyArrow table, or path to a file
        Files end in .csv, .tsv, .parquet or .feather; text files open with a line of names. The columns of
        an array are named x0, x1, ... Truth values count as 0 and 1.
    columns : list of str, optional
        The columns to read, in this order. Default: all.
    drop_constant : bool
        Leave constant columns out, with a warning, instead of refusing them.

    A float64 array in C or Fortran order is borrowed, not copied. Whatever cannot be used raises a DataError
    that names the column and the way out.
    """
    values, names = _read(data, columns)
    require_finite(values, names)
    constant = constant_columns(values)
    if constant:
        if not drop_constant or len(constant) == len(names):
            raise constant_error(constant, names)
        dropped = quoted([names[j] for j in constant])
        warnings.warn(f"dropped the constant columns {dropped}", DataWarning, stacklevel=2)
        kept = [j for j in range(len(names)) if j not in constant]
        values, names = values[:, kept], tuple(names[j] for j in kept)
    borrowed = values.view()
    borrowed.flags.writeable = False
    return Table(borrowed, names)


def _read(data: Any, columns: Sequence[str] | None) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Numbers and names: at least one column and two rows, but perhaps NaN."""
    if isinstance(data, str | os.PathLike):
        from sparsest.data.files import read_file

        data = read_file(Path(data))
    if hasattr(data, "nnz") and hasattr(data, "todense"):
        raise DataError("sparse matrices are not supported: pass a dense array, for example data.toarray()")
    if isinstance(data, np.ndarray | list | tuple):
        return _read_array(_as_array(data), columns)
    frame = _as_frame(data)
    if frame is not None:
        return _read_frame(frame, columns)
    if hasattr(data, "__array__"):
        return _read_array(np.asarray(data), columns)
    raise DataError(
        f"cannot read a table from {type(data).__name__}: pass a 2-D array, a data frame (pandas, Polars, "
        "PyArrow) or a path to a file"
    )


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
    return np.array(data, dtype=object)  # so that numbers beside text are not text too


def _read_array(
    array: NDArray[Any], columns: Sequence[str] | None
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    require_shape(array.shape)
    names = default_names(array.shape[1])
    if columns is not None:
        picked = _positions(columns, names)
        array, names = array[:, picked], tuple(names[j] for j in picked)
    if array.dtype == np.float64 and (array.flags.c_contiguous or array.flags.f_contiguous):
        return array, names
    if array.dtype.kind in "biufc":
        return floats(array), names
    return _filled({name: array[:, j] for j, name in enumerate(names)}, len(array)), names


def _as_frame(data: Any) -> narwhals.DataFrame[Any] | None:
    import narwhals
    from narwhals.exceptions import DuplicateError

    try:
        frame = narwhals.from_native(data, pass_through=True)
    except DuplicateError:
        labels = data.column_names if hasattr(data, "column_names") else data.columns
        require_distinct([str(label) for label in labels])
        raise
    if isinstance(frame, narwhals.LazyFrame):
        frame = frame.collect()
    return frame if isinstance(frame, narwhals.DataFrame) else None


def _read_frame(
    frame: narwhals.DataFrame[Any], columns: Sequence[str] | None
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    labels = list(frame.columns)  # pandas allows labels that are not strings
    names = [str(label) for label in labels]
    require_distinct(names)
    if columns is not None:
        picked = _positions(columns, names)
        labels, names = [labels[j] for j in picked], [names[j] for j in picked]
    require_shape((len(frame), len(names)))
    chosen = checked_names(names, len(names))
    series = {name: frame.get_column(label) for name, label in zip(chosen, labels, strict=True)}
    return _filled(series, len(frame)), chosen


def _filled(columns: dict[str, Any], n: int) -> NDArray[np.float64]:
    """The columns (arrays or series) side by side, or the error that lists those that are not numbers."""
    values = np.empty((n, len(columns)), order="F")
    refused: dict[str, NotNumbersError] = {}
    for j, (name, column) in enumerate(columns.items()):
        try:
            values[:, j] = floats(column if isinstance(column, np.ndarray) else _cells(column))
        except NotNumbersError as reason:
            refused[name] = reason
    if refused:
        raise column_type_error(refused)
    return values


def _cells(series: narwhals.Series[Any]) -> NDArray[Any]:
    """The cells of a series whose type may hold numbers; raises NotNumbersError."""
    import narwhals

    dtype = series.dtype
    if dtype in (narwhals.Int128, narwhals.UInt128):  # NumPy has none
        series = series.cast(narwhals.Float64)
    if dtype.is_numeric() or dtype in (narwhals.Boolean, narwhals.Object, narwhals.Unknown, narwhals.String):
        cells = series.to_numpy()
        if cells.ndim == 1:
            return cells
    what = f"values of type {dtype}"
    if dtype in (narwhals.Categorical, narwhals.Enum):
        what = "categories"
    elif dtype.is_temporal():
        what = "dates or times"
    raise NotNumbersError(what, next(iter(series.drop_nulls().head(1).to_list()), None))


def _positions(columns: Sequence[str], names: Sequence[str]) -> list[int]:
    """Where the wanted columns are."""
    if isinstance(columns, str | bytes):
        raise OptionError(f"columns must be a list of names, got {columns!r}: write columns=[{columns!r}]")
    wanted = [str(column) for column in columns]
    if not wanted:
        raise OptionError("columns=[] leaves nothing to read: name at least one column")
    require_distinct(wanted)
    where = {name: j for j, name in enumerate(names)}
    unknown = [name for name in wanted if name not in where]
    if unknown:
        near = difflib.get_close_matches(unknown[0], names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"the table has {quoted(names)}"
        raise DataError(f"there is no column {quoted(unknown)}: {hint}")
    return [where[name] for name in wanted]
