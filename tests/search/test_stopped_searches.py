"""Laws of searches over local scores that are stopped at any moment."""

import numpy as np
import pytest

import sparsest as sp
from sparsest._core.progress import Status, Watch
from sparsest.graph import is_dag
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.rounding.grow_shrink import objective_at_once
from sparsest.scores import _glm_kernels, _gram_kernels
from sparsest.scores.network import NetworkScore
from sparsest.search import CAM, GreedySearch, LocalExactSearch, LocalOrderSearch
from sparsest.simulate import additive, random_dag
from tests.scores.test_glm import score_of
from tests.search.local_scores import binary_score

P = 6


class StopsAfter(Watch):
    """Says stop once it has been asked so many times."""

    def __init__(self, polls):
        super().__init__()
        self.left = polls

    @property
    def stop(self):
        self.left -= 1
        return Status.TIME_LIMIT if self.left < 0 else None

    def for_a_start(self):
        return self


class Counting:
    """A local score that notes the most fits between two polls of a watch."""

    def __init__(self, score, watch):
        self.p, self._score, self._watch, self.most, self._since = score.p, score, watch, 0, (0, 0)

    def local(self, node, parents):
        fits, left = self._since
        fits = fits + 1 if left == self._watch.left else 1
        self._since = fits, self._watch.left
        self.most = max(self.most, fits)
        return self._score.local(node, parents)


def curved(seed=0):
    rng = np.random.default_rng(seed)
    return additive(random_dag(P, 1, "ER", rng), 150, rng).data


def problem_of(search):
    required, allowed = np.zeros((P, P), dtype=bool), np.ones((P, P), dtype=bool)
    required[2, 1], allowed[0] = True, False
    if isinstance(search, GreedySearch):
        rows = curved()
        score, cost = NetworkScore((rows - rows.mean(axis=0)) / rows.std(axis=0), 3, 0.01), 0.002
    elif isinstance(search, CAM):
        score, cost = score_of(curved(), ["gaussian"] * P, spline=3), 0.01
    else:
        score, cost = binary_score(p=P), 0.005
    return Problem(score, L0(cost), allowed, required)


@pytest.mark.parametrize("polls", [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 144, 377])
@pytest.mark.parametrize(
    "search", [LocalOrderSearch(), LocalExactSearch(), CAM(), GreedySearch(patience=1)], ids=str
)
def test_whenever_a_search_is_stopped_its_graph_obeys_and_is_no_worse_than_the_sparsest(search, polls):
    problem = problem_of(search)
    found = search.solve(problem, StopsAfter(polls))
    dag = found.adjacency != 0
    assert is_dag(dag.astype(int))
    assert dag[problem.required].all()
    assert not (dag & ~problem.allowed).any()
    least = objective_at_once(problem, problem.score, problem.required)
    objective = objective_at_once(problem, problem.score, dag)
    assert objective <= least + 1e-6
    assert found.objective == pytest.approx(objective, abs=1e-6)


@pytest.mark.parametrize("search", [LocalOrderSearch(), LocalExactSearch()])
def test_a_search_asks_for_the_time_before_every_fit(search):
    watch = StopsAfter(10**9)
    score = Counting(binary_score(p=P), watch)
    search.solve(Problem(score, L0(0.005)), watch)
    assert score.most == 1


def refuse(*_):
    raise AssertionError("there is no time to compile")


@pytest.mark.parametrize("model", ["logistic", "poisson", "additive", "mixed", "mlp"])
@pytest.mark.parametrize("p", [4, 15])
def test_without_time_nothing_is_compiled_and_the_required_edges_come_back_fitted(model, p, monkeypatch):
    for module, names in (
        (_glm_kernels, ("newton", "merge", "compile_all")),
        (_gram_kernels, ("residuals",)),
    ):
        for name in names:
            monkeypatch.setattr(module, name, refuse)
    rng = np.random.default_rng(0)
    binary = (rng.random((300, p)) < 0.5).astype(float)
    binary[:, 1] = np.where(rng.random(300) < 0.7, binary[:, 0], binary[:, 1])
    table = binary + (rng.normal(size=binary.shape) if model in ("additive", "mlp") else 0)
    if model == "mixed":
        table[:, 0] += rng.normal(size=300)
    known = sp.Knowledge(required=[("x0", "x1")])
    result = sp.fit(table, model=model, knowledge=known, time_limit=0)
    assert result.status is Status.TIME_LIMIT
    assert result.dag.edges == [("x0", "x1")]
    assert np.isfinite(result.objective)


def test_a_stopped_exact_search_returns_what_the_quick_search_had():
    problem = Problem(binary_score(p=P), L0(0.005))
    quick = LocalOrderSearch(patience=0).solve(problem, Watch())
    stopped = LocalExactSearch().solve(problem, StopsAfter(150))
    assert stopped.status is Status.TIME_LIMIT
    assert stopped.objective <= quick.objective + 0.05
