"""Searching on a sample of rows: for models whose fits go through the rows again and again.

A search makes hundreds or thousands of fits, a refit one per column. On a million rows the search would take
most of an hour and change little: beyond some rows an edge that is still missing is a weak one. So the search
sees a random sample, and the graph that it finds is fitted on all rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.streams import SEARCH_SAMPLE, generator
from sparsest._core.words import count
from sparsest.data import Table
from sparsest.models.base import Prepared

if TYPE_CHECKING:
    from sparsest.models.choosing import Choices

_OF_EACH_LEVEL = 2  # rows of each category that are always in the sample: a category needs as many


def searched(prepared: Prepared, choices: Choices) -> Prepared:
    """The table, or a random sample of its rows if it has more than a search should go through."""
    most: int | None = getattr(prepared, "most_searched_rows", None)
    if most is None:
        if isinstance(choices.search_rows, int):
            raise OptionError(
                f"search_rows is for models that fit the rows again and again, and model {prepared.model!r} "
                "goes through them once: leave it out"
            )
        return prepared
    most = choices.search_rows if isinstance(choices.search_rows, int) else most
    table = prepared.table
    if choices.search_rows is None or table is None or len(table.values) <= most:
        return prepared
    return prepared.resample(_drawn(table, most, choices.seed))


def sampling_notice(prepared: Prepared, sample: Prepared, refitted: Prepared) -> tuple[str, ...]:
    """What to say about a search on a sample of rows; nothing if it was on all rows."""
    if sample is prepared or prepared.table is None or sample.table is None:
        return ()
    some, rows = len(sample.table.values), count(len(prepared.table.values), "row")
    ending = "refitted on all" if refitted is prepared else "refitted on these, since time was up"
    return (
        f"the graph was searched for on a random sample of {some} of {rows} and {ending}: weak edges "
        "may be missing; search_rows=None searches on all rows",
    )


def _drawn(table: Table, most: int, seed: int) -> NDArray[np.intp]:
    """Rows without replacement, in their order, with some of every category, and no column constant."""
    values = table.values
    rows = generator(seed, SEARCH_SAMPLE).choice(len(values), size=most, replace=False)
    rare = [rows, values.argmin(axis=0), values.argmax(axis=0)]
    for j, levels in enumerate(table.levels):
        those = (np.flatnonzero(values[:, j] == level) for level in range(len(levels or ())))
        rare += [rows[:_OF_EACH_LEVEL] for rows in those]
    return np.unique(np.concatenate(rare))
