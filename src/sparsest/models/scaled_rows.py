"""Rows of numbers for models that count every row once: networks and user-defined likelihoods."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError, OptionError
from sparsest.data import Source, Table
from sparsest.data.moments.checked import require_squares
from sparsest.models.base import Array, resampled
from sparsest.models.imputing import completed
from sparsest.models.traits import Traits


@dataclass(frozen=True, eq=False)
class ScaledRows:
    """Rows as a model sees them: the user's columns minus `centres`, divided by `scales`."""

    names: tuple[str, ...]
    values: Array
    centres: Array
    scales: Array

    @classmethod
    def standardized(cls, table: Table) -> ScaledRows:
        """Columns with mean 0 and variance 1."""
        centres, scales = table.values.mean(axis=0), table.values.std(axis=0)
        if not (scales > 0).all():
            constant = table.names[int(np.argmin(scales))]
            raise DataError(f"column {constant!r} is constant: leave it out with drop_constant=True")
        return cls(table.names, (table.values - centres) / scales, centres, scales)

    @classmethod
    def as_given(cls, table: Table) -> ScaledRows:
        """The rows of a table in the user's units."""
        return cls(table.names, table.values, np.zeros(len(table.names)), np.ones(len(table.names)))

    @property
    def log_units(self) -> float:
        """The amount that the user's units add to the negative log-likelihood."""
        return float(np.log(self.scales).sum())

    def rearranged(self, order: NDArray[np.intp], units: Array) -> ScaledRows:
        """The columns in another order and other units, standardised again."""
        raw = (self.values * self.scales + self.centres)[:, order] * units
        centres, scales = raw.mean(axis=0), raw.std(axis=0)
        names = tuple(self.names[k] for k in order)
        return ScaledRows(names, (raw - centres) / scales, centres, scales)


@dataclass(frozen=True, eq=False)
class PreparedRows:
    """What models that are learned from such rows share; `table` is None where columns were rearranged."""

    rows: ScaledRows
    seed: int
    table: Table | None

    because = ""
    moments = None
    traits = Traits()

    @property
    def audited(self) -> Table | None:
        """The rows themselves."""
        return self.table

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return self.rows.names

    @property
    def n(self) -> float:
        """The number of rows."""
        return len(self.rows.values)

    @property
    def p(self) -> int:
        """The number of columns."""
        return len(self.rows.names)

    @property
    def notices(self) -> tuple[str, ...]:
        """Warnings from reading the table."""
        return () if self.table is None else self.table.notices


def read_rows(source: Source, model: str, seed: int) -> Table:
    """A table of numbers without weights; missing values are filled in once."""
    if source.given is not None:
        raise OptionError("this model is learned from the rows of a table, not from moments: pass the table")
    table = source.table(numbers_only=True)
    if table.weights is not None:
        raise OptionError(f"model {model!r} counts every row once: leave weights out")
    require_squares(table.values, table.names)
    if np.isnan(table.values).any():
        if source.options.missing != "auto":
            raise OptionError(f"model {model!r} needs every value: pass missing='auto' or 'drop'")
        found = completed(table, seed, copies=1)
        table = replace(table, values=found.copies[0], notices=(*table.notices, found.notice))
    if len(table.values) < 2:
        raise DataError(f"model {model!r} needs at least 2 rows, and the table has {len(table.values)}")
    return table


def resampled_rows(
    table: Table | None, rows: NDArray[Any] | None, weights: Array | None, model: str
) -> Table:
    """Other rows of a table for a model that counts every row once: whole weights repeat rows."""
    if weights is not None and table is not None:
        times = np.asarray(weights, dtype=np.float64)
        if times.shape != (len(table.values),) or (times != np.floor(times)).any() or (times < 0).any():
            raise OptionError(f"model {model!r} counts every row once: weights must be whole numbers")
        rows, weights = np.repeat(np.arange(len(times)), times.astype(np.intp)), None
    return resampled(table, rows, weights)
