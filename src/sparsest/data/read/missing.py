"""Rows with missing values left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError

HINT = "learn from what is known (missing='auto'), drop those rows (missing='drop'), or fill the values in"


class MissingValueError(DataError):
    """A value is missing where that is an error."""


def complete_rows(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which rows have no missing value."""
    return np.asarray(~np.isnan(values).any(axis=1))


def dropped_rows(complete: int, rows: int) -> tuple[str, ...]:
    """The notice that incomplete rows were dropped, if any were; refuses to leave fewer than two rows."""
    if complete < 2:
        raise DataError(
            f"only {complete} of {rows} rows are complete: dropping the others leaves too little. Pass "
            "missing='auto', or leave out columns with many missing values"
        )
    if complete == rows:
        return ()
    return (f"dropped {rows - complete} of {rows} rows, which have missing values",)
