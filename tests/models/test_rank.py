"""Laws of `model="rank"`: only the order of the values in each column counts."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, rankdata

import sparsest as sp
from sparsest.models.rank import normal_scores

INCREASING = {
    "exponential": np.exp,
    "cube": lambda x: x**3 + x,
    "ranks": lambda x: np.apply_along_axis(rankdata, 0, x),
    "units": lambda x: 1e6 * x - 3,
    "squashed": np.arctan,
    "beyond squaring": lambda x: np.sign(x) * np.abs(x) * 1e200,
}


def linear(seed=0, p=6, n=300):
    rng = np.random.default_rng(seed)
    weights = sp.simulate.random_weights(sp.simulate.random_dag(p, 1, "ER", rng), rng)
    return sp.simulate.linear_gaussian(weights, n, rng).data


@pytest.mark.parametrize("bend", INCREASING)
@pytest.mark.parametrize("options", [{}, {"solver": "order"}, {"solver": "logll-dagma"}], ids=str)
def test_any_increasing_transformation_leaves_every_number_alone(bend, options):
    data = linear()
    plain, bent = (
        sp.fit(data, model="rank", **options),
        sp.fit(INCREASING[bend](data), model="rank", **options),
    )
    assert bent.cpdag == plain.cpdag
    assert bent.objective == plain.objective
    assert (bent.weights == plain.weights).all()


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6))
def test_turning_columns_round_turns_the_signs_of_their_weights_and_nothing_else(seed):
    data, signs = linear(seed, p=4, n=100), np.random.default_rng(seed).choice([-1.0, 1.0], 4)
    plain, turned = sp.fit(data, model="rank"), sp.fit(data * signs, model="rank")
    assert turned.cpdag == plain.cpdag
    np.testing.assert_allclose(turned.weights, plain.weights * np.outer(signs, signs), atol=1e-9)


def test_on_gaussian_data_it_tends_to_the_gaussian_model():
    data = linear(n=20_000)
    found = [sp.fit(data, model=model) for model in ("gaussian", "rank")]
    assert found[0].cpdag == found[1].cpdag
    scales = data.std(axis=0)
    standardised = found[0].weights * scales[:, None] / scales
    np.testing.assert_allclose(found[1].weights, standardised, atol=0.03)


def test_scores_are_normal_quantiles_of_midranks_and_weights_count_as_copies():
    column, times = np.array([3.0, 1.0, 3.0, 7.0]), np.array([1, 2, 1, 3])
    np.testing.assert_allclose(normal_scores(column), norm.ppf((rankdata(column) - 0.5) / 4), atol=1e-12)
    repeated = normal_scores(np.repeat(column, times))
    np.testing.assert_allclose(normal_scores(column, times.astype(float)), repeated[np.cumsum(times) - 1])
    assert np.isnan(normal_scores(np.array([1.0, np.nan, 2.0]))).tolist() == [False, True, False]


def test_an_outlier_that_ruins_the_gaussian_model_does_not_matter():
    data = linear()
    data[0, :2] = 1e6, -1e6
    clean = sp.fit(linear(), model="rank")
    wild = sp.fit(data, model="rank")  # and nothing to warn of
    assert wild.cpdag == clean.cpdag
    with pytest.warns(sp.DataWarning):
        assert sp.fit(data, model="gaussian").cpdag != clean.cpdag


def test_predictions_and_samples_are_in_the_users_units():
    data = pd.DataFrame(np.exp(linear(n=2000)), columns=list("abcdef"))
    result = sp.fit(data, model="rank")
    medians = result.predict(data)
    drawn = result.sample(4000, np.random.default_rng(1)).to_numpy()
    for j, name in enumerate(data):
        column = data[name].to_numpy()
        assert (medians[name] >= column.min()).all()
        assert (medians[name] <= column.max()).all()
        assert np.median(drawn[:, j]) == pytest.approx(np.median(column), rel=0.2)
    again = sp.fit(pd.DataFrame(drawn, columns=list(data)), model="rank")
    assert sp.graph.cpdag_shd(again.cpdag, result.cpdag) <= 2


def test_it_is_saved_told_and_explained_with_its_units(tmp_path):
    result = sp.fit(linear(), model="rank")
    result.save(tmp_path / "rank.zip")
    again = sp.load(tmp_path / "rank.zip")
    assert again.summary() == result.summary()
    assert "in normal scores" in result.summary()
    assert "Gaussian copula" in result.methods()
    np.testing.assert_array_equal(again.log_likelihood(linear()), result.log_likelihood(linear()))
    assert result.identifies == "class"
    assert "partial correlation" in str(result.explain(0, 1))


def test_missing_values_are_ranked_around_and_moments_refused():
    data = linear()
    data[::7, 2] = np.nan
    for missing in ("drop", "em", "pairwise"):
        with pytest.warns(sp.DataWarning, match="missing"):
            plain = sp.fit(data, model="rank", missing=missing)
        with pytest.warns(sp.DataWarning, match="missing"):
            assert sp.fit(np.exp(data), model="rank", missing=missing).objective == plain.objective
    with pytest.raises(sp.OptionError, match="rows of a table, not from moments"):
        sp.fit(sp.Moments(np.eye(2), 10), model="rank")


def test_rows_of_weight_zero_count_for_nothing():
    data, weights = linear(), np.ones(300)
    weights[:5], data[:5] = 0, 1e9
    result = sp.fit(data, model="rank", weights=weights)
    assert result.objective == pytest.approx(sp.fit(data[5:], model="rank").objective, abs=1e-12)
    assert np.isfinite(result.log_likelihood(data)).all()
