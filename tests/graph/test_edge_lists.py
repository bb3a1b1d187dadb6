"""Graphs from lists of edges."""

import pytest

import sparsest as sp
from sparsest.graph import Mpdag
from tests.graph.test_questions import random_graphs


def test_a_graph_is_made_again_from_its_edges_and_names():
    for graph, _, _ in random_graphs(90, 20):
        assert type(graph).from_edges(graph.edges, names=graph.names) == graph


def test_pairs_triples_text_and_positions_say_the_same():
    dag = sp.Dag([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    for edges in (
        [("x0", "x1"), ("x1", "x2")],
        ["x0 -> x1", "x2 <- x1"],
        [("x0", "->", "x1"), ("x1", "x2")],
        [(0, 1), (1, 2)],
    ):
        assert sp.Dag.from_edges(edges) == dag


def test_nodes_without_edges_are_given_by_name():
    assert sp.Dag.from_edges([], names=["a", "b"]).names == ("a", "b")
    assert len(sp.Dag.from_edges([])) == 0
    assert Mpdag.from_edges(["b -> a"], names=["a", "b", "c"]).names == ("a", "b", "c")


@pytest.mark.parametrize(
    ("edges", "names", "words"),
    [
        (["a -> b", "b -> a"], None, "between b and a is given twice, with different marks"),
        (["a -> b", "b -> c", "c -> a"], None, "not acyclic: a -> b -> c -> a"),
        (["a -- b"], None, "not acyclic: a -> b -> a"),
        (["a b"], None, "'a b' is not an edge"),
        ([("a", "=>", "b")], None, "is not an edge"),
        ([("a", 1.5)], None, "1.5 in .* is not a node"),
        ([("a", 1)], None, "mix names"),
        (["age -> presure"], ["age", "pressure"], "did you mean 'pressure'"),
        ([(0, 2)], ["a", "b"], "no node has position 2"),
        (["a -> a"], None, "a would be its own cause"),
        ("a -> b", None, "must be a list"),
        (["a -> b"], "ab", "not the single string"),
    ],
)
def test_what_is_no_list_of_edges_is_refused_in_words(edges, names, words):
    with pytest.raises(sp.GraphError, match=words):
        sp.Dag.from_edges(edges, names)
