"""From soft weights to a DAG by their size alone: break each cycle at its weakest edge."""

from __future__ import annotations

import numpy as np

from sparsest.graph.acyclicity import reach_matrix
from sparsest.problem import Array, Mask, Problem


def strongest_dag(weights: Array, required: Mask, threshold: float = 0.0) -> Mask:
    """The strongest edges that form a DAG.

    Edges enter in decreasing order of |weight|, leaving out those that would close a cycle. Required edges
    come before all others, whatever their weight.

    Parameters
    ----------
    weights : (p, p) array
        ``weights[i, j]`` belongs to i → j.
    required : (p, p) array of bool
        The edges that must be present; they form no cycle.
    threshold : float
        Edges with |weight| up to this are left out, unless required.

    Returns
    -------
    (p, p) array of bool
        The DAG.

    Examples
    --------
    >>> import numpy as np
    >>> cycle = np.array([[0.0, 3.0, 0.0], [0.0, 0.0, -2.0], [1.0, 0.0, 0.0]])
    >>> strongest_dag(cycle, required=np.zeros((3, 3), dtype=bool)).astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """
    strength, dag = np.abs(weights), required.copy()
    rows, columns = np.nonzero((strength > threshold) & ~dag)
    reaches = reach_matrix(required)
    for edge in np.argsort(-strength[rows, columns], kind="stable"):
        source, target = rows[edge], columns[edge]
        if reaches[target, source]:
            continue
        dag[source, target] = True
        if not reaches[source, target]:
            reaches |= np.outer(reaches[:, source], reaches[target])
    return dag


def with_fewer_parents(graph: Mask, strengths: Array, required: Mask, most: int) -> Mask:
    """A graph with at most so many parents per node, the strongest ones; required ones come first."""
    ordered = strengths + (1 + strengths.max(initial=0.0)) * required
    ranks = np.argsort(np.argsort(-np.where(graph, ordered, 0.0), axis=0, kind="stable"), axis=0)
    fewer: Mask = graph & (ranks < most)
    return fewer


def graph_by_threshold(problem: Problem, weights: Array, threshold: float) -> Mask:
    """The DAG of the allowed edges with |weight| above a threshold, within the limit on parents.

    Parameters
    ----------
    problem : Problem
        Its masks and its limit are obeyed.
    weights : (p, p) array
        Soft weights; ``[i, j]`` belongs to i → j.
    threshold : float
        Edges with |weight| up to this are left out, unless required.

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
    >>> soft = np.array([[0.0, 0.1, 0.4], [0.0, 0.0, 0.5], [0.0, 0.0, 0.0]])
    >>> graph_by_threshold(problem, soft, 0.3).astype(int)
    array([[0, 0, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """
    allowed = weights * problem.allowed
    graph = strongest_dag(allowed, problem.required, threshold)
    return with_fewer_parents(graph, np.abs(allowed), problem.required, problem.max_parents)
