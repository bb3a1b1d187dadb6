"""Formulas of the paper that are misprinted, beside what they should say: the errata, as computations.

The numbers of the examples of Appendix C.3 are in test_paper_examples.py.
"""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import bernoulli, halfnorm, multivariate_normal

import sparsest as sp
from sparsest.graph import dag_to_cpdag
from sparsest.penalties import MCP, SCAD, QuasiMCP
from sparsest.scores import GaussianScore
from sparsest.scores.gaussian import refit, regress
from sparsest.simulate import linear_gaussian
from sparsest.theory import minimal_class, theory_limits
from tests.laws import all_dags, random_covariance, random_dag_weights
from tests.scores.test_glm import score_of
from tests.scores.test_no_intercept import score_of as without_intercepts

P = 4


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def rows(rng):
    return rng.multivariate_normal(np.zeros(P), random_covariance(P, rng), size=50)


@pytest.fixture
def weights(rng):
    return random_dag_weights(P, rng, density=0.8)


def average_nll(X, B, variances):
    """−(1/n) Σ_i log of the density of x_i, by scipy."""
    paths = np.linalg.inv(np.eye(len(B)) - B)
    return -multivariate_normal(cov=paths.T @ np.diag(variances) @ paths).logpdf(X).mean()


def test_the_trace_in_the_likelihood_needs_outer_products(rows, weights, rng):
    """C.1 prints Tr(Θ Σ x_iᵀx_i / n): a number in place of a matrix."""
    variances = rng.uniform(0.5, 2.0, size=P)
    precision = (np.eye(P) - weights) @ np.diag(1 / variances) @ (np.eye(P) - weights).T
    rest = 0.5 * P * np.log(2 * np.pi) + 0.5 * np.log(variances).sum()
    outer = sum(np.outer(x, x) for x in rows) / len(rows)
    inner = sum(x @ x for x in rows) / len(rows)
    right, printed = (rest + 0.5 * np.trace(precision @ part) for part in (outer, inner * np.eye(P)))
    assert right == pytest.approx(average_nll(rows, weights, variances))
    assert printed > right + 1


def test_the_profile_likelihood_is_a_sum_over_the_nodes(rows, weights):
    """C.1 prints ½ log(‖X_j − X B_j‖²/n) for one j that is not bound."""
    terms = 0.5 * np.log(((rows - rows @ weights) ** 2).mean(axis=0))
    least = average_nll(rows, weights, np.exp(2 * terms))
    assert terms.sum() + 0.5 * P * (1 + np.log(2 * np.pi)) == pytest.approx(least)
    score = GaussianScore(rows.T @ rows / len(rows))
    assert terms.sum() == pytest.approx(score.value_and_grad(weights.reshape(-1))[0])


def test_without_the_square_the_population_likelihood_is_halved(weights, rng):
    """C.1 prints ½ log E‖X_j − B_jᵀX‖, which is ½ log ω_j + const. instead of ½ log ω_j²."""
    covariance = random_covariance(P, rng)
    score = GaussianScore(covariance)
    deviations = [
        np.sqrt(np.diag((np.eye(P) - each).T @ covariance @ (np.eye(P) - each)))
        for each in (weights, np.zeros((P, P)))
    ]
    printed = [0.5 * np.log(halfnorm.mean(scale=spread)).sum() for spread in deviations]
    right = [score.value_and_grad(each.reshape(-1))[0] for each in (weights, np.zeros((P, P)))]
    assert printed[0] - printed[1] == pytest.approx(0.5 * (right[0] - right[1]))


def test_off_the_dags_the_determinant_needs_its_absolute_value():
    cyclic, variances = np.array([[0.0, 2.0], [2.0, 0.0]]), np.array([0.5, 3.0])
    paths = np.linalg.inv(np.eye(2) - cyclic)
    sign, logdet = np.linalg.slogdet(np.eye(2) - cyclic)
    half = 0.5 * np.linalg.slogdet(paths.T @ np.diag(variances) @ paths)[1]
    assert sign == -1
    assert half == pytest.approx(0.5 * np.log(variances).sum() - logdet)
    assert GaussianScore(np.eye(2)).value_and_grad(cyclic.reshape(-1)) is None


def test_the_boundedness_of_the_weights_needs_twice_the_likelihood_at_the_empty_graph():
    """Lemma 8 prints ∏‖e_j − B_j‖² ≤ exp(ℓ(0)) / Λ^p, which fails at B = 0 for Σ = 4 I."""
    empty = GaussianScore(4 * np.eye(2)).value_and_grad(np.zeros(4))[0]
    assert np.exp(empty) / 4**2 < 1
    assert np.exp(2 * empty) / 4**2 == pytest.approx(1)


def printed_quasi_mcp(t, lam, delta):
    return lam * ((abs(t) - t**2 / (2 * delta)) * (abs(t) < delta) + delta / 2 * (abs(t) > delta))


def printed_scad(t, lam, a):
    middle = (2 * a * lam * abs(t) - t**2 - lam**2) / (2 * (a - 1))
    plateau = lam**2 * (a + 1) / 2
    return lam * abs(t) * (abs(t) < lam) + middle * (lam < abs(t) < a * lam) + plateau * (abs(t) >= lam * a)


@pytest.mark.parametrize(
    ("printed", "penalty", "seam"),
    [(printed_quasi_mcp, QuasiMCP(0.4, 0.2), 0.2), (printed_scad, SCAD(0.5, 3.0), 0.5)],
)
def test_where_two_pieces_of_a_penalty_meet_the_printed_one_is_0(printed, penalty, seam):
    parameters = vars(penalty).values()
    for t in (0.3 * seam, 0.9 * seam, 1.1 * seam, 2.5 * seam, 4 * seam):
        assert printed(t, *parameters) == pytest.approx(penalty.value(np.array(t)))
    assert printed(seam, *parameters) == 0
    assert penalty.value(np.array(seam)) == pytest.approx(penalty.value(np.array(seam * (1 + 1e-9))))


def test_quasi_mcp_has_a_kink_at_0():
    right, left = QuasiMCP(0.4, 0.2).value(np.array([1e-9, -1e-9])) / np.array([1e-9, -1e-9])
    assert (left, right) == pytest.approx((-0.4, 0.4))


def test_mcp_with_a_of_delta_over_lambda_is_quasi_mcp_with_delta():
    """C.5 prints p_{λ,a}, with a where δ belongs."""
    t, lam, delta = np.linspace(-3, 3, 61), 0.4, 0.2
    mcp = MCP(lam, delta / lam).value(t)
    assert mcp == pytest.approx(QuasiMCP(lam, delta).value(t))
    assert np.abs(mcp - QuasiMCP(lam, delta / lam).value(t)).max() > 0.01


def test_in_the_example_of_the_bias_lambda_is_twice_that_of_the_score():
    """C.4 prints log E[...] + λ|a|, twice the likelihood ½ log E[...]."""
    a = np.linspace(0, 2, 20_001)
    twice = np.log((1 - a) ** 2 + 0.25)
    once = twice / 2
    assert a[np.argmin(twice + 0.4 * a)] == a[np.argmin(once + 0.2 * a)]
    assert a[np.argmin(twice + 0.4 * a)] > a[np.argmin(once + 0.4 * a)] + 0.01


TWO = np.array([[1.0, -0.5], [-0.5, 0.5]])


def best_of_two_nodes(penalty):
    """(score, weight) of the best weight in either direction, over a grid that holds the regressions."""
    grid = np.linspace(-2, 2, 40_001)
    for source, target in ((0, 1), (1, 0)):
        variance = TWO[target, target] - 2 * grid * TWO[0, 1] + grid**2 * TWO[source, source]
        scores = 0.5 * np.log(variance) + 0.5 * np.log(TWO[source, source]) + penalty.value(grid)
        yield scores.min(), grid[scores.argmin()]


@pytest.mark.parametrize("a", [2.1, 3.7, 10.0])
def test_corollary_1_holds_for_scad_with_any_a_above_2_once_lambda_is_small(a):
    limits = theory_limits(TWO)
    delta = 0.9 * limits.delta_0(slack=0.1)
    lam = 0.9 * delta / a
    assert lam**2 * (a + 1) / 2 < min(limits.c_0, limits.lambda_0(delta))
    (forward, first), (backward, second) = best_of_two_nodes(SCAD(lam, a))
    assert (first, second) == pytest.approx((-0.5, -1.0))  # E_min: both directions, unbiased
    assert forward == pytest.approx(backward)


def test_corollary_1_asks_for_an_a_at_which_scad_is_not_defined():
    with pytest.raises(sp.OptionError, match="a > 2"):
        SCAD(1, 0.9)
    around = [printed_scad(t, 1, 0.9) for t in (0.899, 0.901, 0.999, 1.001)]
    assert max(np.diff(around)) > 0.9  # it jumps where the first piece and the last overlap
    assert min(np.diff(around)) < -0.9  # and falls where the first ends


def test_the_logistic_likelihood_has_the_predictor_of_one_node_in_each_term(rng):
    B = random_dag_weights(P, rng)
    X = (rng.random((200, P)) < 0.4).astype(float)
    eta = X @ B
    direct = -bernoulli(expit(eta)).logpmf(X).sum(axis=1).mean()
    read = sum(np.sum(np.log1p(np.exp(X @ B[:, i])) - X[:, i] * (X @ B[:, i])) for i in range(P)) / len(X)
    printed = sum(np.sum(np.log1p(np.exp(eta)) - X[:, [i]] * eta, axis=0) for i in range(P)) / len(X)
    assert read == pytest.approx(direct)
    per_deviation = B * X.std(axis=0)[:, None]
    score = without_intercepts(sp.models.Logistic(intercept=False), X)
    assert read == pytest.approx(score.value_and_grad(per_deviation.reshape(-1))[0])
    assert printed.shape == (P,)  # no number
    assert printed.sum() > direct + 1


def test_the_noise_of_the_linear_design_has_standard_deviations_and_not_variances_in_the_range(rng):
    """D calls σ_i the noise variances, but draws z_i from N(0, σ_i²)."""
    drawn = linear_gaussian(np.zeros((50, 50)), 2000, rng)
    spread = drawn.data.std(axis=0)
    assert 0.09 < spread.min() < 0.2
    assert 0.6 < spread.max() < 0.75


def two_classes():
    """1 ⊥ 3 given 2 and given 4, and 2 ⊥ 4 given 1 and 3: the collider may be at 4 or at 2."""
    r = 0.6
    outside = np.array([[1, r * r], [r * r, 1]])
    between = np.array([r, r]) @ np.linalg.solve(outside, np.array([r, r]))
    return np.array([[1, r, r * r, r], [r, 1, r, between], [r * r, r, 1, r], [r, between, r, 1]])


def test_without_faithfulness_the_minimisers_on_a_sample_are_some_of_the_sparsest_models(rng):
    """Theorem 1 prints O = E_min with probability → 1; where E_min has two classes, a sample prefers one."""
    covariance = two_classes()
    classes = {dag_to_cpdag(dag.astype(int)).tobytes() for dag in minimal_class(covariance).dags}
    assert len(classes) == 2
    for _ in range(3):
        X = rng.multivariate_normal(np.zeros(4), covariance, size=5000)
        sample = np.cov(X.T, bias=True)
        scored = [(0.5 * np.log(refit(sample, dag)[1]).sum() + 0.02 * dag.sum(), dag) for dag in all_dags(4)]
        least = min(value for value, _ in scored)
        best = {dag_to_cpdag(dag.astype(int)).tobytes() for value, dag in scored if value < least + 1e-10}
        assert len(best) == 1
        assert best < classes


def test_in_an_identifiable_model_the_minimiser_is_one_graph_of_its_class(rng):
    """Lemma 3 and Theorem 5 print = M(G⁰); where the direction shows, only ⊆ holds."""
    cause = rng.normal(size=2000)
    effect = np.tanh(2 * cause) + cause**2 + 0.5 * rng.normal(size=2000)
    score = score_of(np.column_stack([cause, effect]), ["gaussian"] * 2, spline=5)
    forward = score.local(0, []) + score.local(1, [0])
    backward = score.local(0, [1]) + score.local(1, [])
    assert forward < backward - 0.1


def test_with_no_more_rows_than_columns_the_likelihood_has_no_minimum(rng):
    """Theorem 3 is for any positive n, but a column is then a combination of the others."""
    X = rng.normal(size=(4, 4))
    sample = np.cov(X.T, bias=True)
    assert np.linalg.matrix_rank(sample) == 3
    residual = X[:, 3] - X[:, 3].mean()
    centred = X[:, :3] - X[:, :3].mean(axis=0)
    left = residual - centred @ np.linalg.lstsq(centred, residual, rcond=None)[0]
    assert left @ left < 1e-20
    assert regress(sample, 3, [0, 1, 2])[1] == pytest.approx(1e-10 * sample[3, 3])  # the package's floor


def test_standardising_is_a_change_of_units_only_if_the_raw_columns_are_centred(rng):
    """Section 4 has Σ̂ = Σ x xᵀ/n, but the proof of Theorem 3 uses deviations from the mean."""
    X = rng.normal(size=(100, 3)) @ np.triu(np.ones((3, 3))) + [0.0, 5.0, -2.0]
    scales = X.std(axis=0, ddof=1)
    Z = (X - X.mean(axis=0)) / scales
    wanted = Z.T @ Z / len(Z)
    assert np.cov(X.T, bias=True) / np.outer(scales, scales) == pytest.approx(wanted)
    printed = X.T @ X / len(X) / np.outer(scales, scales)
    assert np.abs(printed - wanted).max() > 1
