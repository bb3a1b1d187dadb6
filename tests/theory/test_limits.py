"""The constants of Theorem 1, against their definitions."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest._core.progress import Watch
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.scores import GaussianScore
from sparsest.search import ExactSearch
from sparsest.theory import Limits, equivalence_class, minimal_class, minimal_edges, theory_limits
from tests.laws import random_dag_weights
from tests.theory.brute import MODELS, dags_on, generic, l0_minimisers, losses, population, sparsest_graphs

seeds = st.integers(0, 2**32 - 1)
each_model = pytest.mark.parametrize("covariance", [c for _, c in MODELS.values()], ids=MODELS)


@given(seed=seeds, p=st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_the_limits_are_what_they_are_defined_to_be(seed, p):
    rng = np.random.default_rng(seed)
    covariance = population(np.sign(random_dag_weights(p, rng)), rng.uniform(0.5, 2, size=p))
    limits, models = theory_limits(covariance), equivalence_class(covariance)
    sizes = np.abs(models.weights[models.dags])
    assert limits.tau == pytest.approx(sizes.min(initial=math.inf), rel=1e-6)
    assert limits.edges == models.edges.min() == minimal_edges(covariance)
    edges, nll = dags_on(p).sum(axis=(1, 2)), losses(covariance)
    for m, least in enumerate(limits.losses):
        assert least == pytest.approx(nll[edges <= m].min(), abs=1e-10)
    assert limits.losses[-1] == pytest.approx(0.5 * np.linalg.slogdet(covariance)[1], abs=1e-10)
    assert limits.delta_0(0.5) == pytest.approx(limits.tau / 1.5)


@each_model
def test_c0_is_where_the_l0_minimisers_stop_to_be_the_sparsest_models(covariance):
    limits = theory_limits(covariance)
    assert l0_minimisers(covariance, min(0.999 * limits.c_0, 1.0)) == sparsest_graphs(covariance)
    if limits.edges:
        fewer = l0_minimisers(covariance, 1.001 * limits.c_0)
        assert all(np.frombuffer(dag, dtype=bool).sum() < limits.edges for dag in fewer)


@given(seed=seeds, p=st.integers(5, 9))
@settings(max_examples=15, deadline=None)
def test_c0_is_where_exact_search_lets_go_of_an_edge(seed, p):
    _, covariance = generic(p, np.random.default_rng(seed), density=0.3)
    limits = theory_limits(covariance)
    assume(limits.edges > 0 and limits.c_0 > 1e-6)  # below, rounding decides

    def edges(cost):
        return ExactSearch().solve(Problem(GaussianScore(covariance), L0(cost)), Watch()).adjacency.sum()

    assert edges(0.99 * limits.c_0) == limits.edges
    assert edges(1.01 * limits.c_0) < limits.edges


@given(seed=seeds, p=st.integers(2, 5))
@settings(max_examples=30, deadline=None)
def test_of_the_limits_only_edges_and_c0_are_free_of_units(seed, p):
    rng = np.random.default_rng(seed)
    _, covariance = generic(p, rng)
    units = rng.uniform(0.1, 10, size=p)
    plain, rescaled = theory_limits(covariance), theory_limits(covariance * np.outer(units, units))
    assert rescaled.edges == plain.edges
    assert rescaled.c_0 == pytest.approx(plain.c_0, rel=1e-6)
    shift = np.array(rescaled.losses) - np.array(plain.losses)
    assert shift == pytest.approx(np.log(units).sum(), abs=1e-9)


@given(seed=seeds, p=st.integers(2, 7))
@settings(max_examples=40, deadline=None)
def test_no_entry_of_a_sparsest_model_lies_below_delta_max(seed, p):
    _, covariance = generic(p, np.random.default_rng(seed))
    sparsest = minimal_class(covariance)
    least = np.abs(sparsest.weights[sparsest.dags]).min(initial=math.inf)
    assert least >= theory_limits(covariance).delta_max * (1 - 1e-6)


def test_without_dependence_there_is_no_limit():
    limits = theory_limits(np.diag([1.0, 2.0]))
    assert (limits.edges, limits.tau, limits.c_0, limits.delta_max) == (0, math.inf, math.inf, math.inf)
    assert limits.lambda_0(5.0) == math.inf


def test_lambda_0_is_given_only_where_it_is_known():
    limits = Limits(tau=0.1, kappa=2.0, losses=(1.0, 0.2, 0.0))
    assert limits.c_0 == pytest.approx(0.2)
    assert limits.delta_max == pytest.approx(math.sqrt(0.2))
    assert limits.lambda_0(0.4) == pytest.approx(1.0)
    with pytest.raises(sp.OptionError, match=r"known for delta below 0\.447.* only, but delta = 0\.5"):
        limits.lambda_0(0.5)
    with pytest.raises(sp.OptionError, match="15 columns are the most"):
        theory_limits(np.eye(16))
