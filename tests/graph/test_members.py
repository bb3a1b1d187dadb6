from itertools import islice

import numpy as np
import pytest
from hypothesis import given

from sparsest import graph
from sparsest._core.errors import GraphError
from tests.graph.strategies import chordal, complete_graph, dags, law, path


@law
@given(dags(max_nodes=6))
def test_members_are_distinct_equivalent_and_as_many_as_the_size_says(dag):
    members = list(graph.mec_members(dag))
    assert len({member.tobytes() for member in members}) == len(members) == graph.mec_size(dag)
    assert all(graph.markov_equivalent(member, dag) for member in members)
    assert any(np.array_equal(member, dag) for member in members)


@law
@given(chordal(max_nodes=6))
def test_the_union_of_the_members_is_the_cpdag(undirected):
    assert np.array_equal(np.any(list(graph.mec_members(undirected)), axis=0), undirected)


def test_members_are_made_when_asked_for():
    members = list(islice(graph.mec_members(complete_graph(30)), 10))  # of 30!
    assert len({member.tobytes() for member in members}) == 10


def test_two_parts_are_combined_in_every_way():
    two = np.kron(np.eye(2, dtype=int), path(3))
    members = list(graph.mec_members(two))
    assert len({member.tobytes() for member in members}) == len(members) == 9


def test_a_path_of_a_thousand_nodes_has_a_first_member():
    member = next(graph.mec_members(path(1000)))
    assert np.array_equal(member, np.eye(1000, k=1))


def test_a_path_of_many_nodes_has_one_member_a_source():
    sources = [int(np.flatnonzero(member.sum(axis=0) == 0)[0]) for member in graph.mec_members(path(100))]
    assert sorted(sources) == list(range(100))


def test_answers_come_in_kind_and_belong_to_the_caller():
    for member in graph.mec_members(graph.Cpdag(path(2), ["a", "b"])):
        assert isinstance(member, graph.Dag)
        assert member.names == ("a", "b")
    first, second = graph.mec_members(path(2))
    assert first.dtype == np.int64
    first[:] = 0
    assert second.sum() == 1


def test_bad_input_is_refused_at_the_call():
    with pytest.raises(GraphError, match="square matrix"):
        graph.mec_members(np.zeros((2, 3)))
