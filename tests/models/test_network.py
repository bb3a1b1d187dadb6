import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

import sparsest as sp
from sparsest._core.jax import double_precision
from sparsest._core.progress import Status, Watch
from sparsest.models import MLP
from sparsest.penalties import L1, QuasiMCP
from sparsest.problem import Problem
from sparsest.scores._levenberg_marquardt import products
from sparsest.scores.autodiff import AutodiffScore
from sparsest.scores.network import NetworkScore
from sparsest.scores.network_likelihood import NOISES, NetworkLikelihood
from sparsest.solvers import GENERAL_METHODS, METHODS, OWLQN, CentralPath
from tests.laws import finite_differences
from tests.models.tables import standardised

jax = pytest.importorskip("jax")


def network(data, hidden, noise="own"):
    return NetworkLikelihood(data.shape[1], hidden, 1 / len(data), noise)


def random_point(score, seed=1):
    return score.start + 0.3 * np.random.default_rng(seed).normal(size=score.start.size)


def residuals(data, params):
    active = expit(np.einsum("ni,ijh->njh", data, params["first"]) + params["bias"])
    return data - (active * params["second"]).sum(axis=-1) - params["offset"]


def test_the_likelihood_is_half_the_logarithms_of_the_residual_variances():
    data = standardised(0)
    score = AutodiffScore(network(data, 3), data, np.random.default_rng(0))
    psi = random_point(score)
    params = score.params(psi)
    variances = (residuals(data, params) ** 2).mean(axis=0)
    assert score.nll(psi) == pytest.approx(0.5 * np.log(variances).sum(), abs=1e-10)
    norms = np.sqrt((params["first"] ** 2).sum(axis=-1))
    assert score.adjacency(psi) == pytest.approx(norms, abs=1e-12)
    assert score.squares(psi) == pytest.approx(norms**2, abs=1e-12)


def test_with_one_variance_it_is_the_logarithm_of_all_squares_and_least_squares_are_the_squares():
    data = standardised(0) * [3.0, 1.0, 0.2, 1.0]
    one, squares = (
        AutodiffScore(network(data, 3, noise), data, np.random.default_rng(0)) for noise in ("equal", "unit")
    )
    psi = random_point(one)
    total = (residuals(data, one.params(psi)) ** 2).sum() / len(data)
    assert one.nll(psi) == pytest.approx(0.5 * 4 * np.log(total / 4), abs=1e-10)
    assert squares.nll(psi) == pytest.approx(0.5 * total, abs=1e-10)


def test_one_variance_for_all_columns_fits_no_better_than_one_each_and_as_well_where_they_are_equal():
    data = standardised(0)
    params = network(data, 3).init(np.random.default_rng(0))
    params["second"] *= 0  # the empty graph, whose residual variances are those of the columns
    scales = np.array([1.0, 2.0, 0.5, 3.0])
    likelihoods = [network(data, 3, noise).nll for noise in ("own", "equal")]
    with double_precision():
        same, other = ([float(nll(params, table)) for nll in likelihoods] for table in (data, data * scales))
    assert same[1] == pytest.approx(same[0], abs=1e-12)
    assert other[1] > other[0] + 0.1


@pytest.mark.parametrize("noise", ["own", "equal"])
@given(rates=st.lists(st.floats(0.1, 10), min_size=3, max_size=3))
@settings(max_examples=10, deadline=None)
def test_other_units_shift_the_likelihood_by_a_constant_those_of_one_column_only_with_its_own_variance(
    noise, rates
):
    """Units move into the weights: inputs are divided by them, and predictions multiplied."""
    data = standardised(0, n=50, p=3)
    units = np.array(rates if noise == "own" else rates[:1] * 3)
    model = network(data, 2, noise)
    params = model.init(np.random.default_rng(0))
    params["first"] = np.random.default_rng(1).normal(size=(3, 3, 2))
    moved = {
        "first": params["first"] / units[:, None, None],
        "bias": params["bias"],
        "second": params["second"] * units[:, None],
        "offset": params["offset"] * units,
    }
    with double_precision():
        shift = float(model.nll(moved, data * units)) - float(model.nll(params, data))
    assert shift == pytest.approx(np.log(units).sum(), abs=1e-9)


@pytest.mark.parametrize("noise", NOISES)
def test_gradients_agree_with_finite_differences(noise):
    data = standardised(0, n=50, p=3)
    score = AutodiffScore(network(data, 2, noise), data, np.random.default_rng(0))
    psi = random_point(score)
    expected = finite_differences(lambda point: score.value_and_grad(point)[0], psi)
    assert score.value_and_grad(psi)[1] == pytest.approx(expected, abs=1e-6)
    cotangent = np.random.default_rng(2).normal(size=(3, 3))
    expected = finite_differences(lambda point: (cotangent * score.squares(point)).sum(), psi)
    assert score.squares_vjp(psi, cotangent) == pytest.approx(expected, abs=1e-6)


def test_networks_of_single_columns_add_up_to_the_whole_network():
    """The derivatives written out for the search, and those of JAX, are of one and the same score."""
    data = standardised(3)
    model = network(data, 4)
    general = AutodiffScore(model, data, np.random.default_rng(0))
    local = NetworkScore(data, 4, model.decay, max_steps=500)
    params = general.params(np.zeros(general.start.size))
    params = {name: np.array(part) for name, part in params.items()}
    parents = [(), (0,), (0, 1), (1,)]
    total = 0.0
    for node, chosen in enumerate(parents):
        fit = local.fit(node, chosen)
        total += fit.score
        params["first"][list(chosen), node] = fit.first[:-1]
        params["bias"][node], params["second"][node] = fit.first[-1], fit.second[:-1]
        params["offset"][node] = fit.second[-1]
    psi = np.concatenate([params[name].reshape(-1) for name in sorted(params)])
    value, gradient = general.value_and_grad(psi)
    assert value == pytest.approx(total, abs=1e-10)
    chosen = np.zeros((4, 4), dtype=bool)
    for node, group in enumerate(parents):
        chosen[list(group), node] = True
    free = np.append(chosen.reshape(-1), False)[general.groups]
    assert np.abs(gradient[free]).max() < 0.05  # a minimum, up to the search's own tolerance


def test_sixty_four_bits_inside_and_the_host_untouched_from_any_thread():
    data, answers = standardised(0, n=30, p=3), []
    assert jax.numpy.ones(1).dtype == np.float32

    def work():
        score = AutodiffScore(network(data, 2), data, np.random.default_rng(0))
        answers.append(score.value_and_grad(random_point(score)))
        answers.append(jax.numpy.ones(1).dtype)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    work()
    assert answers[0][0] == answers[2][0]
    assert answers[0][1].dtype == np.float64
    assert answers[1] == answers[3] == jax.numpy.ones(1).dtype == np.float32


def test_the_path_ends_in_a_dag_with_exact_zeros_and_no_self_loops():
    data = standardised(1)
    score = AutodiffScore(network(data, 3), data, np.random.default_rng(0))
    path = CentralPath(inner=OWLQN(max_steps=60))
    found = path.solve(Problem(score, QuasiMCP(0.3, 0.5)), score.start, Watch(), "path")
    assert found.h == pytest.approx(0.0, abs=1e-4)
    assert (found.adjacency == 0).sum() > 4
    assert (found.adjacency.diagonal() == 0).all()


def test_a_heavy_group_penalty_leaves_the_empty_graph():
    data = standardised(1)
    score = AutodiffScore(network(data, 3), data, np.random.default_rng(0))
    found = CentralPath(inner=OWLQN(max_steps=60)).solve(
        Problem(score, L1(50.0)), score.start, Watch(), "path"
    )
    assert (found.adjacency == 0).all()


def test_a_fit_finds_the_graph_in_any_units_and_again_for_the_same_seed():
    rng = np.random.default_rng(5)
    cause = rng.normal(size=400)
    other = rng.normal(size=400)
    effect = np.sin(2 * cause) + other**2 + 0.2 * rng.normal(size=400)
    data = np.column_stack([effect, cause, other])
    results = [sp.fit(table, model="mlp") for table in (data, data, data * [1e3, 1e-2, 7.0] - 4)]
    for result in results:
        assert set(result.dag.edges) == {("x1", "x0"), ("x2", "x0")}
    assert results[0].objective == results[1].objective
    assert results[2].objective - results[0].objective == pytest.approx(np.log(1e3 * 1e-2 * 7.0), abs=1e-6)
    assert results[0].identifies == "dag"
    assert results[0].model == "mlp"
    assert (results[0].weights != 0).sum() == 2


def test_predictions_and_samples_come_from_the_networks():
    rng = np.random.default_rng(6)
    cause = rng.normal(size=500)
    data = np.column_stack([cause, np.cos(2 * cause) + 0.1 * rng.normal(size=500)])
    result = sp.fit(data, model=sp.models.MLP(hidden=8))
    assert result.dag.edges == [("x0", "x1")]
    assert ((result.predict(data)["x1"] - np.cos(2 * cause)) ** 2).mean() < 0.01
    held = result.sample(300, rng, do={"x0": 0.0})
    assert held[:, 1].mean() == pytest.approx(1.0, abs=0.1)


def test_knowledge_and_the_limit_on_parents_are_obeyed():
    data = standardised(2, p=4, k=2)
    known = sp.Knowledge(required=[("x0", "x3")], forbidden=[("x1", "x2")])
    dag = sp.fit(data, model="mlp", knowledge=known, max_parents=1).dag.to_numpy()
    assert dag[0, 3] == 1
    assert dag[1, 2] == 0
    assert dag.sum(axis=0).max() <= 1


def test_fits_that_will_not_be_worth_it_are_given_up_and_taken_up_again_when_less_is_asked():
    data = standardised(4)
    whole = NetworkScore(data, 3, 1 / 200).fit(3, [0, 1, 2])
    score = NetworkScore(data, 3, 1 / 200)
    hopeless = score.fit(3, [0, 1, 2], worth=whole.score - 5)
    assert not hopeless.finished
    assert hopeless.score > whole.score - 5
    assert score.fit(3, [0, 1, 2], worth=whole.score - 4) is hopeless
    assert score.fits == 1
    finished = score.fit(3, [0, 1, 2])
    assert finished.finished
    assert finished.score == pytest.approx(whole.score, abs=2e-3)
    assert NetworkScore(data, 3, 1 / 200).fit(3, [0, 1, 2], worth=whole.score + 0.1).score == whole.score


def test_a_better_start_replaces_what_was_fitted_before():
    score = NetworkScore(standardised(4), 3, 1 / 200)
    first = score.fit(3, [0, 1])
    for _ in range(5):
        known = score.fit(3, [0, 1])
        better = score.improve(known, 3)
        assert better.score <= known.score
        assert score.fit(3, [0, 1]) is better
    assert better.score < first.score


def test_far_outliers_neither_overflow_nor_warn(recwarn):
    data = standardised(4)
    data[0, 0] = 1e6
    fit = NetworkScore((data - data.mean(axis=0)) / data.std(axis=0), 3, 1 / 200).fit(3, [0, 1])
    assert np.isfinite(fit.score)
    assert not recwarn.list


def test_sums_over_many_rows_are_as_good_as_sums_over_few():
    rng = np.random.default_rng(8)
    many = rng.normal(size=(5, 200_000)).astype(np.float32) + np.float32(3)
    exact = many.astype(float) @ many.T.astype(float)
    assert products(many, many) == pytest.approx(exact, rel=1e-6)
    assert products(many, many[0]) == pytest.approx(exact[0], rel=1e-6)
    cause = many[0].astype(float)
    near = cause + 1e-3 * many[1]
    data = np.column_stack([cause, near, np.sin(2 * cause) + 0.01 * many[2]])[:50_000]
    score = NetworkScore((data - data.mean(axis=0)) / data.std(axis=0), 8, 1 / 50_000, max_steps=3)
    assert np.isfinite(score.promise(2, score.fit(2, [0]))).all()


@pytest.mark.parametrize("seed", [11, 15])
def test_columns_that_networks_fit_exactly(seed):
    rng = np.random.default_rng(seed)
    coin = rng.integers(0, 2, 100).astype(float)
    result = sp.fit(np.column_stack([coin, 1 - coin, rng.normal(size=100)]), model="mlp", strict=True)
    assert len(result.dag.edges) == 1
    assert np.isfinite(result.objective)


def test_a_time_limit_holds_while_the_first_networks_are_fitted():
    data = standardised(2, p=6, k=2)
    known = sp.Knowledge(required=[("x0", "x3")])
    result = sp.fit(data, model="mlp", time_limit=1e-9, knowledge=known)
    assert result.status is Status.TIME_LIMIT
    assert result.dag.edges == [("x0", "x3")]


def test_causes_that_act_only_together_are_found():
    rng = np.random.default_rng(9)
    data = rng.normal(size=(500, 5))
    data[:, 4] = data[:, 0] * data[:, 1] + 0.2 * rng.normal(size=500)
    data[:, 3] = np.sin(2 * data[:, 2]) + 0.2 * rng.normal(size=500)
    result = sp.fit(data, model="mlp")
    assert set(result.dag.edges) == {("x0", "x4"), ("x1", "x4"), ("x2", "x3")}
    assert sp.fit(data, model="mlp", max_parents=1).dag.edges == [("x2", "x3")]


@pytest.mark.parametrize(
    "options",
    [{"hidden": 0}, {"hidden": 2.5}, {"ridge": 0.0}, {"ridge": -1.0}, {"seed": -1}, {"noise": "other"}],
)
def test_impossible_options_are_refused(options):
    with pytest.raises(sp.OptionError, match=f"MLP needs {next(iter(options))}"):
        MLP(**options)


def cause_and_effect(n=300):
    """x1 -> x0, whose noise has the smaller variance."""
    rng = np.random.default_rng(0)
    cause = rng.normal(size=n)
    return np.column_stack([3 * np.tanh(2 * cause) + 0.5 * rng.normal(size=n), cause])


def fitted_with(noise, data, **options):
    return sp.fit(data, model=MLP(hidden=4, noise=noise), **options)


@pytest.mark.parametrize("noise", ["equal", "unit"])
def test_one_likelihood_of_all_columns_is_learned_from_the_columns_as_given(noise):
    data = cause_and_effect()
    result = fitted_with(noise, data, solver="logll-notears")
    assert result.dag.edges == [("x1", "x0")]
    assert result.model == "mlp"
    assert not result.evidence.standardized
    assert result.objective == fitted_with(noise, data, solver="logll-notears").objective
    assert fitted_with(noise, data * [1.0, 0.01], solver="logll-notears").objective != result.objective


def test_other_units_of_all_columns_shift_the_objective_of_the_empty_graph():
    """With one variance for all, one factor for all columns is only a matter of units."""
    data = np.random.default_rng(1).normal(size=(200, 3))
    none = sp.Knowledge(forbidden=[(f"x{i}", f"x{j}") for i in range(3) for j in range(3) if i != j])
    first, second = (fitted_with("equal", table, knowledge=none).nll for table in (data, 5 * data))
    assert second - first == pytest.approx(3 * np.log(5), abs=0.05)  # the l2 term has units of its own


@pytest.mark.parametrize("noise", ["equal", "unit"])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"solver": "exact"}, "one likelihood for all"),
        ({"solver": "order"}, "one likelihood for all"),
        ({"solver": "greedy"}, "is for networks"),
        ({"solver": "notears"}, "is for Gaussian models"),
        ({"solver": METHODS["notears"]}, "needs a score of a covariance"),
        ({"check": True}, "may depend on both"),
    ],
)
def test_what_needs_a_score_for_each_column_is_refused_where_all_share_a_likelihood(noise, options, words):
    with pytest.raises(sp.OptionError, match=words):
        fitted_with(noise, standardised(0, n=30, p=3), **options)


def test_with_a_far_delta_quasi_mcp_is_l1():
    """So least squares with l1 on the augmented Lagrangian, nonlinear NOTEARS, is put together from parts."""
    t = np.linspace(-20, 20, 41)
    assert QuasiMCP(0.01, 1e6).value(t) == pytest.approx(L1(0.01).value(t), rel=1e-4)
    method = replace(GENERAL_METHODS["logll-notears"], penalty=QuasiMCP(0.01, 1e6), rounds=1)
    found = fitted_with("unit", cause_and_effect(), solver=method, threshold=0.3)
    assert found.dag.edges == [("x1", "x0")]


def test_without_jax_the_error_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(sp.OptionError, match=r"needs JAX.*pip install 'sparsest\[neural\]'"):
        sp.fit(standardised(0, n=30, p=3), model="mlp", solver="differentiable")
