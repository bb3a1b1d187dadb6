"""What causes affect in some member of a class, and where members differ: for all outcomes at once.

`graph.identified` answers for one outcome; the criterion is the same (`graph/identification.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsest.graph.ancestry import possible_reach
from sparsest.graph.types import Cpdag, Mpdag

Flags = NDArray[np.bool_]


def reached(graph: Cpdag, causes: Sequence[int]) -> Flags:
    """(p,): the nodes on which some cause has an effect in some member."""
    found = np.any([reached_by(graph, cause, causes) for cause in causes], axis=0)
    return np.asarray(found, dtype=bool)


def reached_by(graph: Cpdag, cause: int, causes: Sequence[int] = ()) -> Flags:
    """(p,): the nodes to which a directed path leads from a cause in some member, around the other causes.

    Examples
    --------
    >>> import sparsest as sp
    >>> chain = sp.Cpdag([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> reached_by(chain, 0, [0, 1]).tolist()
    [False, False, False]
    """
    flags = _flags(possible_reach(graph, [cause], [other for other in causes if other != cause]))
    flags[cause] = False
    return flags


def open_outcomes(graph: Cpdag, causes: Sequence[int]) -> Flags:
    """(p,): the outcomes on which the effect of the causes differs between members of the class."""
    found = np.zeros(len(graph), dtype=bool)
    for cause in causes:
        links = graph._links
        barred = {*causes, *(links.parents[cause] if isinstance(graph, Mpdag) else ())}
        starts = [node for node in links.lines[cause] if node not in barred]
        if starts:
            found |= _flags(possible_reach(graph, starts, barred))
    return found


def _flags(flags: bytearray) -> Flags:
    return np.frombuffer(flags, dtype=np.uint8).astype(bool)
