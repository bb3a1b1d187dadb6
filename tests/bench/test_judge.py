import numpy as np
import pytest

from sparsest.bench.designs import Dataset
from sparsest.bench.judge import NoGraphError, judge

CHAIN = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
COLLIDER = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0]])


def dataset(dag):
    X = np.random.default_rng(0).standard_normal((50, 3))
    return Dataset(X, dag, None)


def test_the_truth_is_at_distance_zero_from_itself_and_from_its_class():
    row = judge(dataset(CHAIN), "dag", CHAIN)
    assert (row["shd"], row["shd_old"], row["shd_dag"], row["f1"], row["edges"]) == (0, 0, 0, 1, 2)
    assert judge(dataset(CHAIN), "dag", CHAIN.T)["shd"] == 0
    assert judge(dataset(CHAIN), "dag", CHAIN.T)["shd_dag"] == 2
    undirected = CHAIN | CHAIN.T
    assert judge(dataset(CHAIN), "cpdag", undirected)["objective"] == pytest.approx(row["objective"])


def test_the_old_distance_does_not_see_an_arrow_against_a_line():
    row = judge(dataset(CHAIN), "dag", COLLIDER)
    assert (row["shd"], row["shd_old"]) == (2, 0)


def test_a_cycle_is_no_dag_and_a_stray_line_no_cpdag():
    with pytest.raises(NoGraphError, match="cycle"):
        judge(dataset(CHAIN), "dag", CHAIN + np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0]]))
    with pytest.raises(NoGraphError, match="not a CPDAG"):
        judge(dataset(CHAIN), "cpdag", CHAIN + np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0]]))


def test_a_pdag_that_stands_for_no_dag_still_has_a_distance():
    cycle = CHAIN + np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0]])
    row = judge(dataset(CHAIN), "pdag", cycle)
    assert row["shd"] == 3
    assert row["shd_old"] == 1
    assert row["objective"] is None


def test_of_several_answers_the_mean_counts():
    both = judge(dataset(CHAIN), "cpdags", [CHAIN | CHAIN.T, COLLIDER])
    assert both["shd"] == 1


def test_a_model_that_is_not_gaussian_has_no_gaussian_objective():
    assert judge(dataset(CHAIN), "dag", CHAIN, gaussian=False)["objective"] is None
