"""Reading new rows for a fitted model, with the same codes for words as in the original table."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError, OptionError
from sparsest.data import Table, TableOptions, raw_table
from sparsest.data.columns.numbers import numbers_spelled, real_word
from sparsest.data.columns.rare_levels import OTHER
from sparsest.data.read.sheets import read_sheet
from sparsest.fitted.base import Fitted, held_columns

Array = NDArray[np.float64]


def predict(fitted: Fitted, rows: Any) -> dict[str, Array]:
    """The conditional mean of each column given its parents; the median of a column on another scale."""
    means = fitted.means(read_rows(fitted, rows))
    for j, each in enumerate(fitted.transforms):
        if each is not None:
            means[j] = each.backward(means[j])
    return dict(zip(fitted.names, means, strict=True))


def log_likelihood(fitted: Fitted, rows: Any) -> Array:
    """The log-likelihood of each row, in the user's units but for ranks, which have no density there."""
    values = read_rows(fitted, rows)
    total = fitted.log_likelihood(values)
    slopes = fitted.backward(values)
    for j, each in enumerate(fitted.transforms):
        if each is not None:
            total = total + each.log_slope(slopes[:, j])
    return total


def sample(fitted: Fitted, n: int, rng: np.random.Generator, do: Mapping[str, Any] | None = None) -> Array:
    """Random rows from the model, optionally under an intervention."""
    if not isinstance(rng, np.random.Generator):
        raise OptionError(
            f"rng must be a numpy.random.Generator, such as numpy.random.default_rng(0), not {rng!r}"
        )
    count = operator.index(n)
    if count < 0:
        raise OptionError(f"n must be a non-negative number of rows, not {n!r}")
    return fitted.backward(fitted.sample(count, rng, held_columns(fitted, do)))


def read_rows(fitted: Fitted, rows: Any) -> Array:
    """The values of new rows in the order and coding of the fitted columns.

    Data frames are matched by name and may have further columns; arrays are matched by position. Rows in the
    user's units are put on the scales of the model.
    """
    nameless = isinstance(rows, np.ndarray) and rows.ndim == 2 and rows.shape[1] == len(fitted.names)
    if nameless and rows.dtype.kind in "biuf":
        rows = Table(rows.astype(float), fitted.names, (), (None,) * rows.shape[1])
    table = rows if isinstance(rows, Table) else _table_of(fitted, rows, nameless)
    if nameless:
        places = list(range(len(fitted.names)))
    elif set(fitted.names) <= set(table.names):
        places = [table.names.index(name) for name in fitted.names]
    else:
        missing = next(name for name in fitted.names if name not in table.names)
        raise DataError(
            f"the rows have no column {missing!r}: the model was learned from {len(fitted.names)} columns"
        )
    values = np.empty((len(table.values), len(places)))
    for j, place in enumerate(places):
        values[:, j] = _coded(fitted, j, table.values[:, place], table.levels[place])
    return values if table.transforms else _on_scales(fitted, values)


def _on_scales(fitted: Fitted, values: Array) -> Array:
    found = fitted.forward(values)
    if np.isnan(found).any():
        row, j = (int(k) for k in np.argwhere(np.isnan(found))[0])
        raise DataError(
            f"column {fitted.names[j]!r} has {values[row, j]:g} in row {row} (counting from 0), where "
            f"{fitted.scale(j)} is not defined: leave such rows out"
        )
    return found


def _table_of(fitted: Fitted, rows: Any, nameless: bool) -> Table:
    """The rows as they are; of named columns only those of the model, since others may hold anything."""
    sheet = read_sheet(rows, TableOptions(strict=False))
    if not nameless and set(fitted.names) <= set(sheet.names):
        sheet = sheet.picked([sheet.names.index(name) for name in fitted.names])
    return raw_table(sheet, TableOptions(), numbers_only=False)


def _coded(fitted: Fitted, j: int, values: Array, levels: tuple[str, ...] | None) -> Array:
    name, known, column = fitted.names[j], fitted.levels[j], fitted.columns[j]
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise DataError(
            f"column {name!r} has no finite number in row {row} (counting from 0): leave such rows out"
        )
    if known is None and levels is None:
        coded = values
    elif known is None:  # plain numbers that were read as categories: convert them back
        if word := real_word(levels or ()):
            raise DataError(
                f"column {name!r} holds words, such as {word!r}, but was numeric when the model was learned"
            )
        coded = np.array(numbers_spelled(levels or ()))[values.astype(int)]
    else:
        words = [f"{value:.15g}" for value in values] if levels is None else [levels[int(k)] for k in values]
        if OTHER in known:
            words = [word if word in known else OTHER for word in words]
        unknown = sorted(set(words) - set(known))
        if unknown:
            raise DataError(
                f"column {name!r} has {unknown[0]!r}, which was not in the training data: its values are "
                f"{', '.join(map(repr, known))}"
            )
        coded = np.array([known.index(word) for word in words], dtype=float)
    if column.levels and not np.isin(coded, np.arange(column.levels)).all():
        raise DataError(f"column {name!r} must hold {column.levels} values, coded 0 to {column.levels - 1}")
    return coded
