import numpy as np
import pytest
from hypothesis import given

from sparsest import graph
from sparsest._core.errors import GraphError
from tests.graph.strategies import chordal, dags, law


@law
@given(dags())
def test_a_dag_is_a_cpdag_exactly_if_it_is_alone_in_its_class(dag):
    assert graph.is_cpdag(graph.dag_to_cpdag(dag))
    assert graph.is_cpdag(dag) is (graph.mec_size(dag) == 1)


@law
@given(chordal())
def test_undirected_chordal_graphs_are_cpdags(undirected):
    assert graph.is_cpdag(undirected)


@pytest.mark.parametrize(
    "matrix",
    [
        [[0, 1], [0, 0]],  # x0 -> x1 alone is not compelled
        [[0, 1, 0], [0, 0, 1], [1, 0, 0]],  # a cycle
        [[0, 1, 0], [1, 0, 0], [0, 1, 0]],  # x2 -> x1 is not compelled
        [[1, 0], [0, 0]],  # a loop
        [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]],  # not chordal
    ],
)
def test_what_is_not_a_cpdag_is_told(matrix):
    assert not graph.is_cpdag(matrix)


def test_class_functions_refuse_what_is_neither_a_dag_nor_a_cpdag():
    pdag = np.array([[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 1, 0]])  # x0 -> x2 <- x1, x2 -- x3
    for function in (graph.mec_size, graph.mec_members, graph.Cpdag):
        with pytest.raises(GraphError, match="here x2 -- x3, but in the CPDAG of its class x2 -> x3"):
            function(pdag)
    with pytest.raises(GraphError, match="not a CPDAG"):
        graph.markov_equivalent(pdag, np.zeros((4, 4)))


def test_an_entry_other_than_zero_and_one_is_not_guessed_at():
    with pytest.raises(GraphError, match=r"matrix\[0, 1\] is 0.5"):
        graph.is_cpdag([[0, 0.5], [0, 0]])
