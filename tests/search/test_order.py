"""Laws of the order search over Gaussian scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest._core.progress import Watch
from sparsest.rounding.by_score import graph_along
from sparsest.search import ExactSearch, OrderSearch
from sparsest.search.order import canonical_order
from tests.search.gaussian import objective, problem, sampled_covariance

seeds = st.integers(0, 2**32 - 1)


def test_patience_that_is_given_is_kept_whatever_the_number_of_chains():
    covariance = sampled_covariance(6, np.random.default_rng(0))
    found = OrderSearch(chains=20, patience=3).solve(problem(covariance), Watch())
    assert found.steps >= 20 * (1 + 3)


@given(seed=seeds, p=st.integers(2, 8))
@settings(max_examples=40, deadline=None)
def test_no_edge_less_and_no_elimination_along_its_order_would_improve_an_answer(seed, p):
    covariance, cost = sampled_covariance(p, np.random.default_rng(seed)), 0.02
    columns = canonical_order(covariance)  # the order in which the search sees them
    covariance = covariance[np.ix_(columns, columns)]
    found = OrderSearch(seed=seed % 1000).solve(problem(covariance, cost), Watch())
    for i, j in zip(*np.nonzero(found.adjacency), strict=True):
        fewer = found.adjacency != 0
        fewer[i, j] = False
        assert objective(covariance, fewer, cost) >= found.objective - 1e-9
    _, eliminated = graph_along(problem(covariance, cost), sp.graph.topological_order(found.adjacency))
    assert eliminated >= found.objective - 1e-9


def test_parents_that_only_help_together_are_found_by_elimination():
    """Growing one by one stops early here: alone, none of the parents explains enough to pay."""
    mixing = np.array([[1.0, 0, 0, 0], [0.999, 0.0447, 0, 0], [0.999, 0, 0.0447, 0]])
    covariance = np.eye(4)
    covariance[:3, :3] = mixing @ mixing.T
    weights = np.array([2.0, -1.0, -1.0])
    covariance[:3, 3] = covariance[3, :3] = covariance[:3, :3] @ weights
    covariance[3, 3] = weights @ covariance[:3, :3] @ weights + 1e-3
    found = OrderSearch(start=(0, 1, 2, 3), patience=0, chains=1).solve(problem(covariance, 0.05), Watch())
    best = ExactSearch().solve(problem(covariance, 0.05), Watch())
    assert found.objective == pytest.approx(best.objective, abs=1e-9)


def test_an_order_search_repeats_itself():
    asked = problem(sampled_covariance(8, np.random.default_rng(0)))
    first, second = (OrderSearch(seed=5).solve(asked, Watch()) for _ in range(2))
    assert (first.adjacency == second.adjacency).all()


@given(seed=seeds, p=st.integers(5, 12))
@settings(max_examples=20, deadline=None)
def test_kicks_only_improve_and_threads_change_nothing(seed, p):
    asked = problem(sampled_covariance(p, np.random.default_rng(seed)), 0.01)
    once = OrderSearch(patience=0, chains=1).solve(asked, Watch())
    often = OrderSearch(patience=5, chains=3).solve(asked, Watch())
    threaded = OrderSearch(patience=5, chains=3, n_jobs=3).solve(asked, Watch())
    assert often.objective <= once.objective + 1e-9
    assert (often.adjacency == threaded.adjacency).all()
    assert 1 <= often.agreed <= often.steps


def test_kicks_reach_the_global_minimum_of_sparse_problems():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        weights = sp.simulate.random_weights(sp.simulate.random_dag(12, 1, "ER", rng), rng)
        X = sp.simulate.linear_gaussian(weights, 1000, rng).data
        asked = problem(np.cov(X, rowvar=False, bias=True), 0.006)
        exact = ExactSearch().solve(asked, Watch())
        assert OrderSearch().solve(asked, Watch()).objective == pytest.approx(exact.objective, abs=1e-9)


@pytest.mark.parametrize("seed", [11, 34, 43, 52, 53, 59])
def test_closely_related_columns_do_not_keep_a_search_from_the_best_graph(seed):
    """Kicks that move a few nodes apart left each of these tables 0.01 to 0.07 above the best graph known."""
    asked = problem(np.corrcoef(related_columns(30, 120, seed), rowvar=False), 0.0483)
    thorough = OrderSearch(seed=9, chains=6, patience=150).solve(asked, Watch())
    assert OrderSearch().solve(asked, Watch()).objective <= thorough.objective + 1e-9


def related_columns(p, n, seed):
    """A tree and a few edges more, in which causes explain 30 to 80 % of their effects."""
    rng = np.random.default_rng(seed)
    causes = [int(rng.integers(node)) for node in range(1, p)]
    X = rng.normal(size=(n, p))
    for node, cause in enumerate(causes, 1):
        share = rng.uniform(0.3, 0.8)
        X[:, node] = np.sqrt(1 - share) * X[:, node] + np.sqrt(share) * rng.choice([-1, 1]) * unit(
            X[:, cause]
        )
        if node > 2 and rng.random() < 0.3:
            X[:, node] += 0.7 * unit(X[:, int(rng.integers(node))])
    return X


def unit(x):
    return (x - x.mean()) / x.std()


def test_more_parents_than_there_was_room_for_at_first():
    """A node with 80 parents: paths start with room for 31."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 81))
    X[:, 80] += X[:, :80].sum(axis=1)
    for start in (tuple(range(81)), "explained", "random"):
        found = OrderSearch(patience=0, chains=1, start=start).solve(
            problem(np.cov(X, rowvar=False, bias=True), 0.005), Watch()
        )
        assert found.adjacency[:, 80].sum() == 80


def test_exact_ties_break_nothing():
    """Whole-number covariances, where different parents explain a node exactly as well."""
    covariance = np.array(
        [
            [3, -1, 1, 1, -2, 1, 3, -1], [-1, 1, 0, 0, 1, -1, -1, 0], [1, 0, 3, 2, -1, -1, 1, -2],
            [1, 0, 2, 3, -1, -1, 1, -3], [-2, 1, -1, -1, 2, -1, -2, 1], [1, -1, -1, -1, -1, 2, 1, 1],
            [3, -1, 1, 1, -2, 1, 4, -1], [-1, 0, -2, -3, 1, 1, -1, 4],
        ],
        dtype=float,
    )  # fmt: skip
    for seed in range(40):
        found = OrderSearch(seed=seed).solve(problem(covariance, 0.01), Watch())
        assert objective(covariance, found.adjacency != 0, 0.01) == pytest.approx(found.objective, abs=1e-9)


@pytest.mark.parametrize("options", [{"patience": -1}, {"chains": 0}, {"n_jobs": 0}, {"start": "sorted"}])
def test_impossible_searches_are_refused(options):
    with pytest.raises(sp.OptionError, match=next(iter(options))):
        OrderSearch(**options)


@pytest.mark.parametrize("start", [(0, 1), (0, 1, 2, 2), (0, 1, 2, 4)])
def test_a_start_that_is_no_order_of_the_nodes_is_refused(start):
    with pytest.raises(sp.OptionError, match="start must name each of the 4 nodes once"):
        OrderSearch(start=start).solve(problem(np.eye(4)), Watch())
