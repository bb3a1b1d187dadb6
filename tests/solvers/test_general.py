"""Algorithm 1 on scores whose edges own groups of parameters."""

import numpy as np
import pytest

import sparsest as sp
from sparsest.data import TableOptions, checked_table
from sparsest.likelihoods import rows_of
from sparsest.penalties import QuasiMCP
from sparsest.problem import Problem
from sparsest.progress import Watch
from sparsest.solvers import LBFGSB, CentralPath
from sparsest.solvers.kinks import Entries, Groups
from tests.laws import finite_differences

GROUPS = np.array([0, 0, 1, 2, 2, 2, -1])


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


def test_an_inner_solver_that_knows_entries_only_refuses_groups():
    data = np.random.default_rng(0).integers(0, 2, (100, 3)).astype(float)
    rows = rows_of("logistic", checked_table(data, TableOptions(), []))
    problem = Problem(rows.score(), QuasiMCP(0.1, 0.1))
    with pytest.raises(sp.OptionError, match=r"has groups: use OWLQN\(\)"):
        CentralPath(inner=LBFGSB()).solve(problem, rows.score().start, Watch(), "path")
