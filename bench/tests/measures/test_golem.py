import numpy as np
import pytest

from sparsest._core.progress import Watch
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.scores import GaussianScore
from sparsest.simulate.designs import Design, simulate
from sparsest.solvers import METHODS
from sparsest_bench.measures import golem
from sparsest_bench.process import FailedError


@pytest.fixture(scope="module")
def rows():
    return simulate(Design("ER1", 5, 200), 0).X


@pytest.fixture(scope="module")
def problem(rows):
    return Problem(GaussianScore(np.cov(rows.T, bias=True)), L0(0.01))


def published(X, B, lam, equal):
    """GOLEM's objective as its paper writes it, from the rows."""
    n, p = X.shape
    squares = ((X - X.mean(axis=0)) @ (np.eye(p) - B)) ** 2
    likelihood = 0.5 * p * np.log(squares.sum() / n) if equal else 0.5 * np.log(squares.sum(axis=0) / n).sum()
    powers = [np.linalg.matrix_power(B * B, k) for k in range(1, 40)]
    factorials = np.cumprod(np.arange(1.0, 40.0))
    h = sum(np.trace(power) / factor for power, factor in zip(powers, factorials, strict=True))
    return likelihood - np.log(np.linalg.det(np.eye(p) - B)) + lam * np.abs(B).sum() + 5 * h


@pytest.mark.parametrize(("name", "lam"), [("golem-ev", 0.02), ("golem-nv", 0.002)])
def test_the_objective_is_the_published_one_and_ours_minimises_it(rows, problem, name, lam):
    method = METHODS[name]
    rng = np.random.default_rng(0)
    cyclic = 0.2 * rng.normal(size=(5, 5)) * (1 - np.eye(5))
    assert golem.objective(method, problem, cyclic) == pytest.approx(
        published(rows, cyclic, lam, equal=name == "golem-ev")
    )
    ours = method.solve(problem, Watch()).adjacency
    least = golem.objective(method, problem, ours)
    for _ in range(20):
        nearby = ours + 1e-3 * rng.normal(size=(5, 5)) * (1 - np.eye(5))
        assert golem.objective(method, problem, nearby) > least


def test_a_graph_has_the_weights_above_the_threshold_without_the_smallest_in_cycles():
    weights = np.array([[0, 0.9, 0], [0, 0, -0.8], [0.4, 0.2, 0]])
    assert golem.graph_of(weights).tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]


def test_both_variants_are_compared_and_the_second_starts_from_the_first(monkeypatch):
    starts = []

    def reply(peer, arrays, time_limit):
        starts.append(arrays["start"].any())
        return {"answer": np.triu(np.full((4, 4), 0.5), 1).tolist(), "seconds": 1.0}

    monkeypatch.setattr(golem, "asked", reply)
    spec = golem.plan({"p": [4], "graphs": ["ER1"], "n": 100, "seeds": 1})[0]
    row = golem.run(spec)
    assert starts == [False, True]
    assert [each["method"] for each in row["rows"]] == ["golem-ev", "golem-nv"]
    for each in row["rows"]:
        assert each["continued"] <= each["theirs"]
    lines = golem.table([spec | row | each for each in row["rows"]]).splitlines()
    assert len(lines) == 4


def test_a_peer_without_an_answer_leaves_no_line(monkeypatch):
    def reply(peer, arrays, time_limit):
        raise FailedError("not installed")

    monkeypatch.setattr(golem, "asked", reply)
    spec = golem.plan({"p": [4], "graphs": ["ER1"], "n": 100, "seeds": 1})[0]
    row = golem.run(spec)
    assert row == {"failure": "not installed"}
    assert len(golem.table([spec | row]).splitlines()) == 2
