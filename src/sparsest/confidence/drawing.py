"""Which rows a resample has: halves without replacement, or a bootstrap, of single rows or of whole groups.

The rows of resample k depend on the seed and on k alone, never on who computes them or in which order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsest._core.errors import DataError, OptionError
from sparsest._core.notices import tell
from sparsest._core.streams import RESAMPLES, generator
from sparsest._core.validation import whole
from sparsest._core.words import count, quoted
from sparsest.data import Table
from sparsest.models.base import Prepared

HOWS = ("half", "bootstrap")
_LEAST_HALF = 4  # rows
_MOST_DRAWS = 100  # until every column varies and no category is missing

Rows = NDArray[np.intp]


class UnusableError(DataError):
    """Rows that cannot be drawn so that every column still varies."""


@dataclass(frozen=True, eq=False)
class Units:
    """The rows that stay together: `rows[starts[k]:starts[k + 1]]` for unit k."""

    rows: Rows
    starts: Rows

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[Rows]:
        return iter(np.split(self.rows, self.starts[1:-1]))

    def rows_of(self, chosen: Rows) -> Rows:
        """The rows of some units, which may repeat, in order."""
        if len(self) == len(self.rows):  # single rows: no need to go through them one by one
            return np.sort(self.rows[chosen])
        parts = [self.rows[self.starts[k] : self.starts[k + 1]] for k in chosen]
        return np.sort(np.concatenate(parts))


@dataclass(frozen=True, eq=False)
class Drawing:
    """Draws rows of a table.

    Parameters
    ----------
    how : {"half", "bootstrap"}
        Halves without replacement, the two of a pair being complements of each other (Shah & Samworth, 2013),
        or as many rows as there are, with replacement.
    units : Units
        The rows that stay together: single rows, groups or blocks.
    seed : int
        Determines all draws.

    Examples
    --------
    >>> drawing = Drawing("half", units_of(6), seed=0)
    >>> one, other = drawing.rows(0), drawing.rows(1)
    >>> sorted([*one.tolist(), *other.tolist()])
    [0, 1, 2, 3, 4, 5]
    """

    how: str
    units: Units
    seed: int

    @classmethod
    def checked(cls, how: str, units: Units, seed: int, columns: int) -> Drawing:
        """Refuse halves that are too small to learn from, and say where they are small for the columns."""
        n = len(units.rows)
        if how == "half" and n // 2 < _LEAST_HALF:
            raise DataError(
                f"half of {count(n, 'row')} has {n // 2}, and a half-sample needs at least {_LEAST_HALF}: "
                "pass more rows, or how='bootstrap'"
            )
        if how == "half" and n // 2 <= columns < n:
            tell(
                (
                    f"half-samples have {count(n // 2, 'row')} for {count(columns, 'column')}, too few for "
                    "most edges to come again: a small share says little here",
                )
            )
        return cls(how, units, seed)

    def rows(self, number: int, attempt: int = 0) -> Rows:
        """The rows of a resample; another attempt draws others."""
        total = len(self.units)
        if self.how == "bootstrap":
            chosen = generator(self.seed, RESAMPLES, number, attempt).integers(total, size=total)
        else:
            order = generator(self.seed, RESAMPLES, number // 2, attempt).permutation(total)
            half = total // 2
            chosen = order[:half] if number % 2 == 0 else order[half : 2 * half]
        return self.units.rows_of(chosen)

    def usable_rows(self, number: int, table: Table) -> tuple[Rows, int]:
        """Rows in which every column varies and no category is missing, and how often they were drawn again.

        Halves of a pair are drawn again together, so that they stay complements.
        """
        for attempt in range(_MOST_DRAWS):
            pair = (number,) if self.how == "bootstrap" else (number - number % 2, number - number % 2 + 1)
            drawn = {one: self.rows(one, attempt) for one in pair}
            spoiled = {one: spoiled_columns(table, rows) for one, rows in drawn.items()}
            if not any(spoiled.values()):
                return drawn[number], attempt
        names = sorted({name for found in spoiled.values() for name in found})
        raise UnusableError(
            f"in {_MOST_DRAWS} draws {quoted(names)} lost a value in some resample: a value of it is too "
            "rare. Leave the column out, merge its rare categories, or pass how='bootstrap'"
        )

    def resample(self, prepared: Prepared, number: int) -> tuple[Prepared, int]:
        """A prepared table with the rows of a resample, and how often they were drawn again."""
        if prepared.audited is None:
            raise AssertionError("rows are drawn from tables")
        rows, redrawn = self.usable_rows(number, prepared.audited)
        return prepared.resample(rows), redrawn

    def identity(self) -> dict[str, Any]:
        """What the draws depend on, in plain values."""
        digest = hashlib.sha256()
        for rows in self.units:
            digest.update(len(rows).to_bytes(8, "little") + rows.astype(np.int64).tobytes())
        return {"units": digest.hexdigest(), "seed": self.seed}


def spoiled_columns(table: Table, rows: Rows) -> list[str]:
    """The columns that are constant in some rows, or lack a category there."""
    values = table.values[rows]
    found = []
    for j, (name, levels) in enumerate(zip(table.names, table.levels, strict=True)):
        column = values[:, j]
        known = column[~np.isnan(column)]
        few = known.size == 0 or bool((known == known[0]).all())
        if few or (levels is not None and len(np.unique(known)) < len(levels)):
            found.append(name)
    return found


def units_of(n: int, groups: ArrayLike | None = None, blocks: int | None = None) -> Units:
    """The rows that stay together.

    Parameters
    ----------
    n : int
        The number of rows.
    groups : array of shape (n,), optional
        A label per row: rows with the same label stay together.
    blocks : int, optional
        The length of blocks of consecutive rows, for rows in the order of time.

    Returns
    -------
    Units

    Raises
    ------
    OptionError
        If both are given, or one does not fit the table.

    Examples
    --------
    >>> [rows.tolist() for rows in units_of(7, blocks=2)]
    [[0, 1], [2, 3], [4, 5], [6]]
    """
    if groups is not None and blocks is not None:
        raise OptionError("pass either groups or blocks, not both")
    if blocks is not None:
        length = whole("blocks", blocks, least=1)
        units = Units(np.arange(n), np.append(np.arange(0, n, length), n))
    elif groups is not None:
        units = _groups(np.asarray(groups), n)
    else:
        units = Units(np.arange(n), np.arange(n + 1))
    if len(units) < 4:
        what = "row" if groups is None and blocks is None else "group" if blocks is None else "block"
        raise DataError(f"resamples need at least 4 {what}s, and the table has {count(len(units), what)}")
    return units


def _groups(labels: NDArray[Any], n: int) -> Units:
    if labels.shape != (n,):
        raise OptionError(
            f"groups needs one label per row: {n} (rows that were dropped not counted), not shape "
            f"{labels.shape}"
        )
    absent = [k for k, label in enumerate(labels.tolist()) if label is None or label != label]
    if absent:
        raise DataError(
            f"row {absent[0]} (counting from 0) has no label in groups, and {count(len(absent), 'row')} in "
            "all: give each row a label, such as one of its own, or leave these rows out"
        )
    _, place = np.unique(labels.astype(str) if labels.dtype == object else labels, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    return Units(order, np.append(starts, n))
