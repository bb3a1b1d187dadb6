import math
import signal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest._core.progress import Status, Watch
from sparsest.search import OrderSearch

SOLVERS = ["auto", "exact", "order", "ges", "differentiable", "logll-dagma"]


def simulated(seed=0, p=6, k=1, n=500):
    rng = np.random.default_rng(seed)
    weights = sp.simulate.random_weights(sp.simulate.random_dag(p, k, "ER", rng), rng)
    return sp.simulate.linear_gaussian(weights, n, rng)


def recomputed_objective(X, result):
    """NLL + c · edges by plain least squares on the rows."""
    centred = X - X.mean(axis=0)
    nll = 0.0
    for j in range(X.shape[1]):
        parents = np.flatnonzero(result.dag.to_numpy()[:, j])
        residual = centred[:, j].copy()
        if parents.size:
            slopes = np.linalg.lstsq(centred[:, parents], centred[:, j], rcond=None)[0]
            residual -= centred[:, parents] @ slopes
        nll += 0.5 * np.log(np.mean(residual**2))
    return nll + result.cost * len(result.dag.edges)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("units", [1.0, 0.2, 1e3])
def test_the_objective_is_a_plain_least_squares_recomputation(solver, units):
    X = simulated().data * units
    result = sp.fit(X, solver=solver)
    assert result.objective == pytest.approx(recomputed_objective(X, result), abs=1e-9)
    assert result.objective == pytest.approx(result.nll + result.cost * len(result.dag.edges))


@pytest.mark.parametrize("solver", SOLVERS)
def test_weights_are_regressions_in_the_units_of_the_table(solver):
    X = simulated().data * np.array([1, 2, 0.5, 3, 1, 4])
    result = sp.fit(X, solver=solver)
    assert ((result.weights != 0) == (result.dag.to_numpy() == 1)).all()
    centred = X - X.mean(axis=0)
    residuals = centred - centred @ result.weights
    assert result.noise_variances == pytest.approx((residuals**2).mean(axis=0), rel=1e-6)
    for j in range(6):  # normal equations
        parents = result.weights[:, j] != 0
        correlations = centred[:, parents].T @ residuals[:, j] / (np.std(X[:, parents], axis=0).T * len(X))
        assert np.abs(correlations).max(initial=0) < 1e-8 * np.std(X[:, j])


@given(seed=st.integers(0, 2**32 - 1), p=st.integers(1, 10))
@settings(max_examples=25, deadline=None)
def test_units_change_nothing_but_the_units(seed, p):
    rng = np.random.default_rng(seed)
    X, units = simulated(seed, p).data, 10.0 ** rng.uniform(-6, 6, p)
    plain, rescaled = sp.fit(X), sp.fit(X * units)
    assert plain.cpdag == rescaled.cpdag
    expected = plain.weights / units[:, None] * units
    if (plain.dag.to_numpy() == rescaled.dag.to_numpy()).all():
        assert rescaled.weights == pytest.approx(expected, rel=1e-6)


@given(seed=st.integers(0, 2**32 - 1), p=st.integers(2, 9))
@settings(max_examples=25, deadline=None)
def test_the_order_of_the_columns_does_not_matter_where_the_search_is_exact(seed, p):
    X, order = simulated(seed, p).data, np.random.default_rng(seed).permutation(p)
    plain, permuted = sp.fit(X), sp.fit(X[:, order])
    assert permuted.objective == pytest.approx(plain.objective, abs=1e-9)
    assert (permuted.cpdag.to_numpy() == plain.cpdag.to_numpy()[np.ix_(order, order)]).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_answer_is_a_dag_with_its_class_and_its_names(solver):
    frame = pd.DataFrame(simulated(3).data, columns=list("abcdef"))
    result = sp.fit(frame, solver=solver)
    assert result.names == tuple("abcdef") == result.dag.names == result.cpdag.names
    assert sp.graph.is_dag(result.dag)
    assert sp.graph.dag_to_cpdag(result.dag) == result.cpdag
    assert result.status in (Status.OPTIMAL, Status.CONVERGED)
    assert result.seconds > 0


def test_tables_moments_and_files_give_the_same_answer(tmp_path):
    X = simulated().data
    pl.DataFrame(X, schema=list("abcdef")).write_csv(tmp_path / "table.csv")
    names = list("abcdef")
    answers = [
        sp.fit(pd.DataFrame(X, columns=names)),
        sp.fit(pl.DataFrame(X, schema=names)),
        sp.fit(tmp_path / "table.csv"),
        sp.fit(str(tmp_path / "table.csv")),
        sp.fit(sp.Moments(np.cov(X, rowvar=False, bias=True), len(X), names=names)),
    ]
    assert len({answer.cpdag for answer in answers}) == 1
    for answer in answers:
        assert answer.objective == pytest.approx(answers[0].objective, abs=1e-9)


def test_a_population_covariance_gives_the_true_class_at_a_small_cost():
    simulation = simulated(5, p=8, k=2)
    result = sp.fit(sp.Moments(simulation.covariance, math.inf), penalty=1e-4)
    assert sp.graph.markov_equivalent(result.dag, simulation.dag)


def test_a_threshold_is_used_on_request_and_the_graph_is_acyclic_still():
    X = simulated(1).data
    result = sp.fit(X, solver="logll-dagma", threshold=0.3)
    assert result.evidence.graph_from == "threshold"
    assert sp.fit(X, solver="logll-dagma").evidence.graph_from == "score"
    assert sp.graph.is_dag(sp.fit(X, solver="logll-dagma", threshold=0).dag)


def test_a_quasi_mcp_is_a_cost_for_a_search_and_the_first_round_of_algorithm_1():
    X = simulated(1).data
    penalty = sp.QuasiMCP(0.2, 0.1)
    assert sp.fit(X, penalty=penalty).objective == sp.fit(X, penalty=0.01).objective
    one = sp.fit(X, penalty=penalty, solver="logll-dagma").evidence.stages[1]
    other = sp.fit(X, solver="logll-dagma").evidence.stages[1]
    assert one.name == other.name == "round 1"
    assert one.objective < other.objective


def test_a_solver_object_is_used_as_it_is():
    result = sp.fit(simulated().data, solver=OrderSearch(chains=1), max_parents=1)
    assert result.solver == "OrderSearch"
    assert result.dag.to_numpy().sum(axis=0).max() <= 1


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_same_seed_gives_the_same_answer(solver):
    X = simulated(2).data
    first, second = sp.fit(X, solver=solver, seed=3), sp.fit(X, solver=solver, seed=3)
    assert first.dag == second.dag
    assert first.objective == second.objective


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_table_is_untouched(solver):
    X = simulated().data
    X.flags.writeable = False
    before = X.copy()
    sp.fit(X, solver=solver)
    assert np.array_equal(X, before)


@pytest.mark.parametrize("solver", SOLVERS)
def test_ctrl_c_returns_the_best_so_far_marked_so(solver):
    before = signal.getsignal(signal.SIGINT)
    pressed = []

    def press(step):
        if not pressed:
            pressed.append(step)
            signal.raise_signal(signal.SIGINT)

    # The order search runs in threads: the signal reaches the main thread within some hundredths of a second.
    X = simulated(p=60, k=3).data if solver == "order" else simulated(p=12).data
    result = sp.fit(X, solver=solver, progress=press)
    assert result.status is Status.INTERRUPTED
    assert sp.graph.is_dag(result.dag)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_time_limit_returns_the_best_so_far_marked_so(solver):
    result = sp.fit(simulated(p=12).data, solver=solver, time_limit=0)
    assert result.status is Status.TIME_LIMIT
    assert sp.graph.is_dag(result.dag)


def test_fewer_rows_than_columns_is_answered_with_a_warning_and_few_parents():
    X = simulated(p=30, n=20).data
    for solver in ("order", "logll-dagma"):
        with pytest.warns(sp.DataWarning, match="20 rows are too few for 30 columns"):
            result = sp.fit(X, solver=solver)
        assert result.dag.to_numpy().sum(axis=0).max() <= 5
        assert np.isfinite(result.objective)
        assert np.isfinite(result.weights).all()
        assert "too few" in result.evidence.warnings[0]


@pytest.mark.parametrize("solver", SOLVERS)
def test_collinear_columns_are_answered_with_a_warning_that_names_them(solver):
    frame = pd.DataFrame(simulated().data, columns=list("abcdef"))
    frame["copy"] = 2 * frame["b"]
    with pytest.warns(sp.DataWarning, match=r"'b', 'copy' are linearly dependent"):
        result = sp.fit(frame, solver=solver, strict=True)
    assert np.isfinite(result.objective)
    assert np.isfinite(result.weights).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"solver": "pc"}, "unknown solver 'pc': use one of 'auto'"),
        ({"solver": 3}, "solver must be a name or a solver object, not 3"),
        ({"model": "forest"}, "unknown model 'forest'"),
        ({"penalty": "aic"}, "unknown penalty 'aic'"),
        ({"penalty": 0}, "must be a positive number"),
        ({"penalty": -1.5}, "must be a positive number"),
        ({"penalty": [1]}, "penalty must be .* not list"),
        ({"penalty": sp.L1(0.1)}, "no cost per edge"),
        ({"standardize": "yes"}, "standardize must be"),
        ({"time_limit": -1}, "time_limit must be"),
        ({"time_limit": float("nan")}, "time_limit must be"),
        ({"max_parents": -1}, "max_parents"),
        ({"max_parents": 1.5}, "max_parents"),
        ({"threshold": 0.3}, "returns a graph, not soft weights"),
        ({"threshold": -1, "solver": "logll-dagma"}, "threshold must be a non-negative number"),
        ({"threshold": "a", "solver": "logll-dagma"}, "threshold must be a non-negative number"),
        ({"time_limit": "1"}, "time_limit must be"),
        ({"max_parents": "3"}, "max_parents must be a whole number"),
        ({"max_parents": float("inf")}, "max_parents must be a whole number"),
        ({"n_jobs": "x"}, "n_jobs must be a whole number"),
        ({"penalty": True}, "penalty must be a criterion"),
        ({"penalty": -1}, "penalty, the cost of an edge, must be a positive number"),
        ({"progress": 3}, "progress must be True, or a function"),
        ({"penalty": sp.L1(0.1), "solver": "logll-dagma"}, "L1"),
    ],
)
def test_impossible_options_are_refused_in_plain_words(options, words):
    with pytest.raises(sp.OptionError, match=words):
        sp.fit(simulated().data, **options)


def test_bad_tables_are_refused_by_column():
    frame = pd.DataFrame(simulated().data, columns=list("abcdef"))
    for column, value, words in [
        ("c", np.nan, "'c'.*NaN"),
        ("d", np.inf, "'d'.*inf"),
        ("e", 41.0, "'e' is constant"),
    ]:
        bad = frame.copy()
        if column == "e":
            bad[column] = value
        else:
            bad.loc[3, column] = value
        with pytest.raises(sp.DataError, match=words):
            sp.fit(bad, strict=True, missing="error")
    with pytest.raises(sp.SparsestError, match="constant"):
        sp.fit(sp.Moments(np.diag([1.0, 0.0]), 100))


def test_a_constant_column_is_left_out_on_request():
    frame = pd.DataFrame(simulated().data, columns=list("abcdef"))
    frame["same"] = 1.0
    with pytest.warns(sp.DataWarning, match="'same'"):
        result = sp.fit(frame, drop_constant=True)
    assert result.names == tuple("abcdef")
    assert "'same'" in result.evidence.warnings[0]


def test_columns_are_selected_by_name():
    frame = pd.DataFrame(simulated().data, columns=list("abcdef"))
    assert sp.fit(frame, columns=["a", "e", "c"]).names == ("a", "e", "c")


@pytest.mark.parametrize("solver", ["exact", "order"])
def test_a_check_learns_again_in_other_units_and_another_order(solver):
    X = simulated(2, p=9, k=2).data
    assert sp.fit(X, solver=solver).evidence.same_when_rescaled is None
    assert sp.fit(X, solver=solver, check=True).evidence.same_when_rescaled is True


def test_a_check_finds_out_what_depends_on_units():
    X = simulated(2, p=5, k=2).data
    assert sp.fit(X, solver="dagma", check=True).evidence.same_when_rescaled is False


def test_the_size_of_the_class_is_that_of_its_members():
    result = sp.fit(simulated(2, p=9, k=2).data)
    assert result.class_size == len(list(sp.graph.mec_members(result.cpdag)))


@given(seed=st.integers(0, 2**32 - 1), p=st.integers(2, 25))
@settings(max_examples=15, deadline=None)
def test_the_order_of_the_columns_does_not_matter_to_the_order_search_either(seed, p):
    X, order = simulated(seed, p, 2).data, np.random.default_rng(seed).permutation(p)
    plain, permuted = sp.fit(X, solver="order"), sp.fit(X[:, order], solver="order")
    assert permuted.objective == pytest.approx(plain.objective, abs=1e-9)
    assert (permuted.cpdag.to_numpy() == plain.cpdag.to_numpy()[np.ix_(order, order)]).all()


class StopsAfter(Watch):
    """A watch that says stop at a given poll: time runs out anywhere, without a clock."""

    def __init__(self, polls):
        super().__init__()
        self.polls = polls

    @property
    def stop(self):
        self.polls -= 1
        return Status.TIME_LIMIT if self.polls < 0 else None


@pytest.mark.parametrize("solver", [*SOLVERS, "notears", "golem-nv", "logll-notears"])
@pytest.mark.parametrize("polls", [1, 3, 10, 40, 150, 600])
def test_wherever_time_runs_out_there_is_a_dag(solver, polls, monkeypatch):
    monkeypatch.setattr(Watch, "checked", lambda *_: StopsAfter(polls))
    result = sp.fit(simulated(p=8, k=2).data, solver=solver)
    assert sp.graph.is_dag(result.dag)
    assert np.isfinite(result.objective)
