"""Laws of the mergeable mean and covariance."""

import copy
import math
import pickle
import tracemalloc
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sparsest._core.errors import DataError
from sparsest.data import Moments, require_usable
from sparsest.data.moments import running as module

deterministic = settings(derandomize=True, deadline=None, max_examples=60)


def table(n=50, p=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + rng.normal(size=p)


def assert_same(a, b, X):
    """Equal up to rounding on the scale of the data."""
    size = np.abs(X).max() + 1e-3
    assert a.n == b.n
    assert a.names == b.names
    np.testing.assert_allclose(a.mean, b.mean, rtol=0, atol=1e-14 * size * len(X))
    np.testing.assert_allclose(a.covariance, b.covariance, rtol=0, atol=1e-14 * size**2 * len(X))


@given(
    st.integers(2, 40).flatmap(
        lambda n: arrays(np.float64, (n, 3), elements=st.floats(-1e3, 1e3, allow_subnormal=False))
    )
)
@deterministic
def test_moments_are_the_plain_formulas(X):
    X = np.where(np.abs(X) < 1e-6, 0, X)  # away from underflow, which has a test of its own
    moments = Moments.from_array(X)
    centred = X - X.mean(axis=0)
    np.testing.assert_allclose(moments.mean, X.mean(axis=0), atol=1e-10)
    np.testing.assert_allclose(moments.covariance, centred.T @ centred / len(X), atol=1e-8)


@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.integers(2, 30), st.floats(-1e6, 1e6))
@deterministic
def test_joining_two_parts_gives_the_numbers_of_one_pass(seed, n, m, jump):
    rng = np.random.default_rng(seed)
    top, bottom = rng.normal(size=(n, 3)), rng.normal(size=(m, 3)) + jump
    X = np.vstack([top, bottom])
    assert_same(Moments.from_array(top) + Moments.from_array(bottom), Moments.from_array(X), X)


@given(st.integers(0, 2**32 - 1))
@deterministic
def test_merging_is_commutative_and_associative(seed):
    rng = np.random.default_rng(seed)
    parts = [rng.normal(size=(rng.integers(2, 20), 3)) + 100 * rng.normal(size=3) for _ in range(3)]
    a, b, c = map(Moments.from_array, parts)
    X = np.vstack(parts)
    assert_same(a + b, b + a, X)
    assert_same((a + b) + c, a + (b + c), X)


def test_a_column_with_mean_1e9_and_sd_1_is_right_to_1e_6():
    rng = np.random.default_rng(0)
    X = 1e9 + rng.normal(size=(100_000, 2))
    X[:, 1] = X[:, 0]
    exact = X - 1e9  # subtraction of neighbours is exact
    moments = Moments.from_array(X)
    np.testing.assert_allclose(moments.covariance, exact.var(axis=0)[0], rtol=1e-12)
    np.testing.assert_allclose(moments.mean - 1e9, exact.mean(axis=0), atol=1e-6)
    parts = [Moments.from_array(part) for part in np.array_split(X, 100)]
    merged = parts[0]
    for part in parts[1:]:
        merged = merged + part
    np.testing.assert_allclose(merged.covariance, moments.covariance, rtol=1e-6)


def test_a_first_row_far_from_the_others_costs_no_digits():
    X = table(2000)
    X[0] = 1e7
    np.testing.assert_allclose(Moments.from_array(X).covariance, np.cov(X.T, bias=True), rtol=1e-12)


@pytest.mark.parametrize("chunk", [1, 1024, 10**9])
def test_chunks_do_not_change_the_numbers(monkeypatch, chunk):
    X = table(3000)
    monkeypatch.setattr(module, "_CHUNK", chunk)
    np.testing.assert_allclose(Moments.from_array(X).covariance, np.cov(X.T, bias=True), rtol=1e-12)


def test_no_second_copy_of_a_large_array_is_made():
    X = np.random.default_rng(0).normal(size=(600_000, 10))  # 48 MB
    tracemalloc.start()
    Moments.from_array(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < X.nbytes / 2


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.uint64, np.float16, np.float32, np.longdouble])
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_real_dtype_and_order_gives_the_same_moments(dtype, order):
    X = np.random.default_rng(0).integers(0, 2, size=(40, 3))
    moments = Moments.from_array(np.array(X, dtype=dtype, order=order))
    np.testing.assert_allclose(moments.covariance, np.cov(X.T, bias=True), atol=1e-14)


@pytest.mark.parametrize("value", [0.1, 1e9 + 0.1, -3.3e-7])
def test_a_constant_column_has_variance_exactly_0(value):
    X = table(5000)
    X[:, 2] = value
    moments = Moments.from_array(X)
    assert moments.covariance[2].tolist() == [0] * 4
    assert moments.mean[2] == value


def test_the_callers_arrays_are_untouched_and_not_shared():
    X = table()
    before = X.copy()
    covariance, mean = np.cov(X.T, bias=True), X.mean(axis=0)
    kept = covariance.copy()
    Moments.from_array(X)
    moments = Moments(covariance, 50, mean)
    assert np.array_equal(X, before)
    covariance[:], mean[:] = 7, 7
    np.testing.assert_array_equal(moments.covariance, kept)
    assert (moments.mean != 7).all()


def test_moments_are_frozen():
    moments = Moments.from_array(table())
    for same in (moments, pickle.loads(pickle.dumps(moments)), copy.deepcopy(moments)):
        assert_same(same, moments, table())
        with pytest.raises(FrozenInstanceError):
            same.n = 3
        for array in (same.covariance, same.mean):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1


def test_scales_and_correlation():
    X = table()
    moments = Moments.from_array(X)
    assert moments.p == 4
    np.testing.assert_allclose(moments.scales, X.std(axis=0))
    np.testing.assert_allclose(moments.correlation(), np.corrcoef(X.T), atol=1e-14)
    assert (np.diag(moments.correlation()) == 1).all()


def test_rescaled_moments_are_the_moments_of_the_rescaled_table():
    X, factors = table(), np.array([1000, 0.1, -1, 3])
    rescaled = Moments.from_array(X).rescaled(factors)
    np.testing.assert_allclose(rescaled.covariance, Moments.from_array(X * factors).covariance, rtol=1e-10)
    np.testing.assert_allclose(rescaled.mean, (X * factors).mean(axis=0))


def test_standardized_moments_do_not_depend_on_units():
    moments = Moments.from_array(table(), names=list("abcd"))
    plain, other = moments.standardized(), moments.rescaled([1e6, 1e-6, 2, 3]).standardized()
    np.testing.assert_allclose(plain.covariance, moments.correlation())
    np.testing.assert_allclose(plain.covariance, other.covariance, atol=1e-14)
    assert plain.mean.tolist() == [0] * 4
    assert plain.names == tuple("abcd")
    assert plain.n == 50


def test_a_correlation_survives_extreme_units():
    moments = Moments([[1e-300, 5e-301], [5e-301, 1e-300]], 10)
    np.testing.assert_allclose(moments.correlation(), [[1, 0.5], [0.5, 1]])


def test_a_population_has_infinite_n_and_may_lack_a_mean():
    population = Moments(np.eye(2), math.inf)
    assert population.n == math.inf
    assert population.mean is None
    assert population.standardized().mean is None
    assert population.rescaled([2, 3]).mean is None


def test_names_default_to_x0_and_follow_a_data_frame():
    assert Moments(np.eye(2), 5).names == ("x0", "x1")
    assert Moments(np.eye(2), 5, names=["a", 7]).names == ("a", "7")
    frame = pd.DataFrame(table(), columns=list("abcd"))
    assert Moments(frame.cov(), 50).names == tuple("abcd")
    assert Moments(pl.DataFrame({"u": [1.0, 0.0], "v": [0.0, 1.0]}), 50).names == ("u", "v")


def test_rounding_in_a_covariance_is_forgiven():
    X = table(p=6)[:, [0, 1, 2, 3, 0, 1]]  # singular
    covariance = np.cov(X.T, bias=True)
    covariance[0, 1] *= 1 + 1e-12
    moments = Moments(covariance, 50)
    assert np.array_equal(moments.covariance, moments.covariance.T)


def test_a_repr_is_short():
    text = repr(Moments(np.eye(100), 5))
    assert text == "Moments(p=100, n=5, names=['x0', 'x1', 'x2', 'x3', 'x4' and 95 more])"


def test_constant_columns_are_refused_where_usable_moments_are_required():
    require_usable(Moments(np.eye(2), 5))
    constant = Moments(np.diag([1.0, 0.0, 0.0]), 5, names=["a", "age", "b"])
    for need in (require_usable, Moments.correlation, Moments.standardized):
        with pytest.raises(DataError, match=r"columns 'age', 'b' are constant .*drop_constant=True"):
            need(constant)


NAN, INF = math.nan, math.inf
BAD_COVARIANCES = [
    (np.ones((2, 3)), r"square, this one has shape \(2, 3\): .* Moments.from_array"),
    (np.ones(4), r"square, this one has shape \(4,\)"),
    (np.empty((0, 0)), "empty"),
    (
        [[1, 0.5], [0.25, 1]],
        "not symmetric: the covariance of 'a' and 'b' is 0.5 in row 0, column 1 but 0.25 in",
    ),
    ([[1e-9, 1e-9], [9e-10, 1e-9]], "not symmetric: the covariance of 'a' and 'b' is 1e-09"),
    ([[1, 2], [2, 1]], "not positive semidefinite: the smallest eigenvalue of its correlation matrix is -1"),
    ([[1e-6, 2e-6], [2e-6, 1e-6]], "smallest eigenvalue of its correlation matrix is -1"),
    ([[1, 0], [0, -2]], "column 'b' has variance -2"),
    ([[1, 0.5], [0.5, 0]], "column 'b' has variance 0 but covariance 0.5 with 'a'"),
    ([[1, NAN], [NAN, 1]], r"'a' and 'b' \(row 0, column 1\) is nan"),
    ([[1, 0], [0, INF]], r"'b' and 'b' \(row 1, column 1\) is inf"),
    ([["x", "y"], ["z", "w"]], "numbers only"),
    ([[1, 2], [3]], "numbers only"),
    ([[1, 1j], [-1j, 1]], "Complex data not supported"),
]


@pytest.mark.parametrize(("covariance", "words"), BAD_COVARIANCES)
def test_what_is_no_covariance_is_refused(covariance, words):
    size = len(np.atleast_1d(np.asarray(covariance, dtype=object)))
    with pytest.raises(DataError, match=words):
        Moments(covariance, 10, names=list("abcd")[:size])


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"n": 1}, "n must be at least 2"),
        ({"n": 0}, "n must be at least 2"),
        ({"n": -INF}, "n must be at least 2"),
        ({"n": NAN}, "n must be the number of rows"),
        ({"n": "100"}, "n must be the number of rows .*got '100'"),
        ({"n": None}, "n must be the number of rows"),
        ({"n": True}, "n must be the number of rows"),
        ({"names": ["a", "a"]}, "several columns are named 'a'"),
        ({"names": ["a"]}, "1 names for 2 columns"),
        ({"names": "ab"}, "names must be a list"),
        ({"names": ["a", " "]}, "column 1 .* has no name"),
        ({"mean": [1]}, r"mean must be 2 numbers, one per column, got shape \(1,\)"),
        ({"mean": [1, NAN]}, "mean of column 'x1' is nan"),
    ],
)
def test_impossible_arguments_are_refused(keywords, words):
    with pytest.raises(DataError, match=words):
        Moments(np.eye(2), **{"n": 10, **keywords})


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([1, 2, 3], "Expected 2D array, got 1D array instead"),
        (np.ones((5, 0)), r"0 feature\(s\)"),
        (np.ones((1, 2)), r"1 sample\(s\)"),
        ([[1, 2], [3, NAN]], r"column 'b' has NaN in 1 of 2 rows, first in row 1"),
        ([[-INF, 2], [3, 4]], r"column 'a' has inf in 1 of 2 rows, first in row 0"),
        ([[1, 1e200], [2, 0]], "column 'b' are too large to square: change its units"),
        ([[1, 1e-200], [2, 0]], "column 'b' vary too little to square: change its units"),
        (np.ones((2, 2)) * 1j, "Complex data not supported"),
        ([["u", "v"], ["w", "x"]], "array of numbers"),
    ],
)
def test_tables_without_moments_are_refused(X, words):
    with pytest.raises(DataError, match=words):
        Moments.from_array(X, names=["a", "b"] if np.shape(X)[-1] == 2 else None)


def test_what_cannot_be_merged_is_refused():
    ours = Moments(np.eye(2), 5, [0, 0], ["a", "b"])
    for theirs, words in [
        (Moments(np.eye(2), 5, [0, 0], ["a", "c"]), "same columns in the same order .*'b' is not 'c'"),
        (Moments(np.eye(1), 5, [0], ["a"]), "same columns in the same order .*2 is not 1"),
        (Moments(np.eye(2), INF, [0, 0], ["a", "b"]), "population"),
        (Moments(np.eye(2), 5, None, ["a", "b"]), "needs the means"),
    ]:
        for first, second in ((ours, theirs), (theirs, ours)):
            with pytest.raises(DataError, match=words if first is ours else None):
                first.merge(second)
    with pytest.raises(TypeError):
        ours + 1


@pytest.mark.parametrize(
    ("scales", "words"),
    [([1], r"2 numbers, .* shape \(1,\)"), ([1, 0], "'x1' .* by 0"), ([NAN, 1], "'x0' .* by nan")],
)
def test_impossible_scales_are_refused(scales, words):
    with pytest.raises(DataError, match=words):
        Moments(np.eye(2), 5).rescaled(scales)
