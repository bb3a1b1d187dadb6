"""From columns as given to a table of numbers: chosen, coded, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsest._core.errors import DataError, OptionError
from sparsest._core.notices import tell
from sparsest.data.columns.coding import Coded, read_column, recoded
from sparsest.data.columns.constant import constant_columns, varying_columns
from sparsest.data.columns.kinds import Kind
from sparsest.data.columns.numbers import NotNumbersError, column_type_error
from sparsest.data.columns.require import require_finite, require_room_for
from sparsest.data.columns.table import Table
from sparsest.data.read.missing import HINT, complete_rows, dropped_rows
from sparsest.data.read.options import TableOptions
from sparsest.data.read.sheets import Sheet, chosen_positions, positions, read_sheet
from sparsest.data.read.weights import read_weights


def read_table(
    data: object,
    *,
    columns: Sequence[str] | None = None,
    kinds: Mapping[str, str | Sequence[str]] | None = None,
    drop_constant: bool = False,
    missing: str = "error",
    weights: str | ArrayLike | None = None,
    transpose: bool = False,
    separator: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    numbers_only: bool = True,
) -> Table:
    """The table in an array, a data frame, a list of rows or a file.

    A float64 array in C or Fortran order is borrowed, not copied.

    Parameters
    ----------
    data : array, list of rows, data frame or path
        Any data frame that narwhals supports, lazy ones included. Files: .csv, .tsv, .txt, .xlsx, .parquet,
        .feather, .arrow, .ipc, compressed or not (.gz, .zst, .bz2, .xz, .zip), or a folder of such parts.
        Text files begin with a line of names. The columns of an array are named x0, x1, ... Truth values
        count as 0 and 1.
    columns : list of str, optional
        The columns to read, in this order. Default: all.
    kinds : dict, optional
        What columns are, where the guess (see `sparsest.data.columns.kinds`) is wrong: `{"age": "count"}`. A
        list of words from low to high makes a column ordinal.
    drop_constant : bool, default False
        Drop constant columns, with a warning, instead of refusing them.
    missing : {"error", "drop", "keep"}, default "error"
        Refuse missing values, drop rows that have some (with a warning), or keep them as NaN. "pairwise" and
        "em", which `fit` accepts too, keep them.
    weights : str or array, optional
        The column that says how much each row counts (it is then not a variable), or one weight per row.
    transpose : bool, default False
        Whether the variables (genes, say) are in rows and the observations in columns.
    separator, decimal, thousands : str, optional
        The marks in a text file: between columns, before decimals and between thousands. Detected
        automatically where they are unambiguous.
    numbers_only : bool, default True
        Refuse columns of words and dates, unless `kinds` says what they are; numbers stay as given. If False,
        words become codes, two-valued columns 0 and 1, and dates days since 1970.

    Returns
    -------
    Table
        What was dropped is in its `notices`, and was issued as warnings.

    Raises
    ------
    DataError
        If something cannot be used; the message names the column and says what to do.
    OptionError
        If an option is not one of the above.

    Examples
    --------
    >>> import polars as pl
    >>> from sparsest.data import read_table
    >>> frame = pl.DataFrame({"age": [31.5, 46.0, 28.5], "smokes": ["no", "yes", "no"]})
    >>> table = read_table(frame, numbers_only=False)
    >>> table.values
    array([[31.5,  0. ],
           [46. ,  1. ],
           [28.5,  0. ]])
    >>> table.levels
    (None, ('no', 'yes'))
    """
    options = TableOptions(
        columns, kinds, drop_constant, missing, weights, transpose, separator, decimal, thousands
    )
    table = checked_table(data, options, numbers_only=numbers_only)
    tell(table.notices)
    return table


def checked_table(data: object, options: TableOptions, *, numbers_only: bool = True) -> Table:
    """`read_table` with the options in one piece; notices are kept in the table, not told."""
    return checked(raw_table(data, options, numbers_only=numbers_only), options)


def raw_table(data: object, options: TableOptions, *, numbers_only: bool) -> Table:
    """The table as it is: constant columns, infinite and missing values (NaN) are kept."""
    if isinstance(data, Table):
        return read_before(data, options, numbers_only)
    return interpreted(read_sheet(data, options), options, numbers_only)


def interpreted(sheet: Sheet, options: TableOptions, numbers_only: bool) -> Table:
    """The columns that the options choose, as numbers; nothing else is checked yet."""
    unknown = [name for name in options.wanted if name not in sheet.names and options.columns is None]
    if unknown:
        positions(unknown, sheet.names)  # raises
    weights, named = read_weights(options.weights, sheet)
    if options.columns is not None or options.exclude is not None:
        sheet = sheet.picked(chosen_positions(options, sheet.names))
    if named in sheet.names:
        if len(sheet.names) == 1:
            raise DataError(f"column {named!r} holds the weights, and there is no other column")
        sheet = sheet.picked([j for j, name in enumerate(sheet.names) if name != named])
    require_room_for(len(sheet.names))
    values, found = _coded(sheet, options, numbers_only)
    kinds, levels = tuple(column.kind for column in found), tuple(column.levels for column in found)
    return Table(values, sheet.names, kinds, levels, weights, sheet.notices)


def checked(table: Table, options: TableOptions) -> Table:
    """The table with finite values and varying columns: others are refused or dropped, as asked."""
    require_finite(table.values, table.names, nan=options.missing != "error", hint=HINT)
    if options.missing == "drop":
        table = _complete(table)
    table = _varying(table.counted(), options.drop_constant)
    borrowed = table.values.view()
    borrowed.flags.writeable = False
    return replace(table, values=borrowed)


def kept_rows(sheet: Sheet, options: TableOptions) -> NDArray[np.bool_]:
    """Which rows the checked table keeps: complete ones where others are dropped, and those that count."""
    if options.missing != "drop" and options.weights is None:
        return np.ones(sheet.rows, dtype=bool)
    table = interpreted(sheet, options, numbers_only=False)
    kept = complete_rows(table.values) if options.missing == "drop" else np.ones(sheet.rows, dtype=bool)
    return kept if table.weights is None else kept & (table.weights > 0)


def read_before(table: Table, options: TableOptions, numbers_only: bool) -> Table:
    """A table that was read already, perhaps for a model that can use words."""
    refused = {
        name: NotNumbersError(_REFUSED.get(kind, "categories"), levels[0] if levels else None)
        for name, kind, levels in zip(table.names, table.kinds, table.levels, strict=True)
        if numbers_only
        and (levels is not None or kind is Kind.DATE)
        and kind not in (Kind.BINARY, Kind.ORDINAL)
    }
    if refused:
        raise column_type_error(refused)
    if set(options.given()) - {"missing", "drop_constant"}:
        raise OptionError(f"{options.given()[0]} applies when a table is read, and this one was read already")
    return replace(table, notices=())  # told when it was read


def _coded(
    sheet: Sheet, options: TableOptions, numbers_only: bool
) -> tuple[NDArray[np.float64], list[Coded]]:
    """The columns side by side, or the error that lists those that cannot be used."""
    wanted, found = options.wanted, []
    values = np.empty((sheet.rows, len(sheet.names)), order="F") if sheet.matrix is None else sheet.matrix
    refused: dict[str, NotNumbersError] = {}
    for j, name in enumerate(sheet.names):
        column, kind = sheet.column(j), wanted.get(name)
        try:
            if sheet.matrix is None:
                coded = read_column(column, kind, numbers_only)
            else:
                coded = recoded(column, kind, numbers_only)
            if numbers_only and kind in (Kind.CATEGORICAL, Kind.IDENTIFIER, Kind.DATE):
                raise NotNumbersError(_REFUSED[kind], _example(coded))
        except NotNumbersError as reason:
            refused[name] = reason
            continue
        found.append(coded)
        if coded.values is not column:
            if values is sheet.matrix:
                values = values.copy()  # the caller's numbers are borrowed, not ours
            values[:, j] = coded.values
    if refused:
        raise column_type_error(refused)
    return values, found


_REFUSED = {Kind.CATEGORICAL: "categories", Kind.IDENTIFIER: "identifiers", Kind.DATE: "dates or times"}


def _example(coded: Coded) -> Any:
    return coded.levels[0] if coded.levels else float(coded.values[0])


def _complete(table: Table) -> Table:
    """The table without rows that have missing values."""
    known = complete_rows(table.values)
    dropped = dropped_rows(int(known.sum()), len(known))
    if not dropped:
        return table
    weights = None if table.weights is None else table.weights[known]
    return replace(table, values=table.values[known], weights=weights, notices=table.notices + dropped)


def _varying(table: Table, drop: bool) -> Table:
    """The table without constant columns, which are refused unless they are to be dropped."""
    kept, dropped = varying_columns(constant_columns(table.values), table.names, drop=drop)
    if not dropped:
        return table
    return replace(
        table,
        values=table.values[:, kept],
        names=tuple(table.names[j] for j in kept),
        kinds=tuple(table.kinds[j] for j in kept),
        levels=tuple(table.levels[j] for j in kept),
        notices=table.notices + dropped,
    )
