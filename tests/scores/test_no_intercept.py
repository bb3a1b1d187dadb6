"""Laws of regressions through the origin: logistic and Poisson models without intercepts."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, PoissonRegressor

import sparsest as sp
from sparsest.scores.bases import Linear
from sparsest.scores.families import BERNOULLI, POISSON, Column
from sparsest.scores.no_intercept import NoInterceptScore
from tests.laws import all_dags, finite_differences

MODELS = [sp.models.Logistic(intercept=False), sp.models.Poisson(intercept=False)]


def rng(seed=0):
    return np.random.default_rng(seed)


def chain(strength, p=4):
    weights = np.zeros((p, p))
    weights[0, 2] = weights[1, 2] = weights[2, 3] = strength
    return weights


def table(model, n=400):
    if model.name == "logistic":
        return sp.simulate.logistic(chain(2.0), n, rng(1)).data
    return sp.simulate.poisson(chain(-0.5), n, rng(1), rates=(1, 1.0001)).data


def score_of(model, values, weights=None):
    family = BERNOULLI if model.name == "logistic" else POISSON
    shares = np.full(len(values), 1 / len(values))
    columns = [Column.of(f"x{j}", values[:, j], family, shares) for j in range(values.shape[1])]
    return NoInterceptScore([replace(c, basis=Linear(0.0, c.basis.scale)) for c in columns], values, weights)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_weights_agree_with_scikit_learn_without_intercepts(model):
    data = table(model)
    known = sp.Knowledge(required=[("x0", "x2"), ("x1", "x2"), ("x2", "x3")])
    result = sp.fit(data, model=model, knowledge=known)
    if model.name == "logistic":
        peer = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10, max_iter=10_000)
    else:
        peer = PoissonRegressor(alpha=0, fit_intercept=False, tol=1e-12, max_iter=10_000)
    for node, parents in ((2, [0, 1]), (3, [2])):
        expected = np.ravel(peer.fit(data[:, parents], data[:, node]).coef_)
        assert result.weights[parents, node] == pytest.approx(expected, abs=1e-5)
    roots = result.predict(data)["x0"]
    assert roots == pytest.approx(0.5 if model.name == "logistic" else 1.0)
    assert result.evidence.model_because == "as asked, without intercepts"


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_exact_search_finds_the_least_of_all_dags(model):
    data = table(model, 60)[:, [0, 2, 3]]
    result = sp.fit(data, model=model, solver="exact", penalty=0.02)
    score = score_of(model, data)
    totals = [
        sum(score.local(j, np.flatnonzero(dag[:, j])) for j in range(3)) + 0.02 * dag.sum()
        for dag in all_dags(3)
    ]
    assert result.objective == pytest.approx(min(totals), abs=1e-9)


@pytest.mark.parametrize("solver", ["exact", "order", "differentiable"])
def test_data_without_intercepts_are_explained_with_the_true_edges(solver):
    for model in MODELS:
        result = sp.fit(table(model, 3000), model=model, solver=solver, check=solver == "exact")
        assert sp.graph.cpdag_shd(result.dag, sp.Dag(chain(1) != 0)) == 0
        assert result.evidence.same_when_rescaled in (None, True)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_the_gradient_is_that_of_finite_differences_and_vanishes_at_the_fits(model):
    data = table(model, 80)
    score = score_of(model, data, rng().uniform(1, 3, 80))
    psi = 0.3 * rng(2).normal(size=16)
    value, gradient = score.value_and_grad(psi)
    expected = finite_differences(lambda point: score.value_and_grad(point)[0], psi)
    assert gradient == pytest.approx(expected, abs=1e-7)
    fits = np.zeros((4, 4))
    for j in range(4):
        fits[:j, j] = score.fit(j, range(j)).coefficients[:, 0]
    value, gradient = score.value_and_grad(fits.reshape(-1))
    assert value == pytest.approx(sum(score.local(j, range(j)) for j in range(4)), abs=1e-6)
    assert np.abs(np.triu(gradient.reshape(4, 4), 1)).max() < 1e-6
    cotangent = rng(3).normal(size=(4, 4))
    expected = finite_differences(lambda point: (cotangent * score.squares(point)).sum(), psi)
    assert score.squares_vjp(psi, cotangent) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_score_tests_foresee_small_gains(model):
    data = table(model, 4000)
    data[:, 1] = table(model, 4000)[rng(5).permutation(4000), 1]
    score = score_of(model, data)
    gains, exact = score.gains(2, [0])
    assert not exact.any()
    assert gains[0] == gains[2] == -np.inf
    for k in (1, 3):
        gain = score.local(2, [0]) - score.local(2, [0, k])
        assert 0.3 * gain - 1e-6 <= gains[k] <= 3 * gain + 1e-6


def test_with_an_intercept_the_object_is_the_word():
    data = table(MODELS[0])
    word, made = sp.fit(data, model="logistic"), sp.fit(data, model=sp.models.Logistic())
    assert word.objective == made.objective
    assert made.model == "logistic"
    assert sp.fit(data, model=MODELS[0]).objective > word.objective - 4 * word.cost


def test_the_word_and_the_object_refuse_the_same_things(tmp_path):
    with pytest.raises(sp.DataError, match="'poisson' needs counts"):
        sp.fit(table(MODELS[1]) + 0.5, model=MODELS[1])
    with pytest.raises(sp.OptionError, match="not the class Logistic"):
        sp.fit(table(MODELS[0]), model=sp.models.Logistic)
    with pytest.raises(sp.OptionError, match="intercept must be True or False, not 'no'"):
        sp.models.Logistic(intercept="no")
    result = sp.fit(table(MODELS[0]), model=MODELS[0])
    assert result.settings["model"] == "Logistic(intercept=False)"
    result.save(tmp_path / "result.zip")
    rows = table(MODELS[0], 10)
    assert (sp.load(tmp_path / "result.zip").log_likelihood(rows) == result.log_likelihood(rows)).all()
