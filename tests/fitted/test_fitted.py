"""Laws of fitted models: predictions, likelihoods of new rows, samples, interventions."""

import json

import numpy as np
import pandas as pd
import pytest

import sparsest as sp
from sparsest.effects.sampling import sampled
from sparsest.fitted.base import Fitted


def rng(seed=0):
    return np.random.default_rng(seed)


def table(n=400):
    """Columns of every kind, with b, c, d and e depending on a."""
    a = rng(0).normal(5, 2, size=n)
    z = (a - 5) / 2
    return pd.DataFrame(
        {
            "a": a,
            "b": np.where(rng(1).random(n) < 1 / (1 + np.exp(-2 * z)), "yes", "no"),
            "c": rng(2).poisson(np.exp(0.5 + 0.6 * z)),
            "d": 3 * a + rng(3).normal(size=n),
            "e": np.array(["blue", "green", "red"])[
                np.argmax(np.outer(z, [-2, 0, 2]) + rng(4).gumbel(size=(n, 3)), axis=1)
            ],
        }
    )


@pytest.fixture(scope="module")
def mixed():
    data = table()
    return data, sp.fit(data)


@pytest.fixture(scope="module")
def results(mixed):
    weights = sp.simulate.random_weights(sp.simulate.random_dag(5, 1, "ER", rng(1)), rng(1))
    gaussian = sp.simulate.linear_gaussian(weights, 300, rng(1)).data + 7
    binary = sp.simulate.logistic(weights, 500, rng(1)).data
    counts = sp.simulate.poisson(weights / 5, 300, rng(1)).data
    curved = sp.simulate.additive(weights != 0, 300, rng(1)).data
    tables = {"gaussian": gaussian, "logistic": binary, "poisson": counts, "additive": curved}
    found = {model: (data, sp.fit(data, model=model)) for model, data in tables.items()}
    return found | {"mixed": mixed}


MODELS = ["gaussian", "logistic", "poisson", "additive", "mixed"]


@pytest.mark.parametrize("model", MODELS)
def test_means_of_fitted_columns_are_the_means_of_the_data(results, model):
    data, result = results[model]
    assert result.model == model
    for name, mean in result.predict(data).items():
        if mean.ndim == 2:  # probabilities
            assert mean.sum(axis=1) == pytest.approx(1)
            assert mean.mean(axis=0) == pytest.approx(
                table()[name].value_counts(normalize=True).sort_index(), abs=1e-5
            )
        elif isinstance(data, np.ndarray):
            assert mean.mean() == pytest.approx(data[:, result.names.index(name)].mean(), abs=1e-5)


@pytest.mark.parametrize("model", ["gaussian", "logistic", "additive"])
def test_the_likelihood_of_the_data_is_the_one_that_was_minimised(results, model):
    data, result = results[model]
    constants = 0.5 * (1 + np.log(2 * np.pi)) * len(result.names) if model != "logistic" else 0.0
    assert -result.log_likelihood(data).mean() == pytest.approx(result.nll + constants, abs=1e-6)
    parameters = (result.objective - result.nll) / result.cost
    assert parameters == pytest.approx(round(parameters), abs=1e-6)


@pytest.mark.parametrize("model", MODELS)
def test_samples_are_like_the_data(results, model):
    data, result = results[model]
    drawn = result.sample(4000, rng(9))
    assert drawn.shape == (4000, len(result.names))
    assert drawn.columns == list(result.names)
    if isinstance(data, np.ndarray):
        drawn = sampled(result, 4000, rng(9), None, None)
        assert drawn.mean(axis=0) == pytest.approx(data.mean(axis=0), abs=0.15 * data.std(axis=0).max())
        assert drawn.std(axis=0) == pytest.approx(data.std(axis=0), rel=0.25)


@pytest.mark.parametrize("model", MODELS)
def test_a_model_survives_plain_json(results, model):
    result = results[model][1]
    again = Fitted.from_state(json.loads(json.dumps(result.fitted.state())))
    assert again.weights == pytest.approx(result.weights)
    assert again.sample(50, rng(1)) == pytest.approx(sampled(result, 50, rng(1), None, None))
    assert again.names == result.names


@pytest.mark.parametrize("model", MODELS)
def test_edges_have_weights_and_other_pairs_none(results, model):
    result = results[model][1]
    assert np.array_equal(result.weights != 0, result.dag.to_numpy() == 1)
    assert (result.noise_variances > 0).all()


def test_an_intervention_reaches_descendants_only(mixed):
    _, result = mixed
    held = result.sample(2000, rng(5), do={"e": "red"})
    assert set(held["e"]) == {"red"}
    held, free = (sampled(result, 2000, rng(5), do, None) for do in ({"e": "red"}, None))
    descendants = sp.graph.is_dag(result.dag.to_numpy()) and reached(result.dag, "e")
    for name in set(result.names) - descendants - {"e"}:
        k = result.names.index(name)
        assert held[:, k].mean() == pytest.approx(free[:, k].mean(), abs=0.15 * free[:, k].std() + 0.05)


def reached(dag, node):
    found, todo = set(), [node]
    while todo:
        for child in dag.children(todo.pop()):
            if child not in found:
                found.add(child)
                todo.append(child)
    return found


def test_conditional_means_are_regressions_for_the_gaussian_model():
    X = rng().normal(size=(200, 2))
    X[:, 1] += 2 * X[:, 0] + 10
    result = sp.fit(X, model="gaussian", knowledge=sp.Knowledge(forbidden=[("x1", "x0")]))
    slope, intercept = np.polyfit(X[:, 0], X[:, 1], 1)
    assert result.predict(X)["x1"] == pytest.approx(slope * X[:, 0] + intercept)
    assert result.predict(X)["x0"] == pytest.approx(np.full(200, X[:, 0].mean()))


def test_new_rows_keep_the_codes_of_their_words(mixed):
    data, result = mixed
    shuffled = data.sample(frac=1, random_state=0)[["e", "d", "c", "b", "a"]]
    part = shuffled[(shuffled.e != "blue") & (shuffled.b == "yes")]
    whole = result.log_likelihood(data)
    assert result.log_likelihood(part) == pytest.approx(whole[part.index])


def test_rows_that_do_not_fit_are_refused(mixed):
    data, result = mixed
    with pytest.raises(sp.DataError, match="'purple', which was not in the training data"):
        result.predict(data.assign(e="purple"))
    with pytest.raises(sp.DataError, match="no column 'c'"):
        result.predict(data.drop(columns="c"))
    with pytest.raises(sp.DataError, match="column 'd' has no finite number in row 0"):
        result.predict(data.assign(d=np.r_[np.nan, data.d[1:]]))
    with pytest.raises(sp.OptionError, match="no column 'z'"):
        result.sample(3, rng(), do={"z": 1})
    with pytest.raises(sp.OptionError, match="its values are 'blue', 'green', 'red'"):
        result.sample(3, rng(), do={"e": "purple"})
    with pytest.raises(sp.OptionError, match="rng must be"):
        result.sample(3, 0)


def test_one_row_is_enough(results):
    data, result = results["logistic"]
    assert result.log_likelihood(data[:1]) == pytest.approx(result.log_likelihood(data)[:1])
