from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest._core.correlation import correlation_of
from sparsest._core.progress import Watch
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.scores import GaussianScore
from sparsest.solvers import METHODS, InUnits
from tests.laws import random_covariance


def problem(covariance):
    return Problem(GaussianScore(covariance), L0(0.01))


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=10, deadline=None)
def test_the_answer_is_that_of_the_method_on_the_other_columns(seed):
    rng = np.random.default_rng(seed)
    covariance, units = random_covariance(4, rng), rng.uniform(0.5, 2.0, 4)
    there = METHODS["dagma"].solve(problem(covariance * np.outer(units, units)), Watch()).adjacency
    here = InUnits(METHODS["dagma"], units).solve(problem(covariance), Watch())
    assert here.adjacency == pytest.approx(there * units[:, None] / units)
    assert here.parameters == pytest.approx(here.adjacency.reshape(-1))


def test_units_of_one_change_nothing():
    covariance = random_covariance(5, np.random.default_rng(3))
    plain = METHODS["logll-dagma"].solve(problem(covariance), Watch()).adjacency
    assert (
        InUnits(METHODS["logll-dagma"], np.ones(5)).solve(problem(covariance), Watch()).adjacency == plain
    ).all()


def test_a_start_in_other_units_is_where_the_rounds_begin():
    covariance = random_covariance(4, np.random.default_rng(1))
    scales = np.sqrt(covariance.diagonal())
    logll, dagma = METHODS["logll-dagma"], METHODS["dagma"]
    raw = dagma.solve(problem(covariance), Watch()).adjacency * scales[:, None] / scales
    rounds = problem(correlation_of(covariance))
    given = logll.solve(rounds, Watch(), start=raw)
    found = replace(logll, first=InUnits(dagma, scales)).solve(rounds, Watch())
    assert found.adjacency == pytest.approx(given.adjacency, abs=1e-6)


@pytest.mark.parametrize(
    ("units", "words"),
    [([1.0, 2.0], "one factor per column, 3"), ([1.0, 0.0, 2.0], "that of 'x1'"), ([1, 2, np.nan], "'x2'")],
)
def test_factors_that_are_no_units_are_refused(units, words):
    table = np.random.default_rng(0).normal(size=(50, 3))
    with pytest.raises(sp.SparsestError, match=words):
        sp.fit(table, solver=InUnits(METHODS["dagma"], units))
