"""Numbers in text: their decimal mark, and the mark between thousands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparsest._core.errors import DataError
from sparsest.data.read.dialect import Dialect
from sparsest.data.read.options import TableOptions

if TYPE_CHECKING:
    import polars

_EXPONENT = r"([eE][-+]?\d+)?"
# The decimal mark, the mark between thousands, and numbers written so.
_PATTERNS = {
    ".": (",", r"^[-+]?(\d+|\d{1,3}(,\d{3})+)?(\.\d*)?" + _EXPONENT + "$"),
    ",": (".", r"^[-+]?(\d+|\d{1,3}(\.\d{3})+)?(,\d*)?" + _EXPONENT + "$"),
}
_UNCLEAR = r"^[-+]?[1-9]\d{0,2},\d{3}$"  # 1,234: a decimal or a thousand?


def decimal_mark(frame: polars.DataFrame, dialect: Dialect, shown: str, options: TableOptions) -> str:
    """The decimal mark: a comma if some column cannot be read otherwise."""
    import polars

    if dialect.separator == "," or options.thousands == ",":
        return "."
    unclear = None
    for column in frame.select(polars.col(polars.String)):
        cells = _stripped(column).drop_nulls()
        if not cells.len() or not cells.str.contains(_PATTERNS[","][1]).all():
            continue
        if cells.str.contains(_UNCLEAR).any() and cells.str.contains(_PATTERNS["."][1]).all():
            unclear = unclear or (column.name, cells.filter(cells.str.contains(_UNCLEAR))[0])
        elif cells.str.contains(",", literal=True).any():
            return ","
    if unclear:
        raise DataError(
            f"column {unclear[0]!r} of {shown} has {unclear[1]!r}, which may be a decimal or a thousand: "
            "pass decimal=',' or thousands=','"
        )
    return "."


def numbers_spelled_out(frame: polars.DataFrame, decimal: str, thousands: str | None) -> list[polars.Series]:
    """Text columns in which every cell is a number between blanks, quotes or with marks, as numbers."""
    import polars

    found = []
    for column in frame.select(polars.col(polars.String)):
        cells = _stripped(column)
        for numbers in (cells, _without_marks(cells, decimal, thousands)):
            if numbers is None or (decimal == "," and numbers is cells):
                continue
            cast = numbers.cast(polars.Float64, strict=False)
            if cast.null_count() == column.null_count():
                found.append(cast.rename(column.name))
                break
        else:
            truth = cells.str.to_lowercase().drop_nulls()
            if truth.len() and truth.is_in(["true", "false"]).all():
                found.append((cells.str.to_lowercase() == "true").rename(column.name))
    return found


def _stripped(column: polars.Series) -> polars.Series:
    """Cells without blanks around them, under a name that is no pattern to Polars."""
    return column.alias("cells").str.strip_chars()


def _without_marks(cells: polars.Series, decimal: str, thousands: str | None) -> polars.Series | None:
    """Numbers without marks between thousands and with a decimal point; None if some cell is not a number."""
    if thousands is None:
        for mark in (decimal, "." if decimal == "," else None):  # a comma file may have columns with points
            if mark is not None and cells.drop_nulls().str.contains(_PATTERNS[mark][1]).all():
                other = _PATTERNS[mark][0]
                return cells.str.replace_all(other, "", literal=True).str.replace(mark, ".", literal=True)
        return None
    bare = cells.str.replace_all(thousands, "", literal=True)
    return bare.str.replace(",", ".", literal=True) if decimal == "," else bare


def without_marks_lazily(column: polars.Expr, decimal: str, thousands: str | None) -> polars.Expr:
    """The same for a column that is known to hold such numbers, before it is read."""
    other = thousands or _PATTERNS[decimal][0]
    bare = column.str.strip_chars().str.replace_all(other, "", literal=True)
    return bare.str.replace(",", ".", literal=True) if decimal == "," else bare
