"""Laws of the local fits: logistic, Poisson and softmax regressions."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, PoissonRegressor

from sparsest._core.progress import Stopped, Watch
from sparsest.scores.families import FAMILIES, Column
from sparsest.scores.regression import RegressionScore


def rng(seed=0):
    return np.random.default_rng(seed)


def score_of(values, families, weights=None, spline=0):
    values = np.asarray(values, dtype=float)
    shares = np.full(len(values), 1 / len(values)) if weights is None else weights / weights.sum()
    columns = [
        Column.of(f"x{j}", values[:, j], FAMILIES[family], shares, spline)
        for j, family in enumerate(families)
    ]
    return RegressionScore(columns, values, weights)


def in_user_units(score, fit, parents):
    """Slopes and intercepts for columns that enter linearly, as they are in the table."""
    bases = [score.columns[k].basis for k in parents]
    slopes = fit.coefficients / np.array([basis.scale for basis in bases])[:, None]
    return slopes, fit.intercepts - np.array([basis.centre for basis in bases]) @ slopes


def continuous_parents(n=400):
    X = rng().normal(size=(n, 3)) * [1, 5, 0.1] + [0, 3, -1]
    return X, (X - X.mean(axis=0)) @ [0.8, -0.2, 4.0]


def test_logistic_coefficients_agree_with_scikit_learn():
    X, eta = continuous_parents()
    y = rng(1).random(len(X)) < 1 / (1 + np.exp(-eta))
    score = score_of(np.column_stack([y, X]), ["bernoulli", *["gaussian"] * 3])
    slopes, intercept = in_user_units(score, score.fit(0, [1, 2, 3]), [1, 2, 3])
    reference = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(X, y)
    assert slopes[:, 0] == pytest.approx(reference.coef_[0], abs=1e-5)
    assert intercept == pytest.approx(reference.intercept_, abs=1e-5)


def test_poisson_coefficients_agree_with_scikit_learn():
    X, eta = continuous_parents()
    y = rng(1).poisson(np.exp(0.5 * eta))
    score = score_of(np.column_stack([y, X]), ["poisson", *["gaussian"] * 3])
    slopes, intercept = in_user_units(score, score.fit(0, [1, 2, 3]), [1, 2, 3])
    reference = PoissonRegressor(alpha=0, tol=1e-12, max_iter=10_000).fit(X, y)
    assert slopes[:, 0] == pytest.approx(reference.coef_, abs=1e-5)
    assert intercept == pytest.approx(reference.intercept_, abs=1e-5)


def test_softmax_coefficients_agree_with_scikit_learn():
    X, eta = continuous_parents()
    noise = rng(1).gumbel(size=(len(X), 3))
    y = np.argmax(np.column_stack([np.zeros(len(X)), eta, -0.5 * eta]) + noise, axis=1)
    score = score_of(np.column_stack([y, X]), ["multinomial", *["gaussian"] * 3])
    slopes, intercepts = in_user_units(score, score.fit(0, [1, 2, 3]), [1, 2, 3])
    reference = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(X, y)
    assert slopes == pytest.approx((reference.coef_[1:] - reference.coef_[0]).T, abs=1e-5)
    assert intercepts == pytest.approx(reference.intercept_[1:] - reference.intercept_[0], abs=1e-5)


def binary_table(n=300, p=5, seed=0):
    hidden = rng(seed).normal(size=(n, 1))
    return (rng(seed + 1).normal(size=(n, p)) + hidden > 0).astype(float)


def test_counting_equal_rows_changes_nothing():
    binary = binary_table()
    noise = rng(5).normal(size=(len(binary), 1))
    rows = score_of(np.hstack([binary, noise]), [*["bernoulli"] * 5, "gaussian"])  # nothing is collapsed
    counted = score_of(binary, ["bernoulli"] * 5)
    for parents in ([], [1], [1, 2, 3, 4]):
        assert counted.local(0, parents) == pytest.approx(rows.local(0, parents), abs=1e-12)
    fine = rows._newton(0, np.array([1, 2]))[0]
    rows._counts._sizes[:] = 0  # row by row
    assert rows._newton(0, np.array([1, 2]))[0] == pytest.approx(fine, abs=1e-6)


@pytest.mark.parametrize("family", ["bernoulli", "poisson"])
def test_fits_over_many_subsets_are_those_one_by_one(family):
    n, draw = 400, rng(2)
    parents = np.column_stack(
        [draw.integers(0, 2, n), draw.poisson(1.5, n), draw.integers(0, 3, n), draw.integers(0, 2, n)]
    ).astype(float)
    eta = parents @ [0.7, -0.3, 0.0, 0.5]
    y = draw.random(n) < 1 / (1 + np.exp(-eta)) if family == "bernoulli" else draw.poisson(np.exp(eta / 2))
    table = np.column_stack([y, parents])
    families = [family, "bernoulli", "poisson", "multinomial", "bernoulli"]
    weights = draw.uniform(0.5, 2, n)
    score, single = score_of(table, families, weights), score_of(table, families, weights)
    others, subsets = np.array([4, 1, 3, 2]), np.array([11, 0, 15, 6, 1])
    together = score.over_subsets(0, others, subsets, Watch())
    for subset, value in zip(subsets, together, strict=True):
        chosen = [int(other) for k, other in enumerate(others) if subset >> k & 1]
        assert value == pytest.approx(single.local(0, chosen), abs=1e-10)


def test_only_columns_with_few_values_are_fitted_over_many_subsets():
    table = np.column_stack([binary_table(p=3), rng(5).normal(size=300)])
    score = score_of(table, [*["bernoulli"] * 3, "gaussian"])
    some = np.arange(4)
    assert score.over_subsets(0, np.array([1, 2]), some, Watch()) is not None
    assert score.over_subsets(0, np.array([1, 3]), some, Watch()) is None  # of many values
    assert score.over_subsets(3, np.array([1, 2]), some, Watch()) is None  # a Gaussian response
    assert score.merged_rows is None
    assert score_of(table[:, :3], ["bernoulli"] * 3).merged_rows == 8


def test_fits_over_many_subsets_end_when_it_is_time():
    score = score_of(binary_table(), ["bernoulli"] * 5)
    with pytest.raises(Stopped):
        score.over_subsets(0, np.arange(1, 5), np.arange(16), Watch(time_limit=0.0))


def test_a_saturated_logistic_fit_gives_the_frequencies():
    table = binary_table()[:, :2]
    score = score_of(table, ["bernoulli"] * 2)
    expected = 0.0
    for value in (0, 1):
        y = table[table[:, 1] == value, 0]
        q = y.mean()
        expected -= len(y) / len(table) * (q * np.log(q) + (1 - q) * np.log(1 - q))
    assert score.local(0, [1]) == pytest.approx(expected, abs=1e-6)


def test_rows_with_weights_are_rows_repeated():
    table, times = binary_table(60), rng(3).integers(1, 5, size=60)
    families = ["bernoulli", "poisson", "bernoulli", "gaussian", "bernoulli"]
    table[:, 1] = rng(4).poisson(2, 60)
    table[:, 3] = rng(4).normal(size=60)
    weighted = score_of(table, families, times.astype(float))
    repeated = score_of(np.repeat(table, times, axis=0), families)
    for node in range(5):
        others = [k for k in range(5) if k != node]
        assert weighted.local(node, others) == pytest.approx(repeated.local(node, others), abs=1e-9)


@pytest.mark.parametrize("family", ["bernoulli", "poisson", "multinomial", "gaussian"])
def test_more_parents_never_fit_worse_and_score_tests_foresee_small_gains(family):
    n = 3000
    parents = rng(0).normal(size=(n, 3))
    eta = 0.5 * parents[:, 0] + 0.15 * parents[:, 1]
    y = {
        "bernoulli": lambda: rng(1).random(n) < 1 / (1 + np.exp(-eta)),
        "poisson": lambda: rng(1).poisson(np.exp(eta)),
        "multinomial": lambda: np.argmax(np.outer(eta, [1, -1, 0]) + rng(1).gumbel(size=(n, 3)), axis=1),
        "gaussian": lambda: eta + rng(1).normal(size=n),
    }[family]()  # fmt: skip
    score = score_of(np.column_stack([y, parents]), [family, *["gaussian"] * 3])
    gains, exact = score.gains(0, [1])
    for k in (2, 3):
        gain = score.local(0, [1]) - score.local(0, [1, k])
        assert gain >= -1e-12
        assert gains[k] == pytest.approx(gain, rel=1e-9 if exact[k] else 0.1, abs=1e-6)
    assert gains[0] == gains[1] == -np.inf


@pytest.mark.parametrize("family", ["bernoulli", "poisson"])
def test_wald_tests_foresee_small_losses(family):
    X = rng(3).normal(size=(2000, 4))
    eta = X @ [0.05, 0.1, 1.0, 0.0]
    y = rng(4).poisson(np.exp(eta)) if family == "poisson" else rng(4).random(2000) < 1 / (1 + np.exp(-eta))
    score = score_of(np.column_stack([y, X]), [family, *["gaussian"] * 4])
    losses = score.losses(0, [1, 2, 3, 4])
    for parent in (1, 2, 4):
        rest = [k for k in (1, 2, 3, 4) if k != parent]
        loss = score.local(0, rest) - score.local(0, [1, 2, 3, 4])
        assert losses[parent] == pytest.approx(loss, rel=0.1, abs=1e-6)
    assert losses[3] > 10 * losses[[1, 2, 4]].max()


@pytest.mark.parametrize("family", ["bernoulli", "poisson", "multinomial"])
def test_a_fit_does_not_depend_on_the_fits_before_it(family):
    X = rng(5).normal(size=(300, 3))
    eta = 3 * X[:, 0] + X[:, 1]
    y = {"bernoulli": eta > 0, "poisson": np.floor(np.exp(eta)), "multinomial": np.digitize(eta, [-1, 1])}
    table, families = np.column_stack([y[family], X]), [family, *["gaussian"] * 3]
    used = score_of(table, families)
    for parents in ([], [1, 2], [3], [1], [1, 2, 3], [2], [2, 3]):  # separated by 1 and 2
        fresh = score_of(table, families)
        assert used.local(0, parents) == pytest.approx(fresh.local(0, parents), rel=1e-9, abs=1e-9)


def test_many_parents_are_counted_too():
    X = (rng(6).random((400, 21)) < 0.5).astype(float)
    X[:, 0] = rng(7).random(400) < 1 / (1 + np.exp(-X[:, 1:5].sum(axis=1) + 2))
    score = score_of(X, ["bernoulli"] * 21)
    fit = score.fit(0, range(1, 21))
    slopes, intercept = in_user_units(score, fit, range(1, 21))
    eta = X[:, 1:] @ slopes[:, 0] + intercept
    assert fit.value == pytest.approx((np.log1p(np.exp(eta)) - X[:, 0] * eta).mean(), abs=1e-6)


def test_perfect_separation_has_a_finite_answer():
    x = rng().normal(size=200)
    score = score_of(np.column_stack([x > 0, x]), ["bernoulli", "gaussian"])
    fit = score.fit(0, [1])
    assert np.isfinite(fit.coefficients).all()
    assert 0 <= fit.value < 1e-3
    assert fit.undetermined
    assert not score.fit(0, []).undetermined


@pytest.mark.parametrize("spline", [0, 5])
def test_derivatives_agree_with_finite_differences(spline):
    n = 60
    values = np.column_stack(
        [rng(0).normal(size=n), rng(1).integers(0, 2, n), rng(2).poisson(2, n), rng(3).integers(0, 3, n)]
    )
    score = score_of(values, ["gaussian", "bernoulli", "poisson", "multinomial"], spline=spline)
    psi = score.start + 0.1 * rng(4).normal(size=len(score.start))
    _, gradient = score.value_and_grad(psi)
    for k in range(len(psi)):
        step = np.zeros(len(psi))
        step[k] = 1e-6
        slope = (score.value_and_grad(psi + step)[0] - score.value_and_grad(psi - step)[0]) / 2e-6
        assert gradient[k] == pytest.approx(slope, abs=1e-7)
    cotangent = rng(5).normal(size=(4, 4))
    inner = [(score.squares(psi + 1e-6 * e) - score.squares(psi - 1e-6 * e)) / 2e-6 for e in np.eye(len(psi))]
    expected = np.array([(cotangent * slope).sum() for slope in inner])
    assert score.squares_vjp(psi, cotangent) == pytest.approx(expected, abs=1e-6)
    assert score.adjacency(psi) ** 2 == pytest.approx(score.squares(psi))


def test_the_score_at_the_fitted_parameters_is_the_sum_of_the_local_scores():
    table = binary_table()
    score = score_of(table, ["bernoulli"] * 5)
    dag = np.triu(np.ones((5, 5)), 1)
    B, intercepts = np.zeros((5, 5)), np.zeros(5)
    for node in range(5):
        fit = score.fit(node, np.flatnonzero(dag[:, node]))
        B[:node, node], intercepts[node] = fit.coefficients[:, 0], fit.intercepts[0]
    value, gradient = score.value_and_grad(np.concatenate([B.reshape(-1), intercepts]))
    assert value == pytest.approx(sum(score.local(j, range(j)) for j in range(5)), abs=1e-7)
    assert np.abs(gradient.reshape(6, 5)[:5][dag == 1]).max() < 1e-6
