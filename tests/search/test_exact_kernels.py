"""The loops of the exact search against what they say in plain NumPy, across the borders of their blocks."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsest.scores import GaussianScore
from sparsest.search import _exact_kernels as kernels
from tests.laws import random_covariance

seeds = st.integers(0, 2**32 - 1)


def members(subset):
    return [node for node in range(subset.bit_length()) if subset >> node & 1]


def complete(covariance, cost, step):
    p = len(covariance)
    scores, collinear = np.zeros(2**p), np.zeros(2**p, dtype=np.int8)
    for first in range(0, 2**p, step):
        kernels.complete_scores(scores, collinear, covariance, cost, first, min(first + step, 2**p))
    return scores, collinear


def naive_best_subsets(row):
    best, bit = row.copy(), 1
    while bit < len(row):
        has = (np.arange(len(row)) & bit) > 0
        best[has] = np.minimum(best[has], best[~has])
        bit *= 2
    return best


@given(seed=seeds, p=st.integers(1, 8), cost=st.floats(0, 1), step=st.sampled_from([2, 4, 16, 1024]))
@settings(max_examples=30, deadline=None)
def test_local_scores_are_differences_of_the_scores_of_complete_dags(seed, p, cost, step):
    covariance = random_covariance(p, np.random.default_rng(seed))
    scores, collinear = complete(covariance, cost, step)
    gaussian = GaussianScore(covariance)
    assert not collinear.any()
    for subset in range(2**p):
        for node in set(range(p)) - set(members(subset)):
            local = gaussian.local(node, members(subset)) + cost * len(members(subset))
            assert scores[subset | 1 << node] - scores[subset] == pytest.approx(local, abs=1e-9)


@given(seed=seeds, limit=st.integers(0, 5), forbidden=st.integers(0, 63), required=st.integers(0, 63))
@settings(max_examples=60, deadline=None)
def test_best_parents_among_a_set_with_limits_knowledge_and_copied_columns(seed, limit, forbidden, required):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 4)) @ rng.normal(size=(4, 4))
    X = np.column_stack([X, 2 * X[:, 0], X[:, 1] - X[:, 2]])[:, rng.permutation(6)]
    covariance, cost, node = np.cov(X, rowvar=False), 0.05, int(rng.integers(6))
    scores, collinear = complete(covariance, cost, 64)
    row = np.empty(32)
    own = covariance[node, node]
    kernels.best_parents(row, scores, collinear, node, own, cost, limit, forbidden, required)
    gaussian = GaussianScore(covariance)
    for among in (subset for subset in range(64) if not subset >> node & 1):
        eligible = [
            subset
            for subset in range(64)
            if not subset & ~among
            and not subset & forbidden
            and not required & ~subset
            and len(members(subset)) <= limit
        ]
        costs = [gaussian.local(node, members(subset)) + cost * len(members(subset)) for subset in eligible]
        squeezed = (among & ((1 << node) - 1)) | (among >> (node + 1) << node)
        assert row[squeezed] == pytest.approx(min(costs, default=math.inf), abs=1e-6)


@pytest.mark.parametrize("bits", [0, 1, 2, 3, 4, 6, 13, 14, 17])
def test_every_set_takes_the_score_of_its_best_subset_whatever_the_length_of_the_row(bits):
    row = np.random.default_rng(bits).normal(size=2**bits)
    expected = naive_best_subsets(row)
    kernels.best_subsets(row)
    np.testing.assert_array_equal(row, expected)


@pytest.mark.parametrize(("p", "step"), [(1, 8), (2, 8), (3, 8), (4, 8), (10, 8), (10, 64), (10, 1024)])
def test_the_best_dag_on_every_set_has_one_of_its_nodes_last(p, step):
    rng = np.random.default_rng(p)
    table = np.array([naive_best_subsets(rng.normal(size=2 ** (p - 1))) for _ in range(p)])
    best = np.full(2**p, np.inf)
    best[0] = 0.0
    for first in range(0, 2**p, step):
        kernels.best_sinks(table, best, first, min(first + step, 2**p))
    for subset in range(1, 2**p):
        values = []
        for node in members(subset):
            rest = subset & ~(1 << node)
            values.append(best[rest] + table[node, (rest & ((1 << node) - 1)) | (rest >> (node + 1) << node)])
        assert best[subset] == min(values)
