"""Tables in files, read by Polars."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sparsest.data.checks import require_distinct
from sparsest.errors import DataError

if TYPE_CHECKING:
    import polars

_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_SUPPORTED = (".csv", ".tsv", ".parquet", ".feather")
_MISSING = ["NA", "N/A", "NaN", "nan", "NULL", "null", "None"]


def read_file(path: Path) -> polars.DataFrame:
    """The table in a file; its suffix says how it is written."""
    import polars

    path = path.expanduser()
    suffix = path.suffix.lower()
    if suffix not in _SUPPORTED:
        raise DataError(f"cannot tell how {str(path)!r} is written: supported are {', '.join(_SUPPORTED)}")
    if not path.is_file():
        raise DataError(f"there is no file {str(path)!r}: check the path (now in {str(Path.cwd())!r})")
    try:
        if suffix == ".parquet":
            return polars.read_parquet(path)
        if suffix == ".feather":
            return polars.read_ipc(path)
        return _read_text(path, _SEPARATORS[suffix])
    except (polars.exceptions.PolarsError, OSError) as error:
        reason = str(error).strip().splitlines()[0]
        encoding = ", in UTF-8" if suffix in _SEPARATORS else ""
        raise DataError(
            f"cannot read {str(path)!r}: {reason}. Is it a complete {suffix} file{encoding}?"
        ) from None


def _read_text(path: Path, separator: str) -> polars.DataFrame:
    import polars

    header = polars.read_csv(path, separator=separator, has_header=False, n_rows=1, infer_schema=False).row(0)
    names = [(name or "").strip() for name in header]
    require_distinct(names)  # Polars would rename them quietly
    if _is_a_row_of_numbers(names):
        raise DataError(
            f"the first line of {str(path)!r} holds numbers, not names: add a line with the column names"
        )
    frame = polars.read_csv(path, separator=separator, null_values=_MISSING, infer_schema_length=None)
    frame.columns = names
    frame = frame.filter(~polars.all_horizontal(polars.all().is_null()))  # blank lines are no observations
    return frame.with_columns(_numbers_spelled_out(frame))


def _is_a_row_of_numbers(names: list[str]) -> bool:
    """Whole numbers can be names (years, positions); a row of numbers with a fraction is data."""
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        return False
    return not all(number.is_integer() for number in numbers)


def _numbers_spelled_out(frame: polars.DataFrame) -> list[polars.Series]:
    """Text columns in which every cell is a number between blanks or quotes, as numbers."""
    import polars

    found = []
    for column in frame.select(polars.col(polars.String)):
        numbers = column.str.strip_chars().cast(polars.Float64, strict=False)
        if numbers.null_count() == column.null_count():
            found.append(numbers)
    return found
