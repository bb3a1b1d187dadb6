import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import sparsest as sp
from sparsest.rounding import strongest_dag
from tests.laws import random_dag_weights

seeds = st.integers(0, 2**32 - 1)


def none(p):
    return np.zeros((p, p), dtype=bool)


@given(seed=seeds, p=st.integers(1, 8), threshold=st.floats(0, 1))
def test_any_weights_become_a_dag_and_a_dag_stays_as_it_is(seed, p, threshold):
    rng = np.random.default_rng(seed)
    cyclic, acyclic = rng.normal(size=(p, p)) * (1 - np.eye(p)), random_dag_weights(p, rng)
    assert sp.graph.is_dag(strongest_dag(cyclic, none(p), threshold))
    assert (strongest_dag(acyclic, none(p), threshold) == (np.abs(acyclic) > threshold)).all()


def test_the_weakest_edge_of_a_cycle_goes():
    cycle = np.array([[0, 3.0, 0], [0, 0, -2.0], [1.0, 0, 0]])
    assert strongest_dag(cycle, none(3)).tolist() == [[False, True, False], [False, False, True], [False] * 3]


@given(seed=seeds, p=st.integers(1, 7), threshold=st.floats(0, 2))
def test_required_edges_come_first_whatever_their_weight(seed, p, threshold):
    rng = np.random.default_rng(seed)
    required = random_dag_weights(p, rng, 0.3) != 0
    soft = rng.normal(size=(p, p)) * (1 - np.eye(p)) * (rng.random((p, p)) < 0.5)
    graph = strongest_dag(soft, required, threshold)
    assert not (required & ~graph).any()
    assert sp.graph.is_dag(graph)
    assert (graph <= (required | (np.abs(soft) > threshold))).all()


@given(seed=seeds, p=st.integers(1, 70), density=st.floats(0, 1))
def test_edges_enter_one_after_the_other_unless_they_close_a_cycle(seed, p, density):
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(p, p)) * (1 - np.eye(p)) * (rng.random((p, p)) < density)
    expected, reaches = none(p), np.eye(p, dtype=bool)
    for edge in np.argsort(-np.abs(weights), axis=None, kind="stable")[: np.count_nonzero(weights)]:
        i, j = divmod(int(edge), p)
        if not reaches[j, i]:
            expected[i, j] = True
            reaches |= np.outer(reaches[:, i], reaches[j])
    assert (strongest_dag(weights, none(p)) == expected).all()
