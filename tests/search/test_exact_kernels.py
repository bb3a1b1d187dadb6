"""The loops of the exact search against what they say in plain NumPy, across the borders of their blocks."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsest._core.jit import kernel
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


@given(seed=seeds, p=st.integers(1, 8), step=st.sampled_from([8, 16, 1024]))
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


shapes = st.sampled_from([(6, 6, 0), (6, 1, 0), (6, 1, 5), (6, 2, 2), (6, 3, 1), (6, 4, 2), (6, 5, 0)])


@given(
    seed=seeds,
    shape=shapes,
    cost=st.sampled_from([0.05, 1.0, 1e307]),
    limit=st.integers(0, 5),
    clear=st.booleans(),
    known=st.booleans(),
    pieces=st.integers(1, 5),
)
@settings(max_examples=100, deadline=None)
def test_the_best_dag_on_every_set_whatever_the_strips_limits_and_knowledge(
    seed, shape, cost, limit, clear, known, pieces
):
    rng = np.random.default_rng(seed)
    covariance = random_covariance(6, rng) if clear else collinear_covariance(rng)
    forbidden = rng.integers(64, size=6) & rng.integers(64, size=6) if known else np.zeros(6, dtype=np.int64)
    required = rng.integers(64, size=6) & rng.integers(64, size=6) & rng.integers(64, size=6) & -int(known)
    forbidden, required = forbidden | 1 << np.arange(6), required & ~forbidden & ~(1 << np.arange(6))
    scores, given = np.empty(0), np.empty((6, 32))
    if clear:
        scores, given = joint(covariance, 64), np.empty((0, 0))
    else:
        kernels.conditional_scores(given, covariance, 0, 6)
    costs = cost * np.array([len(members(subset)) for subset in range(2 ** shape[1])], dtype=float)
    problem = scores, given, cost, costs, forbidden, required, limit
    best, table = np.full(64, np.inf), np.empty((12 - shape[1] - shape[2]) * 2 ** (shape[1] + shape[2] - 1))
    best[0] = 0.0
    for strips in np.array_split(np.arange(64 >> shape[1]), pieces):
        if len(strips):
            kernels.best_dags(best, table, shape, problem, int(strips[0]), int(strips[-1]) + 1)
    local = _local_scores(GaussianScore(covariance), cost, limit, forbidden, required)
    expected = _naive(local)
    np.testing.assert_allclose(best, expected, atol=1e-5 if not clear else 1e-9)
    for subset in np.flatnonzero(np.isfinite(best[1:])) + 1:
        sink, parents = kernels.last_of(subset, best, problem)
        rest = subset & ~(1 << sink)
        assert rest < subset
        assert not parents & ~rest  # admissible, or it would not be in `local`
        value = best[rest] + local[sink][parents]
        assert value == pytest.approx(best[subset], rel=1e-9, abs=1e-9 if clear else 1e-5)
    for subset in np.flatnonzero(np.isinf(best)):
        assert kernels.last_of(subset, best, problem) == (-1, 0)


def _local_scores(gaussian, cost, limit, forbidden, required):
    """The score of each node with each admissible set of parents, and its cost."""
    return [
        {
            parents: gaussian.local(node, members(parents)) + cost * len(members(parents))
            for parents in range(64)
            if not parents & int(forbidden[node])
            and not int(required[node]) & ~parents
            and len(members(parents)) <= limit
        }
        for node in range(6)
    ]


def _naive(local):
    best = [0.0] + [math.inf] * 63
    for subset in range(1, 64):
        for node in members(subset):
            rest = subset & ~(1 << node)
            own = [value for parents, value in local[node].items() if not parents & ~rest]
            best[subset] = min(best[subset], best[rest] + min(own, default=math.inf))
    return best


def test_of_parents_that_are_as_good_those_without_the_first_nodes_are_chosen():
    """Node 0 is explained as well by node 1 as by node 2; these have no parents."""
    covariance = np.array([[1.0, 0.5, 0.5], [0.5, 1.0, 0.0], [0.5, 0.0, 1.0]])
    allowed = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 0]], dtype=bool)
    problem = Problem(GaussianScore(covariance), L0(0.1), allowed=allowed, max_parents=1)
    assert ExactSearch().solve(problem, Watch()).adjacency.tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 0]]


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


@pytest.mark.parametrize("bits", [0, 1, 2, 3, 4, 6, 7, 10])
def test_every_set_of_a_strip_takes_the_score_of_its_best_subset(bits):
    row = np.random.default_rng(bits).normal(size=2**bits)
    best = row.copy()
    for bit in (1 << k for k in range(bits)):
        has = (np.arange(len(row)) & bit) > 0
        best[has] = np.minimum(best[has], best[~has])
    _lowered(row)
    np.testing.assert_array_equal(row, best)


@kernel
def _lowered(row):
    kernels._lower_all(row)
