"""How well an estimated graph matches the truth: precision, recall and F1 of adjacencies and of arrows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsest.graph._matrix import Matrix, Pattern
from sparsest.graph._reading import read_two
from sparsest.graph.acyclicity import is_dag
from sparsest.graph.distance import marks_of_classes
from sparsest.graph.types import Cpdag, Dag


@dataclass(frozen=True)
class Matches:
    """Edges in both graphs (`correct`), in the estimate alone (`extra`), in the truth alone (`missing`).

    Of nothing, all is right: precision is 1 if the estimate has no edge, recall is 1 if the truth has none,
    and F1 is 1 if both have none. F1 is always the harmonic mean of the two.
    """

    correct: int
    extra: int
    missing: int

    @property
    def precision(self) -> float:
        """Share of the estimate's edges that are in the truth."""
        found = self.correct + self.extra
        return self.correct / found if found else 1.0

    @property
    def recall(self) -> float:
        """Share of the truth's edges that are in the estimate."""
        sought = self.correct + self.missing
        return self.correct / sought if sought else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        both = 2 * self.correct + self.extra + self.missing
        return 2 * self.correct / both if both else 1.0


@dataclass(frozen=True)
class Agreement:
    """Matches of adjacencies (pairs joined in any way) and of arrows (a -> b).

    A reversed arrow is one extra and one missing.
    """

    adjacencies: Matches
    arrows: Matches


def compare(truth: Dag | Cpdag | Matrix, estimate: Dag | Cpdag | Matrix) -> Agreement:
    """Agreement of an estimated graph with the true one.

    Two DAGs are compared as DAGs: every edge is an arrow. If one of the two is a CPDAG, both are compared as
    classes: an undirected edge is an adjacency, but no arrow. Two graph objects are matched by name, else
    nodes are matched by position.
    """
    first, second, _ = read_two(truth, estimate)
    classes = isinstance(truth, Cpdag) or isinstance(estimate, Cpdag)
    if classes or not (is_dag(first) and is_dag(second)):
        first, second, _ = marks_of_classes(truth, estimate)
    return Agreement(
        adjacencies=_matches(np.triu(first | first.T), np.triu(second | second.T)),
        arrows=_matches(first & ~first.T, second & ~second.T),
    )


def _matches(truth: Pattern, estimate: Pattern) -> Matches:
    return Matches(
        correct=int(np.count_nonzero(truth & estimate)),
        extra=int(np.count_nonzero(estimate & ~truth)),
        missing=int(np.count_nonzero(truth & ~estimate)),
    )
