import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest._core.progress import Watch
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.rounding import graph_by_parents, strongest_dag
from sparsest.scores import GaussianScore
from tests.laws import random_covariance, random_dag_weights

seeds = st.integers(0, 2**32 - 1)


@given(seed=seeds, p=st.integers(1, 6), limit=st.integers(0, 6))
@settings(deadline=None)
def test_the_graph_obeys_and_follows_the_order_of_the_strongest_edges(seed, p, limit):
    rng = np.random.default_rng(seed)
    required = random_dag_weights(p, rng, 0.3) != 0
    limit = max(limit, int(required.sum(axis=0).max()))
    allowed = required | (rng.random((p, p)) < 0.7)
    problem = Problem(
        GaussianScore(random_covariance(p, rng)), L0(0.05), allowed, required, max_parents=limit
    )
    soft = rng.normal(size=(p, p))
    graph = graph_by_parents(problem, soft, Watch())
    order = sp.graph.topological_order(strongest_dag(soft * problem.allowed, required))
    assert not np.tril(graph[np.ix_(order, order)]).any()
    assert not (required & ~graph).any()
    assert not (graph & ~problem.allowed).any()
    assert graph.sum(axis=0).max() <= limit


@given(seed=seeds, p=st.integers(2, 6))
@settings(deadline=None)
def test_no_single_edge_less_would_improve_the_graph(seed, p):
    rng = np.random.default_rng(seed)
    score, cost = GaussianScore(random_covariance(p, rng)), 0.05
    graph = graph_by_parents(Problem(score, L0(cost)), rng.normal(size=(p, p)), Watch())
    for i, j in np.argwhere(graph):
        parents = np.flatnonzero(graph[:, j])
        assert score.local(j, parents[parents != i]) - score.local(j, parents) >= cost - 1e-9
