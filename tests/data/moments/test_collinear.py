"""Linear dependence is found and named."""

import numpy as np
import pytest

from sparsest._core.errors import DataError
from sparsest.data import Moments, collinear


def groups(columns, names="abcdefgh"):
    X = np.column_stack(columns)
    return collinear(Moments.from_array(X, names=list(names[: X.shape[1]])))


@pytest.fixture
def noise():
    return np.random.default_rng(0).normal(size=(8, 500))


def test_independent_columns_form_no_group(noise):
    assert groups(noise) == []


def test_duplicates_and_changes_of_units_are_one_group(noise):
    a, b = noise[:2]
    assert groups([a, b, 1.8 * a + 32, -a]) == [("a", "c", "d")]


def test_a_sum_is_grouped_with_its_terms_and_nothing_else(noise):
    a, b, c, d = noise[:4]
    assert groups([a, b, a + b, c, d]) == [("a", "b", "c")]


def test_separate_dependencies_are_separate_groups(noise):
    a, b, c, d = noise[:4]
    assert groups([a, b, c, d, b, c - d]) == [("b", "e"), ("c", "d", "f")]


def test_dependencies_that_share_a_column_are_one_group(noise):
    a, b, c = noise[:3]
    assert groups([a, b, c, a + b, b + c]) == [("a", "b", "c", "d", "e")]


@pytest.mark.parametrize("factor", [1e-12, 1.0, 1e12])
def test_units_do_not_matter(noise, factor):
    a, b, c = noise[:3]
    assert groups([factor * a, b, a + 2 * b, c]) == [("a", "b", "c")]


@pytest.mark.parametrize(("spread", "found"), [(1e-7, [("a", "b")]), (1e-3, [])])
def test_near_dependence_counts_up_to_the_tolerance(noise, spread, found):
    a, b, c = noise[:3]
    assert groups([a, a + spread * b, c]) == found


def test_with_no_more_rows_than_columns_everything_depends_on_everything():
    X = np.random.default_rng(0).normal(size=(5, 8))
    assert collinear(Moments.from_array(X)) == [tuple(f"x{j}" for j in range(8))]


def test_constant_columns_are_refused():
    with pytest.raises(DataError, match="'x1' is constant"):
        collinear(Moments(np.diag([1.0, 0.0]), 5))
