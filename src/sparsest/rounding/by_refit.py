"""From soft parameters of any model to a DAG: refit on a graph, and keep the edges that pay."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsest._core.progress import Watch
from sparsest.problem import Problem
from sparsest.rounding.by_score import strongest_dag
from sparsest.scores import Score
from sparsest.solvers.base import Array
from sparsest.solvers.owlqn import OWLQN

Mask = NDArray[np.bool_]
_INNER = OWLQN(max_steps=200, tolerance=1e-5, progress=1e-6)


@dataclass(frozen=True)
class Refit:
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


def refit_on(problem: Problem, graph: Mask, psi: Array, watch: Watch) -> Refit:
    """The parameters of a graph fitted without penalty, from `psi` with the other edges set to 0."""
    groups = problem.groups
    movable = graph.reshape(-1) if groups is None else np.append(graph.reshape(-1), True)[groups]
    found = _INNER.minimize(_Masked(problem.score, movable), np.where(movable, psi, 0.0), watch)
    return Refit(graph, found.psi, found.value)


def graph_by_refit(problem: Problem, psi: Array, limit: int, watch: Watch) -> Refit:
    """The DAG that soft parameters point to, and its fit: backward elimination by the refitted score.

    Cycles are broken at their weakest edge. Then edges are tried for removal, those first whose removal
    alone, without refitting, costs least; one goes for good if the score rises by less than its
    price, the cost times the parameters it counts for. Out of time, edges stay as they are.
    """
    counts = getattr(problem.score, "edge_parameters", np.ones((problem.p, problem.p)))
    paid = True if problem.unpenalised is None else ~problem.unpenalised
    prices = problem.cost * np.asarray(counts) * paid
    required = np.zeros_like(problem.allowed) if problem.required is None else problem.required
    current = refit_on(problem, soft_graph(problem, psi, limit), psi, watch)
    dropped = True
    while dropped and watch.stop is None:
        dropped = False
        for i, j in _weakest_first(problem, current, current.graph & ~required):
            fewer = current.graph.copy()
            fewer[i, j] = False
            attempt = refit_on(problem, fewer, current.psi, watch)
            if watch.stop is None and attempt.score - current.score < prices[i, j]:
                current, dropped = attempt, True
    return current


def soft_graph(problem: Problem, psi: Array, limit: int) -> Mask:
    """The DAG of the strongest edges, with the strongest `limit` parents of a node, required ones first."""
    required = np.zeros_like(problem.allowed) if problem.required is None else problem.required
    strengths = np.sqrt(problem.score.squares(psi)) * problem.allowed
    graph = strongest_dag(strengths, 0.0, required)
    strengths = strengths + (1 + strengths.max()) * required
    ranks = np.argsort(np.argsort(-np.where(graph, strengths, 0.0), axis=0, kind="stable"), axis=0)
    limited: Mask = graph & (ranks < limit)
    return limited


def _weakest_first(problem: Problem, current: Refit, candidates: Mask) -> list[tuple[int, int]]:
    """Edges in the order of what their removal costs before anything else is fitted anew."""
    losses = []
    for i, j in np.argwhere(candidates):
        edge = i * problem.p + j
        own = np.arange(problem.p**2) == edge if problem.groups is None else problem.groups == edge
        losses.append((problem.nll(np.where(own, 0.0, current.psi)), int(i), int(j)))
    return [(i, j) for _, i, j in sorted(losses)]
