"""Laws of the simulated data."""

from dataclasses import FrozenInstanceError
from itertools import product

import numpy as np
import pytest
from scipy.special import expit

from sparsest._core.errors import GraphError, OptionError
from sparsest.graph import Dag
from sparsest.simulate import linear_gaussian, logistic, mlp, random_dag, random_weights


def rng(seed=0):
    return np.random.default_rng(seed)


def some_weights(p=8, k=2, kind="ER", seed=0):
    return random_weights(random_dag(p, k, kind, rng(seed)), rng(seed))


MODELS = [linear_gaussian, logistic, lambda weights, n, rng: mlp(weights != 0, n, rng)]


@pytest.mark.parametrize("model", MODELS, ids=["linear", "logistic", "mlp"])
def test_every_model_gives_n_rows_and_the_graph_of_its_weights(model):
    weights = some_weights()
    simulation = model(weights, 50, rng())
    assert simulation.data.shape == (50, 8)
    assert simulation.data.dtype == np.float64
    assert np.isfinite(simulation.data).all()
    assert np.array_equal(simulation.dag.to_numpy(), weights != 0)
    assert np.array_equal(simulation.weights != 0, weights != 0)


@pytest.mark.parametrize("model", MODELS, ids=["linear", "logistic", "mlp"])
def test_the_same_seed_gives_the_same_data_and_another_seed_others(model):
    weights = some_weights()
    first, again, other = (model(weights, 20, rng(seed)).data for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("model", [linear_gaussian, logistic])
def test_the_callers_weights_are_copied(model):
    weights = some_weights()
    before = weights.copy()
    simulation = model(weights, 20, rng())
    simulation.weights[:] = 7
    assert np.array_equal(weights, before)


def test_a_simulation_is_frozen():
    simulation = logistic(some_weights(), 5, rng())
    with pytest.raises(FrozenInstanceError):
        simulation.data = None


def test_linear_covariance_is_the_formula():
    simulation = linear_gaussian(some_weights(), 5, rng())
    inverse = np.linalg.inv(np.eye(8) - simulation.weights)
    expected = inverse.T @ np.diag(simulation.noise_scales**2) @ inverse
    np.testing.assert_allclose(simulation.covariance, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", ["ER", "SF"])
def test_linear_sample_covariance_tends_to_the_population_covariance(kind):
    n = 100_000
    simulation = linear_gaussian(some_weights(kind=kind), n, rng())
    sample = simulation.data.T @ simulation.data / n
    variances = np.diag(simulation.covariance)
    # The variance of s_ij is (Σ_ii Σ_jj + Σ_ij²) / n for normal data.
    error = np.sqrt((np.outer(variances, variances) + simulation.covariance**2) / n)
    assert (np.abs(sample - simulation.covariance) / error).max() < 4.5


def test_linear_residuals_are_independent_noise_of_the_stated_scales():
    n = 50_000
    simulation = linear_gaussian(some_weights(), n, rng())
    noise = (simulation.data - simulation.data @ simulation.weights) / simulation.noise_scales
    assert np.abs(noise.T @ noise / n - np.eye(8)).max() < 5 * np.sqrt(2 / n)


def test_noise_scales_are_uniform_on_their_range():
    scales = linear_gaussian(np.zeros((400, 400)), 1, rng(), noise=(0.1, 0.7)).noise_scales
    assert scales.min() >= 0.1
    assert scales.max() <= 0.7
    assert abs(scales.mean() - 0.4) < 5 * 0.6 / np.sqrt(12 * 400)


def test_equal_noise_is_a_range_of_one_point():
    assert linear_gaussian(some_weights(), 2, rng(), noise=(1, 1)).noise_scales.tolist() == [1] * 8


def test_logistic_frequencies_match_the_conditional_probabilities():
    weights = np.array([[0, 1.2, -1.0, 0], [0, 0, 0.7, 0], [0, 0, 0, 1.5], [0, 0, 0, 0]])[::-1, ::-1]
    data = logistic(weights, 40_000, rng()).data
    assert set(np.unique(data)) == {0, 1}
    for node in range(4):
        parents = np.flatnonzero(weights[:, node])
        for values in product((0, 1), repeat=len(parents)):
            rows = (data[:, parents] == values).all(axis=1)
            probability = expit(np.dot(values, weights[parents, node]))
            error = np.sqrt(probability * (1 - probability) / rows.sum())
            assert abs(data[rows, node].mean() - probability) < 4.5 * error


def test_logistic_and_mlp_state_no_covariance():
    assert logistic(some_weights(), 2, rng()).covariance is None
    assert mlp([[0, 1], [0, 0]], 2, rng()).covariance is None
    assert logistic(some_weights(), 2, rng()).noise_scales is None


def test_mlp_residual_variances_match_the_noise():
    # f is smooth and has one input: neighbours in the parent's order differ by noise alone (Rice's estimate).
    n = 20_000
    for seed in range(5):
        simulation = mlp([[0, 1], [0, 0]], n, rng(seed))
        parent, child = simulation.data.T
        differences = np.diff(child[np.argsort(parent)[n // 10 : -n // 10]])
        estimates = np.array([parent.var(), np.mean(differences**2) / 2])
        np.testing.assert_allclose(estimates, simulation.noise_scales**2, rtol=0.06)


def test_mlp_children_depend_on_their_parents_and_only_on_them():
    n = 2000
    draws = [mlp([[0, 1, 0], [0, 0, 0], [0, 0, 0]], n, rng(seed), noise=(1, 1)).data for seed in range(20)]
    # A single network may be nearly flat; on average the sum of 100 sigmoids moves more than the noise.
    assert np.mean([child.var() for _, child, _ in (data.T for data in draws)]) > 3
    for data in draws:
        assert np.abs(np.corrcoef(data.T)[2, :2]).max() < 5 / np.sqrt(n)


def test_mlp_weights_are_the_norms_of_the_first_layer():
    # 100 weights of size uniform on [0.5, 2]: the mean square is 1.75, the norm about 13.2.
    simulation = mlp(random_dag(10, 2, "ER", rng()), 2, rng())
    norms = simulation.weights[simulation.weights != 0]
    assert abs(np.mean(norms**2) / 100 - 1.75) < 0.2
    small = mlp([[0, 1], [0, 0]], 2, rng(), hidden=1).weights[0, 1]
    assert 0.5 <= small <= 2


def test_mlp_keeps_the_names_of_its_graph():
    assert mlp(Dag([[0, 1], [0, 0]], names=["smoke", "fire"]), 2, rng()).dag.names == ("smoke", "fire")


CYCLE = np.array([[0.0, 1.0], [0.5, 0.0]])


@pytest.mark.parametrize("model", [linear_gaussian, logistic])
@pytest.mark.parametrize(
    ("weights", "error", "words"),
    [
        (CYCLE, GraphError, "x0 -> x1 -> x0"),
        (np.ones((2, 3)), GraphError, r"square matrix, got shape \(2, 3\)"),
        (np.ones(3), GraphError, "square matrix"),
        ([["a", "b"], ["c", "d"]], GraphError, "matrix of numbers"),
        ([[0, np.nan], [0, 0]], GraphError, "edge 0 -> 1 is nan"),
    ],
)
def test_impossible_weights_are_refused(model, weights, error, words):
    with pytest.raises(error, match=words):
        model(weights, 5, rng())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: linear_gaussian([[0]], 0, rng()), "n, the number of rows, must be .*1.*, not 0"),
        (lambda: logistic([[0]], -1, rng()), "n, the number of rows, must be .*1.*, not -1"),
        (lambda: mlp([[0]], "5", rng()), "n, the number of rows, must be a whole number"),
        (lambda: mlp([[0]], 5, rng(), hidden=0), "hidden, the number of units, must be .*1.*, not 0"),
        (lambda: linear_gaussian([[0]], 5, rng(), noise=(0, 1)), "must be positive"),
        (lambda: mlp([[0]], 5, rng(), noise=(2, 1)), "low <= high"),
        (lambda: linear_gaussian([[0]], 5, rng(), noise=1), r"two numbers \(low, high\)"),
        (lambda: linear_gaussian([[0]], 5, 42), "rng must be a numpy generator"),
        (lambda: logistic([[0]], 5, None), "rng must be a numpy generator"),
        (lambda: mlp([[0]], 5, np.random), "rng must be a numpy generator"),
        (lambda: linear_gaussian(1e200 * np.eye(4, k=1), 5, rng()), "variances overflow"),
    ],
)
def test_impossible_options_are_refused(call, words):
    with pytest.raises(OptionError, match=words):
        call()
