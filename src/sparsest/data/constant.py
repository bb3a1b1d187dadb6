"""Columns in which every row says the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsest.errors import DataError


def constant_columns(values: NDArray[np.float64]) -> dict[int, float]:
    """Position and value of each constant column."""
    # Columns that vary mostly do so in their first two rows: the rest are few enough to read in full.
    candidates = np.flatnonzero(values[0] == values[1])
    return {int(j): float(values[0, j]) for j in candidates if (values[:, j] == values[0, j]).all()}


def constant_error(constant: dict[int, float], names: Sequence[str]) -> DataError:
    """The error that names constant columns, their values and the way out."""
    listed = [f"{names[j]!r} is constant (all {value:g})" for j, value in list(constant.items())[:5]]
    more = f" and {len(constant) - 5} more are" if len(constant) > 5 else ""
    return DataError(
        f"column {', column '.join(listed)}{more}: drop what does not vary, or pass drop_constant=True"
    )
