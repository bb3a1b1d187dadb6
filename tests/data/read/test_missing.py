"""Missing values and weights: laws of what is learned from incomplete or unequal rows."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest._core.errors import DataError, DataWarning, OptionError
from sparsest._core.progress import Watch
from sparsest.data import Moments, Source, TableOptions, read_table
from sparsest.data.moments.em import gaussian_em

deterministic = settings(derandomize=True, deadline=None, max_examples=25)


def table(seed=0, n=300, p=4, share=0.2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + rng.normal(size=p)
    gaps = X.copy()
    gaps[rng.random(X.shape) < share] = np.nan
    return X, gaps


def read(X, **options):
    return Source(X, TableOptions(**options), Watch()).moments()


def moments(X, **options):
    return read(X, **options).moments


def log_likelihood(X, mean, covariance):
    """Of the known values, row by row: the plain formula."""
    total = 0.0
    for row in X:
        known = ~np.isnan(row)
        if known.any():
            part = covariance[np.ix_(known, known)]
            deviation = (row - mean)[known]
            total -= np.linalg.slogdet(part)[1] / 2 + deviation @ np.linalg.solve(part, deviation) / 2
    return total


@given(st.integers(0, 10**6), st.floats(0.02, 0.4))
@deterministic
def test_em_ends_where_no_small_change_raises_the_likelihood(seed, share):
    _, X = table(seed, n=200, p=3, share=share)
    mean, covariance = gaussian_em(X)
    best = log_likelihood(X, mean, covariance)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        scale = np.sqrt(np.diag(covariance))
        move = rng.normal(size=(3, 3)) * 0.05
        changed = covariance + scale[:, None] * (move + move.T) * scale * 0.1
        assert log_likelihood(X, mean + 0.05 * scale * rng.normal(size=3), covariance) < best
        if np.linalg.eigvalsh(changed)[0] > 0:
            assert log_likelihood(X, mean, changed) < best


@pytest.mark.parametrize("missing", ["drop", "pairwise", "em"])
def test_complete_tables_are_treated_alike_by_all(missing):
    X, _ = table()
    plain, other = Moments.from_array(X), moments(X, missing=missing)
    assert other.n == plain.n
    np.testing.assert_allclose(other.covariance, plain.covariance, rtol=1e-12)


def test_em_needs_few_gaps_to_come_close_to_the_complete_table():
    X, gaps = table(n=20_000, share=0.1)
    np.testing.assert_allclose(moments(gaps, missing="em").correlation(), np.corrcoef(X.T), atol=0.02)


def test_em_does_not_depend_on_units_or_on_the_order_of_rows():
    _, X = table()
    plain = moments(X, missing="em")
    units = np.array([1e6, 1e-3, 1, 7])
    np.testing.assert_allclose(
        moments(X * units, missing="em").covariance, plain.covariance * np.outer(units, units), rtol=1e-6
    )
    np.testing.assert_allclose(moments(X[::-1], missing="em").covariance, plain.covariance, rtol=1e-6)


def test_a_row_without_any_value_changes_nothing_for_em():
    _, X = table()
    more = np.vstack([X, np.full((5, 4), np.nan)])
    np.testing.assert_allclose(gaussian_em(more)[1], gaussian_em(X)[1], atol=1e-4)


def test_dropping_is_the_table_without_those_rows():
    X, gaps = table()
    complete = ~np.isnan(gaps).any(axis=1)
    dropped = read(gaps, missing="drop")
    np.testing.assert_array_equal(dropped.moments.covariance, Moments.from_array(X[complete]).covariance)
    assert dropped.notices == (f"dropped {300 - complete.sum()} of 300 rows, which have missing values",)


def test_pairwise_correlations_are_those_of_the_rows_that_know_both():
    _, X = table()
    found = moments(X, missing="pairwise")
    known = ~np.isnan(X)
    counts = []
    for i in range(4):
        for j in range(4):
            both = known[:, i] & known[:, j]
            counts.append(both.sum())
            assert found.correlation()[i, j] == pytest.approx(np.corrcoef(X[both, i], X[both, j])[0, 1])
    np.testing.assert_allclose(np.diag(found.covariance), np.nanvar(X, axis=0))
    assert found.n == pytest.approx(len(counts) / (1 / np.array(counts)).sum())


def test_pairwise_correlations_that_contradict_each_other_are_made_to_fit():
    rng = np.random.default_rng(0)
    a = rng.normal(size=90)
    X = np.column_stack([a, a + 0.1 * rng.normal(size=90), -a])
    X[:30, 2], X[30:60, 1], X[60:, 0] = np.nan, np.nan, np.nan
    X[60:, 2] = X[60:, 1]  # a ~ b, b ~ c, a ~ -c
    found = read(X, missing="pairwise")
    assert np.linalg.eigvalsh(found.moments.correlation())[0] > 0.005
    assert "contradict each other" in found.notices[-1]


def test_fit_says_how_much_was_missing():
    _, X = table()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = sp.fit(X, missing="em", model="gaussian")
    said = [str(warning.message) for warning in caught]
    assert re.search(r"of 1200 values \(.*%\) are missing: the answer counts as one from", " ".join(said))
    assert {(warning.category, warning.filename) for warning in caught} == {(DataWarning, __file__)}
    assert "are missing" in " ".join(result.evidence.warnings)
    assert 180 < result.n < 300


@pytest.mark.parametrize(
    ("cells", "missing", "words"),
    [
        ([[1, np.nan], [np.nan, 2], [3, np.nan]], "drop", "only 0 of 3 rows are complete"),
        (
            [[1, np.nan], [np.nan, 2], [3, np.nan], [np.nan, 4]],
            "pairwise",
            "'x0' and 'x1' are known together in only 0",
        ),
        ([[1, np.nan], [5, np.nan], [3, np.nan]], "em", "'x1' is constant .all nan."),
        ([[1, 5], [np.nan, 5], [3, np.nan]], "em", "'x1' is constant .all 5."),
        ([[1, np.inf], [5, np.nan], [3, 2]], "em", "column 'x1' has inf in 1 of 3 rows"),
    ],
)
def test_tables_with_too_little_in_them_are_refused(cells, missing, words):
    with pytest.raises(DataError, match=words):
        moments(np.array(cells), missing=missing)


def test_unknown_ways_are_refused():
    with pytest.raises(OptionError, match="missing must be one of 'auto', 'error', 'drop', 'pairwise', 'em'"):
        sp.fit(table()[1], missing="mean")


@given(st.integers(0, 10**6), st.lists(st.integers(0, 3), min_size=30, max_size=30))
@deterministic
def test_weights_are_repeated_rows_up_to_the_number_of_rows(seed, times):
    times = np.array([1, 1, *times])
    X, _ = table(seed, n=32)
    weighed, repeated = Moments.from_array(X, weights=times), Moments.from_array(np.repeat(X, times, axis=0))
    np.testing.assert_allclose(weighed.covariance, repeated.covariance, atol=1e-10)
    np.testing.assert_allclose(weighed.mean, repeated.mean, atol=1e-10)
    assert weighed.n == pytest.approx(times.sum() ** 2 / (times**2).sum())


def test_equal_weights_are_none_and_their_size_does_not_matter():
    X, gaps = table()
    for factor in (1, 1e-200, 1e200):
        weighed = Moments.from_array(X, weights=np.full(300, factor))
        assert weighed.n == 300
        np.testing.assert_allclose(weighed.covariance, Moments.from_array(X).covariance, rtol=1e-9)
    for missing in ("pairwise", "em", "drop"):
        one, other = (moments(gaps, missing=missing, weights=w) for w in (None, np.full(300, 3.0)))
        np.testing.assert_allclose(one.covariance, other.covariance, rtol=1e-9)
        assert one.n == pytest.approx(other.n)


@pytest.mark.parametrize("missing", ["pairwise", "em", "drop"])
def test_rows_that_weigh_nothing_are_not_there(missing):
    _, X = table()
    weights = np.r_[np.ones(200), np.zeros(100)]
    one, other = moments(X, missing=missing, weights=weights), moments(X[:200], missing=missing)
    np.testing.assert_allclose(one.covariance, other.covariance, rtol=1e-5, atol=1e-6)
    assert one.n == pytest.approx(other.n)


def test_weights_may_be_a_column_which_is_then_no_variable():
    X, _ = table()
    weights = np.random.default_rng(1).random(300)
    import polars as pl

    frame = pl.DataFrame(X, schema=list("abcd")).with_columns(w=weights)
    found = read_table(frame, weights="w")
    assert found.names == tuple("abcd")
    np.testing.assert_array_equal(found.weights, weights)
    assert read_table(frame, weights="w", columns=["a", "b"]).names == ("a", "b")
    with pytest.raises(DataError, match="there is no column 'v'"):
        read_table(frame, weights="v")


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, 2], "300 of them, not shape"),
        (np.r_[np.ones(299), -1], "row 299 .counting from 0. has -1"),
        (np.r_[np.nan, np.ones(299)], "row 0 .counting from 0. has nan"),
        (np.zeros(300), "all 0"),
        ({"a": 1}, "one weight per row"),
        (np.r_[1, np.zeros(299)], "the weights leave too few rows"),
    ],
)
def test_impossible_weights_are_refused(weights, words):
    with pytest.raises(sp.SparsestError, match=words):
        moments(table()[0], weights=weights)
