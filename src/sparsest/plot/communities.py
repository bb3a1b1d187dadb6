"""Groups of nodes with many edges inside and few between: greedy modularity (Blondel et al. 2008)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components

from sparsest.plot.coordinates import Array

Ints = npt.NDArray[np.intp]

_LEAST_GAIN = 1e-12  # of modularity: rounding decides nothing


def communities(joined: npt.NDArray[np.bool_], small: int = 3) -> tuple[list[Ints], Ints]:
    """Communities, the largest first, and the nodes of parts of the graph of at most `small` nodes.

    The same for the same matrix: nodes are visited in their order, and a tie is no reason to move.
    """
    _, part = connected_components(joined, directed=False)
    apart = np.bincount(part)[part] <= small
    rest = np.flatnonzero(~apart)
    weights = joined[np.ix_(rest, rest)].astype(np.float64)
    label = np.arange(len(rest))
    while len(weights):
        moved = _moved(weights)
        if len(np.unique(moved)) == len(weights):
            break
        _, moved = np.unique(moved, return_inverse=True)
        label = moved[label]
        share = np.eye(moved.max() + 1)[moved]
        weights = share.T @ weights @ share
    groups = [rest[label == k] for k in np.unique(label)]
    return sorted(groups, key=lambda nodes: (-len(nodes), nodes[0])), np.flatnonzero(apart)


def share_inside(joined: npt.NDArray[np.bool_], groups: list[Ints]) -> float:
    """The share of the edges that do not leave their community."""
    inside = sum(int(joined[np.ix_(nodes, nodes)].sum()) for nodes in groups)
    return inside / max(int(joined.sum()), 1)


def _moved(weights: Array) -> Ints:
    """A community for each node: nodes move to that of a neighbour for as long as modularity gains."""
    degree = weights.sum(axis=1)
    total = degree.sum()
    label = np.arange(len(weights))
    mass = degree.copy()
    changed = True
    while changed:
        changed = False
        for node in range(len(weights)):
            here = label[node]
            mass[here] -= degree[node]
            ties = np.bincount(label, np.where(np.arange(len(label)) == node, 0, weights[node]), len(label))
            gain = ties / total - degree[node] * mass / total**2
            best = int(np.argmax(gain))
            if gain[best] > gain[here] + _LEAST_GAIN:
                label[node], changed = best, True
            mass[label[node]] += degree[node]
    return label
