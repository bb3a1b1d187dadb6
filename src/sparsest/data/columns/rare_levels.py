"""Categories that rows can bear: rare levels merged into one, levels that do not occur left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sparsest.data.columns.coding import Coded

OTHER = "(other)"
"""The level that stands for all merged ones."""

_MOST_LEVELS = 8  # of a categorical column, OTHER among them
_FEWEST_ROWS = 5  # of a level, in a table of at least
_ROWS = 50
_FEWEST_OF_ALL = 2  # a level of one row determines its row
_COVERED = 0.5  # of the rows: if the levels that are kept cover less, the column says little


def present(coded: Coded) -> Coded:
    """The column without levels that do not occur."""
    if coded.levels is None:
        return coded
    known = ~np.isnan(coded.values)
    found = np.unique(coded.values[known].astype(np.intp))
    if len(found) == len(coded.levels):
        return coded
    values = coded.values.copy()
    values[known] = np.searchsorted(found, coded.values[known].astype(np.intp))
    return replace(coded, values=values, levels=tuple(coded.levels[k] for k in found))


def merged(coded: Coded) -> tuple[Coded, int]:
    """The column with rare levels merged into one, and how many were.

    The most frequent levels stay, up to 7, as far as each has 5 rows in a table of 50 rows or more, 2 in a
    smaller one. The order of the rows does not matter: of levels that are equally frequent the first by name
    stays. A single rare level stays too, unless it occurs in one row only: that row then has no value.
    """
    levels = coded.levels or ()
    known = ~np.isnan(coded.values)
    codes = coded.values[known].astype(np.intp)
    tally = np.bincount(codes, minlength=len(levels))
    fewest = _FEWEST_ROWS if len(coded.values) >= _ROWS else _FEWEST_OF_ALL
    often = [
        k for k in sorted(range(len(levels)), key=lambda k: (-tally[k], levels[k])) if tally[k] >= fewest
    ]
    if len(often) == len(levels) <= _MOST_LEVELS:
        return coded, 0
    kept = sorted(often[: _MOST_LEVELS - 1])
    if len(levels) - len(kept) == 1:  # one rare level would only be renamed
        (rare,) = set(range(len(levels))) - set(kept)
        if tally[rare] >= _FEWEST_OF_ALL or len(kept) < 2:
            return coded, 0
        return present(replace(coded, values=np.where(coded.values == rare, np.nan, coded.values))), 1
    place = np.full(len(levels), len(kept), dtype=np.float64)
    place[kept] = np.arange(len(kept))
    values = coded.values.copy()
    values[known] = place[codes]
    return Coded(values, coded.kind, (*(levels[k] for k in kept), OTHER)), len(levels) - len(kept)


def covered(coded: Coded) -> bool:
    """Whether the levels that were kept cover enough rows for the column to say something."""
    if coded.levels is None or coded.levels[-1] != OTHER:
        return True
    known = coded.values[~np.isnan(coded.values)]
    return bool((known < len(coded.levels) - 1).mean() >= _COVERED)
