"""From soft weights, or an order, to a DAG under any local score: parents by grow-shrink along the order."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from sparsest._core.progress import Stopped, Watch
from sparsest.graph import topological_order
from sparsest.graph._bits import bits
from sparsest.problem import ROUNDING, Array, Mask, Problem
from sparsest.rounding.grow_shrink import GrowShrink, is_ready, local_score
from sparsest.rounding.strongest import strongest_dag


def graph_by_parents(problem: Problem, weights: Array, watch: Watch) -> Mask:
    """The DAG that soft weights point to, for any local score.

    The strongest edges that form a DAG give an order of the nodes; each node then chooses its parents again
    among the nodes before it, by grow-shrink and exchanges.

    Parameters
    ----------
    problem : Problem
        Its score must offer ``local(node, parents)``.
    weights : (p, p) array
        Soft weights; those of edges that are not allowed are ignored.
    watch : Watch
        Says when to stop exchanging parents.

    Returns
    -------
    (p, p) array of bool
        The DAG.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.penalties import L0
    >>> from sparsest.scores import GaussianScore
    >>> correlation = np.array([[1.0, 0.8], [0.8, 1.0]])
    >>> soft = np.array([[0.0, 0.2], [0.5, 0.0]])
    >>> graph_by_parents(Problem(GaussianScore(correlation), L0(0.1)), soft, Watch()).astype(int)
    array([[0, 0],
           [1, 0]])
    """
    order = topological_order(strongest_dag(weights * problem.allowed, problem.required))
    score = local_score(problem, "rounding by parents")
    if not is_ready(score, watch):
        return problem.required.copy()
    return parents_along(GrowShrink(problem, score, watch), order, watch)[1]


def parents_along(parents: GrowShrink, order: Sequence[int], watch: Watch) -> tuple[float, Mask]:
    """(objective, DAG) of an order, its parents improved by exchanges while there is time.

    When it is time to stop, a node whose parents have not been sought among those before it has the required
    ones.
    """
    dag, objective, before = np.zeros((len(order), len(order)), dtype=bool), 0.0, 0
    for node in order:
        total, chosen = _improved(parents, node, before, watch)
        dag[list(bits(chosen)), node] = True
        objective, before = objective + total, before | (1 << node)
    return objective, dag


def _improved(parents: GrowShrink, node: int, before: int, watch: Watch) -> tuple[float, int]:
    """(score, parents) of a node: by grow-shrink, then by exchanges until none improves."""
    try:
        total, chosen = parents.best(node, before)
    except Stopped:
        return parents.least(node)
    with suppress(Stopped):
        improving = True
        while improving and watch.stop is None:
            found, other = parents.exchanged(node, before, chosen)
            improving = found < total - ROUNDING
            total, chosen = found, other
    return total, chosen
