"""Algorithm 1 on scores whose edges own groups of parameters."""

import numpy as np
import pytest

import sparsest as sp
from sparsest._core.progress import Watch
from sparsest.acyclicity import LogDet, TraceExponential
from sparsest.data import Source, TableOptions
from sparsest.models.choosing import chosen_model
from sparsest.penalties import QuasiMCP
from sparsest.problem import Problem
from sparsest.solvers import GENERAL_METHODS, LBFGSB, CentralPath
from sparsest.solvers.kinks import Entries, Groups
from sparsest.solvers.objective import barrier, lagrangian
from tests.laws import finite_differences

GROUPS = np.array([0, 0, 1, 2, 2, 2, -1])


def score_of(model, data):
    prepared = chosen_model(model, "auto").prepare(Source(data, TableOptions(), Watch()), 0)
    return prepared.score(GENERAL_METHODS["differentiable"], "auto")[0]


def test_groups_of_one_are_entries():
    rng = np.random.default_rng(0)
    weights = np.array([0.5, 0.0, 2.0, 1.0])
    psi, gradient, direction = rng.normal(size=(3, 4)) * [[1, 1, 0, 1], [1] * 4, [1] * 4]
    entries, groups = Entries(weights), Groups(weights, np.arange(4))
    assert groups.value(psi) == pytest.approx(entries.value(psi))
    least = entries.subgradient(psi, gradient)
    assert groups.subgradient(psi, gradient) == pytest.approx(least)
    first, second = direction.copy(), direction.copy()
    entries.align(first, least)
    groups.align(second, least)
    assert (first == second).all()
    moved = psi + direction
    first, second = moved.copy(), moved.copy()
    entries.stop(first, entries.facing(psi, least))
    groups.stop(second, groups.facing(psi, least))
    assert (first == second).all()


def test_the_least_subgradient_of_a_group_at_zero_is_shortened_by_its_weight():
    kinks = Groups(np.array([5.0, 1.0, 1.0]), GROUPS)
    gradient = np.array([3.0, 4.0, 2.0, 0.0, 0.6, 0.8, 7.0])
    least = kinks.subgradient(np.zeros(7), gradient)
    assert least == pytest.approx([0, 0, 1.0, 0, 0, 0, 7.0])


def test_the_subgradient_away_from_zero_is_the_gradient_of_the_norms():
    kinks = Groups(np.array([5.0, 1.0, 0.5]), GROUPS)
    psi = np.random.default_rng(1).normal(size=7)
    assert kinks.subgradient(psi, np.zeros(7)) == pytest.approx(
        finite_differences(kinks.value, psi), abs=1e-6
    )


@pytest.mark.parametrize("solver", ["differentiable", "logll-dagma", "logll-notears"])
def test_logistic_models_are_solved_on_the_same_paths(solver):
    rng = np.random.default_rng(2)
    dag = np.zeros((4, 4))
    dag[0, 1] = dag[1, 2] = 2.0
    data = sp.simulate.logistic(dag, 1500, rng).data
    best = sp.fit(data, model="logistic", solver="exact")
    found = sp.fit(data, model="logistic", solver=solver)
    assert sp.graph.is_dag(found.dag.to_numpy())
    assert found.objective >= best.objective - 1e-6
    assert found.objective <= best.objective + 0.02
    assert sp.graph.cpdag_shd(found.dag.to_numpy(), (dag != 0).astype(int)) <= 1


@pytest.mark.parametrize("solver", ["differentiable", "logll-dagma", "logll-notears"])
def test_weak_effects_on_binary_columns_are_not_penalised_away(solver):
    """With λ and δ of the linear methods the gap is 0.0047: edges that vanish in a first round stay away."""
    rng = np.random.default_rng(0)
    weights = sp.simulate.random_weights(sp.simulate.random_dag(7, 2, "ER", rng), rng)
    data = sp.simulate.logistic(weights, 4000, rng).data
    best = sp.fit(data, model="logistic", solver="exact")
    found = sp.fit(data, model="logistic", solver=solver)
    assert best.objective - 1e-6 <= found.objective <= best.objective + 0.002


def test_an_inner_solver_that_knows_entries_only_refuses_groups():
    data = np.random.default_rng(0).integers(0, 2, (100, 3)).astype(float)
    score = score_of("logistic", data)
    problem = Problem(score, QuasiMCP(0.1, 0.1))
    with pytest.raises(sp.OptionError, match=r"has groups: use OWLQN\(\)"):
        CentralPath(inner=LBFGSB()).solve(problem, score.start, Watch(), "path")


def counts(n, seed=2):
    """0 -> 1 -> 2 with 3 alone, all counts."""
    weights = np.zeros((4, 4))
    weights[0, 1] = weights[1, 2] = -0.4
    return weights != 0, sp.simulate.poisson(weights, n, np.random.default_rng(seed), rates=(2, 4)).data


def poisson_score(n=80):
    return score_of("poisson", counts(n)[1])


@pytest.mark.parametrize("constraint", [LogDet(), TraceExponential()], ids=lambda each: type(each).__name__)
def test_the_soft_objective_of_counts_has_the_gradient_of_finite_differences(constraint):
    score = poisson_score()
    psi = score.start + 0.1 * np.random.default_rng(0).normal(size=score.start.size)
    psi[:16] *= (1 - np.eye(4)).reshape(-1)
    problem = Problem(score, QuasiMCP(0.1, 0.4))
    for objective in (barrier(problem, constraint, 0.1), lagrangian(problem, constraint, 0.5, 3.0)):
        gradient = objective.value_and_grad(psi)[1]
        expected = finite_differences(lambda point, of=objective: of.value_and_grad(point)[0], psi)
        moving = np.append((1 - np.eye(4)).reshape(-1), np.ones(4)) == 1
        assert gradient[moving] == pytest.approx(expected[moving], abs=1e-6)
        assert (gradient[~moving] == 0).all()


def test_far_out_the_soft_objective_of_counts_is_finite_and_large():
    score = poisson_score()
    near, far = (score.value_and_grad(score.start + step)[0] for step in (0.0, 20.0))
    assert np.isfinite(far)
    assert far > near
    assert np.isfinite(score.value_and_grad(score.start + 20.0)[1]).all()


@pytest.mark.parametrize("solver", ["differentiable", "logll-dagma", "logll-notears"])
def test_counts_are_solved_on_the_same_paths(solver):
    truth, data = counts(1500)
    best = sp.fit(data, model="poisson", solver="exact")
    found = sp.fit(data, model="poisson", solver=solver)
    assert found.evidence.graph_from == "score"
    assert best.objective - 1e-6 <= found.objective <= best.objective + 0.02
    assert sp.graph.cpdag_shd(found.dag.to_numpy(), truth.astype(int)) <= 1
