"""What the choice of the graph leaves open: the sets of parents that causes have in the graphs of resamples.

Sets of parents that come up in less than 3 % of the graphs are screened out. What a result needs for one
question serves the next one, too: it is remembered as long as the result lives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.progress import Watch
from sparsest.confidence.resampling import resampled
from sparsest.confidence.shares import Confidence
from sparsest.effects.orientations import orientations
from sparsest.graph.extension import extend
from sparsest.graph.types import Cpdag

if TYPE_CHECKING:
    from sparsest.result import Result

Pattern = NDArray[np.bool_]
Parents = tuple[tuple[int, ...], ...]
Classes = Sequence[tuple[Cpdag, int]]

#: How many resamples are learned from if the result has none.
RESAMPLES = 50
#: Sets of parents in a smaller share of the graphs learned from resamples do not count.
SCREENED = 0.03
#: The most sets of parents of one class in a union.
_MOST_SETS = 128


class ChosenGraphs:
    """The classes of the resamples of a result, and the parents of causes in them.

    Parameters
    ----------
    result : Result
        What was learned from all rows.
    """

    def __init__(self, result: Result) -> None:
        self._answer = result.cpdag
        found = _confidence(result)
        self.resamples = found.resamples
        self._classes = [*found.classes(), *found.lenient_classes()]
        self._sets: dict[tuple[int, ...], list[tuple[Pattern, Parents]]] = {}

    def parent_sets(self, causes: tuple[int, ...]) -> list[tuple[Pattern, Parents]]:
        """A member for each choice of parents of the causes that is frequent, or possible in the answer."""
        if causes not in self._sets:
            self._sets[causes] = parent_sets(self._answer, causes, self._classes)
        return self._sets[causes]


_REMEMBERED: WeakKeyDictionary[Result, ChosenGraphs] = WeakKeyDictionary()


def chosen_graphs(result: Result) -> ChosenGraphs:
    """The graphs of the resamples of a result; they are learned now if it has none, once."""
    found = _REMEMBERED.get(result)
    if found is None:
        found = _REMEMBERED[result] = ChosenGraphs(result)
    return found


def parent_sets(
    answer: Cpdag, causes: tuple[int, ...], classes: Classes = ()
) -> list[tuple[Pattern, Parents]]:
    """A member for each choice of parents of the causes, of the answer and of other classes if frequent."""
    least = SCREENED * sum(times for _, times in classes)
    found: dict[Parents, tuple[Pattern, float]] = {}
    for graph, times in ((answer, math.inf), *classes):
        ways = orientations(graph, causes, _MOST_SETS)
        for pattern in ways.patterns:
            parents = tuple(tuple(np.flatnonzero(pattern[:, node]).tolist()) for node in causes)
            first, before = found.get(parents) or (pattern, 0.0)
            found[parents] = first, before + times
    frequent = ((parents, pattern) for parents, (pattern, times) in found.items() if times >= least)
    return [(extend(pattern)[0], parents) for parents, pattern in frequent]


def _confidence(result: Result) -> Confidence:
    found = result.confidence
    if found is not None and found.classes():
        return found
    if result.inquiry is None:
        raise OptionError(
            "interval='resampled' needs the classes learned from resamples, and this saved result has "
            "none: learn it again with fit(..., resamples=100), or pass interval='naive'"
        )
    learned = resampled(result, result.inquiry, RESAMPLES, None, Watch()).confidence
    assert learned is not None
    return learned
