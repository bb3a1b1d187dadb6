"""From soft weights to a DAG: break the cycles, then keep the edges that pay."""

import numpy as np
from numpy.typing import NDArray

from sparsest.scores import LocalScore

Mask = NDArray[np.bool_]


def strongest_dag(adjacency: NDArray[np.float64], threshold: float = 0.0) -> Mask:
    """The edges with |weight| > threshold, strongest first, leaving out those that would close a cycle."""
    p = len(adjacency)
    strength = np.abs(adjacency)
    rows, columns = np.nonzero(strength > threshold)
    dag = np.zeros((p, p), dtype=bool)
    reaches = np.eye(p, dtype=bool)  # reaches[i, j]: there is a directed path from i to j
    for edge in np.argsort(-strength[rows, columns], kind="stable"):
        source, target = rows[edge], columns[edge]
        if reaches[target, source]:
            continue
        dag[source, target] = True
        reaches |= np.outer(reaches[:, source], reaches[target])
    return dag


def prune(score: LocalScore, dag: Mask, cost: float, limit: int) -> Mask:
    """Backward elimination: drop, node by node, the parent that pays least while it costs more than it gives.

    Parents beyond `limit` go too, whatever they give.
    """
    pruned = dag.copy()
    for node in range(score.p):
        parents = [int(parent) for parent in np.flatnonzero(dag[:, node])]
        current = score.local(node, parents)
        while parents:
            without = [score.local(node, [p for p in parents if p != parent]) for parent in parents]
            least = int(np.argmin(without))
            if without[least] - current >= cost and len(parents) <= limit:
                break
            pruned[parents.pop(least), node] = False
            current = without[least]
    return pruned
