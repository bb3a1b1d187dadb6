from dataclasses import replace

import numpy as np
import pytest

import sparsest as sp
from sparsest.penalties import L1, QuasiMCP
from sparsest.problem import Problem
from sparsest.progress import Status, Watch
from sparsest.scores import GaussianScore, LeastSquares
from sparsest.search import ExactSearch
from sparsest.search.prune import strongest_dag
from sparsest.solvers import METHODS, CentralPath

LOGLL_DAGMA = METHODS["logll-dagma"]


def simulated(seed, p=8, k=1):
    rng = np.random.default_rng(seed)
    weights = sp.simulate.random_weights(sp.simulate.random_dag(p, k, "ER", rng), rng)
    return sp.simulate.linear_gaussian(weights, 1000, rng)


@pytest.mark.parametrize("seed", range(3))
def test_the_central_path_ends_in_a_dag_with_exact_zeros(seed):
    covariance = np.cov(simulated(seed).data, rowvar=False)
    found = CentralPath().solve(
        Problem(LeastSquares(covariance), L1(0.03)), np.zeros((8, 8)), Watch(), "path"
    )
    assert found.status is Status.CONVERGED
    assert abs(found.h) < 1e-4
    assert sp.graph.is_dag(np.abs(found.adjacency) > 0.1)
    assert (found.adjacency == 0).mean() > 0.5


def test_the_rounds_lower_the_likelihood_and_say_what_they_did():
    covariance = np.cov(simulated(0).data, rowvar=False)
    problem = Problem(GaussianScore(covariance), QuasiMCP(0.4, 0.2))
    found = LOGLL_DAGMA.solve(problem, Watch())
    assert [stage.name for stage in found.stages][:3] == ["dagma", "round 1", "round 2"]
    assert found.steps == sum(stage.steps for stage in found.stages)
    first = replace(LOGLL_DAGMA, rounds=1).solve(problem, Watch())
    assert problem.nll(found.adjacency.reshape(-1)) <= problem.nll(first.adjacency.reshape(-1))


def test_on_a_population_of_few_edges_the_global_minimum_is_found():
    """Theorem 1 where the landscape is kind: a sparse graph, the population covariance."""
    simulation = simulated(4, p=5)
    problem = Problem(GaussianScore(simulation.covariance), QuasiMCP(0.1, 0.1))
    exact = ExactSearch().solve(problem, Watch())
    found = LOGLL_DAGMA.solve(problem, Watch())
    assert sp.graph.markov_equivalent(strongest_dag(found.adjacency, 0.3), exact.adjacency)
    assert sp.graph.markov_equivalent(exact.adjacency, simulation.dag.to_numpy())


def test_entries_that_are_not_free_stay_exactly_zero():
    simulation = simulated(1)
    free = np.random.default_rng(0).random((8, 8)) < 0.5
    covariance = np.cov(simulation.data, rowvar=False)
    found = replace(LOGLL_DAGMA, rounds=2).solve(
        Problem(GaussianScore(covariance), QuasiMCP(0.4, 0.2), free), Watch()
    )
    assert (found.adjacency[~free] == 0).all()
    assert found.adjacency.any()


def test_a_start_outside_the_domain_of_h_widens_the_domain():
    cyclic = np.array([[0.0, 1.2], [1.2, 0.0]]) * np.array([[1, 1], [-1, 1]])
    problem = Problem(LeastSquares(np.array([[1.0, 0.5], [0.5, 1.0]])), L1(0.01))
    found = CentralPath().solve(problem, cyclic, Watch(), "path")
    assert abs(found.h) < 1e-3


def test_a_time_limit_returns_what_there_is():
    covariance = np.cov(simulated(0).data, rowvar=False)
    found = LOGLL_DAGMA.solve(Problem(GaussianScore(covariance), QuasiMCP(0.4, 0.2)), Watch(time_limit=0))
    assert found.status is Status.TIME_LIMIT
    assert np.isfinite(found.adjacency).all()


@pytest.mark.parametrize("options", [{"gamma": 1.0}, {"gamma": 0.0}, {"rounds": 0}])
def test_impossible_settings_are_refused(options):
    with pytest.raises(sp.OptionError, match=next(iter(options))):
        replace(LOGLL_DAGMA, **options)
