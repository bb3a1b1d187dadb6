import json

import numpy as np
import pytest

import sparsest as sp
from sparsest._core.progress import Watch
from sparsest.penalties import L0, QuasiMCP
from sparsest.problem import Problem
from sparsest.scores import GaussianScore
from sparsest.scores.autodiff import AutodiffScore
from sparsest.scores.gaussian import refit
from sparsest.solvers import GENERAL_METHODS
from sparsest.solvers.objective import softened
from tests.laws import finite_differences

jnp = pytest.importorskip("jax.numpy")


class Gaussian:
    """The linear Gaussian likelihood once more, in JAX."""

    def __init__(self, p):
        self.p = p

    def init(self, rng):
        return {"B": np.zeros((self.p, self.p))}

    def nll(self, params, data):
        residual = jnp.eye(self.p) - params["B"]
        omega = jnp.mean((data @ residual) ** 2, axis=0)
        return 0.5 * jnp.log(omega).sum() - jnp.linalg.slogdet(residual)[1]

    def adjacency(self, params):
        return params["B"]


def centred(seed=0, n=300, p=4):
    rng = np.random.default_rng(seed)
    weights = sp.simulate.random_weights(sp.simulate.random_dag(p, 1, "ER", rng), rng)
    data = sp.simulate.linear_gaussian(weights, n, rng).data
    return data - data.mean(axis=0)


def test_the_gaussian_score_in_jax_and_in_numpy_agree():
    data = centred()
    general = AutodiffScore(Gaussian(4), data, np.random.default_rng(0))
    score = GaussianScore(data.T @ data / len(data))
    psi = 0.2 * np.random.default_rng(1).normal(size=16)
    for mine, theirs in zip(general.value_and_grad(psi), score.value_and_grad(psi), strict=True):
        assert mine == pytest.approx(theirs, abs=1e-10)
    assert general.adjacency(psi) == pytest.approx(psi.reshape(4, 4), abs=0)
    assert (general.groups == np.arange(16)).all()


@pytest.mark.parametrize("weight", [0.5, 3.0])
def test_a_problem_with_groups_of_one_is_the_separable_problem(weight):
    from sparsest.acyclicity import LogDet

    data = centred()
    psi = 0.2 * np.random.default_rng(1).normal(size=16) * (1 - np.eye(4)).reshape(-1)
    penalty = QuasiMCP(0.3, 0.25)
    problems = [
        Problem(AutodiffScore(Gaussian(4), data, np.random.default_rng(0)), penalty),
        Problem(GaussianScore(data.T @ data / len(data)), penalty),
    ]
    values = [problem.value(psi) for problem in problems]
    assert values[0] == pytest.approx(values[1], abs=1e-10)
    found = [softened(problem, LogDet(), weight).value_and_grad(psi) for problem in problems]
    assert found[0][0] == pytest.approx(found[1][0], abs=1e-10)
    assert found[0][1] == pytest.approx(found[1][1], abs=1e-9)


@pytest.mark.parametrize("name", ["logll-dagma", "logll-notears"])
def test_a_user_defined_model_is_solved_like_the_linear_one(name):
    """Written in JAX or in NumPy, with kinks of groups or of entries, it is one problem with one answer."""
    data, method = centred(3), GENERAL_METHODS[name]
    scores = [
        AutodiffScore(Gaussian(4), data, np.random.default_rng(0)),
        GaussianScore(data.T @ data / len(data)),
    ]
    found = [method.solve(Problem(score, L0(0.01)), Watch()) for score in scores]
    assert found[0].adjacency == pytest.approx(found[1].adjacency, abs=1e-3)


def test_the_graph_of_a_user_defined_model_is_a_dag_that_no_deletion_improves():
    result = sp.fit(data := centred(3), model=Gaussian(4))
    dag = result.dag.to_numpy() != 0
    assert sp.graph.is_dag(dag)
    covariance = data.T @ data / len(data)
    assert result.nll == pytest.approx(0.5 * np.log(refit(covariance, dag)[1]).sum(), abs=1e-4)
    for i, j in np.argwhere(dag):
        fewer = dag.copy()
        fewer[i, j] = False
        assert 0.5 * np.log(refit(covariance, fewer)[1]).sum() - result.nll > result.cost - 1e-4
    assert result.model == "Gaussian"
    assert result.identifies == "dag"


class Grouped(Gaussian):
    def init(self, rng):
        return [np.zeros((self.p, self.p, 2)), np.ones(self.p)]

    def nll(self, params, data):
        return jnp.mean((data - data @ params[0].sum(-1) - params[1]) ** 2)

    def adjacency(self, params):
        return jnp.linalg.norm(params[0], axis=-1)


def test_groups_of_parameters_are_found_and_squares_are_smooth_at_zero():
    score = AutodiffScore(Grouped(3), centred(p=3), np.random.default_rng(0))
    assert (score.groups == [*np.repeat(np.arange(9), 2), -1, -1, -1]).all()
    zero = np.zeros(score.start.size)
    assert (score.squares_vjp(zero, np.ones((3, 3))) == 0).all()
    psi = np.random.default_rng(0).normal(size=score.start.size)
    expected = finite_differences(lambda point: score.value_and_grad(point)[0], psi)
    assert score.value_and_grad(psi)[1] == pytest.approx(expected, abs=1e-6)


def broken(**methods):
    return type("Broken", (Gaussian,), methods)(3)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            broken(adjacency=lambda _self, params: params["B"][:2]),
            r"model Broken: its adjacency has shape \(2, 3\)",
        ),
        (broken(nll=lambda _self, _params, _data: jnp.nan), "model Broken: its nll is nan.*finite"),
        (
            broken(adjacency=lambda _self, params: params["B"] @ params["B"]),
            "neither a parameter nor the norm",
        ),
        (broken(init=lambda _self, _rng: {"B": np.full((3, 3), np.inf)}), "not finite"),
        (Gaussian, "not the class Gaussian"),
        (object(), r"model object has no init\(\)"),
    ],
)
def test_a_broken_model_is_named_with_the_way_out(model, words):
    with pytest.raises(sp.OptionError, match=words):
        sp.fit(centred(p=3), model=model)


def test_searches_by_local_scores_are_refused_for_a_model_without_them():
    with pytest.raises(sp.OptionError, match="one likelihood for all"):
        sp.fit(centred(p=3), model=Gaussian(3), solver="order")


@pytest.fixture(scope="module")
def own():
    return sp.fit(centred(p=3), model=Gaussian(3))


def test_a_result_of_a_user_defined_model_is_shown_drawn_and_exported_without_nan(own, tmp_path):
    assert own.model == own.settings["model"] == "Gaussian"
    assert own.fitted is None
    assert np.isnan(own.noise_variances).all()
    assert "nan" not in own.summary()
    assert "strengths as defined by the model" in own.summary()
    assert "0x" not in own.summary() + own.methods() + repr(own) + str(own.settings)
    tree = json.loads(json.dumps(own.to_dict(), allow_nan=False))
    assert tree["noise_variances"] == [None, None, None]
    assert tree["n"] == 300
    assert {(e["source"], e["target"]): e["weight"] for e in tree["dag"]} == {
        (a, b): own.weights[own.names.index(a), own.names.index(b)] for a, b in own.dag.edges
    }
    for name in ("graph.png", "graph.svg"):
        own.plot(tmp_path / name)
    assert "nan" not in (tmp_path / "graph.svg").read_text(encoding="utf-8")


def test_a_result_of_a_user_defined_model_is_saved_and_loaded_whole(own, tmp_path):
    own.save(tmp_path / "own.zip")
    again = sp.load(tmp_path / "own.zip")
    assert again.dag == own.dag
    assert again.cpdag == own.cpdag
    assert again.summary() == own.summary()
    assert (again.weights == own.weights).all()
    assert np.isnan(again.noise_variances).all()
    assert again.to_dict() == own.to_dict()


def test_what_only_the_author_of_a_model_can_do_is_refused(own):
    for ask in (own.predict, own.log_likelihood):
        with pytest.raises(sp.OptionError, match="a user-defined likelihood does not say how"):
            ask(centred(p=3))
    with pytest.raises(sp.OptionError, match="does not say how"):
        own.sample(5, np.random.default_rng(0))
