"""The examples of Appendix C, with the numbers that follow from the models as stated.

The printed Ω₁ of the two-node example and the printed Σ⁰ and B₁ of the three-node example do not follow
from (B⁰, Ω⁰); the numbers here do.
"""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from sparsest.scores import GaussianScore, LeastSquares
from sparsest.scores.gaussian import refit
from tests.laws import all_dags


def population(weights, variances):
    inverse = np.linalg.inv(np.eye(len(weights)) - weights)
    return inverse.T @ np.diag(variances) @ inverse


def losses(score, covariance):
    """(loss, edges, weights) of every DAG's least-squares fit, best first."""
    found = []
    for dag in all_dags(len(covariance)):
        weights, _ = refit(covariance, dag)
        found.append((score(covariance).value_and_grad(weights.reshape(-1))[0], int(dag.sum()), weights))
    return sorted(found, key=lambda row: (round(row[0], 9), row[1]))


TWO = np.array([[0.0, -0.5], [0.0, 0.0]]), np.array([1.0, 0.25])
THREE = np.array([[0, 0, -0.3], [0, 0, -2.0], [0, 0, 0]]), np.array([7.0, 3.0, 2.0])


def test_two_nodes_least_squares_prefers_the_wrong_direction():
    covariance = population(*TWO)
    assert covariance == pytest.approx(np.array([[1, -0.5], [-0.5, 0.5]]))
    loss, _, weights = losses(LeastSquares, covariance)[0]
    assert weights == pytest.approx(np.array([[0, 0], [-1, 0]]))
    assert 2 * loss == pytest.approx(1)
    assert 2 * LeastSquares(covariance).value_and_grad(TWO[0].reshape(-1))[0] == pytest.approx(5 / 4)


def test_two_nodes_the_likelihood_holds_both_directions_equal():
    covariance = population(*TWO)
    backward, variances = refit(covariance, np.array([[False, False], [True, False]]))
    assert variances == pytest.approx([0.5, 0.5])  # printed as diag(1, 1)
    score = GaussianScore(covariance)
    assert score.value_and_grad(backward.reshape(-1))[0] == pytest.approx(
        score.value_and_grad(TWO[0].reshape(-1))[0]
    )


def test_three_nodes_least_squares_prefers_a_graph_with_more_edges():
    covariance = population(*THREE)
    expected = np.array([[7, 0, -2.1], [0, 3, -6], [-2.1, -6, 14.63]])
    assert covariance == pytest.approx(expected)  # printed with -2, -5 and 10
    loss, edges, weights = losses(LeastSquares, covariance)[0]
    assert edges == 3
    assert weights[1, 0] == pytest.approx(-1.597, abs=1e-3)
    assert weights[1, 2] == pytest.approx(-2)
    assert weights[2, 0] == pytest.approx(-0.798, abs=1e-3)
    truth = LeastSquares(covariance).value_and_grad(THREE[0].reshape(-1))[0]
    assert (2 * loss, 2 * truth) == pytest.approx((10.95, 12), abs=5e-3)


def test_three_nodes_the_sparsest_likelihood_minimiser_is_the_truth():
    covariance = population(*THREE)
    ranked = losses(GaussianScore, covariance)
    best = [row for row in ranked if row[0] < ranked[0][0] + 1e-9]
    fewest = [row for row in best if row[1] == min(row[1] for row in best)]
    assert len(fewest) == 1
    assert fewest[0][2] == pytest.approx(THREE[0], abs=1e-9)


@pytest.mark.parametrize("lam", [0.1, 0.5])
def test_l1_biases_the_coefficient_and_quasi_mcp_does_not(lam):
    """Appendix C.4: log((1 − a)² + σ²) + penalty(a), whose likelihood alone has its minimum at a = 1."""
    from sparsest.penalties import L1, QuasiMCP

    def minimiser(penalty):
        def objective(a):
            return np.log((1 - a) ** 2 + 0.25) + float(penalty.value(np.array(a)))

        return minimize_scalar(objective, bounds=(0.5, 1.5), method="bounded", options={"xatol": 1e-10}).x

    assert minimiser(L1(lam)) < 1 - 0.1 * lam
    assert minimiser(QuasiMCP(lam, 0.4)) == pytest.approx(1, abs=1e-6)
