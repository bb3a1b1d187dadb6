import math
from ast import literal_eval
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.stats import binomtest
from threadpoolctl import threadpool_limits

from sparsest._core.progress import Watch
from sparsest.acyclicity import TraceExponential
from sparsest.penalties import QuasiMCP
from sparsest.problem import Problem
from sparsest.scores import GaussianScore, GaussianWithoutDeterminant
from sparsest.solvers.augmented_lagrangian import AugmentedLagrangian
from sparsest.solvers.objective import lagrangian
from sparsest.solvers.owlqn import OWLQN
from sparsest.theory import equivalence_class, minimal_class, theory_limits
from sparsest_bench import catalog, starts, starts_kernel, starts_models, starts_scipy, starts_tables
from sparsest_bench.experiment import ENTRIES, SOLVERS, STRUCTURES
from sparsest_bench.experiment import SCORES as SCORES_BY_NAME

LAMBDA = 0.1
SCORES = {True: GaussianScore, False: GaussianWithoutDeterminant}
either_score = pytest.mark.parametrize("determinant", list(SCORES))


def some_matrices(p, width):
    return starts.random_starts(p, 5, width, 0)


def room(structure, B):
    """The arrays of the solver, with B in place."""
    _, covariance = starts_models.model(structure)
    m, v = starts_kernel.room(covariance)
    p = len(B)
    m[starts_kernel.B, :p, :p] = B
    v[starts_kernel.NEW] = B[~np.eye(p, dtype=bool)]
    return m, v


@pytest.mark.parametrize("structure", ["fork", "diamond"])
@pytest.mark.parametrize("width", [0.01, 0.3, 2.0, 5.0])
def test_h_is_the_trace_exponential_and_its_gradient_that_of_notears(structure, width):
    p = len(starts_models.model(structure)[0])
    for B in some_matrices(p, width):
        m, _ = room(structure, B)
        power = expm(B * B)
        assert starts_kernel.acyclicity(m, math.inf) == pytest.approx(
            np.trace(power) - p, rel=1e-10, abs=1e-14
        )
        assert m[starts_kernel.H_SLOPE, :p, :p] == pytest.approx(2 * B * power.T, rel=1e-10)


def test_h_of_a_dag_is_exactly_zero():
    weights, _ = starts_models.model("diamond")
    m, _ = room("diamond", 3 * weights)
    assert starts_kernel.acyclicity(m, math.inf) == 0


@either_score
@pytest.mark.parametrize("structure", ["fork", "diamond"])
def test_the_likelihood_is_that_of_the_package(structure, determinant):
    _, covariance = starts_models.model(structure)
    p = len(covariance)
    for B in some_matrices(p, 0.2):
        m, _ = room(structure, B)
        expected, slope = SCORES[determinant](covariance).value_and_grad(B.reshape(-1))
        assert starts_kernel.likelihood(m, determinant) == pytest.approx(expected)
        assert m[starts_kernel.NLL_SLOPE, :p, :p].reshape(-1) == pytest.approx(slope)


@either_score
@pytest.mark.parametrize("structure", ["fork", "diamond"])
def test_the_gradient_is_that_of_the_value_without_the_kinks(structure, determinant):
    p = len(starts_models.model(structure)[0])
    lam, alpha = 0.3, 1.5
    asked = starts_kernel.Asked(p, lam, 0.2, determinant)

    def smooth(m, v):
        value, _ = starts_kernel.objective(asked, alpha, 1.0, math.inf, m, v)
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


def problem(structure, delta, determinant):
    return Problem(SCORES[determinant](starts_models.model(structure)[1]), QuasiMCP(LAMBDA, delta))


@either_score
@pytest.mark.parametrize("structure", ["fork", "diamond"])
@pytest.mark.parametrize("delta", [0.05, 1.0])
def test_the_objective_is_the_augmented_lagrangian_of_the_package(structure, delta, determinant):
    alpha, rho = 1.5, 10.0
    objective = lagrangian(problem(structure, delta, determinant), TraceExponential(), alpha, rho)
    p = len(starts_models.model(structure)[0])
    asked, beside = starts_kernel.Asked(p, LAMBDA, delta, determinant), ~np.eye(p, dtype=bool)
    for B in some_matrices(p, 0.25):
        m, v = room(structure, B)
        value, _ = starts_kernel.objective(asked, alpha, rho, math.inf, m, v)
        smooth, gradient = objective.value_and_grad(B.reshape(-1))
        assert value == pytest.approx(smooth + objective.kinks @ np.abs(B.reshape(-1)), rel=1e-12)
        expected = gradient.reshape(p, p)[beside]
        assert v[starts_kernel.NEW_SLOPE] == pytest.approx(expected, rel=1e-10, abs=1e-12)


@either_score
@pytest.mark.parametrize("structure", ["fork", "diamond"])
def test_from_small_starts_it_ends_where_the_parts_of_the_package_end(structure, determinant):
    _, covariance = starts_models.model(structure)
    delta = 0.5 * theory_limits(covariance).delta_0(starts.SLACK)
    begun = starts.random_starts(len(covariance), 4, 0.3, 0)  # det(I − B) > 0 there
    ours, _ = starts_kernel.solve(covariance, LAMBDA, delta, begun, determinant=determinant)
    solver, asked = AugmentedLagrangian(inner=OWLQN()), problem(structure, delta, determinant)
    with threadpool_limits(1):  # more threads slow matrices of this size down
        parts = np.stack([solver.solve(asked, start, Watch(), "").adjacency for start in begun])
    every = equivalence_class(covariance).weights
    assert starts.nearest(ours, every).max() < 0.1
    assert starts.nearest(parts, every).max() < 0.1
    # Minima of a nonconvex problem: now and then a step of another length leads to the next one.
    assert np.sum(np.abs(ours - parts).max(axis=(1, 2)) < 0.05) >= 2


def test_a_value_is_infinite_only_above_the_most_that_is_asked_for():
    asked = starts_kernel.Asked(4, 0.3, 0.2)
    for B in some_matrices(4, 1.5):
        m, v = room("diamond", B)
        value, h = starts_kernel.objective(asked, 1.5, 10.0, math.inf, m, v)
        assert starts_kernel.objective(asked, 1.5, 10.0, value, m, v) == (value, h)
        below = value - 0.5 * abs(value)
        assert starts_kernel.objective(asked, 1.5, 10.0, below, m, v)[0] > below


@pytest.mark.parametrize("structure", list(starts_models.MODELS))
def test_below_delta_0_every_start_ends_at_a_model_of_the_class(structure):
    weights, covariance = starts_models.model(structure)
    delta = 0.5 * theory_limits(covariance).delta_0(starts.SLACK)
    begun = starts.random_starts(len(weights), 200, 5.0, 0)
    found, h = starts_kernel.solve(covariance, LAMBDA, delta, begun)
    assert h.max() < 1e-6
    assert h[:9] == pytest.approx([np.trace(expm(B * B)) - len(B) for B in found[:9]], abs=1e-12)
    off = starts.nearest(found, equivalence_class(covariance).weights)
    assert np.mean(off < 0.1) > 0.95


def test_every_start_goes_its_own_way():
    _, covariance = starts_models.model("fork")
    begun = starts.random_starts(3, 230, 5.0, 0)
    given = begun.copy()
    found, h = starts_kernel.solve(covariance, LAMBDA, 0.1, begun)
    assert (begun == given).all()
    alone, h_alone = starts_kernel.solve(covariance, LAMBDA, 0.1, begun[210:211])
    assert (found[210:211] == alone).all()
    assert h[210] == h_alone[0]


def test_a_start_where_h_overflows_is_left_where_it_is():
    _, covariance = starts_models.model("fork")
    begun = np.full((1, 3, 3), 40.0) * ~np.eye(3, dtype=bool)
    found, h = starts_kernel.solve(covariance, LAMBDA, 0.1, begun)
    assert (found == begun).all()
    assert h[0] == math.inf


def test_the_solver_of_notears_steps_back_from_where_h_squared_overflows():
    _, covariance = starts_models.matrices(starts_models.drawn("fork", 1000))
    begun = np.full((1, 3, 3), 15.0) * ~np.eye(3, dtype=bool)
    found, _ = starts_scipy.solve(covariance, LAMBDA, 0.1, begun, determinant=False)
    assert np.isfinite(found).all()


def test_shd_is_minus_one_where_the_estimate_has_a_cycle():
    truth = np.array([[False, True], [False, False]])
    patterns = np.stack([truth, truth.T, truth | truth.T, truth & False])
    assert starts.distances_between_classes(patterns, truth).tolist() == [0, 0, -1, 1]


def test_the_nearest_model_decides_on_the_distance():
    models = np.array([np.zeros((2, 2)), np.ones((2, 2))])
    estimates = np.array([np.full((2, 2), 0.1), np.full((2, 2), 0.8), np.ones((2, 2))])
    assert starts.nearest(estimates, models) == pytest.approx([0.2, 0.4, 0.0])


STUDIES = [name for name in catalog.names() if name.startswith("starts")]


@pytest.mark.parametrize("name", STUDIES)
def test_lambda_is_below_the_limit_of_the_theorem_on_every_model(name):
    experiment = catalog.load(name, "paper")
    models = {task.spec["model"] for task in starts.plan(experiment)}
    deltas, lams = experiment.settings["deltas"], experiment.settings["lams"]
    for model in models:
        limits = theory_limits(starts_models.matrices(literal_eval(model))[1])
        assert 2 * limits.c_0 / (max(deltas) * limits.delta_0(starts.SLACK)) > max(lams)
        assert experiment.settings["models"] or 0.25 * limits.delta_0(starts.SLACK) < limits.delta_max


def test_random_entries_are_where_they_are_said_to_be():
    edges = starts_models.model("fork")[0] != 0
    assert {name: int(where(edges).sum()) for name, where in starts.ENTRIES.items()} == {
        "all": 9,
        "skeleton": 4,
        "edges": 2,
    }
    for known, told in (
        (starts.ENTRIES, ENTRIES),
        (starts.SCORES, SCORES_BY_NAME),
        (starts.SOLVERS, SOLVERS),
        (starts_models.MODELS, STRUCTURES),
    ):
        assert set(known) == set(told)


@pytest.mark.parametrize(
    ("factor", "levels"), [("entries", ENTRIES), ("scores", SCORES_BY_NAME), ("solvers", SOLVERS)]
)
def test_a_task_at_the_default_of_a_factor_is_the_same_with_and_without_its_other_levels(factor, levels):
    one = catalog.load("starts-otherwise", "smoke")
    one = replace(one, settings=one.settings | {factor: [levels[0]]})
    every = replace(one, settings=one.settings | {factor: list(levels)})
    alone, among = starts.plan(one), starts.plan(every)
    assert {task.key for task in alone} < {task.key for task in among}
    assert len({task.key for task in among}) == len(levels) * len(alone)


def test_a_drawn_model_is_the_same_for_the_same_number_only_and_has_the_weights_of_the_paper():
    for structure, (edges, variances) in starts_models.MODELS.items():
        models = [starts_models.drawn(structure, number) for number in range(1000, 1050)]
        assert models[7] == starts_models.drawn(structure, 1007)
        assert len(set(map(repr, models))) == len(models)
        weights = np.array([list(weights.values()) for weights, _ in models])
        noise = np.sqrt([variances for _, variances in models])
        assert ([list(w) for w, _ in models], noise.shape[1]) == ([list(edges)] * 50, len(variances))
        assert (np.abs(weights).min() >= 0.5, np.abs(weights).max() <= 1.5) == (True, True)
        assert (noise.min() > 0.0999, noise.max() < 0.7001) == (True, True)
        assert np.abs(weights).mean() == pytest.approx(1.0, abs=0.1)
        assert noise.mean() == pytest.approx(0.4, abs=0.06)
        assert 0.3 < (weights > 0).mean() < 0.7


def test_the_most_alike_are_those_within_reach_of_one_of_them():
    points = np.zeros((6, 2, 2))
    points[:, 0, 1] = [0.0, 1.0, 1.01, 0.01, 1.02, 3.0]
    assert starts.most_alike(points) == 3
    assert starts.most_alike(points[:1]) == 1
    assert starts.most_alike(np.concatenate([points] * 4)) == 12


@pytest.mark.parametrize(("count", "total"), [(0, 40), (17, 40), (40, 40), (1, 3)])
def test_the_interval_of_a_share_is_that_of_wilson(count, total):
    expected = binomtest(count, total).proportion_ci(method="wilson")
    assert starts_tables.wilson(count, total) == pytest.approx((expected.low, expected.high), abs=1e-6)


def below_delta_0(covariance, share):
    return share * theory_limits(covariance).delta_0(starts.SLACK)


def at_sparsest(found, covariance):
    return int(np.sum(starts.nearest(found, minimal_class(covariance).weights) < starts.CLOSE))


@pytest.mark.parametrize(("structure", "determinant"), [("fork", True), ("collider", False)])
def test_from_the_same_starts_it_reaches_the_sparsest_models_as_often_as_scipy(structure, determinant):
    _, covariance = starts_models.model(structure)
    begun = starts.random_starts(3, 20, 5.0, 0)
    reached = [
        at_sparsest(
            solve(covariance, LAMBDA, below_delta_0(covariance, 0.5), begun, determinant=determinant)[0],
            covariance,
        )
        for solve in starts.SOLVERS.values()
    ]
    assert abs(reached[0] - reached[1]) <= 4
    # From random starts it often does not, unless the determinant is left out.
    assert 5 <= min(reached) <= max(reached) < 20 if determinant else min(reached) >= 18


def test_which_end_the_starts_share_without_the_determinant_depends_on_the_solver():
    _, covariance = starts_models.model("fork")
    begun = starts.random_starts(3, 20, 5.0, 0)
    ours, theirs = (
        solve(covariance, LAMBDA, below_delta_0(covariance, 0.9), begun, determinant=False)[0]
        for solve in starts.SOLVERS.values()
    )
    assert min(starts.most_alike(ours), starts.most_alike(theirs)) >= 19
    assert (at_sparsest(ours, covariance), at_sparsest(theirs, covariance)) == (20, 0)
    assert starts.nearest(theirs, equivalence_class(covariance).weights).max() < starts.CLOSE


@pytest.mark.parametrize("structure", list(starts_models.MODELS))
def test_the_first_subproblem_forgets_its_start_without_the_determinant_and_not_with_it(structure):
    weights, covariance = starts_models.model(structure)
    delta, begun = below_delta_0(covariance, 0.9), starts.random_starts(len(weights), 100, 5.0, 0)
    alike = {}
    for determinant in (True, False):
        solve = partial(starts_kernel.solve, covariance, LAMBDA, delta, determinant=determinant)
        alike[determinant] = starts.most_alike(starts.first_ends(solve, begun))
    assert alike[False] == 100
    assert alike[True] < 50


def test_both_solvers_find_the_same_end_of_the_first_subproblem():
    _, covariance = starts_models.model("diamond")
    begun = starts.random_starts(4, 3, 5.0, 0)
    ends = [
        starts.first_ends(partial(solve, covariance, LAMBDA, 0.2, determinant=False), begun)
        for solve in starts.SOLVERS.values()
    ]
    assert starts.most_alike(np.concatenate(ends)) == 6


@either_score
def test_the_ends_of_the_first_subproblem_are_minima_with_rho_one_and_no_multiplier(determinant):
    _, covariance = starts_models.model("fork")
    asked = starts_kernel.Asked(3, LAMBDA, 0.1, determinant)
    solve = partial(starts_kernel.solve, covariance, LAMBDA, 0.1, determinant=determinant)

    def value(B):
        m, v = room("fork", B)
        return starts_kernel.objective(asked, 0.0, 1.0, math.inf, m, v)[0]

    found = starts.first_ends(solve, starts.random_starts(3, 50, 5.0, 0))
    for B, move in zip(found, starts.random_starts(3, 50, 0.01, 1), strict=True):
        assert value(B) <= value(B + move)


def test_without_the_determinant_a_singular_matrix_is_a_start_like_any_other():
    _, covariance = starts_models.model("fork")
    singular = np.array([[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]])
    found, h = starts_kernel.solve(covariance, LAMBDA, 0.1, singular, determinant=False)
    assert h[0] < 1e-6
    assert starts.nearest(found, equivalence_class(covariance).weights)[0] < starts.CLOSE
