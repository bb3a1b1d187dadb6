import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import expm
from threadpoolctl import threadpool_limits

from bench.tests import notears
from sparsest._core.progress import Watch
from sparsest.acyclicity import TraceExponential
from sparsest.penalties import QuasiMCP
from sparsest.problem import Problem
from sparsest.scores import GaussianScore
from sparsest.solvers.augmented_lagrangian import AugmentedLagrangian
from sparsest.solvers.objective import lagrangian
from sparsest.solvers.owlqn import OWLQN
from sparsest.theory import equivalence_class, minimal_class, theory_limits
from sparsest_bench import catalog, starts, starts_kernel
from sparsest_bench.experiment import ENTRIES, STRUCTURES

LAMBDA = 0.1


def some_matrices(p, width):
    return starts.random_starts(p, 5, width, 0)


def room(structure, B):
    """The arrays of the solver, with B in place."""
    _, covariance = starts.model(structure)
    m, v = starts_kernel.room(covariance)
    p = len(B)
    m[starts_kernel.B, :p, :p] = B
    v[starts_kernel.NEW] = B[~np.eye(p, dtype=bool)]
    return m, v


@pytest.mark.parametrize("structure", ["fork", "diamond"])
@pytest.mark.parametrize("width", [0.01, 0.3, 2.0, 5.0])
def test_h_is_the_trace_exponential_and_its_gradient_that_of_notears(structure, width):
    p = len(starts.model(structure)[0])
    for B in some_matrices(p, width):
        m, _ = room(structure, B)
        power = expm(B * B)
        assert starts_kernel.acyclicity(m, math.inf) == pytest.approx(
            np.trace(power) - p, rel=1e-10, abs=1e-14
        )
        assert m[starts_kernel.H_SLOPE, :p, :p] == pytest.approx(2 * B * power.T, rel=1e-10)


def test_h_of_a_dag_is_exactly_zero():
    weights, _ = starts.model("diamond")
    m, _ = room("diamond", 3 * weights)
    assert starts_kernel.acyclicity(m, math.inf) == 0


@pytest.mark.parametrize("structure", ["fork", "diamond"])
def test_the_likelihood_is_that_of_the_package(structure):
    _, covariance = starts.model(structure)
    p = len(covariance)
    for B in some_matrices(p, 0.2):
        m, _ = room(structure, B)
        expected, slope = GaussianScore(covariance).value_and_grad(B.reshape(-1))
        assert starts_kernel.likelihood(m) == pytest.approx(expected)
        assert m[starts_kernel.NLL_SLOPE, :p, :p].reshape(-1) == pytest.approx(slope)


@pytest.mark.parametrize("structure", ["fork", "diamond"])
def test_the_gradient_is_that_of_the_value_without_the_kinks(structure):
    p = len(starts.model(structure)[0])
    lam, alpha = 0.3, 1.5

    def smooth(m, v):
        value, _ = starts_kernel.objective(p, lam, 0.2, alpha, 1.0, math.inf, m, v)
        return value - lam * np.abs(v[starts_kernel.NEW]).sum()

    for B in some_matrices(p, 1.5):
        m, v = room(structure, B)
        smooth(m, v)
        gradient = v[starts_kernel.NEW_SLOPE].copy()
        for entry, x in enumerate(v[starts_kernel.NEW].copy()):
            values = []
            for moved in (x + 1e-6, x - 1e-6):
                v[starts_kernel.NEW, entry] = moved
                values.append(smooth(m, v))
            v[starts_kernel.NEW, entry] = x
            assert gradient[entry] == pytest.approx((values[0] - values[1]) / 2e-6, rel=1e-4, abs=1e-4)


def problem(structure, delta):
    return Problem(GaussianScore(starts.model(structure)[1]), QuasiMCP(LAMBDA, delta))


@pytest.mark.parametrize("structure", ["fork", "diamond"])
@pytest.mark.parametrize("delta", [0.05, 1.0])
def test_the_objective_is_the_augmented_lagrangian_of_the_package(structure, delta):
    alpha, rho = 1.5, 10.0
    objective = lagrangian(problem(structure, delta), TraceExponential(), alpha, rho)
    p = len(starts.model(structure)[0])
    beside = ~np.eye(p, dtype=bool)
    for B in some_matrices(p, 0.25):
        m, v = room(structure, B)
        value, _ = starts_kernel.objective(p, LAMBDA, delta, alpha, rho, math.inf, m, v)
        smooth, gradient = objective.value_and_grad(B.reshape(-1))
        assert value == pytest.approx(smooth + objective.kinks @ np.abs(B.reshape(-1)), rel=1e-12)
        expected = gradient.reshape(p, p)[beside]
        assert v[starts_kernel.NEW_SLOPE] == pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("structure", ["fork", "diamond"])
def test_from_small_starts_it_ends_where_the_parts_of_the_package_end(structure):
    _, covariance = starts.model(structure)
    delta = 0.5 * theory_limits(covariance).delta_0(starts.SLACK)
    begun = starts.random_starts(len(covariance), 4, 0.3, 0)  # det(I − B) > 0 there
    ours, _ = starts_kernel.solve(covariance, LAMBDA, delta, begun)
    solver, asked = AugmentedLagrangian(inner=OWLQN()), problem(structure, delta)
    with threadpool_limits(1):  # more threads slow matrices of this size down
        parts = np.stack([solver.solve(asked, start, Watch(), "").adjacency for start in begun])
    every = equivalence_class(covariance).weights
    assert starts.nearest(ours, every).max() < 0.1
    assert starts.nearest(parts, every).max() < 0.1
    # Minima of a nonconvex problem: now and then a step of another length leads to the next one.
    assert np.sum(np.abs(ours - parts).max(axis=(1, 2)) < 0.05) >= 2


def test_a_value_is_infinite_only_above_the_most_that_is_asked_for():
    for B in some_matrices(4, 1.5):
        m, v = room("diamond", B)
        value, h = starts_kernel.objective(4, 0.3, 0.2, 1.5, 10.0, math.inf, m, v)
        assert starts_kernel.objective(4, 0.3, 0.2, 1.5, 10.0, value, m, v) == (value, h)
        below = value - 0.5 * abs(value)
        assert starts_kernel.objective(4, 0.3, 0.2, 1.5, 10.0, below, m, v)[0] > below


@pytest.mark.parametrize("structure", list(starts.MODELS))
def test_below_delta_0_every_start_ends_at_a_model_of_the_class(structure):
    weights, covariance = starts.model(structure)
    delta = 0.5 * theory_limits(covariance).delta_0(starts.SLACK)
    begun = starts.random_starts(len(weights), 200, 5.0, 0)
    found, h = starts_kernel.solve(covariance, LAMBDA, delta, begun)
    assert h.max() < 1e-6
    assert h[:9] == pytest.approx([np.trace(expm(B * B)) - len(B) for B in found[:9]], abs=1e-12)
    off = starts.nearest(found, equivalence_class(covariance).weights)
    assert np.mean(off < 0.1) > 0.95


def test_every_start_goes_its_own_way():
    _, covariance = starts.model("fork")
    begun = starts.random_starts(3, 230, 5.0, 0)
    given = begun.copy()
    found, h = starts_kernel.solve(covariance, LAMBDA, 0.1, begun)
    assert (begun == given).all()
    alone, h_alone = starts_kernel.solve(covariance, LAMBDA, 0.1, begun[210:211])
    assert (found[210:211] == alone).all()
    assert h[210] == h_alone[0]


def test_a_start_where_h_overflows_is_left_where_it_is():
    _, covariance = starts.model("fork")
    begun = np.full((1, 3, 3), 40.0) * ~np.eye(3, dtype=bool)
    found, h = starts_kernel.solve(covariance, LAMBDA, 0.1, begun)
    assert (found == begun).all()
    assert h[0] == math.inf


def test_shd_is_minus_one_where_the_estimate_has_a_cycle():
    truth = np.array([[False, True], [False, False]])
    patterns = np.stack([truth, truth.T, truth | truth.T, truth & False])
    assert starts.distances_between_classes(patterns, truth).tolist() == [0, 0, -1, 1]


def test_the_nearest_model_decides_on_the_distance():
    models = np.array([np.zeros((2, 2)), np.ones((2, 2))])
    estimates = np.array([np.full((2, 2), 0.1), np.full((2, 2), 0.8), np.ones((2, 2))])
    assert starts.nearest(estimates, models) == pytest.approx([0.2, 0.4, 0.0])


@pytest.mark.parametrize("name", ["starts", "starts-otherwise"])
def test_lambda_is_below_the_limit_of_the_theorem(name):
    settings = catalog.load(name, "paper").settings
    for structure in settings["structures"]:
        limits = theory_limits(starts.model(structure)[1])
        assert 0.25 * limits.delta_0(starts.SLACK) < limits.delta_max
        for delta in settings["deltas"]:
            assert 2 * limits.c_0 / (delta * limits.delta_0(starts.SLACK)) > max(settings["lams"])


def test_random_entries_are_where_they_are_said_to_be():
    edges = starts.model("fork")[0] != 0
    assert {name: int(where(edges).sum()) for name, where in starts.ENTRIES.items()} == {
        "all": 9,
        "skeleton": 4,
        "edges": 2,
    }
    assert tuple(starts.ENTRIES) == ENTRIES
    assert set(starts.MODELS) == set(STRUCTURES)


def test_starts_on_all_entries_are_the_same_task_with_and_without_other_kinds():
    one = catalog.load("starts", "smoke")
    both = replace(one, settings=one.settings | {"entries": list(ENTRIES)})
    alone, among = starts.plan(one), starts.plan(both)
    assert {task.key for task in alone} < {task.key for task in among}
    assert len({task.key for task in among}) == len(ENTRIES) * len(alone)


def test_from_the_same_starts_it_reaches_the_sparsest_models_as_often_as_scipy():
    _, covariance = starts.model("fork")
    delta = 0.5 * theory_limits(covariance).delta_0(starts.SLACK)
    begun = starts.random_starts(3, 20, 5.0, 0)
    ours, _ = starts_kernel.solve(covariance, LAMBDA, delta, begun)
    theirs = np.stack([notears.solve(covariance, LAMBDA, delta, start) for start in begun])
    sparsest = minimal_class(covariance).weights
    reached = [np.sum(starts.nearest(found, sparsest) < 0.05) for found in (ours, theirs)]
    assert abs(reached[0] - reached[1]) <= 4
    assert 5 <= min(reached) <= max(reached) < 20  # from random starts it often does not
