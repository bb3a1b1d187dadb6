"""Laws of the objective as a function of an order."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sparsest._core.progress import Watch
from sparsest.scores import GaussianScore
from sparsest.search import OrderSearch, _scored_orders
from sparsest.search import _order_memory as memory
from tests.search.gaussian import over_orders, problem, sampled_covariance, sparse_covariance

seeds = st.integers(0, 2**32 - 1)


def test_a_copied_column_does_not_keep_others_from_parents_that_pay_only_together():
    rng = np.random.default_rng(0)
    z, d = rng.normal(size=(2, 2000))
    e, noise = 0.05 * rng.normal(size=2000), 0.02 * rng.normal(size=2000)
    covariance = np.cov(np.column_stack([d, 2 * d, z + e, z, e + noise]), rowvar=False, bias=True)
    allowed = ~np.eye(5, dtype=bool)
    allowed[:2, 1] = False  # the copy may not be explained by what it copies
    _, dag = over_orders(covariance, allowed, 0.02, 4).finished(np.arange(5), Watch())
    assert dag[:, 4].tolist() == [False, False, True, True, False]


def grown_and_shrunk(covariance, node, candidates, cost, generosity):
    """The score of a node by its definition: the best addition while it pays, then the best removal."""
    score = GaussianScore(covariance)

    def priced(parents, share=1.0):
        return score.local(node, parents) + share * cost * len(parents)

    parents = []
    while rest := [t for t in candidates if t not in parents]:
        best = min(rest, key=lambda t: priced([*parents, t]))
        if priced([*parents, best], generosity) >= priced(parents, generosity):
            break
        parents.append(best)
    while parents:
        fewer = min(([t for t in parents if t != out] for out in parents), key=priced)
        if priced(fewer) >= priced(parents):
            break
        parents = fewer
    return priced(parents)


@given(seed=seeds, p=st.integers(2, 9), generosity=st.sampled_from([0.5, 0.1, 0.02]))
@example(seed=0, p=64, generosity=0.5)
@example(seed=1, p=66, generosity=0.1)
@settings(max_examples=20, deadline=None)
def test_a_walk_through_the_tree_is_growing_and_shrinking(seed, p, generosity):
    """For one order after the other: what the tree remembers of some must be right for the next."""
    rng = np.random.default_rng(seed)
    covariance, cost = (sampled_covariance(p, rng), 0.02) if p < 10 else (sparse_covariance(p, rng), 0.05)
    allowed = (rng.random((p, p)) < 0.8) & ~np.eye(p, dtype=bool)
    objective = over_orders(covariance, allowed, cost, p - 1, generosity)
    for _ in range(5 if p < 10 else 1):
        order = rng.permutation(p)
        scores = objective.scored(order).state[0]
        for place, node in enumerate(order):
            candidates = [t for t in order[:place] if allowed[t, node]]
            expected = grown_and_shrunk(covariance, node, candidates, cost, generosity)
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
