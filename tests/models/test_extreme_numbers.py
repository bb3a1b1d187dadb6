"""Numbers near the ends of what a computer can hold: an answer, or one clear line."""

import numpy as np
import pytest

import sparsest as sp

pytestmark = pytest.mark.filterwarnings("ignore::sparsest.DataWarning")
RNG = np.random.default_rng(0)
N = 200
A = RNG.normal(size=N)
B = A + RNG.normal(size=N)
C = (RNG.random(N) < 1 / (1 + np.exp(-2 * B))).astype(float)
TABLES = {
    "mixed": np.column_stack([A, B, C]),
    "additive": np.column_stack([A, B]),
    "mlp": np.column_stack([A, B]),
    "gaussian": np.column_stack([A, B]),
}


@pytest.mark.parametrize("model", TABLES)
@pytest.mark.parametrize(("scale", "words"), [(1e160, "too large to square"), (1e-200, "vary too little")])
@pytest.mark.parametrize("gaps", [False, True])
def test_squares_beyond_the_range_are_refused_by_every_model(model, scale, words, gaps):
    table = TABLES[model].copy()
    table[:, 0] *= scale
    if gaps:
        table[::9, 1] = np.nan
    with pytest.raises(sp.DataError, match=f"'x0'.*{words}"):
        sp.fit(table, model=model, kinds={"x0": "continuous"})


@pytest.mark.parametrize("model", TABLES)
@pytest.mark.parametrize("scale", [1e-100, 1e120])
def test_units_within_the_range_change_the_objective_by_their_logarithm_alone(model, scale):
    table = TABLES[model]
    moved = table * np.r_[scale, np.ones(table.shape[1] - 1)]
    one, two = sp.fit(table, model=model), sp.fit(moved, model=model)
    assert one.cpdag == two.cpdag
    assert two.objective - one.objective == pytest.approx(np.log(scale), abs=1e-4)
    assert np.isfinite(two.weights).all()


@pytest.mark.parametrize("model", ["rank"])
@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_ranks_have_no_units(model, scale):
    table = TABLES["gaussian"]
    assert (sp.fit(table * scale, model=model).weights == sp.fit(table, model=model).weights).all()


@pytest.mark.parametrize("solver", ["greedy", "differentiable", "order"])
@pytest.mark.parametrize("times", [1, 10])
def test_networks_of_three_distinct_rows_are_finite(solver, times):
    table = np.tile([[1.0, 2.0], [2.0, 3.0], [3.0, 5.0]], (times, 1))
    result = sp.fit(table, model="mlp", solver=solver)
    assert np.isfinite(result.objective)
    assert np.isfinite(result.weights).all()


@pytest.mark.parametrize("solver", ["golem-nv", "golem-ev", "notears", "dagma", "logll-dagma", "order"])
@pytest.mark.parametrize("p", [2, 4])
def test_a_covariance_of_ones_has_an_answer(solver, p):
    result = sp.fit(sp.Moments(np.ones((p, p)), 100), solver=solver)
    assert np.isfinite(result.objective)
    assert all(result.dag.edges)


@pytest.mark.parametrize("model", ["logistic", "mixed", "poisson", "additive", "gaussian"])
def test_a_host_that_raises_at_every_rounding_gets_its_answer(model):
    rng = np.random.default_rng(1)
    x = rng.normal(size=150)
    tables = {
        "logistic": np.column_stack([x > 0, x > -0.5, x > 0.5]).astype(float),
        "mixed": np.column_stack([x, x > 0, rng.random(150) < 0.5]).astype(float),
        "poisson": rng.poisson([0.1, 2, 30], (150, 3)).astype(float),
    }
    table = tables.get(model, np.column_stack([x, x**3]))
    plain = sp.fit(table, model=model)
    with np.errstate(all="raise"):
        result = sp.fit(table, model=model)
        assert np.isfinite(result.log_likelihood(table)).all()
        result.predict(table)
        result.sample(20, np.random.default_rng(0))
    assert result.objective == plain.objective
