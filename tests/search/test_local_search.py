"""Laws of the searches over any local score."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Watch
from sparsest.graph import is_dag
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.rounding.grow_shrink import GrowShrink
from sparsest.scores import GaussianScore
from sparsest.search import CAM, GES, ExactSearch, LocalExactSearch, LocalOrderSearch, OrderSearch
from sparsest.search.local_order import _OrderDescent
from sparsest.simulate import additive, linear_gaussian, logistic, random_dag, random_weights
from sparsest.solvers import Portfolio
from tests.scores.test_glm import score_of


class Table:
    """Local scores that are numbers in a table, as a user's own may be."""

    def __init__(self, p, seed):
        self.p, rng = p, np.random.default_rng(seed)
        sets = [frozenset(s) for k in range(p) for s in combinations(range(p), k)]
        self._scores = {(j, s): rng.normal() for j in range(p) for s in sets}

    def local(self, node, parents):
        return self._scores[node, frozenset(int(k) for k in parents)]


def dags(p):
    for bits in product([0, 1], repeat=p * (p - 1)):
        matrix = np.zeros((p, p), dtype=int)
        matrix[~np.eye(p, dtype=bool)] = bits
        if is_dag(matrix):
            yield matrix


def total(score, cost, dag):
    return sum(score.local(j, np.flatnonzero(dag[:, j])) for j in range(score.p)) + cost * dag.sum()


def correlation(seed, p=6, n=200):
    rng = np.random.default_rng(seed)
    data = linear_gaussian(random_weights(random_dag(p, 2, "ER", rng), rng), n, rng).data
    return np.corrcoef(data.T)


def binary_score(seed=0, p=6, n=500):
    rng = np.random.default_rng(seed)
    data = logistic(random_weights(random_dag(p, 1, "ER", rng), rng), n, rng).data
    return score_of(data, ["bernoulli"] * p)


@pytest.mark.parametrize("seed", range(4))
def test_exact_search_finds_the_best_of_all_dags_of_any_score(seed):
    score = Table(4, seed)
    solution = LocalExactSearch().solve(Problem(score, L0(0.3)), Watch())
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(min(total(score, 0.3, dag) for dag in dags(4)))
    assert total(score, 0.3, solution.adjacency.astype(int)) == pytest.approx(solution.objective)


@pytest.mark.parametrize("seed", range(3))
def test_local_searches_agree_with_the_compiled_ones_on_gaussian_scores(seed):
    problem = Problem(GaussianScore(correlation(seed)), L0(0.02))
    best = ExactSearch().solve(problem, Watch()).objective
    assert LocalExactSearch().solve(problem, Watch()).objective == pytest.approx(best, abs=1e-9)
    assert LocalOrderSearch().solve(problem, Watch()).objective == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_order_search_finds_the_exact_minimum_of_small_logistic_models(seed):
    problem = Problem(binary_score(seed), L0(0.01))
    exact = LocalExactSearch().solve(problem, Watch())
    assert LocalOrderSearch().solve(problem, Watch()).objective == pytest.approx(exact.objective, abs=1e-8)


def knowledge(p):
    allowed, required = np.ones((p, p), dtype=bool), np.zeros((p, p), dtype=bool)
    allowed[0] = False  # node 0 causes nothing
    required[4, 2] = required[2, 1] = True
    return allowed, required


@pytest.mark.parametrize("seed", range(3))
def test_a_descent_ends_where_no_node_has_a_better_place(seed):
    problem = Problem(binary_score(seed, p=7), L0(0.005))
    descent = _OrderDescent(GrowShrink(problem, problem.score), Watch())
    objective, order = descent.run(list(range(7)))
    for node, place in product(range(7), range(7)):
        rest = [other for other in order if other != node]
        assert descent._score([*rest[:place], node, *rest[place:]]) >= objective - 1e-9


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


def test_exact_search_is_exact_under_knowledge_too():
    score = Table(4, 7)
    allowed, required = np.ones((4, 4), dtype=bool), np.zeros((4, 4), dtype=bool)
    allowed[1, 2], required[0, 3] = False, True
    obeying = [dag for dag in dags(4) if not dag[1, 2] and dag[0, 3]]
    solution = LocalExactSearch().solve(Problem(score, L0(0.1), allowed, required), Watch())
    assert solution.objective == pytest.approx(min(total(score, 0.1, dag) for dag in obeying))


def test_the_same_seed_gives_the_same_answer():
    problem = Problem(binary_score(), L0(0.01))
    one, two = (LocalOrderSearch(seed=3).solve(problem, Watch()) for _ in range(2))
    assert np.array_equal(one.adjacency, two.adjacency)
    assert one.objective == two.objective


@pytest.mark.parametrize("search", [LocalExactSearch(), LocalOrderSearch(), CAM()])
def test_no_time_still_gives_a_graph(search):
    rng = np.random.default_rng(0)
    score = score_of(additive(random_dag(6, 1, "ER", rng), 100, rng).data, ["gaussian"] * 6, spline=3)
    solution = search.solve(Problem(score, L0(0.01)), Watch(time_limit=0))
    assert solution.status is Status.TIME_LIMIT
    assert is_dag(solution.adjacency.astype(int))
    assert math.isfinite(solution.objective)


def test_progress_is_reported():
    steps = []
    LocalOrderSearch().solve(Problem(binary_score(), L0(0.01)), Watch(on_step=steps.append))
    assert steps
    assert steps[-1].stage == "order search"


def test_exact_search_refuses_more_columns_than_it_can_fit():
    with pytest.raises(OptionError, match=r"17 \* 2\^16 models.*solver='order'"):
        LocalExactSearch().solve(Problem(Many(), L0(0.1)), Watch())


class Many:
    p = 17

    def local(self, node, parents):
        return 0.0


def test_cam_finds_strong_additive_edges_and_refuses_other_models():
    rng = np.random.default_rng(1)
    truth = random_dag(8, 1, "ER", rng)
    data = additive(truth, 500, rng).data
    solution = CAM().solve(Problem(score_of(data, ["gaussian"] * 8, spline=5), L0(0.02)), Watch())
    wrong = (solution.adjacency != 0) != (truth.to_numpy() == 1)
    assert wrong.sum() <= 3
    with pytest.raises(OptionError, match="model='additive'"):
        CAM().solve(Problem(binary_score(), L0(0.01)), Watch())


def test_cam_takes_a_few_candidates_a_node_where_there_are_many_columns():
    rng = np.random.default_rng(2)
    data = additive(random_dag(14, 1, "ER", rng), 300, rng).data
    score = score_of(data, ["gaussian"] * 14, spline=3)
    solution = CAM(neighbours=3).solve(Problem(score, L0(0.02)), Watch())
    assert is_dag(solution.adjacency.astype(int))
    assert solution.adjacency.sum(axis=0).max() <= 3


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


def test_a_first_impression_is_taken_where_edges_cost_nothing_too():
    score = binary_score()
    every = ~np.eye(score.p, dtype=bool)
    found = LocalOrderSearch().solve(Problem(score, L0(0.05), unpenalised=every), Watch())
    assert found.adjacency.sum() == 15  # nothing is charged for a complete graph


@pytest.mark.parametrize("search", [ExactSearch(), OrderSearch(), GES(), Portfolio()])
def test_searches_with_one_cost_refuse_edges_that_cost_nothing_and_show_the_way_out(search):
    some = np.triu(np.ones((3, 3), dtype=bool), 1)
    with pytest.raises(OptionError, match=r"cost nothing.*use"):
        search.solve(Problem(GaussianScore(np.eye(3)), L0(0.1), unpenalised=some), Watch())
