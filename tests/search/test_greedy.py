"""Laws of the greedy search over networks."""

import numpy as np
import pytest

import sparsest as sp
from sparsest._core.progress import Watch
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.scores.network import NetworkScore
from sparsest.search import GreedySearch
from tests.models.tables import standardised


def test_the_search_ends_where_no_single_change_improves():
    data = standardised(4)
    score = NetworkScore(data, 3, 1 / 200)
    problem = Problem(score, L0(0.01))
    graph = GreedySearch().solve(problem, Watch()).adjacency != 0
    for i, j in np.argwhere(graph):
        fewer = np.flatnonzero(graph[:, j] & (np.arange(4) != i))
        assert score.local(j, fewer) - score.local(j, np.flatnonzero(graph[:, j])) > 0.03 - 1e-6


def test_shaking_the_order_finds_what_single_changes_miss():
    rng = np.random.default_rng(4)
    data = sp.simulate.mlp(sp.simulate.random_dag(6, 2, "SF", rng), 300, rng).data
    data = (data - data.mean(axis=0)) / data.std(axis=0)

    def solved(patience):
        problem = Problem(NetworkScore(data, 4, 1 / 300), L0(0.02))
        return GreedySearch(patience=patience).solve(problem, Watch())

    still, shaken = solved(0), solved(10)
    assert shaken.objective < still.objective - 0.01
    objectives = [stage.objective for stage in shaken.stages]
    assert objectives == sorted(objectives, reverse=True)
    assert sp.graph.is_dag(shaken.adjacency != 0)


def test_the_search_starts_from_splines():
    rng = np.random.default_rng(7)
    cause = rng.normal(size=(300, 2))
    effect = np.cos(2 * cause).sum(axis=1) + 0.2 * rng.normal(size=300)
    data = np.column_stack([effect, cause])
    problem = Problem(NetworkScore((data - data.mean(axis=0)) / data.std(axis=0), 4, 1 / 300), L0(0.02))
    solution = GreedySearch().solve(problem, Watch())
    assert solution.stages[0].name == "start"
    assert solution.stages[0].objective < -0.5
    assert {tuple(edge) for edge in np.argwhere(solution.adjacency)} == {(1, 0), (2, 0)}


def test_a_negative_patience_is_refused():
    with pytest.raises(sp.OptionError, match="patience must be at least 0"):
        GreedySearch(patience=-1)
