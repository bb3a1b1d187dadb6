import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsest.scores import EqualVarianceScore, GaussianScore, GaussianWithoutDeterminant, LeastSquares
from sparsest.scores.gaussian import RESIDUAL_FLOOR, refit, regress
from tests.laws import finite_differences, random_covariance, random_dag_weights

seeds = st.integers(0, 2**32 - 1)


def value(score, weights):
    return score.value_and_grad(weights.reshape(-1))[0]


@given(seed=seeds, p=st.integers(1, 7))
def test_log_det_of_a_dag_is_zero_so_the_score_is_a_sum_of_local_scores(seed, p):
    rng = np.random.default_rng(seed)
    covariance, dag = random_covariance(p, rng), random_dag_weights(p, rng) != 0
    weights, variances = refit(covariance, dag)
    assert np.linalg.slogdet(np.eye(p) - weights)[1] == pytest.approx(0, abs=1e-9)
    score = GaussianScore(covariance)
    total = sum(score.local(j, np.flatnonzero(dag[:, j])) for j in range(p))
    assert value(score, weights) == pytest.approx(total, abs=1e-9)
    assert 0.5 * np.log(variances).sum() == pytest.approx(total, abs=1e-9)


SCORES = [GaussianScore, GaussianWithoutDeterminant, EqualVarianceScore, LeastSquares]


@pytest.mark.parametrize("make", SCORES)
@pytest.mark.parametrize("seed", range(5))
def test_gradient_agrees_with_finite_differences_also_off_dags(make, seed):
    rng = np.random.default_rng(seed)
    score = make(random_covariance(6, rng))
    psi = rng.uniform(-0.3, 0.3, 36) * (1 - np.eye(6)).reshape(-1)
    _, gradient = score.value_and_grad(psi)
    expected = finite_differences(lambda x: score.value_and_grad(x)[0], psi)
    assert gradient == pytest.approx(expected, abs=1e-6)


@given(seed=seeds, p=st.integers(1, 7))
def test_on_a_dag_the_determinant_may_be_left_out(seed, p):
    rng = np.random.default_rng(seed)
    covariance, weights = random_covariance(p, rng), random_dag_weights(p, rng)
    without = value(GaussianWithoutDeterminant(covariance), weights)
    assert without == pytest.approx(value(GaussianScore(covariance), weights), abs=1e-9)


@given(seed=seeds, p=st.integers(1, 6))
def test_off_dags_the_score_without_determinant_differs_by_it(seed, p):
    rng = np.random.default_rng(seed)
    covariance = random_covariance(p, rng)
    weights = rng.uniform(-0.15, 0.15, (p, p)) * (1 - np.eye(p))
    gap = value(GaussianWithoutDeterminant(covariance), weights) - value(GaussianScore(covariance), weights)
    assert gap == pytest.approx(np.linalg.slogdet(np.eye(p) - weights)[1], abs=1e-9)


@given(seed=seeds, p=st.integers(2, 6))
def test_without_determinant_the_lowest_value_regresses_each_column_on_all_others(seed, p):
    rng = np.random.default_rng(seed)
    covariance = random_covariance(p, rng)
    complete = ~np.eye(p, dtype=bool)
    weights, variances = refit(covariance, complete)
    lowest, gradient = GaussianWithoutDeterminant(covariance).value_and_grad(weights.reshape(-1))
    assert lowest == pytest.approx(0.5 * np.log(variances).sum(), abs=1e-9)
    assert np.abs(gradient.reshape(p, p)[complete]).max() < 1e-7


def test_the_squared_adjacency_has_the_gradient_it_says():
    rng = np.random.default_rng(1)
    score, psi, cotangent = GaussianScore(np.eye(4)), rng.normal(size=16), rng.normal(size=(4, 4))
    expected = finite_differences(lambda x: (cotangent * score.squares(x)).sum(), psi)
    assert score.squares_vjp(psi, cotangent) == pytest.approx(expected, abs=1e-6)


@given(seed=seeds, p=st.integers(2, 6))
def test_refitted_weights_minimise_the_likelihood_of_their_graph(seed, p):
    rng = np.random.default_rng(seed)
    covariance, dag = random_covariance(p, rng), random_dag_weights(p, rng) != 0
    weights, _ = refit(covariance, dag)
    assert (weights[~dag] == 0).all()
    score = GaussianScore(covariance)
    _, gradient = score.value_and_grad(weights.reshape(-1))
    assert np.abs(gradient.reshape(p, p)[dag]).max(initial=0) < 1e-8
    nudged = weights + 0.1 * rng.normal(size=(p, p)) * dag
    assert value(score, nudged) >= value(score, weights) - 1e-12


@given(seed=seeds, p=st.integers(2, 6))
def test_a_change_of_units_shifts_the_score_by_a_constant(seed, p):
    rng = np.random.default_rng(seed)
    covariance, weights = random_covariance(p, rng), random_dag_weights(p, rng)
    units = 10.0 ** rng.uniform(-4, 4, p)
    rescaled = GaussianScore(covariance * np.outer(units, units))
    shift = value(rescaled, weights * np.outer(1 / units, units)) - value(GaussianScore(covariance), weights)
    assert shift == pytest.approx(np.log(units).sum(), abs=1e-8)


@given(seed=seeds, p=st.integers(1, 6))
def test_the_score_of_a_dag_is_bounded_below(seed, p):
    """Lemma 7: ℓ(B) ≥ ½ Σ log λ_min(Σ), whatever the weights."""
    rng = np.random.default_rng(seed)
    covariance, weights = random_covariance(p, rng), 10 * random_dag_weights(p, rng)
    bound = 0.5 * p * np.log(np.linalg.eigvalsh(covariance)[0])
    assert value(GaussianScore(covariance), weights) >= bound - 1e-9


def test_behind_the_pole_of_the_determinant_there_is_no_score():
    assert GaussianScore(np.eye(2)).value_and_grad(np.array([0.0, 2.0, 2.0, 0.0])) is None


def test_regression_agrees_with_least_squares_on_the_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5)) @ rng.normal(size=(5, 5))
    X -= X.mean(axis=0)
    coefficients, variance = regress(X.T @ X / 200, 4, [0, 2, 3])
    expected, residual, *_ = np.linalg.lstsq(X[:, [0, 2, 3]], X[:, 4], rcond=None)
    assert coefficients == pytest.approx(expected, rel=1e-9)
    assert variance == pytest.approx(residual[0] / 200, rel=1e-9)


def test_duplicate_parents_share_their_coefficient_and_a_copy_hits_the_floor():
    covariance = np.array([[1.0, 1.0, 0.5], [1.0, 1.0, 0.5], [0.5, 0.5, 1.0]])
    coefficients, variance = regress(covariance, 2, [0, 1])
    assert coefficients == pytest.approx([0.25, 0.25])
    assert variance == pytest.approx(0.75)
    assert regress(covariance, 1, [0])[1] == pytest.approx(RESIDUAL_FLOOR)


def test_equal_variances_profiled_out_are_the_mean_residual_variance():
    """ℓ(B, ωI) = (p/2) log ω + tr/2ω, at its best ω = tr/p; up to a constant that is the score."""
    rng = np.random.default_rng(0)
    covariance, weights = random_covariance(4, rng), random_dag_weights(4, rng)
    residual = np.eye(4) - weights
    total = np.trace(residual.T @ covariance @ residual)
    grid = total / 4 * np.linspace(0.5, 2, 1001)
    best = (2 * np.log(grid) + total / (2 * grid)).min()
    assert value(EqualVarianceScore(covariance), weights) == pytest.approx(best - 2 + 2 * np.log(4), abs=1e-6)
