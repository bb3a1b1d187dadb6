import numpy as np
import pytest

import sparsest as sp
from sparsest._core.progress import Watch
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.rounding import graph_by_refit, graph_by_score, refit_on, soft_graph
from sparsest.scores import GaussianScore
from sparsest.scores.gaussian import refit
from sparsest.solvers import REFIT
from tests.laws import random_covariance
from tests.scores.test_glm import score_of


def edge(i, j, p=3):
    mask = np.zeros((p, p), dtype=bool)
    mask[i, j] = True
    return mask


def test_a_refit_is_the_least_squares_fit_of_a_linear_model():
    covariance = random_covariance(4, np.random.default_rng(0))
    dag = np.triu(np.ones((4, 4), dtype=bool), 1)
    problem = Problem(GaussianScore(covariance), L0(0.1))
    found = refit_on(problem.score, dag, np.zeros(16), REFIT, Watch())
    weights, variances = refit(covariance, dag)
    assert found.psi.reshape(4, 4) == pytest.approx(weights, abs=1e-3)
    assert found.score == pytest.approx(0.5 * np.log(variances).sum(), abs=1e-5)


def test_the_graph_by_refit_is_that_by_score_where_few_edges_pay():
    rng = np.random.default_rng(1)
    weights = np.array([[0, 1.0, 0], [0, 0, 1.0], [0, 0, 0]])
    covariance = np.cov(sp.simulate.linear_gaussian(weights, 2000, rng).data, rowvar=False)
    problem, soft = Problem(GaussianScore(covariance), L0(0.01)), weights + 0.1 * np.triu(np.ones((3, 3)), 1)
    by_refit = graph_by_refit(problem, soft.reshape(-1), REFIT, Watch()).graph
    assert (by_refit == graph_by_score(problem, soft)[0]).all()
    assert (by_refit == (weights != 0)).all()


def test_a_required_edge_is_not_dropped():
    score, psi = GaussianScore(np.eye(3)), np.zeros(9)
    psi[[1, 2]] = 0.1  # 0 -> 1 and 0 -> 2
    required = Problem(score, L0(0.5), required=edge(0, 1))
    assert (graph_by_refit(required, psi, REFIT, Watch()).graph == edge(0, 1)).all()
    assert not graph_by_refit(Problem(score, L0(0.5)), psi, REFIT, Watch()).graph.any()


def test_required_parents_come_first_where_the_limit_is_reached():
    psi = np.zeros(9)
    psi[[2, 5]] = 0.1, 0.9  # 0 -> 2 and 1 -> 2
    problem = Problem(GaussianScore(np.eye(3)), L0(0.1), required=edge(0, 2), max_parents=1)
    assert (soft_graph(problem, psi) == edge(0, 2)).all()
    assert (soft_graph(Problem(problem.score, problem.penalty, max_parents=1), psi) == edge(1, 2)).all()


def test_a_graph_by_refit_drops_no_edge_that_costs_nothing():
    data = np.random.default_rng(0).integers(0, 2, (100, 3)).astype(float)
    score = score_of(data, ["bernoulli"] * 3)
    weak, psi = np.zeros((3, 3), dtype=bool), score.start.copy()
    weak[0, 1] = True
    psi[1] = psi[2] = 0.1  # 0 -> 1 and 0 -> 2
    graph = graph_by_refit(Problem(score, L0(0.5), unpenalised=weak), psi, REFIT, Watch()).graph
    assert (graph == weak).all()
    assert not graph_by_refit(Problem(score, L0(0.5)), psi, REFIT, Watch()).graph.any()
