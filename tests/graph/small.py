"""Every DAG on a few nodes, and the classes they fall into, by definition: no code of the package is used."""

from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations

import numpy as np


@cache
def every_dag(p):
    """All DAGs on p nodes, (count, p, p) booleans: 1, 1, 3, 25, 543, 29281 for p = 0, ..., 5."""
    pairs = list(combinations(range(p), 2))
    number = np.arange(3 ** len(pairs))
    graphs = np.zeros((len(number), p, p), dtype=bool)
    for k, (i, j) in enumerate(pairs):
        mark = number // 3**k % 3  # none, ->, <-
        graphs[:, i, j] = mark == 1
        graphs[:, j, i] = mark == 2
    reach = graphs
    for _ in range(p):
        reach = reach | (reach @ graphs)
    return graphs[~np.einsum("kii->k", reach)]


def signature(dags):
    """Adjacencies and v-structures of each DAG as a row of booleans (Verma & Pearl, 1990)."""
    joined = dags | dags.transpose(0, 2, 1)
    p = dags.shape[1]
    columns = [joined[:, i, j] for i, j in combinations(range(p), 2)]
    columns += [
        dags[:, a, c] & dags[:, b, c] & ~joined[:, a, b]
        for c in range(p)
        for a, b in combinations([k for k in range(p) if k != c], 2)
    ]
    return np.stack(columns, axis=1) if columns else np.zeros((len(dags), 0), dtype=bool)


def code(graphs):
    """An integer for each graph; different graphs have different ones."""
    flat = graphs.reshape(*graphs.shape[:-2], -1)
    return flat @ (1 << np.arange(flat.shape[-1], dtype=np.int64))


@dataclass(frozen=True)
class Classes:
    """Every Markov equivalence class on p nodes: 1, 1, 2, 11, 185, 8782 for p = 0, ..., 5."""

    dags: np.ndarray
    label: np.ndarray  # the class of each DAG
    cpdags: np.ndarray  # for each class the union of its members' edges
    sizes: np.ndarray

    def members(self, k):
        return self.dags[self.label == k]

    def shapes(self):
        """One class for each that remains different when the nodes are renamed."""
        orders = permutations(range(self.cpdags.shape[1]))
        renamed = [code(self.cpdags[:, order][:, :, order]) for order in map(list, orders)]
        return np.unique(np.min(renamed, axis=0), return_index=True)[1]


@cache
def every_class(p):
    dags = every_dag(p)
    _, label = np.unique(signature(dags), axis=0, return_inverse=True)
    label = label.ravel()
    cpdags = np.zeros((label.max() + 1, p, p), dtype=bool)
    np.logical_or.at(cpdags, label, dags)
    return Classes(dags, label, cpdags, np.bincount(label))


@cache
def every_pdag(p):
    """All matrices with none, ->, <- or -- for each pair."""
    pairs = list(combinations(range(p), 2))
    number = np.arange(4 ** len(pairs))
    graphs = np.zeros((len(number), p, p), dtype=bool)
    for k, (i, j) in enumerate(pairs):
        mark = number // 4**k % 4
        graphs[:, i, j] = mark & 1
        graphs[:, j, i] = mark & 2
    return graphs
