import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsest as sp
from sparsest.acyclicity import LogDet, Polynomial, TraceExponential
from tests.laws import finite_differences, random_dag_weights

seeds = st.integers(0, 2**32 - 1)


CONSTRAINTS = [LogDet(1.0), LogDet(1.3), TraceExponential(), Polynomial()]


@pytest.mark.parametrize("constraint", CONSTRAINTS)
@given(seed=seeds, p=st.integers(1, 8))
def test_h_is_zero_on_every_dag(constraint, seed, p):
    weights = random_dag_weights(p, np.random.default_rng(seed))
    h, _ = constraint.value_and_grad(weights**2)
    assert h == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("constraint", CONSTRAINTS)
@given(seed=seeds, p=st.integers(2, 6))
def test_h_is_positive_where_there_is_a_cycle_inside_the_domain(constraint, seed, p):
    squares = np.random.default_rng(seed).uniform(0, 1, (p, p)) * (1 - np.eye(p))
    squares *= 0.9 / np.abs(np.linalg.eigvals(squares)).max()
    h, _ = constraint.value_and_grad(squares)
    assert h > 1e-6


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_gradient_agrees_with_finite_differences(constraint):
    squares = np.random.default_rng(0).uniform(0, 0.2, (5, 5))
    _, gradient = constraint.value_and_grad(squares)
    expected = finite_differences(lambda x: constraint.value_and_grad(x)[0], squares)
    assert gradient == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("constraint", [TraceExponential(), Polynomial()])
def test_weights_beyond_reason_are_outside_the_domain_and_warn_nobody(constraint):
    assert constraint.value_and_grad(np.full((200, 200), 1e4)) is None


@given(seed=seeds, p=st.integers(2, 6), radius=st.floats(1.01, 30))
def test_outside_the_domain_there_is_no_value(seed, p, radius):
    # Beyond the first pole the determinant may be positive again: the sign alone would not do.
    squares = np.random.default_rng(seed).uniform(0.01, 1, (p, p))
    squares *= radius / np.abs(np.linalg.eigvals(squares)).max()
    assert LogDet(1.0).value_and_grad(squares) is None


def test_two_poles_crossed_is_still_outside():
    squares = np.kron(np.eye(2), np.array([[0.0, 3.0], [3.0, 0.0]]))
    assert np.linalg.det(np.eye(4) - squares) > 0
    assert LogDet(1.0).value_and_grad(squares) is None


@pytest.mark.parametrize("s", [0, -1, math.nan, math.inf])
def test_s_must_be_positive(s):
    with pytest.raises(sp.OptionError, match="s > 0"):
        LogDet(s)
