import numpy as np
import pytest
from hypothesis import given

from sparsest import graph
from sparsest._core.errors import GraphError
from tests.graph.strategies import chordal, complete_graph, dags, law, path


@law
@given(dags())
def test_the_extension_of_a_cpdag_is_a_member_of_its_class(dag):
    member = graph.cpdag_to_dag(graph.dag_to_cpdag(dag))
    assert graph.is_dag(member)
    assert graph.markov_equivalent(member, dag)


@law
@given(dags())
def test_a_dag_is_its_own_extension(dag):
    assert np.array_equal(graph.cpdag_to_dag(dag), dag)


@law
@given(chordal())
def test_a_chordal_graph_is_oriented_without_v_structures(undirected):
    member = graph.cpdag_to_dag(undirected)
    assert np.array_equal(graph.dag_to_cpdag(member), undirected)


def test_small_positions_come_first_where_the_class_allows_it():
    assert np.array_equal(graph.cpdag_to_dag(path(4)), np.eye(4, k=1))
    assert np.array_equal(graph.cpdag_to_dag(complete_graph(4)), np.triu(complete_graph(4)))


def test_answers_come_in_kind():
    cpdag = graph.Cpdag(path(3), ["a", "b", "c"])
    assert graph.cpdag_to_dag(cpdag) == graph.Dag(np.eye(3, k=1, dtype=int), ["a", "b", "c"])
    assert graph.cpdag_to_dag(path(3)).dtype == np.int64


def test_an_undirected_cycle_of_four_has_no_extension():
    square = np.roll(np.eye(4, dtype=int), 1, axis=1)
    with pytest.raises(GraphError, match=r"no DAG has these edges.*among x0, x1, x2, x3"):
        graph.cpdag_to_dag(square | square.T)


def test_a_cycle_of_arrows_is_named():
    ring = np.zeros((4, 4), dtype=int)
    ring[0, 1] = ring[1, 2] = ring[2, 0] = ring[2, 3] = ring[3, 2] = 1
    with pytest.raises(GraphError, match="x0 -> x1 -> x2 -> x0"):
        graph.cpdag_to_dag(ring)
