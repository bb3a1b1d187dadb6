"""How well an estimated graph agrees with the truth: precision, recall and F1 of adjacencies and arrows."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sparsest._core.errors import GraphError
from sparsest.graph._matrix import Matrix, Pattern
from sparsest.graph._reading import read_two
from sparsest.graph.acyclicity import is_dag
from sparsest.graph.distance import marks_of_classes
from sparsest.graph.types import Cpdag, Dag


@dataclass(frozen=True)
class Matches:
    """Counts of the edges on which an estimate and the truth agree and disagree.

    A share of nothing is None: precision if the estimate has no edges, recall if the truth has none, F1 if
    neither has any.

    Parameters
    ----------
    correct : int
        Edges in both graphs.
    extra : int
        Edges only in the estimate.
    missing : int
        Edges only in the truth.

    Examples
    --------
    >>> from sparsest.graph import Matches
    >>> matches = Matches(correct=3, extra=1, missing=0)
    >>> matches.precision, matches.recall
    (0.75, 1.0)
    >>> Matches(correct=0, extra=0, missing=2).precision is None
    True
    """

    correct: int
    extra: int
    missing: int

    @property
    def precision(self) -> float | None:
        """Share of the estimate's edges that are in the truth; None if it has no edges."""
        return _share(self.correct, self.correct + self.extra)

    @property
    def recall(self) -> float | None:
        """Share of the truth's edges that are in the estimate; None if the truth has no edges."""
        return _share(self.correct, self.correct + self.missing)

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall; None if neither graph has edges.

        If only one of the graphs has edges, nothing is correct and F1 is 0.
        """
        return _share(2 * self.correct, 2 * self.correct + self.extra + self.missing)


@dataclass(frozen=True)
class Agreement:
    """Agreement of an estimated graph with the truth, as `compare` returns it.

    Parameters
    ----------
    adjacencies : Matches
        Pairs of nodes joined by an edge of any kind.
    arrows : Matches
        Directed edges; a reversed arrow counts as one extra and one missing.
    truth, estimate : Dag or Cpdag, optional
        The graphs that were compared.

    Examples
    --------
    >>> from sparsest.graph import Dag, compare
    >>> truth, reversed_edge = Dag([[0, 1], [0, 0]]), Dag([[0, 0], [1, 0]])
    >>> agreement = compare(truth, reversed_edge)
    >>> agreement.adjacencies
    Matches(correct=1, extra=0, missing=0)
    >>> agreement.arrows
    Matches(correct=0, extra=1, missing=1)
    """

    adjacencies: Matches
    arrows: Matches
    truth: Dag | Cpdag | None = field(default=None, repr=False, compare=False)
    estimate: Dag | Cpdag | None = field(default=None, repr=False, compare=False)

    def plot(self, path: str | os.PathLike[str] | None = None, ax: Any = None, **how: Any) -> Any:
        """Draw the estimate, with what differs from the truth in another colour.

        Parameters
        ----------
        path : str or path, optional
            The file to save the picture to; its ending, .png, .svg or .pdf, decides the format.
        ax : matplotlib.axes.Axes, optional
            Axes to draw into, instead of a figure of its own.
        **how
            `top`, `around`, `title`, `size`, `view` and `theme`, as for `Result.plot`.

        Returns
        -------
        matplotlib.figure.Figure
        """
        if self.truth is None or self.estimate is None:
            raise GraphError("this agreement was made without its graphs: compare them again to draw them")
        return self.estimate.plot(path, ax, truth=self.truth, **how)


def compare(truth: Dag | Cpdag | Matrix, estimate: Dag | Cpdag | Matrix) -> Agreement:
    """Agreement of an estimated graph with the true one, edge by edge.

    Two DAGs are compared as DAGs: every edge is an arrow. If either graph is a CPDAG, both are compared as
    equivalence classes: an undirected edge is an adjacency but not an arrow. Two graph objects are matched by
    name; otherwise nodes are matched by position.

    Parameters
    ----------
    truth : Dag, Cpdag or (p, p) matrix
        The true graph.
    estimate : Dag, Cpdag or (p, p) matrix
        The graph to be judged.

    Returns
    -------
    Agreement
        Correct, extra and missing adjacencies and arrows.

    Examples
    --------
    >>> from sparsest.graph import compare
    >>> chain = [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    >>> fork = [[0, 0, 0], [1, 0, 1], [0, 0, 0]]
    >>> compare(chain, fork).arrows
    Matches(correct=1, extra=1, missing=1)
    """
    first, second, names = read_two(truth, estimate)
    classes = isinstance(truth, Cpdag) or isinstance(estimate, Cpdag)
    if classes or not (is_dag(first) and is_dag(second)):
        first, second, _ = marks_of_classes(truth, estimate)
    kind: type[Dag | Cpdag] = Cpdag if classes or not (is_dag(first) and is_dag(second)) else Dag
    return Agreement(
        adjacencies=_matches(np.triu(first | first.T), np.triu(second | second.T)),
        arrows=_matches(first & ~first.T, second & ~second.T),
        truth=kind._trusted(first, names),
        estimate=kind._trusted(second, names),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _matches(truth: Pattern, estimate: Pattern) -> Matches:
    return Matches(
        correct=int(np.count_nonzero(truth & estimate)),
        extra=int(np.count_nonzero(estimate & ~truth)),
        missing=int(np.count_nonzero(truth & ~estimate)),
    )
