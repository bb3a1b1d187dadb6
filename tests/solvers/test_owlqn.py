from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Lasso

import sparsest as sp
from sparsest.progress import Status, Watch
from sparsest.solvers import OWLQN

seeds = st.integers(0, 2**32 - 1)


@dataclass
class Quadratic:
    """½ xᵀAx − bᵀx + Σ kinks |x|."""

    A: np.ndarray
    b: np.ndarray
    kinks: np.ndarray

    def value_and_grad(self, psi):
        return 0.5 * psi @ self.A @ psi - self.b @ psi, self.A @ psi - self.b


@dataclass
class Barrier:
    """x − log x, defined for x > 0 only, with minimum 1 at x = 1."""

    kinks: np.ndarray

    def value_and_grad(self, psi):
        if (psi <= 0).any():
            return None
        return float((psi - np.log(psi)).sum()), 1 - 1 / psi


@dataclass
class Rosenbrock:
    kinks: np.ndarray

    def value_and_grad(self, psi):
        x, y = psi
        value = (1 - x) ** 2 + 100 * (y - x**2) ** 2
        return value, np.array([-2 * (1 - x) - 400 * x * (y - x**2), 200 * (y - x**2)])


SHARP = OWLQN(tolerance=1e-9, progress=1e-16)


@given(seed=seeds, lam=st.floats(0.01, 1.0))
@settings(deadline=None, max_examples=50)
def test_the_lasso_of_scikit_learn_is_found(seed, lam):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 8)), rng.normal(size=60)
    objective = Quadratic(X.T @ X / 60, X.T @ y / 60, np.full(8, lam))
    found = SHARP.minimize(objective, np.zeros(8), Watch())
    expected = Lasso(alpha=lam, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(X, y).coef_
    assert found.psi == pytest.approx(expected, abs=1e-6)
    assert ((found.psi == 0) == (expected == 0)).all()  # zeros are exact, not small


def test_without_kinks_a_curved_valley_is_followed_to_its_end():
    found = SHARP.minimize(Rosenbrock(np.zeros(2)), np.array([-1.2, 1.0]), Watch())
    assert found.psi == pytest.approx([1, 1], abs=1e-5)
    assert found.status is Status.CONVERGED


def test_a_start_beyond_the_kink_crosses_it():
    found = SHARP.minimize(
        Quadratic(np.eye(2), np.array([2.0, -2.0]), np.ones(2)), np.array([-5.0, 5.0]), Watch()
    )
    assert found.psi == pytest.approx([1, -1], abs=1e-8)


def test_steps_never_leave_the_domain():
    found = SHARP.minimize(Barrier(np.zeros(3)), np.array([1e-3, 5.0, 100.0]), Watch())
    assert found.psi == pytest.approx(np.ones(3), abs=1e-6)


def test_a_start_outside_the_domain_is_refused():
    with pytest.raises(sp.OptionError, match="outside the domain"):
        OWLQN().minimize(Barrier(np.zeros(1)), np.array([-1.0]), Watch())


def test_a_stationary_start_is_left_at_once():
    found = OWLQN().minimize(Quadratic(np.eye(2), np.full(2, 0.5), np.ones(2)), np.zeros(2), Watch())
    assert (found.steps, found.violation) == (0, 0)


def test_too_few_steps_and_too_little_time_are_told_by_the_status():
    start = np.array([-1.2, 1.0])
    few = OWLQN(max_steps=3).minimize(Rosenbrock(np.zeros(2)), start, Watch())
    assert (few.status, few.steps) == (Status.MAX_STEPS, 3)
    late = OWLQN().minimize(Rosenbrock(np.zeros(2)), start, Watch(time_limit=0))
    assert late.status is Status.TIME_LIMIT
    assert (start == [-1.2, 1.0]).all()
