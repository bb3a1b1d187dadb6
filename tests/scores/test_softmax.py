"""Laws of softmax regression by BLAS, and of Newton's method with Hessians of a part of the rows."""

import numpy as np
import pytest
from scipy.optimize import minimize as by_scipy

from sparsest.scores import _quasi_newton
from sparsest.scores.glm import LOGISTIC, POISSON, RIDGE, Squares
from sparsest.scores.responses import response_of
from tests.laws import finite_differences
from tests.scores.test_glm import score_of


def drawn(n=6000, k=4, levels=4, strength=1.0, seed=0):
    rng = np.random.default_rng(seed)
    rows = np.column_stack([np.ones(n), rng.normal(size=(n, k - 1))])
    eta = rows @ (strength * rng.normal(size=(k, levels)))
    codes = (eta + rng.gumbel(size=eta.shape)).argmax(axis=1)
    statistic = (codes[:, None] == np.arange(1, levels)).astype(float)
    weights = rng.uniform(0.5, 1.5, size=n)
    return rows, response_of(LOGISTIC, statistic, weights / weights.sum())


def regression(rows, response):
    return response._regression(rows, response.weights, response.sums)


def test_gradient_and_hessian_agree_with_finite_differences():
    rows, response = drawn(n=200)
    function = regression(rows, response)
    point = np.random.default_rng(1).normal(size=12)
    value, slope = function.value_and_grad(point)
    assert slope == pytest.approx(
        finite_differences(lambda x: function.value_and_grad(x)[0], point), abs=1e-6
    )
    columns = [finite_differences(lambda x, a=a: function.value_and_grad(x)[1][a], point) for a in range(12)]
    assert function.hessian(point, 1) == pytest.approx(np.array(columns), abs=1e-6)
    eta = rows @ point.reshape(3, 4).T
    assert value == pytest.approx(response.value_and_pull(eta)[0] + RIDGE / 2 * point @ point, abs=1e-12)


@pytest.mark.parametrize("strength", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("ordered", [False, True])
def test_hessians_of_some_rows_lead_to_the_same_minimum_as_those_of_all(strength, ordered, monkeypatch):
    rows, response = drawn(strength=strength)
    if ordered:  # every s-th row of a sorted table is still a fair sample
        by = np.argsort(response.sums.argmax(axis=1), kind="stable")
        rows, response = (
            rows[by],
            response_of(LOGISTIC, (response.sums > 0)[by].astype(float), response.weights[by]),
        )
    function, start = regression(rows, response), np.zeros(12)
    monkeypatch.setattr(_quasi_newton, "_FEWEST", 100)
    assert function.rows // (40 * 12) > 1  # some rows only
    point, value = _quasi_newton.minimize(function, start, start, np.inf)
    monkeypatch.setattr(_quasi_newton, "_FEWEST", 10**9)
    _, exact = _quasi_newton.minimize(function, start, start, np.inf)
    assert value == pytest.approx(exact, abs=1e-9)
    assert np.abs(function.value_and_grad(point)[1]).max() < 1e-4
    reference = by_scipy(function.value_and_grad, start, jac=True, method="BFGS", options={"gtol": 1e-9})
    assert value == pytest.approx(reference.fun, abs=1e-8)


@pytest.mark.parametrize("link", [LOGISTIC, POISSON])
def test_compiled_and_plain_fits_with_one_output_agree(link):
    rng = np.random.default_rng(2)
    rows = np.column_stack([np.ones(500), rng.normal(size=(500, 3))])
    eta = rows @ [0.3, 0.5, -0.5, 0.0]
    y = rng.poisson(np.exp(eta)) if link == POISSON else rng.random(500) < 1 / (1 + np.exp(-eta))
    response = response_of(link, y.astype(float)[:, None], np.full(500, 1 / 500))
    one, two = np.zeros((4, 1)), np.full((4, 1), 3.0)  # the second from a bad start
    value = response.fit(rows, response.weights, response.sums, one)
    assert response.fit_in_numpy(rows, response.weights, response.sums, two) == pytest.approx(
        value, abs=1e-10
    )
    assert two == pytest.approx(one, abs=1e-5)


def test_separated_levels_end_at_finite_coefficients():
    x = np.linspace(-1, 1, 300)
    codes = np.digitize(x, (-0.3, 0.3))
    score = score_of(np.column_stack([codes, x]), ["multinomial", "gaussian"])
    fit = score.fit(0, [1])
    assert fit.undetermined
    assert np.isfinite(fit.coefficients).all()
    assert score.local(0, [1]) < 0.01


def test_the_first_estimates_of_gains_and_losses_are_near_the_likelihood_ratio():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4000, 4))
    eta = np.column_stack([np.zeros(4000), 0.25 * X[:, 0] + 0.15 * X[:, 1], -0.2 * X[:, 1]])
    codes = (eta + rng.gumbel(size=eta.shape)).argmax(axis=1)
    score = score_of(np.column_stack([codes, X]), ["multinomial", *["gaussian"] * 4])
    gains, exact = score.gains(0, [1])
    assert not exact.any()
    for other in (2, 3, 4):
        true = score.local(0, [1]) - score.local(0, [1, other])
        assert gains[other] == pytest.approx(true, rel=0.15, abs=1e-5)
    losses = score.losses(0, [1, 2])
    for one, other in ((1, 2), (2, 1)):
        assert losses[one] == pytest.approx(score.local(0, [other]) - score.local(0, [1, 2]), rel=0.15)


def test_squares_of_features_with_two_values_need_no_squares():
    rng = np.random.default_rng(0)
    features = np.column_stack(
        [rng.integers(0, 2, 50) - 0.3, rng.normal(size=50), 4.0 * rng.integers(0, 2, 50)]
    )
    weights = rng.random(50)
    assert Squares(features).weighted(weights) == pytest.approx(weights @ features**2)
    assert Squares(features[:, [0, 2]]).weighted(weights) == pytest.approx((weights @ features**2)[[0, 2]])
