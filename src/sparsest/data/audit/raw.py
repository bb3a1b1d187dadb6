"""The columns of a table as given, gaps included: an audit refuses nothing that it can describe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest.data.audit.findings import Describer
from sparsest.data.columns.coding import Coded, read_column
from sparsest.data.columns.kinds import Kind, Wanted
from sparsest.data.columns.numbers import NotNumbersError, real_word
from sparsest.data.read.options import TableOptions
from sparsest.data.read.sheets import Sheet, chosen_positions, positions

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Words:
    """A column that does not hold numbers."""

    what: str  #: "text", "dates or times", or what else it holds
    kind: Kind | None
    levels: int  #: how many different words, 0 if not known
    codes: Array | None  #: which word each row has, NaN where it is missing


@dataclass(frozen=True)
class Raw:
    """Names, and for each column its numbers (NaN where one is missing) or its words.

    `values` has the numeric columns side by side; `numeric` says which of all columns these are. `kinds` has
    what is known of columns without looking at their numbers here.
    """

    names: tuple[str, ...]
    n: int
    values: Array
    numeric: NDArray[np.intp]
    words: dict[int, Words]
    kinds: dict[int, Kind]

    @property
    def about(self) -> Describer:
        """Makes findings about these columns."""
        return Describer(self.names)


def raw_of_array(values: Array, names: Sequence[str], kinds: Mapping[int, Kind]) -> Raw:
    """The columns of a table that was read already."""
    return Raw(tuple(names), len(values), values, np.arange(values.shape[1]), {}, dict(kinds))


def raw_of_sheet(sheet: Sheet, options: TableOptions) -> Raw:
    """The columns of an array, a data frame or a file, as they were read."""
    if options.columns is not None or options.exclude is not None:
        sheet = sheet.picked(chosen_positions(options, sheet.names))
    wanted = options.wanted
    positions(list(wanted), sheet.names)  # refuses names that are not there
    if sheet.matrix is not None and not wanted:
        return raw_of_array(sheet.matrix, sheet.names, {})
    words: dict[int, Words] = {}
    numbers: dict[int, Coded] = {}
    for j, name in enumerate(sheet.names):
        column = _read(sheet.column(j), wanted.get(name))
        if isinstance(column, Words):
            words[j] = column
        else:
            numbers[j] = column
    values = np.empty((sheet.rows, len(numbers)), order="F")
    for k, coded in enumerate(numbers.values()):
        values[:, k] = coded.values
    kinds = {j: coded.kind for j, coded in numbers.items()}
    return Raw(sheet.names, sheet.rows, values, np.array(list(numbers), dtype=np.intp), words, kinds)


def _read(column: Any, wanted: Wanted | None) -> Coded | Words:
    try:
        coded = read_column(column, wanted, numbers_only=False)
    except NotNumbersError as reason:
        return Words(str(reason), None, 0, None)
    if coded.kind is Kind.DATE:
        return Words("dates or times", coded.kind, 0, coded.values)
    levels = coded.levels
    if levels is None or real_word(levels) is None:
        return coded
    return Words("text", coded.kind, len(levels), coded.values)
