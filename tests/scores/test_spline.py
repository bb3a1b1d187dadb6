"""Laws of the splines and of the local scores that come from their Gram matrix."""

import numpy as np
import pytest

from sparsest.scores.spline import DEGREES, Spline
from tests.scores.test_glm import rng, score_of


def shares(n):
    return np.full(n, 1 / n)


def test_features_are_uncorrelated_with_unit_variance_where_they_were_made():
    x = rng().gamma(2, size=500)
    features = Spline.of(x, shares(500)).features(x)
    assert features.shape == (500, DEGREES)
    assert features.mean(axis=0) == pytest.approx(0, abs=1e-8)
    assert features.T @ features / 500 == pytest.approx(np.eye(DEGREES), abs=1e-6)


def test_splines_do_not_depend_on_units():
    x, y = rng().normal(size=200), rng(1).normal(size=200)
    plain = Spline.of(x, shares(200)).features(x)
    scaled = Spline.of(1000 * x - 7, shares(200)).features(1000 * x - 7)
    assert np.linalg.lstsq(plain, y, rcond=None)[0] @ plain.T == pytest.approx(
        np.linalg.lstsq(scaled, y, rcond=None)[0] @ scaled.T, abs=1e-8
    )


def test_a_spline_contains_lines_and_is_linear_beyond_the_knots():
    x = rng().normal(size=300)
    basis = Spline.of(x, shares(300))
    features = basis.features(x)
    centred = x - x.mean()
    assert features @ np.linalg.lstsq(features, centred, rcond=None)[0] == pytest.approx(centred, abs=1e-8)
    far = basis.features(np.array([10.0, 11.0, 12.0]))
    assert far[2] - far[1] == pytest.approx(far[1] - far[0], rel=1e-6)


@pytest.mark.parametrize("values", [2, 3, 5])
def test_a_column_of_few_values_gets_few_features(values):
    x = rng().integers(0, values, size=200).astype(float)
    assert 1 <= Spline.of(x, shares(200)).width <= values - 1


def test_local_scores_are_least_squares_on_the_features():
    X = rng().normal(size=(300, 4))
    X[:, 3] += np.sin(2 * X[:, 0]) + X[:, 1] ** 2
    score = score_of(X, ["gaussian"] * 4, spline=5)
    features = np.column_stack([score.columns[k].basis.features(X[:, k]) for k in (0, 1)])
    y = X[:, 3] - X[:, 3].mean()
    residual = y - features @ np.linalg.lstsq(features, y, rcond=None)[0]
    assert score.local(3, [0, 1]) == pytest.approx(
        0.5 * np.log((residual**2).mean() / (y**2).mean()), abs=1e-9
    )
    assert score.local(3, [1, 0]) == score.local(3, [0, 1])
    assert score.fit(3, [0, 1]).value == pytest.approx(score.local(3, [0, 1]), abs=1e-9)


def test_copies_of_a_column_add_nothing():
    x = rng().normal(size=200)
    X = np.column_stack([x, x, x + rng(1).normal(size=200)])
    score = score_of(X, ["gaussian"] * 3, spline=4)
    assert score.local(2, [0, 1]) == pytest.approx(score.local(2, [0]), abs=1e-6)


def test_an_edge_pays_for_each_of_its_parameters():
    X = rng().normal(size=(100, 2))
    levels = rng(1).integers(0, 4, size=100)
    score = score_of(np.column_stack([X, levels]), ["gaussian", "gaussian", "multinomial"], spline=5)
    assert score.edge_parameters[0].tolist() == [5, 5, 15]
    assert score.edge_parameters[2].tolist() == [3, 3, 9]
