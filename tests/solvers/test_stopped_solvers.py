"""Laws of continuous solvers that are told to stop: with many columns each evaluation takes seconds."""

from itertools import pairwise

import numpy as np
import pytest

from sparsest._core.progress import Status, Watch
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.rounding.by_score import graph_by_score
from sparsest.scores import GaussianScore
from sparsest.simulate import linear_gaussian, random_dag, random_weights
from sparsest.solvers import METHODS, OWLQN, published

P = 8


class StopsAfter(Watch):
    """Says stop once it has been asked so many times, and counts what is evaluated from then on."""

    def __init__(self, polls):
        super().__init__()
        self.left, self.late = polls, 0

    @property
    def stop(self):
        self.left -= 1
        return Status.TIME_LIMIT if self.left < 0 else None

    def evaluated(self):
        self.late += self.left < 0


@pytest.fixture
def correlation():
    rng = np.random.default_rng(0)
    weights = random_weights(random_dag(P, 2, "ER", rng), rng)
    return np.corrcoef(linear_gaussian(weights, 300, rng).data, rowvar=False)


@pytest.mark.parametrize("polls", [0, 1, 2, 7, 30, 120])
@pytest.mark.parametrize("name", list(METHODS))
def test_a_stopped_method_evaluates_hardly_anything_more(name, polls, correlation, monkeypatch):
    watch, counted = StopsAfter(polls), []
    for score in (published.LeastSquares, published.EqualVarianceScore, GaussianScore):
        plain = score.value_and_grad

        def counting(self, psi, plain=plain):
            watch.evaluated()
            counted.append(psi.tobytes())
            return plain(self, psi)

        monkeypatch.setattr(score, "value_and_grad", counting)
    found = METHODS[name].solve(Problem(GaussianScore(correlation), L0(0.01)), watch)
    assert found.status is Status.TIME_LIMIT
    assert watch.late <= 3
    repeated = sum(one == other for one, other in pairwise(counted))
    assert repeated <= 2  # where one stage ends and another score or path begins at the same point


class Uphill:
    """A function whose gradient points the wrong way: every line search is in vain."""

    kinks = np.zeros(2)

    def __init__(self, watch):
        self._watch = watch

    def value_and_grad(self, psi):
        self._watch.evaluated()
        return float(psi @ psi), -np.ones(2)


def test_a_line_search_ends_when_it_is_time_to_stop():
    watch = StopsAfter(3)
    found = OWLQN().minimize(Uphill(watch), np.zeros(2), watch)
    assert (found.status, found.steps) == (Status.TIME_LIMIT, 0)
    assert watch.late == 0


def test_few_edges_of_each_of_many_nodes_are_considered_when_time_is_up():
    p = 600
    rng = np.random.default_rng(0)
    weights = np.triu(rng.normal(size=(p, p)), 1)
    correlation = np.corrcoef(rng.normal(size=(2 * p, p)), rowvar=False)
    problem = Problem(GaussianScore(correlation), L0(1e-12))  # every edge pays
    assert graph_by_score(problem, weights, thorough=False)[0].sum(axis=0).max() == 5000 // p
