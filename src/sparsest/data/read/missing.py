"""Rows with missing values left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError

HINT = "drop those rows (missing='drop'), fill the values in, or learn from what is known (missing='em')"


def drop_incomplete(values: NDArray[np.float64], notices: list[str]) -> NDArray[np.bool_] | None:
    """Which rows are complete; None if all are."""
    known: NDArray[np.bool_] = np.asarray(~np.isnan(values).any(axis=1))
    complete = int(known.sum())
    if complete == len(known):
        return None
    if complete < 2:
        raise too_few_complete(complete, len(known))
    notices.append(f"dropped {len(known) - complete} of {len(known)} rows, which have missing values")
    return known


def too_few_complete(complete: int, rows: int) -> DataError:
    """The error for a table with fewer than two complete rows."""
    return DataError(
        f"only {complete} of {rows} rows are complete: dropping the others leaves too little. Pass "
        "missing='em', or leave out columns with many missing values"
    )
