"""Laws that the exact search and the order search share."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest._core.progress import Status, Watch
from sparsest.penalties import L0, L1, QuasiMCP
from sparsest.problem import Problem
from sparsest.scores import GaussianScore, LeastSquares
from sparsest.search import ExactSearch, OrderSearch
from tests.laws import random_covariance
from tests.search.gaussian import objective, problem, sampled_covariance

seeds = st.integers(0, 2**32 - 1)
SEARCHES = [ExactSearch(), OrderSearch()]


@given(seed=seeds, p=st.integers(1, 9), cost=st.floats(0.001, 0.3))
@settings(max_examples=60, deadline=None)
def test_a_search_returns_a_dag_with_the_objective_it_says(seed, p, cost):
    covariance = random_covariance(p, np.random.default_rng(seed))
    for search in SEARCHES:
        found = search.solve(problem(covariance, cost), Watch())
        dag = found.adjacency != 0
        assert sp.graph.is_dag(dag)
        assert objective(covariance, dag, cost) == pytest.approx(found.objective, abs=1e-9)


@given(seed=seeds, p=st.integers(2, 9), cost=st.floats(0.001, 0.3))
@settings(max_examples=60, deadline=None)
def test_order_search_is_never_better_than_exact_search(seed, p, cost):
    asked = problem(random_covariance(p, np.random.default_rng(seed)), cost)
    exact, order = (search.solve(asked, Watch()).objective for search in SEARCHES)
    assert order >= exact - 1e-10


@given(seed=seeds, p=st.integers(2, 7))
@settings(max_examples=40, deadline=None)
def test_units_change_no_edge_though_the_searches_do_not_standardise(seed, p):
    rng = np.random.default_rng(seed)
    covariance, units = sampled_covariance(p, rng), 10.0 ** rng.uniform(-6, 6, p)
    for search in SEARCHES:
        plain = search.solve(problem(covariance), Watch())
        rescaled = search.solve(problem(covariance * np.outer(units, units)), Watch())
        assert sp.graph.markov_equivalent(plain.adjacency != 0, rescaled.adjacency != 0)
        assert isinstance(search, OrderSearch) or np.array_equal(plain.adjacency, rescaled.adjacency)
        assert rescaled.objective - plain.objective == pytest.approx(np.log(units).sum(), abs=1e-7)


@pytest.mark.parametrize("search", SEARCHES)
def test_edges_that_are_not_allowed_are_never_used(search):
    rng = np.random.default_rng(3)
    covariance, allowed = sampled_covariance(6, rng), rng.random((6, 6)) < 0.5
    found = search.solve(problem(covariance, allowed=allowed), Watch())
    assert not (found.adjacency.astype(bool) & ~allowed).any()
    assert found.adjacency.any()


@pytest.mark.parametrize("search", SEARCHES)
def test_no_node_gets_more_parents_than_allowed(search):
    found = search.solve(
        problem(sampled_covariance(7, np.random.default_rng(0)), 0.001, max_parents=1), Watch()
    )
    assert found.adjacency.sum(axis=0).max() == 1


@pytest.mark.parametrize("search", SEARCHES)
def test_a_time_limit_of_zero_gives_a_graph_marked_so(search):
    found = search.solve(problem(sampled_covariance(8, np.random.default_rng(0))), Watch(time_limit=0))
    assert found.status is Status.TIME_LIMIT
    assert sp.graph.is_dag(found.adjacency)


@pytest.mark.parametrize("search", SEARCHES)
def test_quasi_mcp_counts_by_its_plateau_and_l1_is_refused(search):
    covariance = sampled_covariance(5, np.random.default_rng(0))
    counted = search.solve(problem(covariance, 0.04), Watch())
    soft = search.solve(Problem(GaussianScore(covariance), QuasiMCP(0.4, 0.2)), Watch())
    assert soft.objective == pytest.approx(counted.objective, abs=1e-12)
    with pytest.raises(sp.OptionError, match="no cost per edge"):
        search.solve(Problem(GaussianScore(covariance), L1(0.1)), Watch())


@pytest.mark.parametrize("search", SEARCHES)
def test_a_score_without_a_likelihood_is_refused_by_name(search):
    with pytest.raises(sp.OptionError, match=r"needs a Gaussian score, not LeastSquares"):
        search.solve(Problem(LeastSquares(np.eye(3)), L0(0.1)), Watch())
