"""From soft weights to a DAG by their size alone: break each cycle at its weakest edge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsest.graph.acyclicity import reach_matrix
from sparsest.problem import Array, Mask, Problem

_BLOCK = 128  # edges looked at together


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
    order = np.argsort(-strength[rows, columns], kind="stable")
    sources, targets, reaches = rows[order], columns[order], _Reach(reach_matrix(required))
    for begin in range(0, len(order), _BLOCK):
        first, block = begin, slice(begin, begin + _BLOCK)
        while True:
            # Up to the next edge between nodes of which neither reaches the other, nothing new is reached.
            here = slice(first, block.stop)
            open_ones = ~(reaches(sources[here], targets[here]) | reaches(targets[here], sources[here]))
            if not open_ones.any():
                break
            first += int(open_ones.argmax())
            reaches.join(sources[first], targets[first])
        dag[sources[block], targets[block]] = reaches(sources[block], targets[block])
    return dag


class _Reach:
    """Which nodes each node reaches, itself among them: one bit each, so that an edge is entered quickly."""

    def __init__(self, reaches: Mask):
        p, words = len(reaches), -(-len(reaches) // 64)
        padded = np.zeros((p, 64 * words), dtype=bool)
        padded[:, :p] = reaches
        self._bits = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)

    def __call__(self, sources: NDArray[np.intp], targets: NDArray[np.intp]) -> Mask:
        """Whether each source reaches its target."""
        words = self._bits[sources, targets >> 6] >> (targets & 63).astype(np.uint64)
        return (words & np.uint64(1)).astype(bool)

    def join(self, source: int, target: int) -> None:
        """Enter an edge: what reaches its source reaches what its target reaches."""
        before = self._bits[:, source >> 6] >> np.uint64(source & 63) & np.uint64(1)
        self._bits[before.astype(bool)] |= self._bits[target]


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
