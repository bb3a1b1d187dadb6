import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsest import graph
from sparsest._core.errors import GraphError, OptionError
from tests.graph.strategies import dag_tuples, law, path, relabel

ARROW = [[0, 1], [0, 0]]
BACK = [[0, 0], [1, 0]]
NONE = [[0, 0], [0, 0]]


@pytest.mark.parametrize("distance", [graph.shd, graph.cpdag_shd])
class TestMetric:
    @law
    @given(dag_tuples(3))
    def test_triangle_inequality(self, distance, triple):
        a, b, c = triple
        assert distance(a, c) <= distance(a, b) + distance(b, c)

    @law
    @given(dag_tuples(2))
    def test_symmetry(self, distance, pair):
        assert distance(*pair) == distance(*pair[::-1])

    @law
    @given(dag_tuples(2), st.data())
    def test_labels_do_not_matter(self, distance, pair, data):
        order = data.draw(st.permutations(range(len(pair[0]))))
        assert distance(*(relabel(dag, order) for dag in pair)) == distance(*pair)


@law
@given(dag_tuples(2, max_nodes=4))
def test_distance_is_zero_exactly_between_equals(pair):
    a, b = pair
    assert (graph.shd(a, b) == 0) is np.array_equal(a, b)
    assert (graph.cpdag_shd(a, b) == 0) is graph.markov_equivalent(a, b)


@law
@given(dag_tuples(2))
def test_every_pair_counts_once(pair):
    a, b = pair
    expected = sum((a[i, j], a[j, i]) != (b[i, j], b[j, i]) for i in range(len(a)) for j in range(i))
    assert graph.shd(a, b) == expected


@law
@given(dag_tuples(2))
def test_the_causal_learn_definition_lies_between_the_adjacencies_and_the_strict_one(pair):
    a, b = pair
    adjacencies = int(np.triu((a | a.T) != (b | b.T)).sum())
    lenient = graph.cpdag_shd(a, b, "causal-learn")
    assert adjacencies <= lenient <= graph.cpdag_shd(a, b)
    assert lenient == graph.cpdag_shd(b, a, "causal-learn")


def test_an_arrow_against_a_line_counts_only_under_the_strict_definition():
    collider = [[0, 1, 0], [0, 0, 0], [0, 1, 0]]
    chain = path(3)
    assert graph.cpdag_shd(collider, chain) == 2
    assert graph.cpdag_shd(collider, chain, definition="causal-learn") == 0


def test_a_reversed_edge_counts_once_between_dags_and_not_between_classes():
    assert graph.shd(ARROW, BACK) == 1
    assert graph.shd(ARROW, NONE) == 1
    assert graph.cpdag_shd(ARROW, BACK) == 0


def test_a_dag_stands_for_its_class():
    assert graph.cpdag_shd(ARROW, path(2)) == 0
    assert graph.cpdag_shd(graph.Dag(ARROW), graph.Cpdag(path(2))) == 0


def test_graph_objects_are_matched_by_name():
    a = graph.Dag(ARROW, ["a", "b"])
    b = graph.Dag(BACK, ["b", "a"])
    assert graph.shd(a, b) == 0
    assert graph.shd(a, b.to_numpy()) == 1


def test_a_pdag_that_is_no_cpdag_is_compared_as_it_is():
    pdag = [[0, 1, 0], [1, 0, 0], [0, 1, 0]]
    assert graph.cpdag_shd(pdag, path(3)) == 1


def test_what_cannot_be_compared_is_refused():
    ring = np.roll(np.eye(3, dtype=int), 1, axis=1)
    for distance in (graph.shd, graph.cpdag_shd):
        with pytest.raises(GraphError, match="x0 -> x1 -> x2 -> x0"):
            distance(np.zeros((3, 3)), ring)
    with pytest.raises(GraphError, match="use cpdag_shd"):
        graph.shd(graph.Cpdag(path(2)), graph.Dag(ARROW))
    with pytest.raises(OptionError, match="'loose' is not known"):
        graph.cpdag_shd(ARROW, BACK, definition="loose")
