"""What many DAGs look like: their edges, their ancestors, and the marks of their classes, as masks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsest._core.progress import Watch
from sparsest.averaging.family_weights import poll
from sparsest.graph import refine
from sparsest.graph.cpdag import complete
from sparsest.problem import Problem

Bits = NDArray[np.int64]
Masks = NDArray[np.bool_]  # (graphs, p, p)

_AT_ONCE = 256  # graphs between two looks at the watch


class Described(NamedTuple):
    """Masks of shape (graphs, p, p): marks of the classes, edges of the DAGs, directed paths."""

    arrow: Masks
    undirected: Masks
    edge: Masks
    ancestor: Masks


def described(problem: Problem, parents: Bits, watch: Watch) -> Described:
    """The masks of DAGs given by the parents of each node as bits; classes are refined by knowledge."""
    edges = _matrices(parents)
    essential = _essential(problem, edges, watch)
    lines = essential & essential.transpose(0, 2, 1)
    return Described(essential & ~lines, lines, edges, _matrices(_ancestors(parents)))


def _matrices(parents: Bits) -> Masks:
    """[g, i, j]: whether i is in the set of j, in graph g."""
    nodes = np.arange(parents.shape[1])
    return (parents[:, None, :] >> nodes[:, None] & 1).astype(bool)


def _ancestors(parents: Bits) -> Bits:
    """The ancestors of each node, as bits: paths through one node more at a time (Warshall)."""
    found = parents.copy()
    for between in range(parents.shape[1]):
        for node in range(parents.shape[1]):
            reached = found[:, node] >> between & 1
            found[:, node] |= found[:, between] * reached
    return found


def _essential(problem: Problem, edges: Masks, watch: Watch) -> Masks:
    found, classes = np.empty_like(edges), _Classes(problem)
    for k, dag in enumerate(edges):
        if k % _AT_ONCE == 0:
            poll(watch, "classes", k)
        found[k] = classes.of(dag)
    return found


class _Classes:
    """The class of a DAG, refined by knowledge; each class is refined once."""

    def __init__(self, problem: Problem):
        self._problem, self._refined = problem, dict[bytes, Masks]()

    def of(self, dag: Masks) -> Masks:
        essential = complete(dag)
        if not self._problem.constrained:
            return essential
        key = np.packbits(essential).tobytes()
        if key not in self._refined:
            closed = refine(essential.astype(int), self._problem.allowed, self._problem.required)
            self._refined[key] = np.asarray(closed) != 0
        return self._refined[key]
