"""How knowledge speaks of columns: by name, by position, by wildcard, by the name of a group."""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from sparsest._core.errors import OptionError
from sparsest._core.words import listed

Column: TypeAlias = str | int

_WILD = re.compile(r"[*?\[]")
_MOST_COMPARED = 5000  # names among which the nearest is looked for: more take too long


def checked_column(column: object, where: str) -> Column:
    """A reference to columns: text, or a position from 0 on."""
    if isinstance(column, str) and column.strip():
        return column
    if isinstance(column, int | np.integer) and not isinstance(column, bool) and column >= 0:
        return int(column)
    raise OptionError(
        f"{where}: {column!r} is no column: give its name, its position from 0 on, a wildcard such as "
        "'gene*' or the name of a group"
    )


def checked_columns(columns: object, where: str) -> tuple[Column, ...]:
    """Several references; a single one may stand for itself."""
    if isinstance(columns, str | int | np.integer):
        return (checked_column(columns, where),)
    if not isinstance(columns, Iterable) or isinstance(columns, Mapping | bytes):
        raise OptionError(f"{where} must be a list of columns, not {columns!r}")
    return tuple(checked_column(column, where) for column in columns)


class ColumnLookup:
    """The columns of a table, and the groups that knowledge makes of them."""

    def __init__(self, names: Sequence[str], groups: Mapping[str, Sequence[Column]]):
        self._names = list(names)
        self._place = {name: k for k, name in enumerate(self._names)}
        self._groups: dict[str, list[int]] = {}
        for group, members in groups.items():
            if group in self._place:
                raise OptionError(f"group {group!r} has the name of a column: give it another")
            where = f"group {group!r}"
            self._groups[group] = list(dict.fromkeys(k for m in members for k in self._columns(m, where)))

    def __len__(self) -> int:
        """The number of columns."""
        return len(self._names)

    def __getitem__(self, position: int) -> str:
        """The name of a column."""
        return self._names[position]

    def positions(self, column: Column, where: str) -> list[int]:
        """The columns that a reference stands for, at least one.

        A name goes before a group, a group before a wildcard.
        """
        if isinstance(column, str) and column not in self._place and column in self._groups:
            return self._groups[column]
        return self._columns(column, where)

    def _columns(self, column: Column, where: str) -> list[int]:
        if isinstance(column, int):
            if column >= len(self._names):
                last = len(self._names) - 1
                raise OptionError(f"{where}: no column has position {column}; positions go from 0 to {last}")
            return [column]
        if column in self._place:
            return [self._place[column]]
        if _WILD.search(column):
            return self._matching(column, where)
        raise OptionError(f"{where}: no column is called {column!r}; {self._nearest(column)}")

    def _matching(self, pattern: str, where: str) -> list[int]:
        try:
            matches = re.compile(fnmatch.translate(pattern)).match
        except re.error as error:
            raise OptionError(f"{where}: {pattern!r} is no wildcard: {error}") from error
        found = [k for k, name in enumerate(self._names) if matches(name)]
        if not found:
            raise OptionError(
                f"{where}: {pattern!r} matches no column; the columns are {listed(self._names)}"
            )
        return found

    def _nearest(self, name: str) -> str:
        known = [*self._names[:_MOST_COMPARED], *self._groups]
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
        return f"did you mean {near[0]!r}?" if near else f"the columns are {listed(self._names)}"
