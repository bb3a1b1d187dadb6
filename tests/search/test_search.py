import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest._core.progress import Status, Watch
from sparsest.penalties import L0, L1, QuasiMCP
from sparsest.problem import Problem
from sparsest.rounding.by_score import graph_along
from sparsest.scores import GaussianScore, LeastSquares
from sparsest.search import ExactSearch, OrderSearch, _scored_orders
from sparsest.search import _order_kernels as kernels
from sparsest.search import _order_memory as memory
from sparsest.search._scored_orders import OrderObjective
from sparsest.search.exact import memory_needed
from sparsest.search.order import canonical_order
from tests.laws import all_dags, random_covariance

seeds = st.integers(0, 2**32 - 1)
SEARCHES = [ExactSearch(), OrderSearch()]


def problem(covariance, cost=0.02, **masks):
    return Problem(GaussianScore(covariance), L0(cost), **masks)


def over_orders(covariance, allowed, cost, limit):
    return OrderObjective(covariance, allowed, np.zeros_like(allowed), cost, limit)


def sampled_covariance(p, rng, n=200):
    X = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - np.triu(rng.normal(size=(p, p)), 1))
    return np.cov(X, rowvar=False, bias=True)


def sparse_covariance(p, rng):
    weights = sp.simulate.random_weights(sp.simulate.random_dag(p, 1, "ER", rng), rng)
    return np.cov(sp.simulate.linear_gaussian(weights, 500, rng).data, rowvar=False, bias=True)


def objective(covariance, dag, cost):
    score = GaussianScore(covariance)
    return sum(score.local(j, np.flatnonzero(dag[:, j])) for j in range(len(dag))) + cost * dag.sum()


@pytest.fixture(scope="module")
def dags_on_five_nodes():
    return np.array(list(all_dags(5)))


@pytest.mark.parametrize("seed", range(8))
def test_exact_search_equals_brute_force_over_all_dags_on_five_nodes(seed, dags_on_five_nodes):
    assert len(dags_on_five_nodes) == 29281
    rng = np.random.default_rng(seed)
    covariance, cost = sampled_covariance(5, rng), rng.uniform(0.001, 0.2)
    score = GaussianScore(covariance)
    powers = 1 << np.arange(5)
    local = np.array(
        [
            [score.local(j, [i for i in range(5) if bits >> i & 1 and i != j]) for bits in range(32)]
            for j in range(5)
        ]
    )
    codes = (dags_on_five_nodes * powers[:, None]).sum(axis=1)  # parents of each node as bits
    totals = local[np.arange(5), codes].sum(axis=1) + cost * dags_on_five_nodes.sum(axis=(1, 2))
    found = ExactSearch().solve(problem(covariance, cost), Watch())
    assert found.status is Status.OPTIMAL
    assert found.objective == pytest.approx(totals.min(), abs=1e-12)
    assert objective(covariance, found.adjacency != 0, cost) == pytest.approx(found.objective, abs=1e-12)


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


@pytest.mark.parametrize("factor", [1, 2, 3])
def test_collinear_columns_do_not_cost_the_exact_search_its_minimum(factor):
    """Members of a class differ in score where a column is the sum of others: none is taken for a better."""
    rng = np.random.default_rng(factor)
    X = rng.normal(size=(200, 3))
    covariance = np.cov(np.column_stack([X, X[:, 0] + factor * X[:, 1]]), rowvar=False, bias=True)
    found = ExactSearch().solve(problem(covariance), Watch())
    dag = found.adjacency != 0
    assert objective(covariance, dag, 0.02) == pytest.approx(found.objective, abs=1e-6)


def test_a_copied_column_does_not_keep_others_from_parents_that_pay_only_together():
    rng = np.random.default_rng(0)
    z, d = rng.normal(size=(2, 2000))
    e, noise = 0.05 * rng.normal(size=2000), 0.02 * rng.normal(size=2000)
    covariance = np.cov(np.column_stack([d, 2 * d, z + e, z, e + noise]), rowvar=False, bias=True)
    allowed = ~np.eye(5, dtype=bool)
    allowed[:2, 1] = False  # the copy may not be explained by what it copies
    _, dag = over_orders(covariance, allowed, 0.02, 4).finished(np.arange(5), Watch())
    assert dag[:, 4].tolist() == [False, False, True, True, False]


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


def test_an_order_search_repeats_itself():
    asked = problem(sampled_covariance(8, np.random.default_rng(0)))
    first, second = (OrderSearch(seed=5).solve(asked, Watch()) for _ in range(2))
    assert (first.adjacency == second.adjacency).all()


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


def test_exact_search_refuses_what_does_not_fit_and_says_the_way_out():
    assert memory_needed(20) < 200e6
    with pytest.raises(sp.OptionError, match=r"40 columns needs .* GiB .* days: .* solver='order'"):
        ExactSearch().solve(problem(np.eye(40)), Watch())


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


def grown_and_shrunk(covariance, node, candidates, cost):
    """The score of a node by its definition: the best addition while it pays half, then the best removal."""
    score = GaussianScore(covariance)

    def priced(parents, share=1.0):
        return score.local(node, parents) + share * cost * len(parents)

    parents = []
    while rest := [t for t in candidates if t not in parents]:
        best = min(rest, key=lambda t: priced([*parents, t]))
        if priced([*parents, best], kernels.GENEROSITY) >= priced(parents, kernels.GENEROSITY):
            break
        parents.append(best)
    while parents:
        fewer = min(([t for t in parents if t != out] for out in parents), key=priced)
        if priced(fewer) >= priced(parents):
            break
        parents = fewer
    return priced(parents)


@given(seed=seeds, p=st.integers(2, 9))
@example(seed=0, p=64)
@example(seed=1, p=66)
@settings(max_examples=20, deadline=None)
def test_a_walk_through_the_tree_is_growing_and_shrinking(seed, p):
    """For one order after the other: what the tree remembers of some must be right for the next."""
    rng = np.random.default_rng(seed)
    covariance, cost = (sampled_covariance(p, rng), 0.02) if p < 10 else (sparse_covariance(p, rng), 0.05)
    allowed = (rng.random((p, p)) < 0.8) & ~np.eye(p, dtype=bool)
    objective = over_orders(covariance, allowed, cost, p - 1)
    for _ in range(5 if p < 10 else 1):
        order = rng.permutation(p)
        scores = objective.scored(order).state[0]
        for place, node in enumerate(order):
            candidates = [t for t in order[:place] if allowed[t, node]]
            expected = grown_and_shrunk(covariance, node, candidates, cost)
            assert scores[node] == pytest.approx(expected, abs=1e-9)


@given(seed=seeds)
@settings(max_examples=5, deadline=None)
def test_an_insertion_leaves_the_state_of_its_order(seed):
    rng = np.random.default_rng(seed)
    objective = over_orders(sampled_covariance(12, rng), ~np.eye(12, dtype=bool), 0.01, 11)
    scored = objective.scored(rng.permutation(12))
    objective.descend(scored, Watch())
    for _ in range(3):
        assert sorted(scored.order) == list(range(12))
        for kept, anew in zip(scored.state, objective.scored(scored.order).state, strict=True):
            assert (kept == anew).all()
        before, copy = scored.order.copy(), objective.copy(scored)
        objective.kick(copy, rng.choice(12, size=3, replace=False), rng.uniform(-0.5, 11.5, size=3), Watch())
        assert (scored.order == before).all()
        scored = copy


def test_parents_that_pay_only_together_are_grown():
    """Alone each of the two explains 0.7 of its cost, both together eight times theirs."""
    covariance = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, -0.1], [0.1, -0.1, 1.2]])
    grown = over_orders(covariance, ~np.eye(3, dtype=bool), 0.006, 2).scored(np.arange(3))
    score = GaussianScore(covariance)
    alone = score.local(2, []) - score.local(2, [0])
    assert 0.5 * 0.006 < alone < 0.006
    assert grown.state[0][2] == pytest.approx(score.local(2, [0, 1]) + 2 * 0.006, abs=1e-12)


@pytest.mark.parametrize("seconds", [0, 0.05])
def test_a_tree_that_is_cut_down_again_and_again_changes_no_answer(monkeypatch, seconds):
    """Also where the insertions of one node take longer than a slice, so that none come together."""
    asked = problem(sampled_covariance(30, np.random.default_rng(0)), 0.01)
    found = OrderSearch(chains=2, patience=2).solve(asked, Watch())
    cuts, empty = [], memory.empty
    monkeypatch.setattr(_scored_orders, "_PLACES", 1)
    monkeypatch.setattr(_scored_orders, "_NUMBERS", 1)
    monkeypatch.setattr(_scored_orders, "_PER_NODE", 1)
    monkeypatch.setattr(_scored_orders, "_SLICE", seconds)
    monkeypatch.setattr(memory, "empty", lambda tree: (cuts.append(len(tree[0])), empty(tree)))
    again = OrderSearch(chains=2, patience=2).solve(asked, Watch())
    assert len(cuts) > 10
    assert (found.adjacency == again.adjacency).all()
    assert found.objective == again.objective


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
