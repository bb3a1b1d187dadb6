"""Partition MCMC agrees with sums over all DAGs where these can be computed."""

import numpy as np
import pytest

import sparsest as sp
from sparsest.graph import is_dag
from sparsest.penalties import L0
from sparsest.penalties.criteria import cost_per_edge
from sparsest.problem import Problem
from sparsest.scores import GaussianScore
from sparsest_bench.partitions.sampling import candidates_of, layers_of, sample


def chain(p, n, seed):
    """A table in which each column is caused by those before it, more or less."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n, p))
    for j in range(1, p):
        table[:, j] += table[:, :j] @ rng.uniform(-0.5, 0.5, size=j)
    return table


def problem_of(table):
    n, p = table.shape
    return Problem(GaussianScore(np.corrcoef(table, rowvar=False)), L0(cost_per_edge("auto", n, p)))


@pytest.mark.parametrize(("p", "n"), [(5, 60), (8, 100)])
def test_edges_and_marks_are_as_probable_as_sums_over_all_dags_say(p, n):
    table = chain(p, n, seed=p)
    exact = sp.posterior(table, samples=20_000)
    nothing = np.zeros((p, p), dtype=bool)
    starts = [nothing, exact.result.dag.matrix != 0]
    found = sample(problem_of(table), n, starts, np.random.default_rng(0), steps=400_000)
    assert found.split < 1.1
    np.testing.assert_allclose(found.edge, exact.edge, atol=0.05)
    np.testing.assert_allclose(found.arrow, exact.arrow, atol=0.05)


def test_the_layers_of_a_dag_have_parents_just_before():
    rng = np.random.default_rng(0)
    for _ in range(20):
        order = rng.permutation(7)
        dag = np.triu(rng.random((7, 7)) < 0.4, 1)[np.ix_(order, order)]
        assert is_dag(dag.astype(int))
        layer = layers_of(dag)
        for node in range(7):
            parents = np.flatnonzero(dag[:, node])
            assert layer[node] == (layer[parents].max() + 1 if len(parents) else 0)


def test_the_parents_of_the_start_are_candidates():
    table = chain(10, 200, seed=1)
    dag = sp.fit(table).dag.matrix != 0
    candidates = candidates_of(np.cov(table, rowvar=False), dag, most=6)
    assert candidates.shape == (10, 6)
    for node in range(10):
        assert node not in candidates[node]
        assert set(np.flatnonzero(dag[:, node])) <= set(candidates[node])
