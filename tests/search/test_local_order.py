"""Laws of the order search over any local score."""

from itertools import product

import numpy as np
import pytest

from sparsest._core.progress import Watch
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.rounding.grow_shrink import GrowShrink
from sparsest.search import LocalExactSearch, LocalOrderSearch
from sparsest.search.local_order import _OrderDescent
from tests.search.local_scores import binary_score


@pytest.mark.parametrize("seed", range(3))
def test_order_search_finds_the_exact_minimum_of_small_logistic_models(seed):
    problem = Problem(binary_score(seed), L0(0.01))
    exact = LocalExactSearch().solve(problem, Watch())
    assert LocalOrderSearch().solve(problem, Watch()).objective == pytest.approx(exact.objective, abs=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_a_descent_ends_where_no_node_has_a_better_place(seed):
    problem = Problem(binary_score(seed, p=7), L0(0.005))
    descent = _OrderDescent(GrowShrink(problem, problem.score, Watch()), Watch())
    objective, order = descent.run(list(range(7)))
    for node, place in product(range(7), range(7)):
        rest = [other for other in order if other != node]
        assert descent._score([*rest[:place], node, *rest[place:]]) >= objective - 1e-9


def test_the_same_seed_gives_the_same_answer():
    problem = Problem(binary_score(), L0(0.01))
    one, two = (LocalOrderSearch(seed=3).solve(problem, Watch()) for _ in range(2))
    assert np.array_equal(one.adjacency, two.adjacency)
    assert one.objective == two.objective


def test_progress_is_reported():
    steps = []
    LocalOrderSearch().solve(Problem(binary_score(), L0(0.01)), Watch(on_step=steps.append))
    assert steps
    assert steps[-1].stage == "order search"


def test_a_first_impression_is_taken_where_edges_cost_nothing_too():
    score = binary_score()
    every = ~np.eye(score.p, dtype=bool)
    found = LocalOrderSearch().solve(Problem(score, L0(0.05), unpenalised=every), Watch())
    assert found.adjacency.sum() == 15  # nothing is charged for a complete graph
