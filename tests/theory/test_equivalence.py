from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest.theory import equivalence_class, exact_baseline, minimal_class, minimal_edges
from tests.laws import random_covariance, random_dag_weights
from tests.theory.brute import graphs, population

seeds = st.integers(0, 2**32 - 1)


def sparse_population(p, rng, density=0.4):
    """Coefficients of 0 and ±1: some cancel, so that not every such distribution is faithful."""
    return population(np.sign(random_dag_weights(p, rng, density)), rng.choice([1.0, 2.0], size=p))


def simulated(p, k, rng):
    dag = sp.simulate.random_dag(p, k, "ER", rng)
    return sp.simulate.linear_gaussian(sp.simulate.random_weights(dag, rng), 2000, rng)


def cholesky_weights(covariance):
    """Every B̃(π) by its definition: P_π Θ = (I − L) D⁻¹ (I − L)ᵀ, put back in place."""
    p, precision = len(covariance), np.linalg.inv(covariance)
    for order in permutations(range(p)):
        factor = np.linalg.cholesky(precision[np.ix_(order, order)])
        weights = np.zeros((p, p))
        weights[np.ix_(order, order)] = np.eye(p) - factor / factor.diagonal()
        yield np.where(np.abs(weights) > 1e-9, weights, 0.0)


@given(seed=seeds, p=st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_every_model_of_the_class_has_the_covariance_and_an_acyclic_graph_of_its_own(seed, p):
    covariance = sparse_population(p, np.random.default_rng(seed))
    models = equivalence_class(covariance)
    for weights, variances in zip(models.weights, models.variances, strict=True):
        assert sp.graph.is_dag(weights)
        assert population(weights, variances) == pytest.approx(covariance, abs=1e-8)
    assert len(graphs(models.dags)) == len(models)
    assert (np.diff(models.edges) >= 0).all()


@given(seed=seeds, p=st.integers(1, 5), dense=st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_class_is_one_cholesky_factor_a_permutation(seed, p, dense):
    rng = np.random.default_rng(seed)
    covariance = random_covariance(p, rng) if dense else sparse_population(p, rng)
    expected = {(weights != 0).tobytes(): weights for weights in cholesky_weights(covariance)}
    models = equivalence_class(covariance)
    assert graphs(models.dags) == set(expected)
    for weights in models.weights:
        assert weights == pytest.approx(expected[(weights != 0).tobytes()], abs=1e-8)


@given(seed=seeds, p=st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_the_minimal_class_is_the_part_of_the_class_with_fewest_edges(seed, p):
    covariance = sparse_population(p, np.random.default_rng(seed))
    models, minimal = equivalence_class(covariance), minimal_class(covariance)
    fewest = models.edges.min()
    assert set(minimal.edges) == {fewest}
    assert graphs(minimal.dags) == graphs(models.dags[models.edges == fewest])
    assert minimal_edges(covariance) == fewest


@given(seed=seeds, p=st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_the_minimal_graphs_are_whole_markov_equivalence_classes(seed, p):
    found = minimal_class(sparse_population(p, np.random.default_rng(seed))).dags
    assert graphs(found) == graphs(member for dag in found for member in sp.graph.mec_members(dag))


@pytest.mark.parametrize(("p", "k"), [(10, 2), (12, 1), (14, 2)])
def test_the_truth_is_minimal_where_permutations_would_be_too_many(p, k):
    truth = simulated(p, k, np.random.default_rng(p))
    found = minimal_class(truth.covariance)
    assert graphs(found.dags) == graphs(sp.graph.mec_members(truth.dag))
    at = [dag.tobytes() for dag in found.dags].index(truth.dag.pattern.tobytes())
    assert found.weights[at] == pytest.approx(truth.weights, abs=1e-8)
    assert found.variances[at] == pytest.approx(truth.noise_scales**2)


def test_a_covariance_of_few_digits_needs_a_larger_tolerance():
    chain = population(np.diag([0.7123, -1.3456, 0.9135], 1), [1.0, 0.5, 2.0, 1.5]).round(4)
    assert minimal_edges(chain) == 6
    assert minimal_edges(chain, tolerance=1e-3) == 3


def test_the_baseline_finds_the_class_of_the_truth_on_the_population():
    truth = simulated(8, 2, np.random.default_rng(1))
    assert graphs(exact_baseline(truth.covariance)) == graphs(sp.graph.mec_members(truth.dag))


def test_the_baseline_on_a_sample_is_complete_unless_small_coefficients_are_taken_out():
    weights = np.diag([0.8, -0.9, 0.8, 0.7], 1)
    truth = sp.simulate.linear_gaussian(weights, 20_000, np.random.default_rng(0), noise=(0.9, 1.1))
    covariance = np.cov(truth.data, rowvar=False)

    def average_distance(threshold):
        return np.mean([sp.graph.cpdag_shd(truth.dag, dag) for dag in exact_baseline(covariance, threshold)])

    assert len(exact_baseline(covariance)) == 120
    assert average_distance(None) == 10 - 4  # the edges that a complete graph has and the chain has not
    assert average_distance(0.1) == 0


def test_a_threshold_above_tau_prefers_the_order_in_which_it_cuts_a_true_edge():
    forward = population(np.array([[0, 5.0], [0, 0]]), [1.0, 1.0])  # backwards the coefficient is 5/26
    assert graphs(exact_baseline(forward, 0.1)) == graphs([[[0, 1], [0, 0]], [[0, 0], [1, 0]]])
    assert graphs(exact_baseline(forward, 0.3)) == graphs([np.zeros((2, 2))])


@given(seed=seeds, p=st.integers(1, 5), threshold=st.floats(0.01, 1))
@settings(max_examples=40, deadline=None)
def test_a_threshold_acts_on_every_permutation_before_edges_are_counted(seed, p, threshold):
    covariance = random_covariance(p, np.random.default_rng(seed))
    cut = [np.abs(weights) > threshold for weights in cholesky_weights(covariance)]
    fewest = min(dag.sum() for dag in cut)
    assert graphs(exact_baseline(covariance, threshold)) == graphs(dag for dag in cut if dag.sum() == fewest)


def test_more_graphs_than_can_be_listed_are_refused_but_their_edges_counted():
    covariance = random_covariance(10, np.random.default_rng(0))
    for listed in (equivalence_class, minimal_class, exact_baseline):
        with pytest.raises(
            sp.OptionError, match=r"more than 400000 graphs on these 10 columns.*minimal_edges"
        ):
            listed(covariance)
    assert minimal_edges(covariance) == 45


def test_bad_input_is_refused_in_plain_words():
    with pytest.raises(sp.OptionError, match=r"2\^19 sets of 19 columns.*fit\(solver='order'\)"):
        minimal_edges(np.eye(19))
    with pytest.raises(sp.DataError, match=r"singular: the other columns explain 'x[01]'"):
        minimal_class([[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    with pytest.raises(sp.DataError, match="column 'x1' is constant"):
        equivalence_class(np.diag([1.0, 0.0, 2.0]))
    with pytest.raises(sp.DataError, match="not symmetric"):
        equivalence_class([[1, 0.5], [0, 1]])
    with pytest.raises(sp.OptionError, match=r"tolerance must not be negative"):
        equivalence_class(np.eye(2), tolerance=-1)
    with pytest.raises(sp.OptionError, match=r"threshold must not be negative"):
        exact_baseline(np.eye(2), threshold=-0.1)


def test_the_covariance_is_left_as_it_was():
    covariance = random_covariance(4, np.random.default_rng(0))
    kept = covariance.copy()
    equivalence_class(covariance)
    assert (covariance == kept).all()
