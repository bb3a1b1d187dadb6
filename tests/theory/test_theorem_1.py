"""The theorems of the paper, on graphs small enough to go through all of them."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sparsest._core.progress import Watch
from sparsest.penalties import L0, MCP, SCAD, QuasiMCP
from sparsest.problem import Problem
from sparsest.scores import GaussianScore
from sparsest.search import ExactSearch
from sparsest.theory import equivalence_class, theory_limits
from tests.laws import random_covariance
from tests.theory.brute import (
    DIAMOND,
    FAITHFUL,
    MODELS,
    SMALL,
    TIED,
    TRIANGLE,
    generic,
    graphs,
    l0_minimisers,
    markov_class,
    minimisers_above_kappa,
    population,
    sampled,
    soft_minimisers,
    sparsest_graphs,
)

seeds = st.integers(0, 2**32 - 1)
each_model = pytest.mark.parametrize("covariance", [c for _, c in MODELS.values()], ids=MODELS)
each_small = pytest.mark.parametrize("covariance", [c for _, c in SMALL.values()], ids=SMALL)


# quasi-MCP and ℓ0


@given(seed=seeds, p=st.integers(2, 5), at=st.floats(0.11, 0.89))
@settings(max_examples=60, deadline=None)
def test_above_kappa_the_objective_is_strictly_concave_along_every_coordinate_up_to_delta(seed, p, at):
    rng = np.random.default_rng(seed)
    covariance = random_covariance(p, rng)
    kappa, delta = theory_limits(covariance).kappa, rng.uniform(0.05, 0.5)
    problem = Problem(GaussianScore(covariance), QuasiMCP(1.01 * kappa * delta, delta))
    weights = np.triu(rng.normal(size=(p, p)), 1)  # acyclic whatever the values
    i, j = sorted(rng.choice(p, size=2, replace=False))

    def along(t):
        weights[i, j] = t
        return problem.value(weights.reshape(-1))

    middle, step = at * delta, 0.1 * delta
    assert along(middle + step) + along(middle - step) < 2 * along(middle)


@each_small
@pytest.mark.parametrize("cost", [0.05, 0.3])
def test_quasi_mcp_and_l0_have_the_same_minimisers_above_kappa(covariance, cost):
    delta = math.sqrt(2 * cost / theory_limits(covariance).kappa) * 0.95
    lam = 2 * cost / delta
    exact = minimisers_above_kappa(covariance, lam, delta)
    assert soft_minimisers(covariance, QuasiMCP(lam, delta), [delta]) == exact


def test_quasi_mcp_and_l0_may_differ_below_kappa():
    covariance = np.array([[1, 0.5], [0.5, 1]])
    penalty = QuasiMCP(0.4, 1.0)
    assert penalty.lam / penalty.delta < theory_limits(covariance).kappa
    # The slope of the likelihood at 0 is 0.5 > λ, but the edge gains ½ log(4/3) = 0.144 < λδ/2.
    assert soft_minimisers(covariance, penalty, [1.0]) == graphs([[[0, 1], [0, 0]], [[0, 0], [1, 0]]])
    assert l0_minimisers(covariance, penalty.cost) == graphs([np.zeros((2, 2))])


# Theorem 1: small λ and δ give the sparsest models


@each_model
@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_theorem_1_below_the_limits_the_minimisers_are_the_sparsest_models_and_above_they_are_not(
    covariance, share
):
    limits = theory_limits(covariance)
    delta = share * min(limits.delta_max, 1.0)
    lam = min(limits.lambda_0(delta), 1e3)
    expected = sparsest_graphs(covariance)
    for below in (0.5 * (lam + limits.kappa * delta), 0.999 * lam):
        assert minimisers_above_kappa(covariance, below, delta) == expected
    if limits.edges:
        assert minimisers_above_kappa(covariance, 1.001 * lam, delta).isdisjoint(expected)


@each_small
@pytest.mark.parametrize("share", [0.05, 0.3])
def test_theorem_1_holds_for_all_smaller_lambda_also_where_quasi_mcp_is_not_l0(covariance, share):
    limits = theory_limits(covariance)
    delta = 0.95 * limits.delta_max
    penalty = QuasiMCP(share * limits.lambda_0(delta), delta)
    assert penalty.lam / penalty.delta < limits.kappa
    assert soft_minimisers(covariance, penalty, [delta]) == sparsest_graphs(covariance)


def test_theorem_1_holds_for_delta_above_tau():
    _, covariance = DIAMOND
    limits = theory_limits(covariance)
    delta = 0.5 * (limits.tau + limits.delta_max)
    assert limits.tau < delta
    found = minimisers_above_kappa(covariance, 0.99 * limits.lambda_0(delta), delta)
    assert found == sparsest_graphs(covariance)


@given(seed=seeds)
@settings(max_examples=8, deadline=None)
def test_theorem_1_on_five_nodes(seed):
    _, covariance = generic(5, np.random.default_rng(seed), density=0.3)
    limits = theory_limits(covariance)
    assume(limits.edges > 0 and limits.c_0 > 1e-6)  # below, rounding decides
    delta = 0.9 * limits.delta_max
    found = minimisers_above_kappa(covariance, 0.99 * limits.lambda_0(delta), delta)
    assert found == sparsest_graphs(covariance)


def test_theorem_1_with_a_large_sample_picks_some_of_the_sparsest_models():
    """The sample breaks the tie between Markov equivalence classes, never within one."""
    _, covariance = TIED
    expected, cost = sparsest_graphs(covariance), theory_limits(covariance).c_0 / 4
    picked = []
    for seed in range(12):
        sample = sampled(covariance, 100_000, np.random.default_rng(seed))
        delta = math.sqrt(cost / theory_limits(sample).kappa)
        picked.append(frozenset(minimisers_above_kappa(sample, 2 * cost / delta, delta)))
    assert all(found < expected for found in picked)
    assert set().union(*picked) == expected


@pytest.mark.parametrize("name", FAITHFUL)
def test_theorem_2_under_faithfulness_the_minimisers_are_the_markov_equivalence_class(name):
    weights, covariance = FAITHFUL[name]
    limits = theory_limits(covariance)
    cost = min(limits.c_0 / 2, 0.1)
    for n in (math.inf, 100_000):
        seen = covariance if n == math.inf else sampled(covariance, n, np.random.default_rng(0))
        delta = math.sqrt(cost / np.outer(seen.diagonal(), np.linalg.inv(seen).diagonal()).max())
        assert minimisers_above_kappa(seen, 2 * cost / delta, delta) == markov_class(weights)


# Corollary 1: MCP and SCAD


@each_small
def test_corollary_1_mcp_finds_the_sparsest_models(covariance):
    limits = theory_limits(covariance)
    a = 0.9 / limits.kappa  # λ/δ = 1/a: a small a is the condition on κ
    lam = 0.9 * min(limits.delta_max / a, math.sqrt(2 * limits.c_0 / a))
    found = soft_minimisers(covariance, MCP(lam, a), [a * lam])
    assert found == minimisers_above_kappa(covariance, lam, a * lam) == sparsest_graphs(covariance)


@given(lam=st.floats(0.01, 2), a=st.floats(2.01, 10), t=st.floats(-30, 30))
def test_scad_lies_above_the_quasi_mcp_of_the_same_slope_and_cost(lam, a, t):
    """So where Theorem 1 holds for (λ, (a + 1)λ) it holds for SCAD: both charge E_min the same."""
    upper, lower = SCAD(lam, a), QuasiMCP(lam, (a + 1) * lam)
    assert upper.cost == pytest.approx(lower.cost)
    at = np.array(t)
    assert upper.value(at) >= lower.value(at) - 1e-9
    if abs(t) >= lower.delta:
        assert upper.value(at) == pytest.approx(lower.value(at))


@each_small
def test_corollary_1_scad_finds_the_sparsest_models(covariance):
    limits = theory_limits(covariance)
    a, delta = 3.7, 0.9 * limits.delta_max
    lam = delta / (a + 1)
    assert lam < limits.lambda_0(delta)
    assert soft_minimisers(covariance, SCAD(lam, a), [lam, a * lam]) == sparsest_graphs(covariance)


# Lemma 1 and the sparsest Markov representation (Appendix A)


@given(seed=seeds, p=st.integers(1, 7))
@settings(max_examples=40, deadline=None)
def test_lemma_1_under_faithfulness_the_sparsest_models_are_the_markov_equivalence_class(seed, p):
    weights, covariance = generic(p, np.random.default_rng(seed))
    assert sparsest_graphs(covariance) == markov_class(weights)


def test_an_unfaithful_truth_that_is_the_sparsest_representation_is_still_found():
    weights, covariance = DIAMOND
    assert covariance[0, 3] == 0
    assert sparsest_graphs(covariance) == markov_class(weights)


def test_the_sparsest_model_need_not_be_the_causal_one():
    weights, covariance = TRIANGLE
    assert covariance[0, 2] == 0
    collider = graphs([[[0, 1, 0], [0, 0, 0], [0, 1, 0]]])
    assert sparsest_graphs(covariance) == collider
    assert graphs([weights != 0]) <= graphs(equivalence_class(covariance).dags)
    for cost in theory_limits(covariance).c_0 * np.array([1e-6, 0.1, 0.9]):
        assert l0_minimisers(covariance, cost) == collider


# Units: Lemma 2 and Theorem 3


@given(seed=seeds, p=st.integers(1, 6), cancelling=st.booleans())
@settings(max_examples=40, deadline=None)
def test_lemma_2_units_change_no_graph_of_the_class(seed, p, cancelling):
    rng = np.random.default_rng(seed)
    weights, covariance = generic(p, rng)
    if cancelling:
        covariance = population(np.sign(weights), np.ones(p))
    units = 10.0 ** rng.uniform(-3, 3, size=p)
    rescaled = covariance * np.outer(units, units)
    assert graphs(equivalence_class(rescaled).dags) == graphs(equivalence_class(covariance).dags)
    assert sparsest_graphs(rescaled) == sparsest_graphs(covariance)


@given(seed=seeds, p=st.integers(2, 4), n=st.integers(6, 2000), cost=st.floats(1e-4, 1))
@settings(max_examples=60, deadline=None)
def test_for_every_n_and_every_cost_units_change_no_l0_minimiser(seed, p, n, cost):
    rng = np.random.default_rng(seed)
    sample = sampled(generic(p, rng)[1], n, rng)
    units = 10.0 ** rng.uniform(-3, 3, size=p)
    rescaled = sample * np.outer(units, units)
    expected = l0_minimisers(sample, cost)
    assert l0_minimisers(rescaled, cost) == expected
    for covariance in (sample, rescaled):
        found = ExactSearch().solve(Problem(GaussianScore(covariance), L0(cost)), Watch())
        assert graphs([found.adjacency]) <= expected


def test_at_fixed_lambda_and_delta_quasi_mcp_does_depend_on_units():
    covariance, units = np.array([[1, 0.5], [0.5, 1]]), np.array([1.0, 10.0])
    found = [
        soft_minimisers(c, QuasiMCP(0.4, 1.0), [1.0])
        for c in (covariance, covariance * np.outer(units, units))
    ]
    assert found == [graphs([[[0, 1], [0, 0]], [[0, 0], [1, 0]]]), graphs([[[0, 0], [1, 0]]])]


@given(seed=seeds, p=st.integers(1, 6))
@settings(max_examples=20, deadline=None)
def test_on_a_sample_every_model_of_the_class_is_complete(seed, p):
    """Theorem 3 says of finite samples that all complete DAGs are minimal: true, and of no use."""
    rng = np.random.default_rng(seed)
    sample = sampled(generic(p, rng)[1], 50, rng)
    models = equivalence_class(sample)
    assert len(models) == math.factorial(p)
    assert (models.edges == p * (p - 1) // 2).all()
    assert sparsest_graphs(sample) == graphs(models.dags)
