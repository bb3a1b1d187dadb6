import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsest import graph
from sparsest._core.errors import GraphError
from tests.graph.strategies import dag_tuples, law, path, relabel


@law
@given(dag_tuples(2, max_nodes=4))
def test_equivalent_exactly_if_the_cpdags_are_equal(pair):
    a, b = pair
    same = np.array_equal(graph.dag_to_cpdag(a), graph.dag_to_cpdag(b))
    assert graph.markov_equivalent(a, b) is same
    assert graph.markov_equivalent(b, a) is same


@law
@given(dag_tuples(2, max_nodes=4), st.data())
def test_equivalence_does_not_depend_on_labels(pair, data):
    a, b = pair
    order = data.draw(st.permutations(range(len(a))))
    assert graph.markov_equivalent(relabel(a, order), relabel(b, order)) is graph.markov_equivalent(a, b)


def test_chain_and_fork_are_equivalent_and_the_collider_is_not():
    chain = [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    fork = [[0, 0, 0], [1, 0, 1], [0, 0, 0]]
    collider = [[0, 1, 0], [0, 0, 0], [0, 1, 0]]
    assert graph.markov_equivalent(chain, fork)
    assert graph.markov_equivalent(chain, path(3))
    assert not graph.markov_equivalent(chain, collider)


def test_graph_objects_are_matched_by_name():
    a = graph.Dag([[0, 1, 0], [0, 0, 0], [0, 1, 0]], ["a", "b", "c"])
    b = graph.Dag([[0, 0, 0], [1, 0, 0], [1, 0, 0]], ["b", "a", "c"])
    assert graph.markov_equivalent(a, b)
    assert not graph.markov_equivalent(a.to_numpy(), b.to_numpy())


def test_graphs_over_other_nodes_are_refused():
    a = graph.Dag(np.zeros((2, 2)), ["a", "b"])
    with pytest.raises(GraphError, match="only the second has c"):
        graph.markov_equivalent(a, graph.Dag(np.zeros((2, 2)), ["a", "c"]))
    with pytest.raises(GraphError, match="these have 2 and 3"):
        graph.markov_equivalent(a, np.zeros((3, 3)))
