import threading
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Lasso

import sparsest as sp
from sparsest._core.progress import Status, Watch
from sparsest.solvers import LBFGSB, OWLQN, Adam

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
SOLVERS = [SHARP, LBFGSB(), Adam(rate=0.01, progress=1e-12, max_steps=20_000)]
PROBLEMS = [
    (Quadratic(np.diag([1.0, 10.0]), np.array([2.0, -5.0]), np.zeros(2)), [0, 0], [2, -0.5]),
    (Quadratic(np.diag([1.0, 10.0]), np.array([2.0, -0.5]), np.ones(2)), [3, 3], [1, 0]),
    (Quadratic(np.eye(2), np.array([2.0, -2.0]), np.ones(2)), [-5, 5], [1, -1]),
    (Barrier(np.zeros(2)), [0.1, 3.0], [1, 1]),
    (Barrier(np.ones(2)), [0.1, 3.0], [0.5, 0.5]),
    (Rosenbrock(np.zeros(2)), [-1.2, 1.0], [1, 1]),
]


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


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: type(solver).__name__)
@pytest.mark.parametrize(("objective", "start", "minimum"), PROBLEMS)
def test_known_minima_are_found(solver, objective, start, minimum):
    start = np.array(start, dtype=float)
    found = solver.minimize(objective, start, Watch())
    assert found.psi == pytest.approx(minimum, abs=2e-2 if isinstance(solver, Adam) else 1e-4)
    total = objective.value_and_grad(found.psi)[0] + objective.kinks @ np.abs(found.psi)
    assert found.value == pytest.approx(total)


@pytest.mark.parametrize("solver", [OWLQN(), LBFGSB()], ids=lambda solver: type(solver).__name__)
def test_an_entry_that_does_not_pay_is_exactly_zero(solver):
    found = solver.minimize(PROBLEMS[1][0], np.array([3.0, 3.0]), Watch())
    assert found.psi[1] == 0


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: type(solver).__name__)
def test_a_start_outside_the_domain_is_refused(solver):
    with pytest.raises(sp.OptionError, match="outside the domain"):
        solver.minimize(Barrier(np.zeros(1)), np.array([-1.0]), Watch())


def test_adam_undoes_a_step_that_leaves_the_domain():
    found = Adam(rate=5.0, max_steps=2000).minimize(Barrier(np.zeros(1)), np.array([1.1]), Watch())
    assert found.psi[0] > 0
    assert np.isfinite(found.value)


def test_a_stationary_start_is_left_at_once():
    found = OWLQN().minimize(Quadratic(np.eye(2), np.full(2, 0.5), np.ones(2)), np.zeros(2), Watch())
    assert (found.steps, found.violation) == (0, 0)


def test_too_few_steps_and_too_little_time_are_told_by_the_status():
    start = np.array([-1.2, 1.0])
    for solver in (OWLQN(max_steps=3), LBFGSB(max_steps=3), Adam(max_steps=3)):
        few = solver.minimize(Rosenbrock(np.zeros(2)), start, Watch())
        assert (few.status, few.steps) == (Status.MAX_STEPS, 3)
        late = solver.minimize(Rosenbrock(np.zeros(2)), start, Watch(time_limit=0))
        assert late.status is Status.TIME_LIMIT
    assert (start == [-1.2, 1.0]).all()


def test_many_variables_reach_the_same_minimum_as_few(monkeypatch):
    def minima():
        starts = [(objective, np.asarray(start, float)) for objective, start, _ in PROBLEMS]
        return [LBFGSB().minimize(objective, start, Watch()).psi.tolist() for objective, start in starts]

    few = minima()
    monkeypatch.setattr("sparsest.solvers.lbfgsb._MANY", 0)
    assert minima() == few


def test_a_stop_does_not_wait_for_a_step_of_scipy(monkeypatch):
    monkeypatch.setattr("sparsest.solvers.lbfgsb._MANY", 0)
    watch, stopped = Watch(time_limit=0.2), threading.Event()

    class Slow(Quadratic):
        def value_and_grad(self, psi):
            if threading.current_thread() is not threading.main_thread():
                stopped.wait(60)
            return super().value_and_grad(psi)

    problem = Slow(np.eye(2), np.ones(2), np.ones(2))
    try:
        found = LBFGSB().minimize(problem, np.ones(2), watch)
        assert (found.status, found.psi.tolist()) == (Status.TIME_LIMIT, [1, 1])
    finally:
        stopped.set()
