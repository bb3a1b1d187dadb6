"""Knowledge in the discrete searches: obeyed, and the best that can be had while obeying."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest._core.progress import Watch
from sparsest.knowledge import Masks
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.scores import GaussianScore
from sparsest.search import GES, ExactSearch, LocalExactSearch, LocalOrderSearch, OrderSearch
from tests.knowledge.strategies import obeys, random_knowledge
from tests.laws import random_covariance
from tests.theory.brute import dags_on, losses

seeds = st.integers(0, 2**32 - 1)


def asked(p, rng, cost):
    masks = random_knowledge(p, rng).masks([f"x{k}" for k in range(p)])
    covariance = random_covariance(p, rng)
    problem = Problem(GaussianScore(covariance), L0(cost), masks.allowed, required=masks.required)
    return problem, masks, covariance


def objective(covariance, dag, cost):
    score = GaussianScore(covariance)
    return sum(score.local(j, np.flatnonzero(dag[:, j])) for j in range(len(dag))) + cost * dag.sum()


@given(seed=seeds, p=st.integers(1, 4), cost=st.floats(0.001, 0.3))
@settings(max_examples=150, deadline=None)
def test_exact_search_equals_brute_force_over_all_dags_that_obey(seed, p, cost):
    problem, masks, covariance = asked(p, np.random.default_rng(seed), cost)
    dags = dags_on(p)
    wrong = (dags & ~masks.allowed).any(axis=(1, 2)) | (masks.required & ~dags).any(axis=(1, 2))
    least = (losses(covariance) + cost * dags.sum(axis=(1, 2)))[~wrong].min()
    found = ExactSearch().solve(problem, Watch())
    assert obeys(found.adjacency, masks)
    assert found.objective == pytest.approx(least, abs=1e-10)


@pytest.mark.parametrize("search", [OrderSearch(), OrderSearch(patience=0, chains=1), GES(), ExactSearch()])
@given(seed=seeds, p=st.integers(1, 9), cost=st.floats(0.001, 0.3))
@settings(max_examples=60, deadline=None)
def test_a_search_obeys_and_says_the_objective_of_its_graph(search, seed, p, cost):
    problem, masks, covariance = asked(p, np.random.default_rng(seed), cost)
    found = search.solve(problem, Watch())
    dag = found.adjacency != 0
    assert obeys(dag, masks)
    assert sp.graph.is_dag(dag)
    assert objective(covariance, dag, cost) == pytest.approx(found.objective, abs=1e-9)
    assert found.objective >= ExactSearch().solve(problem, Watch()).objective - 1e-9


def test_order_search_mostly_finds_the_best_graph_that_obeys():
    best = 0
    for seed in range(40):
        problem, _, _ = asked(8, np.random.default_rng(seed), 0.03)
        exact, order = (search.solve(problem, Watch()).objective for search in (ExactSearch(), OrderSearch()))
        best += order < exact + 1e-9
    assert best >= 34


@pytest.mark.parametrize("search", [OrderSearch(), GES(), ExactSearch()])
@given(seed=seeds, p=st.integers(1, 8))
@settings(max_examples=25, deadline=None)
def test_a_search_without_time_obeys(search, seed, p):
    problem, masks, covariance = asked(p, np.random.default_rng(seed), 0.05)
    found = search.solve(problem, Watch(time_limit=0.0))
    assert obeys(found.adjacency, masks)
    assert objective(covariance, found.adjacency != 0, 0.05) == pytest.approx(found.objective, abs=1e-9)


@pytest.mark.parametrize("search", [OrderSearch, GES, ExactSearch, LocalOrderSearch, LocalExactSearch])
def test_a_limit_on_parents_holds_beside_required_ones(search):
    required = np.zeros((4, 4), dtype=bool)
    required[[0, 1], 3] = True
    score = GaussianScore(random_covariance(4, np.random.default_rng(0)))
    problem = Problem(score, L0(1e-6), required=required, max_parents=2)
    dag = search().solve(problem, Watch()).adjacency != 0
    assert dag[[0, 1], 3].all()
    assert dag.sum(axis=0).max() == 2


@pytest.mark.parametrize("search", [OrderSearch(), GES(), ExactSearch()])
def test_required_copies_of_one_column_are_all_there(search):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    X[:, 1], X[:, 2] = X[:, 0], -2 * X[:, 0]
    X[:, 4] += X[:, 0] + X[:, 3]
    required = np.zeros((5, 5), dtype=bool)
    required[[0, 1, 2, 3], 4] = True
    covariance = np.cov(X, rowvar=False)
    problem = Problem(GaussianScore(covariance), L0(0.02), required=required)
    found = search.solve(problem, Watch())
    assert (found.adjacency[:, 4] != 0).tolist() == [True, True, True, True, False]
    assert np.isfinite(found.objective)


def test_required_edges_along_a_long_chain_are_all_there():
    p = 40
    required = np.eye(p, k=1, dtype=bool)[::-1, ::-1].T.copy()
    order = np.random.default_rng(0).permutation(p)
    required = required[np.ix_(order, order)]
    score = GaussianScore(random_covariance(p, np.random.default_rng(1)))
    problem = Problem(score, L0(0.05), required=required)
    found = OrderSearch(chains=1).solve(problem, Watch())
    assert obeys(found.adjacency, Masks(problem.allowed, required))
