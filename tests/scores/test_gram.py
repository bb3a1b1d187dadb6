"""Laws of least squares on a Gram matrix, and of features that are made when needed."""

import numpy as np
import pytest

from sparsest._core.progress import Watch
from sparsest.scores.families import GAUSSIAN, Column
from sparsest.scores.features import Features
from sparsest.scores.gram import GramScore


def features(n=200, p=5, spline=3, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
    shares = np.full(n, 1 / n)
    columns = [Column.of(str(j), values[:, j], GAUSSIAN, shares, spline) for j in range(p)]
    standard = (values - values.mean(axis=0)) / values.std(axis=0)
    return Features(columns, values, shares), dict(enumerate(standard.T))


@pytest.mark.parametrize("spline", [0, 3])
def test_local_scores_are_those_of_least_squares_on_the_rows(spline):
    made, columns = features(spline=spline)
    score = made.multiplied(columns, Watch())
    for parents in ([], [1], [1, 3, 4]):
        rows = made.rows(np.array(parents, dtype=np.int64))
        left = columns[0] - rows @ np.linalg.lstsq(rows, columns[0], rcond=None)[0]
        expected = 0.5 * np.log(np.mean(left**2))
        assert score.local(0, parents) == pytest.approx(expected, abs=1e-10)
        assert score.at_once(0, parents) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("spline", [0, 3])
@pytest.mark.parametrize("parents", [[], [2], [4, 1]])
def test_gains_are_differences_of_local_scores(spline, parents):
    made, columns = features(spline=spline)
    score = made.multiplied(columns, Watch())
    gains, exact = score.gains(0, parents)
    assert exact.all()
    for other in set(range(1, 5)) - set(parents):
        expected = score.local(0, parents) - score.local(0, [*parents, other])
        assert gains[other] == pytest.approx(expected, abs=1e-10)
    assert np.isneginf(gains[[0, *parents]]).all()


def test_a_copy_of_a_parent_adds_nothing():
    rng = np.random.default_rng(0)
    correlation = np.corrcoef(rng.normal(size=(3, 50)))
    copied = correlation[np.ix_([0, 1, 2, 1], [0, 1, 2, 1])]
    score = GramScore.of_correlation(copied)
    assert score.local(0, [1, 3]) == score.local(0, [1])
    assert score.gains(0, [1])[0][3] == 0


def test_features_made_one_by_one_are_those_made_all_at_once():
    made, _ = features()
    few = made.rows(np.array([3, 1]))
    assert made.made(Watch())
    assert np.array_equal(made.rows(np.array([3, 1])), few)
    assert not features()[0].made(Watch(time_limit=0))
