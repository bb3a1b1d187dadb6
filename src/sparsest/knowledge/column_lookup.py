"""References to columns in knowledge: names, positions, wildcards and groups."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from sparsest._core.errors import OptionError
from sparsest._core.words import listed, nearest

Column: TypeAlias = str | int

_WILD = re.compile(r"[*?\[]")


def checked_column(column: object, where: str) -> Column:
    """Reference to one or more columns: text, or a non-negative position."""
    if isinstance(column, str) and column.strip():
        return column
    if isinstance(column, int | np.integer) and not isinstance(column, bool) and column >= 0:
        return int(column)
    raise OptionError(
        f"{where}: {column!r} is not a column: give its name, its position (counting from 0), a wildcard "
        "such as 'gene*' or the name of a group"
    )


def checked_columns(columns: object, where: str) -> tuple[Column, ...]:
    """Several references; a single one need not be in a list."""
    if isinstance(columns, str | int | np.integer):
        return (checked_column(columns, where),)
    if not isinstance(columns, Iterable) or isinstance(columns, Mapping | bytes):
        raise OptionError(f"{where} must be a list of columns, not {columns!r}")
    return tuple(checked_column(column, where) for column in columns)


class ColumnLookup:
    """Positions of the columns that a reference stands for, given the names and groups."""

    def __init__(
        self, names: Sequence[str], groups: Mapping[str, Sequence[Column]], absent: Sequence[str] = ()
    ):
        self._names = list(names)
        self._absent = frozenset(absent) - frozenset(names)
        self._place = {name: k for k, name in enumerate(self._names)}
        self._groups: dict[str, list[int]] = {}
        for group, members in groups.items():
            if group in self._place:
                raise OptionError(f"group {group!r} has the name of a column: give it another name")
            where = f"group {group!r}"
            self._groups[group] = list(dict.fromkeys(k for m in members for k in self._columns(m, where)))

    def __len__(self) -> int:
        """Number of columns."""
        return len(self._names)

    def __getitem__(self, position: int) -> str:
        """Name of the column at a position."""
        return self._names[position]

    def positions(self, column: Column, where: str) -> list[int]:
        """Positions of the columns that a reference stands for, at least one unless it is known to be absent.

        A column name takes precedence over a group, and a group over a wildcard.
        """
        if isinstance(column, str) and column not in self._place and column in self._groups:
            return self._groups[column]
        return self._columns(column, where)

    def _columns(self, column: Column, where: str) -> list[int]:
        if isinstance(column, int):
            if column >= len(self._names):
                last = len(self._names) - 1
                raise OptionError(f"{where}: no column has position {column}; positions run from 0 to {last}")
            return [column]
        if column in self._place:
            return [self._place[column]]
        if column in self._absent:
            return []
        if _WILD.search(column):
            return self._matching(column, where)
        hint = nearest(column, [*self._names, *self._groups], "columns")
        raise OptionError(f"{where}: no column is called {column!r}; {hint}")

    def _matching(self, pattern: str, where: str) -> list[int]:
        try:
            matches = re.compile(fnmatch.translate(pattern)).match
        except re.error as error:
            raise OptionError(f"{where}: {pattern!r} is not a valid wildcard: {error}") from error
        found = [k for k, name in enumerate(self._names) if matches(name)]
        if not found and not any(map(matches, self._absent)):
            raise OptionError(
                f"{where}: {pattern!r} matches no column; the columns are {listed(self._names)}"
            )
        return found
