import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from sparsest import graph
from sparsest._core.errors import GraphError
from sparsest.graph.acyclicity import forward_mask, indirect_path
from tests.graph.strategies import dags, law, path, random_dag


def random_digraphs(count):
    """Some with a cycle, some without."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        p = int(rng.integers(1, 13))
        yield (rng.random((p, p)) < rng.uniform(0, 2 / p)).astype(int)


def test_is_dag_agrees_with_networkx_on_random_digraphs():
    answers = []
    for matrix in random_digraphs(600):
        answers.append(graph.is_dag(matrix))
        assert answers[-1] is nx.is_directed_acyclic_graph(nx.DiGraph(matrix))
    assert 100 < sum(answers) < 500  # both answers are tested


def test_topological_order_is_the_lexicographical_one_of_networkx():
    rng = np.random.default_rng(1)
    for _ in range(500):
        p = int(rng.integers(1, 20))
        matrix = random_dag(p, int(rng.integers(0, p * (p - 1) // 2 + 1)), rng)
        assert graph.topological_order(matrix) == list(
            nx.lexicographical_topological_sort(nx.DiGraph(matrix))
        )


def test_a_cycle_is_found_exactly_where_there_is_one_and_its_arrows_exist():
    for matrix in random_digraphs(500):
        cycle = graph.find_cycle(matrix)
        assert (cycle is None) is graph.is_dag(matrix)
        if cycle is not None:
            assert len(set(cycle)) == len(cycle)
            assert all(matrix[a, b] for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True))


@law
@given(dags())
def test_parents_come_before_children(dag):
    place = np.argsort(graph.topological_order(dag))
    assert all(place[i] < place[j] for i, j in np.argwhere(dag))


def test_a_weighted_matrix_is_read_by_its_nonzero_entries():
    weights = np.array([[0, -0.3, 0], [0, 0, 1e-300], [0, 0, 0]])
    assert graph.is_dag(weights)
    assert graph.topological_order(weights) == [0, 1, 2]
    assert not graph.is_dag(weights + weights.T)


def test_loops_and_undirected_edges_are_cycles():
    assert not graph.is_dag([[1]])
    assert graph.find_cycle([[1]]) == [0]
    assert not graph.is_dag(path(2))


def test_the_order_of_a_dag_object_is_given_by_names():
    dag = graph.Dag([[0, 0, 0], [1, 0, 0], [0, 1, 0]], names=["a", "b", "c"])
    assert graph.topological_order(dag) == ["c", "b", "a"]


def test_an_order_that_does_not_exist_is_refused_with_the_cycle():
    with pytest.raises(GraphError, match="x0 -> x2 -> x1 -> x0; remove one"):
        graph.topological_order([[0, 0, 1], [1, 0, 0], [0, 1, 0]])


def test_a_long_cycle_is_named_in_part():
    ring = np.roll(np.eye(100, dtype=int), 1, axis=1)
    with pytest.raises(GraphError, match=r"x0 -> x1 -> .*\.\.\. \(90 more\).* -> x99 -> x0"):
        graph.topological_order(ring)


def test_a_path_of_many_nodes_needs_no_recursion():
    p = 5000
    matrix = np.eye(p, k=1, dtype=bool)
    assert graph.topological_order(matrix) == list(range(p))


def test_an_indirect_path_is_a_shortest_one_without_the_edge_between_its_ends():
    for matrix in random_digraphs(100):
        for start, end in np.argwhere(~np.eye(len(matrix), dtype=bool)).tolist():
            rest = nx.DiGraph(matrix)
            rest.remove_edges_from([(start, end)])
            found = indirect_path(matrix != 0, start, end)
            if found is None:
                assert not nx.has_path(rest, start, end)
            else:
                assert len(found) - 1 == nx.shortest_path_length(rest, start, end)
                assert nx.is_path(rest, found)


@law
@given(dags())
def test_all_edges_of_a_dag_go_forward_along_its_topological_order(dag):
    forward = forward_mask(graph.topological_order(dag))
    assert forward[dag != 0].all()
    assert (forward ^ forward.T ^ np.eye(len(dag), dtype=bool)).all()
