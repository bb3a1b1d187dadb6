"""How much each row counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest.data.columns.numbers import NotNumbersError, cells_of, column_type_error, floats
from sparsest.data.columns.require import checked_weights
from sparsest.data.read.sheets import Sheet, positions


def read_weights(weights: Any, sheet: Sheet) -> tuple[NDArray[np.float64] | None, str | None]:
    """The weights of the rows, and the column they come from if they do."""
    if weights is None:
        return None, None
    if isinstance(weights, str):
        (j,) = positions([weights], sheet.names)
        try:
            found = floats(cells_of(sheet.column(j)))
        except NotNumbersError as reason:
            raise column_type_error({weights: reason}) from None
        return checked_weights(found, sheet.rows, f"the weights in column {weights!r}"), weights
    try:
        found = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError("weights must be the name of a column, or one weight per row") from None
    return checked_weights(found, sheet.rows, "weights"), None
