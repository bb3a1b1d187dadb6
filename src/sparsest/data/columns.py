"""One column of anything as float64, or why not."""

from __future__ import annotations

import reprlib
import sys
from collections.abc import Iterable
from decimal import Decimal
from numbers import Complex, Real
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sparsest.data.checks import quoted, refuse_complex
from sparsest.errors import DataError

_NUMBERS = (Real, Decimal, np.bool_, type(None))  # None is a missing value


class ColumnTypeError(DataError, TypeError):
    """A column holds something else than numbers."""


class NotNumbersError(Exception):
    """What a column holds instead of numbers; the table collects these before it complains to the user."""

    def __init__(self, what: str, sample: object, row: int | None = None) -> None:
        where = "" if row is None else f" in row {row} (counting from 0)"
        super().__init__(f"{what}, for example {reprlib.repr(sample)}{where}")


def column_type_error(refused: dict[str, NotNumbersError]) -> ColumnTypeError:
    """The error for all columns of a table that do not hold numbers."""
    (first, reason), *others = refused.items()
    also = f"; no numbers in {quoted([name for name, _ in others])} either" if others else ""
    # The words from "argument" to "number" are those that scikit-learn's estimator checks look for.
    return ColumnTypeError(
        f"column {first!r} holds {reason}{also}: the data argument must be free of strings and whatever "
        "else is not a number. Leave such a column out with columns=[...], or encode it as numbers"
    )


def floats(cells: NDArray[Any]) -> NDArray[np.float64]:
    """Cells as float64, missing values as NaN; raises NotNumbersError."""
    kind = cells.dtype.kind
    if kind == "c":
        raise refuse_complex()
    if kind in "biuf":
        with np.errstate(over="ignore"):  # beyond float64 is inf, which is reported with its row
            return cells.astype(np.float64)
    if kind == "O":
        return _objects_as_floats(cells)
    if kind in "US":
        _refuse_text(cells)
    raise NotNumbersError("dates or times" if kind in "mM" else str(cells.dtype), cells[0], 0)


def _objects_as_floats(cells: NDArray[Any]) -> NDArray[np.float64]:
    kinds = set(map(type, cells))
    strange = {kind for kind in kinds if not issubclass(kind, _NUMBERS) and not _is_missing_kind(kind)}
    if any(issubclass(kind, Complex | np.complexfloating) for kind in strange):
        raise refuse_complex()
    if any(issubclass(kind, str | bytes) for kind in strange):
        _refuse_text(cells)
    if strange:
        row = next(i for i, cell in enumerate(cells) if type(cell) in strange)
        raise NotNumbersError(f"values of type {type(cells[row]).__name__}", cells[row], row)
    if any(map(_is_missing_kind, kinds)):
        cells = np.array([None if _is_missing_kind(type(cell)) else cell for cell in cells], dtype=object)
    try:
        return cells.astype(np.float64)
    except OverflowError:
        row = next(i for i, cell in enumerate(cells) if cell is not None and abs(cell) > sys.float_info.max)
        raise NotNumbersError("integers too large for float64", cells[row], row) from None


def _is_missing_kind(kind: type) -> bool:
    return kind.__name__ == "NAType"  # pandas.NA, recognised without importing pandas


def _refuse_text(cells: Iterable[Any]) -> NoReturn:
    """Text; the sample is a cell that spells no number, if there is one: it made text of the others."""
    texts = [(row, cell) for row, cell in enumerate(cells) if isinstance(cell, str | bytes)]
    row, cell = next((pair for pair in texts if not _spells_a_number(pair[1])), texts[0])
    raise NotNumbersError("text", bytes(cell) if isinstance(cell, bytes) else str(cell), row)


def _spells_a_number(text: str | bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
