import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsest import graph
from sparsest.graph import Agreement, Matches
from tests.graph.strategies import dag_tuples, law, path

COUNTS = st.builds(Matches, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))


@law
@given(COUNTS)
def test_f1_is_the_harmonic_mean(matches):
    if matches.precision is None and matches.recall is None:
        assert matches.f1 is None
    elif not matches.precision or not matches.recall:  # undefined counts as 0: nothing is correct
        assert matches.f1 == 0.0
    else:
        assert matches.f1 == pytest.approx(2 / (1 / matches.precision + 1 / matches.recall))


@law
@given(dag_tuples(1))
def test_a_graph_agrees_with_itself(single):
    agreement = graph.compare(single[0], single[0])
    full = 1.0 if single[0].any() else None
    for matches in (agreement.adjacencies, agreement.arrows):
        assert (matches.precision, matches.recall, matches.f1) == (full, full, full)


@law
@given(dag_tuples(2))
def test_exchanging_truth_and_estimate_exchanges_precision_and_recall(pair):
    there, back = graph.compare(*pair), graph.compare(*pair[::-1])
    assert there.arrows.precision == back.arrows.recall
    assert there.adjacencies.recall == back.adjacencies.precision


@law
@given(dag_tuples(2))
def test_what_differs_between_dags_adds_up_to_their_distance(pair):
    """A reversed edge is two wrong arrows; a pair joined in one graph only is wrong in both senses."""
    agreement = graph.compare(*pair)
    arrows = agreement.arrows.extra + agreement.arrows.missing
    pairs = agreement.adjacencies.extra + agreement.adjacencies.missing
    assert graph.shd(*pair) == (arrows + pairs) / 2


def test_a_share_of_nothing_is_none():
    edge, empty = np.array([[0, 1], [0, 0]]), np.zeros((2, 2))
    nothing_found = graph.compare(edge, empty).arrows
    assert (nothing_found.precision, nothing_found.recall, nothing_found.f1) == (None, 0.0, 0.0)
    nothing_sought = graph.compare(empty, edge).arrows
    assert (nothing_sought.precision, nothing_sought.recall, nothing_sought.f1) == (0.0, None, 0.0)
    neither = graph.compare(empty, empty).arrows
    assert (neither.precision, neither.recall, neither.f1) == (None, None, None)


def test_lines_are_adjacencies_but_no_arrows():
    collider = graph.Dag([[0, 1, 0], [0, 0, 0], [0, 1, 0]])
    assert graph.compare(collider, graph.Cpdag(path(3))) == Agreement(
        adjacencies=Matches(correct=2, extra=0, missing=0), arrows=Matches(correct=0, extra=0, missing=2)
    )


def test_two_dags_are_compared_as_dags_and_a_dag_with_a_class_as_classes():
    chain = graph.Dag([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    fork = graph.Dag([[0, 0, 0], [1, 0, 1], [0, 0, 0]])
    assert graph.compare(chain, fork).arrows == Matches(correct=1, extra=1, missing=1)
    assert graph.compare(chain, fork.to_cpdag()).arrows == Matches(correct=0, extra=0, missing=0)
