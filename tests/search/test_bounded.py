"""Laws of branch and bound over orders: it agrees with dynamic programming, and a bound is a bound."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsest._core.progress import Status, Watch
from sparsest.graph import is_dag
from sparsest.rounding.by_score import gaussian_objective
from sparsest.search import ExactSearch, exact
from sparsest.search.bounded import OrderLattice, can_bound
from sparsest.search.pair_prices import pair_prices
from tests.laws import all_dags, random_covariance
from tests.search.gaussian import objective, problem, sampled_covariance, sparse_covariance

seeds = st.integers(0, 2**32 - 1)
GIGABYTE = 1 << 30


class StopAfter(Watch):
    """A watch that says stop after it was asked so many times."""

    def __init__(self, times):
        super().__init__()
        self._left = times

    @property
    def stop(self):
        self._left -= 1
        return Status.TIME_LIMIT if self._left < 0 else None


def random_problem(p, seed):
    """Sparse or dense, with knowledge and a limit on parents or without."""
    rng = np.random.default_rng(seed)
    covariance = [sparse_covariance, sampled_covariance, random_covariance][seed % 3](p, rng)
    order = rng.permutation(p)
    rank = np.argsort(order)
    forward = rank[:, None] < rank
    masks = {}
    if seed % 2:
        required = forward & (rng.uniform(size=(p, p)) < 0.5 / p)
        masks = {"allowed": required | (rng.uniform(size=(p, p)) < 0.8), "required": required}
        masks["max_parents"] = max(int(rng.integers(1, p)), int(required.sum(axis=0).max()))
    return problem(covariance, float(rng.choice([0.005, 0.02, 0.1])), **masks)


def proved(asked, dag, watch=None, memory=GIGABYTE):
    lattice = OrderLattice(asked, dag, gaussian_objective(asked, dag), watch or Watch())
    return lattice.search(watch or Watch(), memory)


@given(seed=seeds, p=st.integers(2, 12))
@settings(max_examples=60, deadline=None)
def test_it_finds_what_dynamic_programming_finds_from_a_bad_graph(seed, p):
    asked = random_problem(p, seed)
    if not can_bound(asked):
        return
    least = ExactSearch().solve(asked, Watch())
    proof = proved(asked, asked.required)
    assert proof.complete
    assert proof.bound == pytest.approx(least.objective, abs=1e-8)
    assert is_dag(proof.dag.astype(int))
    asked.refuse_violation(proof.dag, "branch and bound")
    assert gaussian_objective(asked, proof.dag) == pytest.approx(least.objective, abs=1e-8)


@given(seed=seeds, p=st.integers(2, 12))
@settings(max_examples=60, deadline=None)
def test_it_proves_the_best_graph_and_keeps_it(seed, p):
    asked = random_problem(p, seed)
    if not can_bound(asked):
        return
    least = ExactSearch().solve(asked, Watch())
    proof = proved(asked, least.adjacency != 0)
    assert proof.complete
    assert proof.bound == pytest.approx(least.objective, abs=1e-8)
    np.testing.assert_array_equal(proof.dag, least.adjacency != 0)


@given(seed=seeds, p=st.integers(3, 10), times=st.integers(0, 60))
@settings(max_examples=60, deadline=None)
def test_the_bound_is_below_the_minimum_whenever_the_search_is_stopped(seed, p, times):
    asked = random_problem(p, seed)
    if not can_bound(asked):
        return
    least = ExactSearch().solve(asked, Watch()).objective
    proof = proved(asked, asked.required, StopAfter(times))
    assert proof.bound <= least + 1e-9
    asked.refuse_violation(proof.dag, "branch and bound")


def test_without_memory_it_ends_with_a_bound():
    asked = problem(sampled_covariance(12, np.random.default_rng(0)))
    proof = proved(asked, asked.required, memory=1 << 16)
    assert not proof.complete
    assert proof.because == "memory"
    assert proof.bound <= ExactSearch().solve(asked, Watch()).objective + 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_columns_fall_into_groups_that_no_best_graph_joins(seed):
    """Two tables side by side: the labels keep to them, and the minimum is the sum of their minima."""
    rng = np.random.default_rng(seed)
    covariance = np.zeros((10, 10))
    covariance[:5, :5], covariance[5:, 5:] = sparse_covariance(5, rng), sparse_covariance(5, rng)
    asked = problem(covariance)
    labels = OrderLattice(asked, asked.required, gaussian_objective(asked, asked.required), Watch()).parts(
        Watch()
    )
    assert not set(labels[:5]) & set(labels[5:])
    halves = [asked.among(np.arange(5)), asked.among(np.arange(5, 10))]
    minima = [ExactSearch().solve(half, Watch()).objective for half in halves]
    assert ExactSearch().solve(asked, Watch()).objective == pytest.approx(sum(minima), abs=1e-9)


@given(seed=seeds, p=st.integers(2, 10))
@settings(max_examples=40, deadline=None)
def test_no_edge_of_the_best_graph_joins_two_groups(seed, p):
    asked = random_problem(p, seed)
    if not can_bound(asked):
        return
    best = ExactSearch().solve(asked, Watch())
    labels = OrderLattice(asked, best.adjacency != 0, best.objective, Watch()).parts(Watch())
    causes, effects = np.nonzero(best.adjacency)
    np.testing.assert_array_equal(labels[causes], labels[effects])


@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_prices_of_pairs_are_paid_by_every_dag(seed):
    rng = np.random.default_rng(seed)
    covariance, cost = sampled_covariance(4, rng), float(rng.choice([0.005, 0.05, 0.3]))
    prices = pair_prices(covariance, cost, np.ones((4, 4), dtype=bool), Watch())
    np.testing.assert_array_equal(prices, prices.T)
    least = 0.5 * np.linalg.slogdet(covariance)[1] + prices.sum() / 2
    assert min(objective(covariance, dag, cost) for dag in all_dags(4)) >= least - 1e-12


@given(seed=seeds, p=st.integers(3, 9))
@settings(max_examples=40, deadline=None)
def test_no_node_pays_more_than_its_excess_whatever_comes_before_it(seed, p):
    rng = np.random.default_rng(seed)
    covariance, cost = (
        [sparse_covariance, sampled_covariance][seed % 2](p, rng),
        float(rng.choice([0.01, 0.1])),
    )
    prices = pair_prices(covariance, cost, rng.uniform(size=(p, p)) < 0.4, Watch())
    score = problem(covariance, cost).score
    best = {}
    for node in range(p):
        for before in range(1 << p):
            if before >> node & 1:
                continue
            members = [k for k in range(p) if before >> k & 1]
            best[before] = min(
                [score.local(node, members) + cost * len(members)]
                + [best[before & ~(1 << k)] for k in members]
            )
            excess = best[before] - score.local(node, members)
            assert prices[members, node].sum() <= excess + 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_exact_search_by_groups_and_bounds_agrees_with_dynamic_programming(seed, monkeypatch):
    asked = problem(sparse_covariance(12, np.random.default_rng(seed)), 0.01)
    programmed = ExactSearch().solve(asked, Watch())
    monkeypatch.setattr(exact, "_FEW", 3)
    monkeypatch.setattr(exact, "_SOME", 3)
    found = ExactSearch().solve(asked, Watch())
    assert [stage.name for stage in found.stages] == ["order search", "branch and bound"]
    assert found.status is Status.OPTIMAL
    assert found.objective == found.bound == pytest.approx(programmed.objective, abs=1e-9)
    np.testing.assert_array_equal(found.adjacency, programmed.adjacency)


def test_a_dynamic_program_takes_over_where_branch_and_bound_gives_up(monkeypatch):
    asked = problem(sampled_covariance(12, np.random.default_rng(1)), 0.01)
    programmed = ExactSearch().solve(asked, Watch())
    monkeypatch.setattr(exact, "_FEW", 3)
    monkeypatch.setattr(exact, "_SOME", 3)
    monkeypatch.setattr(exact, "MEMORY", 1 << 20)
    found = ExactSearch().solve(asked, Watch())
    assert found.status is Status.OPTIMAL
    assert found.objective == pytest.approx(programmed.objective, abs=1e-9)


def test_forty_columns_without_edges_are_proved_at_once():
    found = ExactSearch().solve(problem(np.eye(40)), Watch())
    assert found.status is Status.OPTIMAL
    assert not found.adjacency.any()


def test_a_stopped_exact_search_has_a_graph_and_a_bound(monkeypatch):
    monkeypatch.setattr(exact, "_FEW", 3)
    monkeypatch.setattr(exact, "_SOME", 3)
    asked = problem(sampled_covariance(12, np.random.default_rng(2)), 0.01)
    least = ExactSearch().solve(asked, Watch()).objective
    gaps = []
    for times in (300, 1000, 3000):
        found = ExactSearch().solve(asked, StopAfter(times))
        assert found.objective >= least - 1e-9
        if found.bound is not None:
            gaps.append(found.objective - found.bound)
            assert found.bound <= least + 1e-9
    assert gaps
