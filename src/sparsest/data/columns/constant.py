"""Columns in which every row has the same value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError
from sparsest._core.words import quoted


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


def varying_columns(
    constant: Mapping[int, float], names: Sequence[str], *, drop: bool
) -> tuple[list[int], tuple[str, ...]]:
    """The positions of the columns that vary, and the notice that the others were dropped.

    Constant columns raise a DataError unless they are to be dropped and others remain.
    """
    if constant and (not drop or len(constant) == len(names)):
        raise constant_error(constant, names, drop=drop)
    kept = [j for j in range(len(names)) if j not in constant]
    dropped = quoted([names[j] for j in constant])
    return kept, (f"dropped the constant columns {dropped}",) if constant else ()


def constant_error(constant: Mapping[int, float], names: Sequence[str], *, drop: bool = False) -> DataError:
    """The error that names constant columns, their values and the way out, if dropping is one."""
    listed = [f"{names[j]!r} is constant (all {value:g})" for j, value in list(constant.items())[:5]]
    more = f" and {len(constant) - 5} more are" if len(constant) > 5 else ""
    columns = f"column {', column '.join(listed)}{more}"
    if drop:
        return DataError(f"{columns}: without them nothing is left to learn from")
    return DataError(f"{columns}: drop what does not vary, or pass drop_constant=True")
