"""Laws that the searches over any local score share."""

import math

import numpy as np
import pytest

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Watch
from sparsest.graph import is_dag
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.scores import GaussianScore
from sparsest.search import CAM, GES, ExactSearch, LocalExactSearch, LocalOrderSearch, OrderSearch
from sparsest.simulate import additive, random_dag
from sparsest.solvers import Portfolio
from tests.scores.test_glm import score_of
from tests.search.local_scores import Table, binary_score, correlation, dags, total


@pytest.mark.parametrize("seed", range(3))
def test_local_searches_agree_with_the_compiled_ones_on_gaussian_scores(seed):
    problem = Problem(GaussianScore(correlation(seed)), L0(0.02))
    best = ExactSearch().solve(problem, Watch()).objective
    assert LocalExactSearch().solve(problem, Watch()).objective == pytest.approx(best, abs=1e-9)
    assert LocalOrderSearch().solve(problem, Watch()).objective == pytest.approx(best, abs=1e-9)


def knowledge(p):
    allowed, required = np.ones((p, p), dtype=bool), np.zeros((p, p), dtype=bool)
    allowed[0] = False  # node 0 causes nothing
    required[4, 2] = required[2, 1] = True
    return allowed, required


@pytest.mark.parametrize("search", [LocalExactSearch(), LocalOrderSearch()])
@pytest.mark.parametrize("limit", [1, None])
def test_knowledge_is_obeyed(search, limit):
    allowed, required = knowledge(6)
    problem = Problem(binary_score(), L0(0.01), allowed, required, max_parents=limit)
    dag = search.solve(problem, Watch()).adjacency.astype(bool)
    assert is_dag(dag)
    assert not (dag & ~allowed).any()
    assert dag[required].all()
    assert dag.sum(axis=0).max() <= problem.max_parents


@pytest.mark.parametrize("search", [LocalExactSearch(), LocalOrderSearch(), CAM()])
def test_no_time_still_gives_a_graph(search):
    rng = np.random.default_rng(0)
    score = score_of(additive(random_dag(6, 1, "ER", rng), 100, rng).data, ["gaussian"] * 6, spline=3)
    solution = search.solve(Problem(score, L0(0.01)), Watch(time_limit=0))
    assert solution.status is Status.TIME_LIMIT
    assert is_dag(solution.adjacency.astype(int))
    assert math.isfinite(solution.objective)


@pytest.mark.parametrize("seed", range(3))
def test_edges_that_cost_nothing_are_honoured_by_searches_over_local_scores(seed):
    score, rng = Table(4, seed), np.random.default_rng(seed)
    free_of_charge = (rng.random((4, 4)) < 0.5) & ~np.eye(4, dtype=bool)
    problem = Problem(score, L0(0.3), unpenalised=free_of_charge)
    found = LocalExactSearch().solve(problem, Watch())
    least = min(total(score, 0.3, dag) - 0.3 * (dag & free_of_charge).sum() for dag in dags(4))
    assert found.objective == pytest.approx(least, abs=1e-12)
    order = LocalOrderSearch().solve(problem, Watch())
    dag = order.adjacency.astype(int)
    assert order.objective == pytest.approx(
        total(score, 0.3, dag) - 0.3 * (dag & free_of_charge).sum(), abs=1e-12
    )


@pytest.mark.parametrize("search", [ExactSearch(), OrderSearch(), GES(), Portfolio()])
def test_searches_with_one_cost_refuse_edges_that_cost_nothing_and_show_the_way_out(search):
    some = np.triu(np.ones((3, 3), dtype=bool), 1)
    with pytest.raises(OptionError, match=r"cost nothing.*use"):
        search.solve(Problem(GaussianScore(np.eye(3)), L0(0.1), unpenalised=some), Watch())
