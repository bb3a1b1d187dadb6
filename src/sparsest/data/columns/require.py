"""Requirements that tables and moments share: names, shape, finite numbers, weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.budget import require_room
from sparsest._core.errors import DataError, OptionError
from sparsest._core.words import default_names, quoted

_SQUARES = 8  # matrices of p by p numbers that a fit holds at its peak
FILL = "drop those rows or fill the values in"


def checked_names(names: Iterable[object] | None, p: int) -> tuple[str, ...]:
    """`names` as p different strings (x0, x1, ... for None), or a DataError."""
    if names is None:
        return default_names(p)
    if isinstance(names, str | bytes):
        raise DataError(f"names must be a list with one name per column, got {names!r}")
    result = tuple(str(name) for name in names)
    if len(result) != p:
        raise DataError(f"{len(result)} names for {p} columns: give one name per column")
    require_distinct(result)
    nameless = [j for j, name in enumerate(result) if not name.strip()]
    if nameless:
        raise DataError(
            f"column {nameless[0]} (counting from 0) has no name, perhaps an index that was saved with the "
            "table: name it, or leave it out with columns=[...]"
        )
    return result


def require_distinct(names: Sequence[str], where: str | None = None) -> None:
    """Refuse a name that two columns share."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataError(
            f"several columns {'' if where is None else f'of {where} '}are named {quoted(repeated)}: each "
            "column needs its own name, so rename them"
        )


def require_finite(
    values: NDArray[Any], names: Sequence[str], *, nan: bool = False, hint: str | None = None
) -> None:
    """Refuse infinity, and NaN unless it is allowed, naming the columns and the first row.

    `hint` says what to do about missing values.
    """
    # A sum is finite only if all its terms are: one pass without an array of flags. A sum may also overflow,
    # so its column is only suspect.
    with np.errstate(over="ignore", invalid="ignore"):
        suspects = np.flatnonzero(~np.isfinite(values.sum(axis=0, dtype=np.float64)))
    wrong = np.isinf if nan else _is_not_finite
    bad = [int(j) for j in suspects if wrong(values[:, j]).any()]
    if not bad:
        return
    column = values[:, bad[0]]
    rows = np.flatnonzero(wrong(column))
    found = [
        word
        for word, any_ in (("NaN", not nan and np.isnan(column).any()), ("inf", np.isinf(column).any()))
        if any_
    ]
    also = f"; so have {quoted([names[j] for j in bad[1:]])}" if len(bad) > 1 else ""
    raise DataError(
        f"column {names[bad[0]]!r} has {' and '.join(found)} in {len(rows)} of {len(column)} rows, first in "
        f"row {rows[0]} (counting from 0){also}: {hint if hint and found == ['NaN'] else FILL}"
    )


def _is_not_finite(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(~np.isfinite(values))


def require_room_for(p: int) -> None:
    """Refuse so many columns that their square matrices would not fit into memory."""
    require_room(_SQUARES * 8.0 * p**2, f"a graph of {p} columns", "pass fewer with columns=[...]")


def require_shape(shape: tuple[int, ...]) -> None:
    """Refuse anything but a table with at least one column and two rows.

    The words are those of scikit-learn, whose tools look for them.
    """
    if len(shape) != 2:
        raise DataError(
            f"Expected 2D array, got {len(shape)}D array instead (shape={shape}): one row per observation, "
            "one column per variable. Reshape your data, with array.reshape(-1, 1) if it is a single column"
        )
    if shape[1] < 1:
        raise DataError(
            f"the table is empty: 0 feature(s) (shape={shape}) while a minimum of 1 is required. "
            "Pass data with columns"
        )
    if shape[0] < 2:
        raise DataError(
            f"too few rows: {shape[0]} sample(s) (shape={shape}) while a minimum of 2 is required. "
            "Pass data with more rows"
        )


def checked_weights(
    weights: NDArray[np.float64], rows: int, what: str, *, some: bool = True
) -> NDArray[np.float64]:
    """Weights that are finite, not negative, and (if `some`) not all 0."""
    if weights.shape != (rows,):
        raise OptionError(f"{what} must be one weight per row: {rows} of them, not shape {weights.shape}")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        raise DataError(
            f"{what} must be finite and non-negative, but row {bad[0]} (counting from 0) has "
            f"{weights[bad[0]]}"
        )
    if some and not weights.any():
        raise DataError(f"{what} are all 0: no row counts")
    return weights


def refuse_complex() -> DataError:
    """The error for complex numbers, in scikit-learn's words."""
    return DataError("Complex data not supported: pass real and imaginary parts as separate columns")
