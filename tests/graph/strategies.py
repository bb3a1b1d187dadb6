"""Random graphs for the laws of the graph functions."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

law = settings(derandomize=True, deadline=None, max_examples=50)


@st.composite
def dags(draw, max_nodes=8, nodes=None):
    p = draw(st.integers(1, max_nodes)) if nodes is None else nodes
    order = draw(st.permutations(range(p)))
    pairs = p * (p - 1) // 2
    present = draw(st.integers(0, 2**pairs - 1))  # one bit per pair: much faster to draw than a list
    upper = np.zeros((p, p), dtype=np.int64)
    upper[np.triu_indices(p, 1)] = [present >> k & 1 for k in range(pairs)]
    dag = np.zeros_like(upper)
    dag[np.ix_(order, order)] = upper
    return dag


@st.composite
def dag_tuples(draw, count, max_nodes=7):
    """Several DAGs over the same number of nodes."""
    p = draw(st.integers(1, max_nodes))
    return tuple(draw(dags(nodes=p)) for _ in range(count))


def chordal(max_nodes=8):
    """Connected undirected chordal graphs."""
    return st.builds(random_chordal, st.integers(2, max_nodes), st.integers(0, 2**32 - 1))


def random_chordal(p, seed):
    """Each new node is joined to part of a clique, mostly to a large part; then the labels are shuffled."""
    rng = np.random.default_rng(seed)
    graph = np.zeros((p, p), dtype=np.int64)
    cliques = [[0]]
    for node in range(1, p):
        clique = cliques[rng.integers(len(cliques))]
        size = rng.integers(1, len(clique) + 1)
        part = rng.choice(clique, max(size, len(clique) - rng.integers(4)), replace=False).tolist()
        graph[part, node] = graph[node, part] = 1
        cliques.append([*part, node])
    return relabel(graph, rng.permutation(p))


def relabel(graph, order):
    """Node order[k] becomes node k."""
    return graph[np.ix_(order, order)]


def random_dag(p, edges, rng):
    """Random DAG with a given number of edges."""
    rows, columns = np.triu_indices(p, 1)
    chosen = rng.choice(len(rows), edges, replace=False)
    order = rng.permutation(p)
    dag = np.zeros((p, p), dtype=np.int64)
    dag[order[rows[chosen]], order[columns[chosen]]] = 1
    return dag


def path(p):
    """x0 -- x1 -- ... undirected."""
    graph = np.zeros((p, p), dtype=np.int64)
    k = np.arange(p - 1)
    graph[k, k + 1] = graph[k + 1, k] = 1
    return graph


def complete_graph(p):
    """Every pair joined by an undirected edge."""
    return np.ones((p, p), dtype=np.int64) - np.eye(p, dtype=np.int64)
