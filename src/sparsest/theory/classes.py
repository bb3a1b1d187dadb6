"""The models of one Gaussian distribution: the class E(Θ) and its sparsest members (Section 3.2, App. C.2).

E(Θ) holds one model (B̃(π), Ω̃(π)) a permutation π, each node regressed on those before it. Here it is built
set by set instead of permutation by permutation: the models of the nodes of T are those of T without j, for
each j that may come last, with j regressed on the rest of T. Equal models of different permutations meet
early and are merged.

On a sample covariance no coefficient is exactly zero: every B̃(π) is complete, and E_min(Θ̂) is all p! complete
DAGs. What is said here is about population covariances, or about a sample with a threshold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsest._core.errors import OptionError
from sparsest.graph._bits import bits
from sparsest.scores.gaussian import regress
from sparsest.theory.subsets import MOST_COLUMNS, Regressions, definite_covariance, regressions, set_sizes

Array = NDArray[np.float64]
Masks = NDArray[np.int64]

TOLERANCE = 1e-9
"""Partial correlations up to this size are zero.

A partial correlation is a coefficient standardised by what the other predecessors leave of the two nodes. It
has no units and is the same for i → j and j → i, so that a pair is adjacent or not whichever comes first. On
the population covariances of simulated models with 8 to 17 nodes rounding stays below 1e-11 and what is not
zero lies above 4e-8. A covariance written with few digits needs a larger tolerance.
"""

_MOST_GRAPHS = 400_000  # held at once; all 9! complete graphs of 9 nodes fit


@dataclass(frozen=True, eq=False)
class Models:
    """Linear Gaussian models of one distribution, each once, those with fewest edges first.

    `weights[k]` is the B and `variances[k]` the diagonal of the Ω of model k.
    """

    weights: Array
    variances: Array

    @property
    def dags(self) -> NDArray[np.bool_]:
        """The graphs G(B), one a model; different models have different graphs."""
        return self.weights != 0

    @property
    def edges(self) -> NDArray[np.int64]:
        """The number of edges of each model."""
        return np.count_nonzero(self.weights, axis=(1, 2))

    def __len__(self) -> int:
        """The number of models."""
        return len(self.weights)


def equivalence_class(covariance: ArrayLike, tolerance: float = TOLERANCE) -> Models:
    """E(Θ): every model (B, Ω) with an acyclic graph that has this covariance.

    One a permutation (Aragam & Zhou, 2015, Lemma 1), equal ones merged: up to p!. More than 400 000 are
    refused: a complete graph of 10 nodes is too much, a sparse one of 12 may not be.
    """
    matrix = definite_covariance(covariance, MOST_COLUMNS, "E(Θ)")
    found = regressions(matrix, tolerance)
    return _models(matrix, _all_graphs(found, _every_last(found.p)))


def minimal_class(covariance: ArrayLike, tolerance: float = TOLERANCE) -> Models:
    """E_min(Θ): the models of E(Θ) with the fewest edges (Definition 1).

    Their graphs are a union of Markov equivalence classes: a graph equivalent to one of them fits as well
    with as many edges. Under faithfulness it is the class of the truth (Lemma 1).
    """
    matrix = definite_covariance(covariance, MOST_COLUMNS, "E_min(Θ)")
    found = regressions(matrix, tolerance)
    return _models(matrix, _all_graphs(found, _best_last(found)[1]))


def minimal_edges(covariance: ArrayLike, tolerance: float = TOLERANCE) -> int:
    """s₀, the number of edges of E_min(Θ), also where its members are too many to list."""
    matrix = definite_covariance(covariance, MOST_COLUMNS, "E_min(Θ)")
    return fewest_edges(regressions(matrix, tolerance))


def exact_baseline(
    covariance: ArrayLike, threshold: float | None = None, tolerance: float = TOLERANCE
) -> NDArray[np.bool_]:
    """The paper's Exact-search (Appendix D): the sparsest graphs among those of all B̃(π), stacked.

    With a `threshold`, coefficients up to that size are taken out of each B̃(π) before edges are counted. They
    are compared in the units of the covariance, so the answer depends on units then; and a threshold above τ
    cuts true edges in some order and so prefers that order. The paper applies none, and on a sample all
    complete DAGs are the answer. Its distance is the average over the graphs:
    `np.mean([cpdag_shd(truth, dag) for dag in exact_baseline(covariance)])`.
    """
    matrix = definite_covariance(covariance, MOST_COLUMNS, "Exact-search")
    found = regressions(matrix, tolerance, 0.0 if threshold is None else threshold)
    return _as_dags(_all_graphs(found, _best_last(found)[1]))


def fewest_edges(found: Regressions) -> int:
    """The fewest edges of a graph made of these regressions."""
    return int(_best_last(found)[0][-1])


def _best_last(found: Regressions) -> tuple[Masks, Masks]:
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


def _every_last(p: int) -> Masks:
    """For each set, the nodes that may come last: all of them."""
    return np.arange(2**p, dtype=np.int64)


def _all_graphs(found: Regressions, last: Masks) -> Masks:
    """Each graph once, fewest edges first: a row a graph, the parents of each node as bits.

    A graph on the way is one integer of p · p bits, so that merging equal ones is a set of integers.
    """
    p = found.p
    layers = [{2**p - 1}]  # sets that a way from all nodes down to none passes through
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


def _as_dags(parents: Masks) -> NDArray[np.bool_]:
    """Graphs as matrices, from the parents of each node as bits."""
    nodes = np.arange(parents.shape[1])
    return (parents[:, None, :] >> nodes[:, None] & 1).astype(bool)


def _models(covariance: Array, parents: Masks) -> Models:
    """The coefficients of graphs that fit: regressions on the parents alone."""
    count, p = parents.shape
    weights, variances = np.zeros((count, p, p)), np.empty((count, p))
    for node in range(p):
        different, which = np.unique(parents[:, node], return_inverse=True)
        columns, rest = np.zeros((len(different), p)), np.empty(len(different))
        for k, mask in enumerate(different.tolist()):
            chosen = list(bits(mask))
            columns[k, chosen], rest[k] = regress(covariance, node, chosen)
        weights[:, :, node], variances[:, node] = columns[which], rest[which]
    return Models(weights, variances)
