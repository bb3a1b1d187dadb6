"""One column of any type as float64, or the reason why it cannot be."""

from __future__ import annotations

import reprlib
import sys
from collections.abc import Iterable, Sequence
from decimal import Decimal
from numbers import Complex, Real
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError
from sparsest._core.words import agreeing, quoted
from sparsest.data.columns.require import refuse_complex

_NUMBERS = (Real, Decimal, np.bool_, type(None))  # None is a missing value


class ColumnTypeError(DataError, TypeError):
    """A column holds something other than numbers."""


class NotNumbersError(Exception):
    """What a column holds instead of numbers; a table collects these into one error for the user."""

    def __init__(self, what: str, sample: object, row: int | None = None) -> None:
        where = "" if row is None else f" in row {row} (counting from 0)"
        super().__init__(f"{what}, for example {reprlib.repr(sample)}{where}")
        self._sample, self._row, self.is_text = sample, row, what == "text"

    def among_numbers(self) -> NotNumbersError:
        """The same, of a column that holds mostly numbers."""
        return NotNumbersError("numbers and text", self._sample, self._row)


def column_type_error(refused: dict[str, NotNumbersError]) -> ColumnTypeError:
    """The error for all columns of a table that do not hold numbers."""
    (first, reason), *others = refused.items()
    also = (
        f"; {quoted([name for name, _ in others])} {agreeing(others, 'is', 'are')} not numeric either"
        if others
        else ""
    )
    # The words from "argument" to "number" are those that scikit-learn's estimator checks look for.
    return ColumnTypeError(
        f"column {first!r} holds {reason}{also}: the data argument must be free of strings and anything "
        "else that is not a number. Leave such a column out with columns=[...], or encode it as numbers"
    )


def cells_of(column: Any) -> NDArray[Any]:
    """The cells of an array or of a series whose type may hold numbers or text; raises NotNumbersError."""
    import narwhals

    if not isinstance(column, narwhals.Series):
        return np.asarray(column)
    dtype = column.dtype
    if dtype in (narwhals.Int128, narwhals.UInt128):  # NumPy has none
        column = column.cast(narwhals.Float64)
    if dtype.is_numeric() or dtype in (narwhals.Boolean, narwhals.Object, narwhals.Unknown, narwhals.String):
        cells: NDArray[Any] = column.to_numpy()
        if cells.ndim == 1:
            return cells
    what = f"values of type {dtype}"
    if dtype in (narwhals.Categorical, narwhals.Enum):
        what = "categories"
    elif dtype.is_temporal():
        what = "dates or times"
    raise NotNumbersError(what, _sample(column))


def _sample(column: Any) -> object:
    try:
        return next(iter(column.drop_nulls().head(1).to_list()), None)
    except (
        BaseException
    ) as error:  # Polars panics at dates beyond those of Python, and a panic is no Exception
        if type(error).__name__ != "PanicException":
            raise
        return "a date that Python does not know"


def days(column: Any) -> NDArray[np.float64]:
    """Dates as days since 1970, lengths of time as days, times of day as parts of a day; missing is NaN."""
    import narwhals

    if isinstance(column, narwhals.Series) and column.dtype == narwhals.Time:
        midnight = [None if cell is None else cell.replace(tzinfo=None) for cell in column.to_list()]
        return np.array([np.nan if cell is None else _part_of_a_day(cell) for cell in midnight])
    cells = column.to_numpy() if isinstance(column, narwhals.Series) else column
    if cells.dtype.kind not in "mM":  # dates with a time zone are objects
        cells = np.array(
            [None if cell is None else cell.timestamp() for cell in column.to_list()], dtype=object
        )
        return cells.astype(np.float64) / 86400
    unit = "M8[us]" if cells.dtype.kind == "M" else "m8[us]"
    whole = cells.astype(unit).astype(np.int64).astype(np.float64) / 86400e6
    return np.where(np.isnat(cells), np.nan, whole)


def _part_of_a_day(cell: Any) -> float:
    seconds = 3600 * cell.hour + 60 * cell.minute + cell.second
    return float((seconds + cell.microsecond / 1e6) / 86400)


def is_missing(cell: object) -> bool:
    """None, NaN or pandas.NA."""
    return cell is None or _is_missing_kind(type(cell)) or (isinstance(cell, float) and cell != cell)


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
    """Raise for text, preferably with a cell that does not spell a number: it made the others text."""
    texts = [(row, cell) for row, cell in enumerate(cells) if isinstance(cell, str | bytes)]
    row, cell = next((pair for pair in texts if not spells_a_number(pair[1])), texts[0])
    raise NotNumbersError("text", bytes(cell) if isinstance(cell, bytes) else str(cell), row)


def spells_a_number(text: str | bytes) -> bool:
    """Whether Python reads a number in it."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def real_word(levels: Sequence[str]) -> str | None:
    """The first level of a column that does not spell a number, if any; False and True are 0 and 1."""
    if tuple(levels) == ("False", "True"):
        return None
    return next((word for word in levels if not spells_a_number(word)), None)


def numbers_spelled(levels: Sequence[str]) -> list[float]:
    """The numbers that the levels of a column spell."""
    return [0.0, 1.0] if tuple(levels) == ("False", "True") else [*map(float, levels)]
