"""Columns in which every row says the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError


def constant_columns(values: NDArray[np.float64]) -> dict[int, float]:
    """Position and value of each column whose known values are all the same (NaN: there are none)."""
    # Columns that vary mostly do so in their first two rows: the rest are few enough to read in full.
    same = (values[0] == values[1]) | np.isnan(values[0]) | np.isnan(values[1])
    found = {}
    for j in map(int, np.flatnonzero(same)):
        column = values[:, j]
        known = column[~np.isnan(column)] if np.isnan(column[0]) or np.isnan(column).any() else column
        if known.size == 0 or (known == known[0]).all():
            found[j] = float(known[0]) if known.size else float("nan")
    return found


def constant_error(constant: dict[int, float], names: Sequence[str], *, drop: bool = False) -> DataError:
    """The error that names constant columns, their values and the way out, if dropping is one."""
    listed = [f"{names[j]!r} is constant (all {value:g})" for j, value in list(constant.items())[:5]]
    more = f" and {len(constant) - 5} more are" if len(constant) > 5 else ""
    if drop:
        return DataError(
            f"column {', column '.join(listed)}{more}: without them nothing is left to learn from"
        )
    return DataError(
        f"column {', column '.join(listed)}{more}: drop what does not vary, or pass drop_constant=True"
    )
