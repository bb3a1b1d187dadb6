"""All graphs of E(Θ), built set by set instead of permutation by permutation.

The graphs on the nodes of T are those on T without j, for each j that may come last, with j regressed on the
rest of T. Equal graphs of different permutations meet early and are merged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest.graph._bits import bits
from sparsest.theory.regressions import Regressions, set_sizes

Masks = NDArray[np.int64]

_MOST_GRAPHS = 400_000  # held at once; all 9! complete graphs of 9 nodes fit


def fewest_edges(found: Regressions) -> int:
    """The fewest edges of a graph made of these regressions."""
    return int(best_last(found)[0][-1])


def best_last(found: Regressions) -> tuple[Masks, Masks]:
    """For each set, the fewest edges of a graph on it, and the nodes (as bits) that may come last in one.

    The edges of B̃(π) add up over nodes and their sets of predecessors: dynamic programming over sets, as in
    the exact search.
    """
    p, sizes = found.p, set_sizes(found.p)
    fewest, last = np.zeros(2**p, dtype=np.int64), np.zeros(2**p, dtype=np.int64)
    for size in range(1, p + 1):
        sets = np.flatnonzero(sizes == size)
        edges = np.full((p, len(sets)), p * p)
        for node in range(p):
            inside = sets >> node & 1 == 1
            rest = sets[inside] & ~(1 << node)
            edges[node, inside] = fewest[rest] + sizes[found.parents[sets[inside], node]]
        fewest[sets] = edges.min(axis=0)
        last[sets] = ((edges == fewest[sets]) << np.arange(p)[:, None]).sum(axis=0)
    return fewest, last


def every_last(p: int) -> Masks:
    """For each set, the nodes that may come last: all of them."""
    return np.arange(2**p, dtype=np.int64)


def all_graphs(found: Regressions, last: Masks) -> Masks:
    """Each graph once, fewest edges first: one row per graph, the parents of each node as bits.

    Graphs under construction are integers of p · p bits, so that equal ones merge in a set of integers.
    """
    p = found.p
    layers = [{2**p - 1}]  # the sets on some path from all nodes down to none
    while layers[-1] != {0}:
        layers.append({T & ~(1 << j) for T in layers[-1] for j in bits(int(last[T]))})
    graphs = {0: {0}}
    for layer in reversed(layers[:-1]):
        larger: dict[int, set[int]] = {}
        held = 0
        for T in layer:
            parents = found.parents[T].tolist()
            merged: set[int] = set()
            for j in bits(int(last[T])):
                column = parents[j] << p * j
                merged.update(graph | column for graph in graphs[T & ~(1 << j)])
            larger[T] = merged
            held += len(merged)
            _refuse_too_many(held, p)
        graphs = larger
    codes = sorted(graphs[2**p - 1], key=lambda code: (code.bit_count(), code))
    whole = 2**p - 1
    return np.array([[code >> p * j & whole for j in range(p)] for code in codes], dtype=np.int64)


def _refuse_too_many(graphs: int, p: int) -> None:
    if graphs > _MOST_GRAPHS:
        raise OptionError(
            f"more than {_MOST_GRAPHS} graphs on these {p} columns would have to be listed: minimal_edges "
            "counts edges without listing graphs. A sample covariance has all complete graphs in its class: "
            "pass the population's, raise the tolerance, or select fewer columns"
        )


def as_dags(parents: Masks) -> NDArray[np.bool_]:
    """Graphs as matrices, from the parents of each node as bits."""
    nodes = np.arange(parents.shape[1])
    return (parents[:, None, :] >> nodes[:, None] & 1).astype(bool)
