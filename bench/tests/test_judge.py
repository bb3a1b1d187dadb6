import numpy as np
import pytest

import sparsest as sp
from sparsest.simulate.designs import Dataset
from sparsest_bench.judge import NoGraphError, judge, objective

CHAIN = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
COLLIDER = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0]])


def dataset(dag):
    X = np.random.default_rng(0).standard_normal((50, 3))
    return Dataset(X, dag, None, np.ones(X.shape[1]))


def test_the_truth_is_at_distance_zero_from_itself_and_from_its_class():
    row = judge(dataset(CHAIN), "dag", CHAIN)
    assert (row["shd"], row["shd_old"], row["shd_dag"], row["f1"], row["edges"]) == (0, 0, 0, 1, 2)
    assert judge(dataset(CHAIN), "dag", CHAIN.T)["shd"] == 0
    assert judge(dataset(CHAIN), "dag", CHAIN.T)["shd_dag"] == 2
    undirected = CHAIN | CHAIN.T
    assert judge(dataset(CHAIN), "cpdag", undirected)["objective"] == pytest.approx(row["objective"])


def test_the_objective_is_the_one_that_a_fit_reports():
    X = dataset(CHAIN).X
    result = sp.fit(X)
    assert objective(X, result.dag.to_numpy()) == pytest.approx(result.objective, abs=1e-12)


def test_the_old_distance_does_not_see_an_arrow_against_a_line():
    row = judge(dataset(CHAIN), "dag", COLLIDER)
    assert (row["shd"], row["shd_old"]) == (2, 0)


def test_a_cycle_is_no_dag_and_a_stray_line_no_cpdag():
    with pytest.raises(NoGraphError, match="cycle"):
        judge(dataset(CHAIN), "dag", CHAIN + np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0]]))
    with pytest.raises(NoGraphError, match="not a CPDAG"):
        judge(dataset(CHAIN), "cpdag", CHAIN + np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0]]))


def test_weights_are_not_judged():
    with pytest.raises(NoGraphError, match="weights are no graph"):
        judge(dataset(CHAIN), "weights", 0.5 * CHAIN)


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


def test_the_adjustment_distance_counts_pairs_with_a_wrong_adjustment_set():
    pytest.importorskip("gadjid")
    # X -> Y read as Y -> X: of the two ordered pairs, both effects are claimed wrongly
    arrow = np.array([[0, 1], [0, 0]])
    two = Dataset(np.random.default_rng(0).standard_normal((50, 2)), arrow, None, np.ones(2))
    assert judge(two, "dag", arrow)["aid"] == 0
    assert judge(two, "dag", arrow.T)["aid"] == 1
    # nothing found: the effect of X on Y is denied (1 of 2); that Y has none on X is right
    assert judge(two, "dag", np.zeros((2, 2), int))["aid"] == 0.5
    # undirected: neither effect can be told, which counts as a mistake in both
    assert judge(two, "cpdag", arrow | arrow.T)["aid"] == 1


def test_the_adjustment_distance_reads_lines_of_a_cpdag_as_lines():
    gadjid = pytest.importorskip("gadjid")
    # the class of the chain, all lines, against the chain: as gadjid itself counts lines coded by twos
    lines = np.array([[0, 2, 0], [0, 0, 2], [0, 0, 0]], dtype=np.int8)
    expected, _ = gadjid.parent_aid(CHAIN.astype(np.int8), lines, edge_direction="from row to column")
    assert judge(dataset(CHAIN), "cpdag", CHAIN | CHAIN.T)["aid"] == expected
    # a collider is the only one of its class: as a DAG and as a CPDAG it is at distance 0 from itself
    assert (
        judge(dataset(COLLIDER), "dag", COLLIDER)["aid"]
        == judge(dataset(COLLIDER), "cpdag", COLLIDER)["aid"]
        == 0
    )
    # and the transposed chain, of the same class, is wrong about every effect that there is
    assert judge(dataset(CHAIN), "dag", CHAIN.T)["aid"] == 1


def test_an_empty_graph_has_no_precision_and_finds_nothing():
    row = judge(dataset(CHAIN), "dag", np.zeros((3, 3)))
    assert (row["precision"], row["recall"], row["edges"]) == (None, 0.0, 0)
