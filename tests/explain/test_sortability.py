import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest.graph.alignment import alignment
from tests.export.results import GARDEN
from tests.graph.strategies import dags
from tests.test_fit import simulated

CHAIN = np.eye(4, k=1, dtype=bool)


def test_sortability_is_one_a_half_or_zero_where_the_criterion_grows_ties_or_falls_along_a_chain():
    assert alignment(CHAIN, [1, 2, 3, 4]) == 1
    assert alignment(CHAIN, [2, 2, 2, 2]) == 0.5
    assert alignment(CHAIN, [4, 3, 2, 1]) == 0
    assert alignment(np.zeros((3, 3), dtype=bool), [1, 2, 3]) is None


def test_a_pair_counts_once_for_each_length_of_path():
    triangle = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    assert alignment(triangle, [1, 3, 2]) == 0.75  # of 0→1, 0→2, 1→2 and 0→1→2 all but 1→2


@given(dags(max_nodes=7), st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_turning_the_criterion_round_mirrors_it(matrix, seed):
    dag = np.asarray(matrix) != 0
    values = np.random.default_rng(seed).normal(size=len(dag))
    one = alignment(dag, values)
    if one is not None:
        assert one + alignment(dag, -values) == pytest.approx(1)


def test_variances_follow_the_units_and_r2_does_not():
    X = simulated(2, p=6, k=2).data
    plain, scaled = sp.fit(X), sp.fit(X / X.std(axis=0))
    assert plain.sortability().variance != 0.5
    assert scaled.sortability().variance == 0.5
    assert plain.sortability().r2 == pytest.approx(scaled.sortability().r2)
    assert "a matter of units" in str(plain.sortability())


def test_where_there_is_nothing_to_sort_it_says_so():
    lonely = sp.fit(np.random.default_rng(0).normal(size=(100, 3)))
    assert lonely.sortability().variance is None
    assert "no edges" in str(lonely.sortability())
    with pytest.raises(sp.OptionError, match="covariance"):
        GARDEN.sortability()
