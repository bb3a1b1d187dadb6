"""The loops of the exact search against what they say in plain NumPy, across the borders of their blocks."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsest._core.progress import Watch
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.rounding.by_score import gaussian_objective
from sparsest.scores import GaussianScore
from sparsest.search import ExactSearch
from sparsest.search import _exact_kernels as kernels
from tests.laws import random_covariance

seeds = st.integers(0, 2**32 - 1)


def members(subset):
    return [node for node in range(subset.bit_length()) if subset >> node & 1]


def joint(covariance, step):
    p = len(covariance)
    scores = np.zeros(2**p)
    for first in range(0, 2**p, step):
        kernels.joint_scores(scores, covariance, first, min(first + step, 2**p))
    return scores


def squeezed(subset, node):
    return (subset & ((1 << node) - 1)) | (subset >> (node + 1) << node)


def naive_best_subsets(row):
    best, bit = row.copy(), 1
    while bit < len(row):
        has = (np.arange(len(row)) & bit) > 0
        best[has] = np.minimum(best[has], best[~has])
        bit *= 2
    return best


@given(seed=seeds, p=st.integers(1, 8), step=st.sampled_from([2, 4, 16, 1024]))
@settings(max_examples=30, deadline=None)
def test_scores_of_nodes_are_differences_of_joint_scores(seed, p, step):
    covariance = random_covariance(p, np.random.default_rng(seed))
    scores, gaussian = joint(covariance, step), GaussianScore(covariance)
    for subset in range(2**p):
        for node in set(range(p)) - set(members(subset)):
            difference = scores[subset | 1 << node] - scores[subset]
            assert difference == pytest.approx(gaussian.local(node, members(subset)), abs=1e-9)


@given(seed=seeds, low_bits=st.integers(1, 6))
@settings(max_examples=20, deadline=None)
def test_conditional_scores_of_copied_columns_and_of_sums(seed, low_bits):
    covariance = collinear_covariance(np.random.default_rng(seed))
    table, gaussian = np.empty((6, 32)), GaussianScore(covariance)
    for high in range(0, 64, 2**low_bits):
        kernels.conditional_scores(table, covariance, high, low_bits)
    for subset in range(64):
        for node in set(range(6)) - set(members(subset)):
            score = table[node, squeezed(subset, node)]
            assert score == pytest.approx(gaussian.local(node, members(subset)), abs=1e-5)


def collinear_covariance(rng):
    X = rng.normal(size=(50, 4))
    X = np.column_stack([X, 2 * X[:, 0], X[:, 1] - X[:, 2]])[:, rng.permutation(6)]
    return np.cov(X, rowvar=False)


@given(
    seed=seeds,
    cost=st.sampled_from([0.05, 1.0, 1e307]),
    limit=st.integers(0, 5),
    forbidden=st.integers(0, 63),
    required=st.integers(0, 63),
)
@settings(max_examples=60, deadline=None)
def test_best_parents_among_a_set_with_costs_limits_and_knowledge(seed, cost, limit, forbidden, required):
    rng = np.random.default_rng(seed)
    covariance, node = random_covariance(6, rng), int(rng.integers(6))
    row, gaussian = np.empty(32), GaussianScore(covariance)
    kernels.best_near_parents(row, joint(covariance, 64), node, cost, limit, forbidden, required, 0, 32)
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
        assert row[squeezed(among, node)] == pytest.approx(min(costs, default=math.inf), abs=1e-9)


@pytest.mark.parametrize("exponent", [4, 4.5, 5, 5.5, 6])
def test_no_order_of_the_columns_gains_by_a_column_that_is_nearly_another(exponent):
    """Where the variance left passes the floor, differences of determinants would depend on the order."""
    a, w, e = np.linalg.qr(np.random.default_rng(0).normal(size=(200, 3)))[0].T
    X = np.column_stack([a, a + 10.0**-exponent * np.sqrt(0.75) * (w + e), w])
    objectives = []
    for order in itertools.permutations(range(3)):
        covariance = np.cov(X[:, order], rowvar=False) * 200
        asked = Problem(GaussianScore(covariance), L0(0.01))
        found = ExactSearch().solve(asked, Watch())
        dag = found.adjacency != 0
        assert gaussian_objective(asked, dag) == pytest.approx(found.objective, abs=1e-4)
        objectives.append(found.objective)
    assert np.ptp(objectives) < 1e-4


def test_a_cost_beyond_all_bounds_leaves_the_empty_graph():
    problem = Problem(GaussianScore(random_covariance(8, np.random.default_rng(0))), L0(1e307))
    assert not ExactSearch().solve(problem, Watch(5.0)).adjacency.any()


@pytest.mark.parametrize("pieces", [1, 4, 512])
@pytest.mark.parametrize("bits", [0, 1, 2, 3, 4, 6, 13, 14, 17])
def test_every_set_takes_the_score_of_its_best_subset_whatever_the_length_of_the_row(bits, pieces):
    row = np.random.default_rng(bits).normal(size=2**bits)
    expected = naive_best_subsets(row)
    kernels.best_near_subsets(row, 0, len(row))
    for first in range(0, kernels.NEAR, kernels.NEAR // pieces):
        kernels.best_far_subsets(row, first, first + kernels.NEAR // pieces)
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
            values.append(best[rest] + table[node, squeezed(rest, node)])
        assert best[subset] == min(values)
