import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsest import graph
from tests.graph.strategies import chordal, complete_graph, dags, law, path, relabel


def test_a_complete_graph_has_as_many_members_as_orders():
    for p in (1, 2, 7, 30):
        assert graph.mec_size(complete_graph(p)) == math.factorial(p)


def test_a_tree_has_one_member_a_node():
    assert graph.mec_size(path(1000)) == 1000
    star = np.zeros((500, 500), dtype=int)
    star[0, 1:] = star[1:, 0] = 1
    assert graph.mec_size(star) == 500


@pytest.mark.parametrize("p", [4, 5, 8, 20])
def test_a_complete_graph_less_one_edge(p):
    """2 (p-1)! - (p-2)!: He, Jia & Yu (2015)."""
    almost = complete_graph(p)
    almost[0, 1] = almost[1, 0] = 0
    assert graph.mec_size(almost) == 2 * math.factorial(p - 1) - math.factorial(p - 2)


@settings(law, max_examples=40)
@given(chordal(max_nodes=11))
def test_size_is_the_sum_over_the_sources(undirected):
    """Every member has one source; Meek's rules orient what a source implies; the rest is smaller graphs."""

    @cache
    def count(nodes):
        nodes = sorted(nodes)
        total = 0
        for source in range(len(nodes)):
            part = undirected[np.ix_(nodes, nodes)]
            part[:, source] = 0
            closed = graph.meek_closure(part)
            lines = closed & closed.T
            total += math.prod(count(frozenset(nodes[k] for k in group)) for group in connected(lines))
        return total

    assert graph.mec_size(undirected) == count(frozenset(range(len(undirected))))


def connected(lines):
    """Groups of at least two nodes."""
    reach = np.linalg.matrix_power(lines + np.eye(len(lines), dtype=int), len(lines)) > 0
    return {frozenset(np.flatnonzero(row).tolist()) for row in reach if row.sum() > 1}


@law
@given(chordal(max_nodes=20), st.data())
def test_size_does_not_depend_on_labels(undirected, data):
    order = data.draw(st.permutations(range(len(undirected))))
    assert graph.mec_size(relabel(undirected, order)) == graph.mec_size(undirected)


@law
@given(chordal(), dags())
def test_sizes_of_separate_graphs_multiply(a, b):
    both = np.zeros((len(a) + len(b),) * 2, dtype=int)
    both[: len(a), : len(a)] = a
    both[len(a) :, len(a) :] = graph.dag_to_cpdag(b)
    assert graph.mec_size(both) == graph.mec_size(a) * graph.mec_size(b)


@law
@given(chordal(max_nodes=12))
def test_a_node_joined_to_all_can_also_be_a_source(undirected):
    """With a new node v joined to all, fixing v first leaves the old graph: the size more than doubles."""
    p = len(undirected)
    cone = np.ones((p + 1, p + 1), dtype=int) - np.eye(p + 1, dtype=int)
    cone[:p, :p] = undirected
    assert graph.mec_size(cone) >= 2 * graph.mec_size(undirected)


def test_a_large_chordal_graph_is_counted_exactly():
    """Two complete graphs of 20 nodes that share 10: by inclusion and exclusion over which comes first."""
    p, shared, size = 30, 10, 20
    glued = np.zeros((p, p), dtype=int)
    glued[:size, :size] = 1
    glued[p - size :, p - size :] = 1
    np.fill_diagonal(glued, 0)
    rest = math.factorial(size - shared)
    expected = 2 * math.factorial(size) * rest - math.factorial(shared) * rest * rest
    assert graph.mec_size(glued) == expected


def test_the_empty_graph_is_alone_in_its_class():
    assert graph.mec_size(np.zeros((0, 0))) == 1
    assert graph.mec_size(np.zeros((5, 5))) == 1
