"""Stored results of causal-learn: CPDAGs of random DAGs, and distances between pairs of them.

Run in an environment with numpy and causal-learn; it writes `causal_learn_<release>.npz` next to itself:

    pip install causal-learn==0.1.4.8 && python make_causal_learn.py
    pip install causal-learn==0.1.3.3 "numpy<2" && python make_causal_learn.py

The DAGs are the same for every release. The two releases above differ in their SHD: up to 0.1.3.3 an arrow
against an undirected edge is no difference, from 0.1.3.4 on it is one.

Contents: `sizes` (nodes of each graph), `dags` and `cpdags` (0/1 matrices, [i, j] = 1 for i -> j, all entries
one after the other, packed to bits), `shd` (distance of the CPDAGs of graphs 2k and 2k + 1).
"""

from importlib.metadata import version
from pathlib import Path

import numpy as np
from causallearn.graph.Dag import Dag
from causallearn.graph.GraphNode import GraphNode
from causallearn.graph.SHD import SHD
from causallearn.utils.DAG2CPDAG import dag2cpdag

PAIRS = 1500


def random_dag(p, rng):
    """Random order, each pair joined with the same random probability."""
    order = rng.permutation(p)
    upper = np.triu(rng.random((p, p)) < rng.uniform(0.1, 0.8), 1)
    dag = np.zeros((p, p), dtype=bool)
    dag[np.ix_(order, order)] = upper
    return dag


def neighbour(dag, rng):
    """Another random DAG that shares most adjacencies with the first, in a new order."""
    p = len(dag)
    order = rng.permutation(p)
    joined = np.triu(dag | dag.T, 1) ^ np.triu(rng.random((p, p)) < 0.1, 1)
    joined = joined | joined.T
    place = np.argsort(order)
    return joined & (place[:, None] < place[None, :])


def to_causal_learn(dag):
    nodes = [GraphNode(f"X{k}") for k in range(len(dag))]
    graph = Dag(nodes)
    for i, j in np.argwhere(dag):
        graph.add_directed_edge(nodes[i], nodes[j])
    return graph


def from_causal_learn(graph):
    """Their graph[i, j] is the end at i of the edge i, j: -1 tail, 1 arrow. Tail at i: i -> j or i -- j."""
    return graph.graph == -1


def pack(matrices):
    return np.packbits(np.concatenate([matrix.ravel() for matrix in matrices]))


def main():
    rng = np.random.default_rng(20240607)
    dags, cpdags, distances = [], [], []
    for _ in range(PAIRS):
        first = random_dag(int(rng.integers(2, 13)), rng)
        second = neighbour(first, rng)
        classes = [dag2cpdag(to_causal_learn(dag)) for dag in (first, second)]
        dags += [first, second]
        cpdags += [from_causal_learn(graph) for graph in classes]
        distances.append(SHD(*classes).get_shd())
    np.savez_compressed(
        Path(__file__).with_name(f"causal_learn_{version('causal-learn')}.npz"),
        sizes=np.array([len(dag) for dag in dags], dtype=np.uint8),
        dags=pack(dags),
        cpdags=pack(cpdags),
        shd=np.array(distances, dtype=np.uint8),
    )


if __name__ == "__main__":
    main()
