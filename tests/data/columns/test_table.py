"""Other rows of a table: laws of resampling."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsest as sp
from sparsest.data import Moments, read_table

N = 20


def table(weights=None, order="C"):
    rng = np.random.default_rng(0)
    X = np.array(rng.normal(size=(N, 3)), order=order)
    return read_table(X, weights=weights)


def moments(found):
    return Moments.from_array(found.values, found.names, found.weights)


@given(st.lists(st.integers(0, N - 1), min_size=2, max_size=40))
def test_indices_take_rows_perhaps_repeatedly(rows):
    plain = table(weights=np.arange(1.0, N + 1))
    found = plain.resampled(rows)
    np.testing.assert_array_equal(found.values, plain.values[rows])
    np.testing.assert_array_equal(found.weights, plain.weights[rows])


def test_a_mask_is_the_indices_where_it_is_true():
    mask = np.arange(N) % 3 == 0
    one, other = table().resampled(mask), table().resampled(np.flatnonzero(mask))
    np.testing.assert_array_equal(one.values, other.values)


@given(st.lists(st.integers(0, 3), min_size=N - 3, max_size=N - 3))
def test_weights_are_repeated_rows(times):
    times = [1, 1, 1, *times]
    weighed = moments(table().resampled(weights=times))
    repeated = moments(table().resampled(np.repeat(np.arange(N), times)))
    np.testing.assert_allclose(weighed.covariance, repeated.covariance, atol=1e-12)


def test_weights_multiply_those_of_the_table():
    own, more = np.arange(1.0, N + 1), np.linspace(0, 1, N)
    np.testing.assert_array_equal(table(weights=own).resampled(weights=more).weights, (own * more)[1:])
    np.testing.assert_array_equal(table().resampled(weights=more).weights, more[1:])


def test_rows_of_weight_zero_are_left_out():
    weights = np.r_[np.zeros(3), np.ones(N - 3)]
    plain = table()
    for found in (table(weights=weights), plain.resampled(weights=weights)):
        np.testing.assert_array_equal(found.values, plain.values[3:])
        assert (found.weights == 1).all()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("rows", [[3, 3, 0], np.arange(N) < 5])
def test_columns_and_coding_stay_and_values_are_read_only(rows, order):
    words = pl.DataFrame({"x": np.arange(N) ** 1.5, "city": ["Ulm", "Bonn"] * (N // 2)})
    coded = read_table(words, numbers_only=False)
    found = coded.resampled(rows)
    assert (found.names, found.kinds, found.levels) == (coded.names, coded.kinds, coded.levels)
    values = table(order=order).resampled(rows).values
    assert not values.flags.writeable
    assert values.flags.c_contiguous or values.flags.f_contiguous


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([0, N], f"there is no row {N}: the table has {N} rows"),
        ([0, -1], "there is no row -1"),
        ([[0, 1]], "one-dimensional"),
        ([True, False], f"one truth value per row: {N}"),
        (np.zeros(N, dtype=bool), "a minimum of 2 is required"),
        ([3], "a minimum of 2 is required"),
        ([0.5, 0.5], "rows must be row indices"),
        (["a", "b"], "rows must be row indices"),
        (None, "either rows .* or weights"),
    ],
)
def test_rows_that_are_not_there_are_refused(rows, words):
    with pytest.raises(sp.SparsestError, match=words):
        table().resampled(rows)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.zeros(N), "all 0"),
        (np.full(N, -1.0), "non-negative, but row 0"),
        (np.full(N, np.nan), "non-negative, but row 0"),
        ([0.5, 0.5], f"one weight per row: {N}"),
        (["a", "b"], "weights must be numbers"),
    ],
)
def test_impossible_weights_are_refused(weights, words):
    with pytest.raises(sp.SparsestError, match=words):
        table().resampled(weights=weights)


def test_weights_that_leave_nothing_of_those_of_the_table_are_refused():
    first = np.r_[np.ones(5), np.zeros(N - 5)]
    with pytest.raises(sp.DataError, match="times those of the table, are all 0"):
        replace(table(), weights=first).resampled(weights=1 - first)
