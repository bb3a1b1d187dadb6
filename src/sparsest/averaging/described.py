"""What many DAGs look like: their edges, their ancestors, and the marks of their classes, as masks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsest._core.jit import kernel
from sparsest._core.progress import Watch
from sparsest.averaging.family_weights import poll
from sparsest.graph import refine
from sparsest.problem import Problem

Bits = NDArray[np.int64]
Masks = NDArray[np.bool_]  # (graphs, p, p)

_AT_ONCE = 256  # classes between two looks at the watch


class Described(NamedTuple):
    """Masks of shape (graphs, p, p): marks of the classes, edges of the DAGs, directed paths."""

    arrow: Masks
    undirected: Masks
    edge: Masks
    ancestor: Masks


def described(problem: Problem, parents: Bits, watch: Watch) -> Described:
    """The masks of DAGs given by the parents of each node as bits; classes are refined by knowledge."""
    essential = _essential(parents)
    if problem.constrained:
        essential = _refined(problem, essential, watch)
    lines = essential & essential.transpose(0, 2, 1)
    return Described(essential & ~lines, lines, _matrices(parents), _matrices(_ancestors(parents)))


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


def _essential(parents: Bits) -> Masks:
    """The classes as matrices: arrows and, both ways, undirected edges."""
    compelled = np.empty_like(parents)
    compel(parents, compelled)
    return _matrices(parents) | _matrices(parents & ~compelled).transpose(0, 2, 1)


@kernel
def compel(graphs, compelled):
    """Fill in the parents of each node whose arrows all members of the class share, as bits.

    The rule of `graph/cpdag.py`, node by node in topological order, for many graphs at once.
    """
    p = graphs.shape[1]
    order = np.empty(p, dtype=np.int64)
    for k in range(len(graphs)):
        done, place = 0, 0
        while place < p:
            for node in range(p):
                if not (done >> node) & 1 and not graphs[k, node] & ~done:
                    done |= 1 << node
                    order[place] = node
                    parents, latest = graphs[k, node], -1
                    for earlier in range(place):
                        if (parents >> order[earlier]) & 1:
                            latest = order[earlier]
                    place += 1
                    compelled[k, node] = parents
                    covered = latest >= 0 and not parents & ~(graphs[k, latest] | (1 << latest))
                    if covered and not compelled[k, latest] & ~parents:
                        compelled[k, node] = compelled[k, latest]


def _refined(problem: Problem, essential: Masks, watch: Watch) -> Masks:
    """The classes with what follows from knowledge; each is refined once."""
    p = problem.p
    packed = np.packbits(essential.reshape(len(essential), -1), axis=1)
    _, first, places = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    found = np.empty((len(first), p, p), dtype=bool)
    for k, one in enumerate(first):
        if k % _AT_ONCE == 0:
            poll(watch, "classes", k)
        found[k] = np.asarray(refine(essential[one].astype(int), problem.allowed, problem.required)) != 0
    return found[places.reshape(-1)]
