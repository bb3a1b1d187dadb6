"""Standardised columns."""

import numpy as np
import pytest

from sparsest._core.errors import DataError
from sparsest.data import standardize


def test_columns_have_mean_0_and_sd_1_with_n_minus_1():
    X = np.random.default_rng(0).normal(3, 5, size=(30, 4))
    Z = standardize(X)
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-14)
    np.testing.assert_allclose(Z.std(axis=0, ddof=1), 1)


def test_the_callers_array_is_untouched():
    X = np.random.default_rng(0).normal(size=(10, 2))
    before = X.copy()
    standardize(X)
    assert np.array_equal(X, before)


def test_units_and_origin_do_not_matter():
    X = np.random.default_rng(0).normal(size=(30, 3))
    np.testing.assert_allclose(standardize(X * [1e3, 0.1, 7] + 5), standardize(X), atol=1e-11)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([[1, 41], [2, 41]], r"column 'x1' is constant \(all 41\)"),
        ([[1, np.nan], [2, 3]], "column 'x1' has NaN"),
        ([1, 2], "Expected 2D array"),
    ],
)
def test_what_cannot_be_standardised_is_refused(X, words):
    with pytest.raises(DataError, match=words):
        standardize(X)
