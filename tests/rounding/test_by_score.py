import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsest as sp
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.rounding import graph_by_score, strongest_dag
from sparsest.rounding.by_score import gaussian_objective, graph_along, prune
from sparsest.scores import GaussianScore
from tests.laws import random_covariance, random_dag_weights

seeds = st.integers(0, 2**32 - 1)


def asked(covariance, cost=0.01, **masks):
    return Problem(GaussianScore(covariance), L0(cost), **masks)


def none(p):
    return np.zeros((p, p), dtype=bool)


@given(seed=seeds, p=st.integers(2, 7), cost=st.floats(0.01, 0.5))
def test_pruning_never_raises_the_objective_and_leaves_edges_that_pay(seed, p, cost):
    rng = np.random.default_rng(seed)
    score, dag = GaussianScore(random_covariance(p, rng)), random_dag_weights(p, rng) != 0

    def objective(graph):
        return sum(score.local(j, np.flatnonzero(graph[:, j])) for j in range(p)) + cost * graph.sum()

    pruned = prune(asked(score.covariance, cost), dag.astype(float))
    assert not (pruned & ~dag).any()
    assert objective(pruned) <= objective(dag) + 1e-12
    for i, j in zip(*np.nonzero(pruned), strict=True):
        fewer = pruned.copy()
        fewer[i, j] = False
        assert objective(fewer) >= objective(pruned) - 1e-12


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_parents_beyond_the_limit_go_whatever_they_give(limit):
    rng = np.random.default_rng(0)
    dag = np.triu(np.ones((6, 6), dtype=bool), 1)
    problem = asked(random_covariance(6, rng), 1e-9, max_parents=limit)
    assert prune(problem, dag.astype(float)).sum(axis=0).max() == limit


def test_of_two_copies_one_is_kept():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    X[:, 1] = -3 * X[:, 0]
    X[:, 2] += X[:, 0]
    dag = np.array([[0, 0, 1.0], [0, 0, 1.0], [0, 0, 0]])
    assert prune(asked(np.cov(X, rowvar=False)), dag).sum() == 1


def test_a_complete_graph_of_many_nodes_is_pruned_to_what_pays():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 80))
    X[:, 79] += X[:, 3]
    pruned = prune(asked(np.cov(X, rowvar=False), 0.02), np.triu(rng.uniform(0.1, 0.2, (80, 80)), 1))
    assert pruned.sum() <= 1


@given(seed=seeds, p=st.integers(2, 7), cost=st.floats(0.01, 0.5))
def test_the_graph_by_score_is_no_worse_than_pruning_the_soft_edges(seed, p, cost):
    rng = np.random.default_rng(seed)
    score, soft = GaussianScore(random_covariance(p, rng)), rng.normal(size=(p, p)) * (1 - np.eye(p))
    allowed = rng.random((p, p)) < 0.7
    soft *= allowed
    problem = asked(score.covariance, cost, allowed=allowed)
    graph, objective = graph_by_score(problem, soft)
    assert not (graph & ~allowed).any()
    assert sp.graph.is_dag(graph)
    total = sum(score.local(j, np.flatnonzero(graph[:, j])) for j in range(p)) + cost * graph.sum()
    assert objective == pytest.approx(total, abs=1e-9)
    plain = prune(problem, soft * strongest_dag(soft, none(p)))
    least = sum(score.local(j, np.flatnonzero(plain[:, j])) for j in range(p)) + cost * plain.sum()
    assert objective <= least + 1e-9


@given(seed=seeds, p=st.integers(1, 7), limit=st.integers(0, 7))
def test_required_edges_survive_whatever_their_weight(seed, p, limit):
    rng = np.random.default_rng(seed)
    covariance, required = random_covariance(p, rng), random_dag_weights(p, rng, 0.3) != 0
    allowed = required | ((rng.random((p, p)) < 0.7) & ~required.T)
    soft = rng.normal(size=(p, p)) * allowed * (1 - np.eye(p)) * (rng.random((p, p)) < 0.5)
    limit = max(limit, int(required.sum(axis=0).max()))
    for thorough in (True, False):
        problem = asked(covariance, 0.3, allowed=allowed, required=required, max_parents=limit)
        graph, _ = graph_by_score(problem, soft, thorough)
        assert not (required & ~graph).any()
        assert not (graph & ~allowed).any()
        assert sp.graph.is_dag(graph)
        assert graph.sum(axis=0).max() <= limit


@given(seed=seeds, p=st.integers(1, 7))
def test_a_graph_along_an_order_keeps_to_it_as_far_as_it_may(seed, p):
    rng = np.random.default_rng(seed)
    covariance, order = random_covariance(p, rng), rng.permutation(p).tolist()
    plain, _ = graph_along(asked(covariance), order)
    assert not np.tril(plain[np.ix_(order, order)]).any()
    required = random_dag_weights(p, rng, 0.3) != 0
    problem = asked(covariance, required=required)
    obeying, objective = graph_along(problem, order)
    assert not (required & ~obeying).any()
    assert objective == pytest.approx(gaussian_objective(problem, obeying))
