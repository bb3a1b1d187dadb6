from dataclasses import replace

import numpy as np
import pytest

import sparsest as sp
from sparsest.acyclicity import LogDet, Polynomial, TraceExponential
from sparsest.penalties import L0, L1, MCP, SCAD, QuasiMCP
from sparsest.problem import Problem
from sparsest.scores import EqualVarianceScore, GaussianScore, LeastSquares
from sparsest.solvers.objective import barrier, lagrangian, softened
from tests.laws import finite_differences, random_covariance

COUPLINGS = [
    lambda problem, constraint: barrier(problem, constraint, 0.1),
    lambda problem, constraint: lagrangian(problem, constraint, 0.7, 10.0),
    lambda problem, constraint: softened(problem, constraint, 5.0),
]


def edge(i, j, p=3):
    mask = np.zeros((p, p), dtype=bool)
    mask[i, j] = True
    return mask


@pytest.mark.parametrize("make", [GaussianScore, EqualVarianceScore, LeastSquares])
@pytest.mark.parametrize("penalty", [L1(0.3), QuasiMCP(0.4, 0.2), MCP(0.3, 5.0), SCAD(0.1, 3.0)])
@pytest.mark.parametrize("constraint", [LogDet(1.0), TraceExponential(), Polynomial()])
@pytest.mark.parametrize("couple", COUPLINGS)
def test_the_gradient_of_every_sum_agrees_with_finite_differences(make, penalty, constraint, couple):
    rng = np.random.default_rng(0)
    unpenalised = np.zeros((4, 4), dtype=bool)
    unpenalised[0, 2] = True
    problem = Problem(make(random_covariance(4, rng)), penalty, unpenalised=unpenalised)
    objective = couple(problem, constraint)
    psi = (rng.uniform(-0.4, 0.4, (4, 4)) * (1 - np.eye(4))).reshape(-1)
    inside = ~np.eye(4, dtype=bool).reshape(-1)
    _, gradient = objective.value_and_grad(psi)
    expected = finite_differences(lambda x: objective.value_and_grad(x)[0], psi)
    assert gradient[inside] == pytest.approx(expected[inside], abs=1e-6)
    assert (gradient[~inside] == 0).all()


def test_the_smooth_part_and_the_kinks_add_up_to_the_objective():
    rng = np.random.default_rng(1)
    problem = Problem(GaussianScore(random_covariance(4, rng)), QuasiMCP(0.4, 0.2))
    psi = (rng.uniform(-0.4, 0.4, (4, 4)) * (1 - np.eye(4))).reshape(-1)
    objective = barrier(problem, LogDet(1.0), 0.5)
    total = objective.value_and_grad(psi)[0] + objective.kinks @ np.abs(psi)
    assert total == pytest.approx(problem.value(psi) + problem.h(psi, LogDet(1.0)) / 0.5)


def test_entries_that_are_not_allowed_have_no_gradient_and_no_kink():
    objective = barrier(Problem(GaussianScore(np.eye(3)), L1(0.1), edge(0, 1)), LogDet(1.0), 1.0)
    _, gradient = objective.value_and_grad(np.full(9, 0.1))
    assert np.flatnonzero(gradient).tolist() == [1]
    assert np.flatnonzero(objective.kinks).tolist() == [1]


def test_outside_the_domain_of_score_or_constraint_there_is_no_value():
    problem = Problem(GaussianScore(np.eye(2)), L1(0.1))
    cycle = np.array([0.0, 1.5, -1.5, 0.0])  # det(I − B) > 0, but B∘B has spectral radius 2.25
    assert np.isfinite(problem.nll(cycle))
    assert barrier(problem, LogDet(1.0), 1.0).value_and_grad(cycle) is None
    assert problem.h(cycle, LogDet(1.0)) == np.inf
    assert problem.nll(np.array([0.0, 2.0, 2.0, 0.0])) == np.inf


def test_a_mask_of_the_wrong_shape_is_refused():
    with pytest.raises(sp.OptionError, match=r"allowed must be a \(3, 3\) matrix"):
        Problem(GaussianScore(np.eye(3)), L0(1.0), np.ones((2, 2), dtype=bool))


def test_a_differentiable_solver_refuses_a_penalty_it_cannot_differentiate():
    with pytest.raises(sp.OptionError, match=r"needs a soft penalty, not L0"):
        barrier(Problem(GaussianScore(np.eye(3)), L0(1.0)), LogDet(1.0), 1.0)


def test_an_unpenalised_entry_has_no_kink_and_costs_nothing():
    problem = Problem(GaussianScore(np.eye(3)), L1(0.1), unpenalised=edge(0, 1))
    assert (barrier(problem, LogDet(1.0), 1.0).kinks == 0).sum() == 4  # the diagonal and the entry
    psi = np.zeros(9)
    psi[1] = 0.5
    assert problem.value(psi) == pytest.approx(problem.nll(psi))


def test_masks_that_contradict_are_refused_by_edge():
    with pytest.raises(sp.OptionError, match=r"'x1' -> 'x2' is not allowed"):
        Problem(GaussianScore(np.eye(3)), L1(0.1), ~edge(1, 2), unpenalised=edge(1, 2))


def test_a_required_edge_is_not_penalised_and_rules_out_what_would_close_a_cycle():
    problem = Problem(GaussianScore(np.eye(3)), L1(0.1), required=edge(0, 1) | edge(1, 2))
    assert (barrier(problem, LogDet(1.0), 1.0).kinks == 0).reshape(3, 3).tolist() == [
        [True, True, False],
        [True, True, True],
        [True, True, True],
    ]
    assert problem.allowed.tolist() == [[False, True, True], [False, False, True], [False] * 3]
    psi = np.array([0.0, 0.5, 0.2, 0, 0, 0, 0, 0, 0])
    assert problem.value(psi) == pytest.approx(problem.nll(psi) + 0.1 * 0.2)


def test_required_edges_that_contradict_are_refused_by_edge():
    score = GaussianScore(np.eye(3))
    with pytest.raises(sp.OptionError, match=r"'x0' -> 'x1' is not allowed, and yet required"):
        Problem(score, L1(0.1), ~edge(0, 1), required=edge(0, 1))
    with pytest.raises(sp.GraphError, match=r"x0 -> x1 -> x0"):
        Problem(score, L1(0.1), required=edge(0, 1) | edge(1, 0))
    with pytest.raises(sp.OptionError, match=r"required must be a \(3, 3\) matrix"):
        Problem(score, L1(0.1), required=edge(0, 1, 2))


def test_masks_are_always_arrays_and_copies_of_what_was_passed_in():
    score, given = GaussianScore(np.eye(3)), ~edge(0, 1)
    plain, restricted = Problem(score, L0(0.1)), Problem(score, L0(0.1), given)
    assert (plain.allowed == ~np.eye(3, dtype=bool)).all()
    assert not plain.required.any()
    assert not plain.unpenalised.any()
    assert given.diagonal().all()  # what was passed in is untouched
    restricted.allowed[:] = False
    assert given[0, 2]


def test_a_problem_is_constrained_where_something_is_ruled_out_or_required():
    score = GaussianScore(np.eye(3))
    assert not Problem(score, L0(0.1)).constrained
    assert not Problem(score, L0(0.1), np.ones((3, 3), dtype=bool), unpenalised=edge(0, 1)).constrained
    assert Problem(score, L0(0.1), ~edge(0, 1)).constrained
    assert Problem(score, L0(0.1), required=edge(0, 1)).constrained


def test_the_same_problem_with_another_score_and_penalty_keeps_its_graphs():
    first = Problem(GaussianScore(np.eye(3)), L0(0.1), ~edge(0, 1), edge(1, 2), edge(0, 2), 2)
    other = first.with_score(LeastSquares(np.eye(3)), L0(0.3))
    for name in ("allowed", "required", "unpenalised", "max_parents"):
        assert np.array_equal(getattr(first, name), getattr(other, name))


class Widths(GaussianScore):
    """A score whose edges have several parameters."""

    edge_parameters = np.array([[1, 2, 3], [1, 2, 3], [1, 2, 3]])


def test_an_edge_costs_its_parameters_and_nothing_where_it_is_unpenalised():
    problem = Problem(Widths(np.eye(3)), L0(0.1), unpenalised=edge(0, 1))
    assert problem.prices == pytest.approx(0.1 * np.array([[1, 0, 3], [1, 2, 3], [1, 2, 3]]))
    dag = np.triu(np.ones((3, 3), dtype=bool), 1)
    assert problem.price(dag) == 0.1 * 6
    plain = Problem(GaussianScore(np.eye(3)), L0(0.1))
    assert plain.price(dag) == 0.1 * 3
    with pytest.raises(sp.OptionError, match="no cost per edge"):
        _ = replace(plain, penalty=L1(0.1)).prices


def test_the_parent_limit_is_a_number_that_no_requirement_exceeds():
    score = GaussianScore(np.eye(4))
    required = edge(0, 3, 4) | edge(1, 3, 4)
    assert Problem(score, L0(0.1)).max_parents == Problem(score, L0(0.1), max_parents=99).max_parents == 3
    assert Problem(score, L0(0.1), required=required, max_parents=2).max_parents == 2
    assert Problem(GaussianScore(np.eye(1)), L0(0.1)).max_parents == 0
    with pytest.raises(sp.OptionError, match=r"'x3' has 2 required parents .*max_parents = 1"):
        Problem(score, L0(0.1), required=required, max_parents=1)
    with pytest.raises(sp.OptionError, match="max_parents = -1"):
        Problem(score, L0(0.1), max_parents=-1)
