"""From soft parameters of any model to a DAG: refit on a graph, and keep the edges that pay.

The solver that refits is passed in: this room lies below the solvers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsest._core.progress import Watch
from sparsest.problem import Array, InnerSolver, Mask, Problem
from sparsest.rounding.strongest import strongest_dag, with_fewer_parents
from sparsest.scores import Score
from sparsest.scores.base import parameters_of


@dataclass(frozen=True)
class FittedGraph:
    """A graph with the parameters fitted on it, and their score."""

    graph: Mask
    psi: Array
    score: float


class _Masked:
    """A score with the parameters of absent edges held at 0: smooth, without penalty or constraint."""

    groups = None

    def __init__(self, score: Score, movable: Mask):
        self._score, self._movable = score, movable
        self.kinks = np.zeros(len(movable))

    def value_and_grad(self, psi: Array) -> tuple[float, Array] | None:
        scored = self._score.value_and_grad(psi)
        return None if scored is None else (scored[0], np.where(self._movable, scored[1], 0.0))


def refit_on(score: Score, dag: Mask, psi: Array, inner: InnerSolver, watch: Watch) -> FittedGraph:
    """The parameters of a graph fitted without penalty, from `psi` with the other edges set to 0."""
    movable = parameters_of(score, dag)
    found = inner.minimize(_Masked(score, movable), np.where(movable, psi, 0.0), watch)
    return FittedGraph(dag, found.psi, found.value)


def graph_by_refit(problem: Problem, psi: Array, inner: InnerSolver, watch: Watch) -> FittedGraph:
    """The DAG that soft parameters point to, and its fit: backward elimination by the refitted score.

    Cycles are broken at their weakest edge. Then edges are tried for removal, starting with those whose
    removal alone, without refitting, costs least; an edge is removed for good if the score rises by less than
    its price. When time is up, the remaining edges stay.

    Parameters
    ----------
    problem : Problem
        Its score may be any differentiable one.
    psi : (m,) array
        Soft parameters.
    inner : InnerSolver
        The solver that refits, such as ``OWLQN()``.
    watch : Watch
        Says when to stop.

    Returns
    -------
    FittedGraph
        The graph, the parameters fitted on it, and their score.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.penalties import L0
    >>> from sparsest.scores import GaussianScore
    >>> from sparsest.solvers import OWLQN
    >>> correlation = np.array([[1.0, 0.8], [0.8, 1.0]])
    >>> soft = np.array([[0.0, 0.2], [0.5, 0.0]])
    >>> found = graph_by_refit(Problem(GaussianScore(correlation), L0(0.1)), soft.ravel(), OWLQN(), Watch())
    >>> found.psi.reshape(2, 2).round(3)
    array([[0. , 0. ],
           [0.8, 0. ]])
    """
    current = refit_on(problem.score, soft_graph(problem, psi), psi, inner, watch)
    dropped = True
    while dropped and watch.stop is None:
        dropped = False
        for i, j in _weakest_first(problem, current, current.graph & ~problem.required):
            fewer = current.graph.copy()
            fewer[i, j] = False
            attempt = refit_on(problem.score, fewer, current.psi, inner, watch)
            if watch.stop is None and attempt.score - current.score < problem.prices[i, j]:
                current, dropped = attempt, True
    return current


def soft_graph(problem: Problem, psi: Array) -> Mask:
    """The DAG of the strongest edges, with no more parents per node than the limit, required ones first.

    Parameters
    ----------
    problem : Problem
        Its score gives the strength of each edge.
    psi : (m,) array
        Soft parameters.

    Returns
    -------
    (p, p) array of bool
        The DAG.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.penalties import L0
    >>> from sparsest.scores import GaussianScore
    >>> problem = Problem(GaussianScore(np.eye(3)), L0(0.1), max_parents=1)
    >>> soft = np.array([[0.0, 0.0, 0.3], [0.0, 0.0, 0.4], [0.0, 0.0, 0.0]])
    >>> soft_graph(problem, soft.ravel()).astype(int)
    array([[0, 0, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """
    strengths = np.sqrt(problem.score.squares(psi)) * problem.allowed
    graph = strongest_dag(strengths, problem.required)
    return with_fewer_parents(graph, strengths, problem.required, problem.max_parents)


def _weakest_first(problem: Problem, current: FittedGraph, candidates: Mask) -> list[tuple[int, int]]:
    """Edges in increasing order of what their removal costs before anything else is refitted."""
    losses = []
    for i, j in np.argwhere(candidates):
        edge = i * problem.p + j
        own = np.arange(problem.p**2) == edge if problem.groups is None else problem.groups == edge
        losses.append((problem.nll(np.where(own, 0.0, current.psi)), int(i), int(j)))
    return [(i, j) for _, i, j in sorted(losses)]
