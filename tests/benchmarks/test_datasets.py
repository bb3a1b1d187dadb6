import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import datasets
from sparsest.simulate import random_dag


def test_varsortability_is_one_a_half_or_zero_where_variances_grow_tie_or_fall_along_a_chain():
    chain = np.eye(4, k=1)
    assert datasets.varsortability(chain, [1, 2, 3, 4]) == 1
    assert datasets.varsortability(chain, [2, 2, 2, 2]) == 0.5
    assert datasets.varsortability(chain, [4, 3, 2, 1]) == 0


def test_varsortability_counts_paths_of_every_length_between_a_pair():
    # 0 -> 1 -> 2 and 0 -> 2: the pair (0, 2) counts twice. Only 1 -> 2 falls: 3 of 4 paths grow.
    triangle = np.triu(np.ones((3, 3)), 1)
    assert datasets.varsortability(triangle, [1, 3, 2]) == 0.75


def test_varsortability_says_nothing_of_a_graph_without_edges():
    assert datasets.varsortability(np.zeros((3, 3)), [1, 2, 3]) is None


@given(st.integers(0, 2**32 - 1), st.integers(2, 8))
def test_inverting_all_variances_mirrors_varsortability(seed, p):
    rng = np.random.default_rng(seed)
    dag = random_dag(p, 1, "SF", rng).to_numpy()
    variances = rng.uniform(0.5, 2, size=p)
    assert datasets.varsortability(dag, variances) + datasets.varsortability(
        dag, 1 / variances
    ) == pytest.approx(1)


def test_standardised_data_are_the_raw_ones_in_other_units_and_have_no_varsortability():
    raw, standardised = datasets.linear(["SF1"], p=6, n=50, seeds=1, scales=["raw", "standardised"])
    assert np.corrcoef(raw.X.T) == pytest.approx(np.corrcoef(standardised.X.T))
    assert standardised.X.std(axis=0, ddof=1) == pytest.approx(np.ones(6))
    assert standardised.varsortability == 0.5


def test_the_same_seed_makes_the_same_dataset():
    (first,), (second,) = (datasets.linear(["ER2"], p=5, n=20, seeds=1, scales=["raw"]) for _ in range(2))
    assert np.array_equal(first.X, second.X)
    assert np.array_equal(first.dag, second.dag)
