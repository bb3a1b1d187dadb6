"""Which likelihood a table gets, and what fits none."""

import numpy as np
import pandas as pd
import pytest

import sparsest as sp
from sparsest.search import LocalOrderSearch


def rng(seed=0):
    return np.random.default_rng(seed)


def weights(seed=0, p=5):
    return sp.simulate.random_weights(sp.simulate.random_dag(p, 1, "ER", rng(seed)), rng(seed))


def binary(n=300, seed=0):
    return sp.simulate.logistic(weights(seed), n, rng(seed)).data


def test_auto_goes_by_the_kinds_of_the_columns_and_says_so():
    numbers = rng().normal(size=(100, 3))
    assert sp.fit(numbers).model == "gaussian"
    found = sp.fit(binary())
    assert (found.model, found.evidence.model_because) == ("logistic", "all columns are binary")
    found = sp.fit(np.column_stack([numbers, rng(2).random(100) < 0.5, rng(1).poisson(2, 100)]))
    assert found.model == "mixed"
    assert found.evidence.model_because == "the columns are of several kinds: 3 continuous, 1 binary, 1 count"
    assert "model mixed" in found.summary()


def test_kinds_and_model_overrule_the_guess():
    data = binary()
    assert sp.fit(data, model="gaussian").model == "gaussian"
    said = dict.fromkeys(["x0", "x1", "x2", "x3", "x4"], "continuous")
    assert sp.fit(data, kinds=said).model == "gaussian"


def test_the_result_says_what_the_model_identifies():
    assert sp.fit(binary()).identifies == "dag"
    assert sp.fit(rng().normal(size=(50, 3))).identifies == "class"


def test_units_do_not_matter_to_mixed_and_additive_models():
    data = np.column_stack([rng().normal(size=(300, 2)), binary()[:, :2]])
    data[:, 1] += np.sin(data[:, 0]) + data[:, 2]
    scaled = data * [1e3, 1e-4, 1, 1] + [5, -1, 0, 0]
    for model in ("mixed", "additive"):
        one, two = sp.fit(data, model=model), sp.fit(scaled, model=model)
        assert np.array_equal(one.dag.to_numpy(), two.dag.to_numpy())
        continuous = 2 if model == "mixed" else 4
        shift = np.log([1e3, 1e-4, 1, 1][:continuous]).sum()
        assert two.objective == pytest.approx(one.objective + shift, abs=1e-6)


@pytest.mark.parametrize("model", ["logistic", "poisson", "additive"])
@pytest.mark.parametrize("solver", ["exact", "order"])
def test_the_truth_is_found_where_it_is_plain(model, solver):
    chain = np.zeros((4, 4))
    chain[0, 2] = chain[1, 2] = chain[2, 3] = 1.0
    data = {
        "logistic": lambda: sp.simulate.logistic(2 * chain, 3000, rng(1)).data,
        "poisson": lambda: sp.simulate.poisson(-0.3 * chain, 3000, rng(1)).data,
        "additive": lambda: sp.simulate.additive(chain, 1000, rng(1)).data,
    }[model]()
    result = sp.fit(data, model=model, solver=solver)
    assert sp.graph.cpdag_shd(result.dag, sp.Dag(chain != 0)) == 0
    assert result.solver == solver


def test_published_and_equivalence_solvers_refuse_other_models():
    with pytest.raises(sp.OptionError, match=r"score equivalence.*'logistic'"):
        sp.fit(binary(), solver="ges")
    with pytest.raises(sp.OptionError, match=r"is for Gaussian models.*'logistic'"):
        sp.fit(binary(), solver="notears")
    with pytest.raises(sp.OptionError, match="rows of a table, not from moments"):
        sp.fit(sp.Moments(np.eye(2), 10), model="logistic")
    with pytest.raises(sp.OptionError, match="unknown model 'logit'"):
        sp.fit(binary(), model="logit")
    with pytest.raises(sp.OptionError, match="n_jobs must be a whole number other than 0"):
        sp.fit(binary(), n_jobs=0)


@pytest.mark.parametrize("model", ["logistic", "additive"])
def test_differentiable_solvers_minimise_the_same_objective(model):
    curved = sp.simulate.additive(weights(3) != 0, 300, rng(3)).data
    data = binary(1000, 3) if model == "logistic" else curved
    best, soft = (sp.fit(data, model=model, solver=solver) for solver in ("exact", "differentiable"))
    assert best.objective - 1e-8 <= soft.objective <= best.objective + 0.02
    assert soft.evidence.graph_from == "score"


def test_cam_implies_the_additive_model():
    data = sp.simulate.additive(weights() != 0, 300, rng()).data
    result = sp.fit(data, solver="cam")
    assert (result.model, result.solver) == ("additive", "cam")


TWO_BITS = binary() @ [2, 1, 0, 0, 0]
COUNTS = rng().poisson(2, (50, 3))
BAD = {
    "one value": (np.column_stack([binary(), np.ones(300)]), "logistic", r"'x5'.*constant"),
    "four values": (np.column_stack([binary(), TWO_BITS]), "logistic", r"'logistic'.*'x5'.*model='mixed'"),
    "negative": (COUNTS - 1, "poisson", r"'poisson' needs counts.*column 'x0' has -1 in row"),
    "fractional": (COUNTS + 0.5, "poisson", r"'poisson' needs counts.*whole numbers"),
    "two values, one negative": (COUNTS.clip(0, 1) - 1, "poisson", r"column 'x0' has -1 in row"),
    "words": (
        pd.DataFrame({"n": ["few", "many"] * 20, "m": range(40)}),
        "poisson",
        r"'n' holds words.*'few'",
    ),
}


def test_booleans_are_counts():
    flags, counts = rng().random(60) < 0.5, rng(1).poisson(2, 60)
    as_flags, as_numbers = (
        sp.fit(pd.DataFrame({"a": a, "b": counts}), model="poisson") for a in (flags, flags.astype(int))
    )
    assert as_flags.objective == pytest.approx(as_numbers.objective)
    new = pd.DataFrame({"a": flags, "b": counts})
    same = as_numbers.log_likelihood(new.astype(int))
    np.testing.assert_allclose(as_flags.log_likelihood(new), same, atol=1e-9)
    with pytest.raises(sp.DataError, match="'a' holds words, such as 'no'"):
        as_flags.log_likelihood(new.assign(a=np.where(flags, "yes", "no")))


def test_counts_of_two_values_are_counted_as_they_are():
    """Not as the codes 0 and 1 of a binary column, whose Poisson likelihood is another."""
    two = np.where(rng().random(50) < 0.5, 2.0, 5.0)
    other = rng(1).poisson(3, 50)
    found = sp.fit(np.column_stack([two, other]), model="poisson", penalty=10.0)
    means = np.array([two.mean(), other.mean()])
    assert found.objective == pytest.approx((means - means * np.log(means)).sum(), abs=1e-6)  # no factorials


@pytest.mark.parametrize("case", BAD)
def test_columns_that_no_likelihood_fits_are_named(case):
    data, model, words = BAD[case]
    with pytest.raises(sp.DataError, match=words):
        sp.fit(data, model=model, strict=True)


def test_categories_of_a_single_row_and_too_many_are_refused():
    colour = np.where(rng().random(60) < 0.5, "red", "orange")
    colour[7] = "purple"
    data = pd.DataFrame({"colour": colour, "x": rng(1).normal(size=60)})
    with pytest.raises(
        sp.DataError, match="'mixed': the category 'purple' of column 'colour' occurs only in one"
    ):
        sp.fit(data, strict=True)
    data["colour"] = [f"shade {k // 2}" for k in range(60)]
    with pytest.raises(sp.DataError, match="column 'colour' has 30 categories, and at most 20"):
        sp.fit(data, strict=True)
    with pytest.raises(sp.DataError, match="'additive' needs numbers, and column 'colour' holds categories"):
        sp.fit(data, model="additive", strict=True)


def test_perfect_separation_gives_a_finite_answer_and_a_warning_that_names_the_columns():
    x = rng().permutation(np.linspace(-1, 1, 200))
    data = pd.DataFrame({"x": x, "y": (x > 0.1).astype(int)})
    with pytest.warns(sp.DataWarning, match="column 'y': its parents 'x' predict.*perfect separation"):
        result = sp.fit(data, model="mixed", knowledge=sp.Knowledge(required=[("x", "y")]))
    assert np.isfinite(result.objective)
    assert np.isfinite(result.weights).all()
    assert any("separation" in words for words in result.evidence.warnings)


def test_rows_with_weights_count_as_often():
    data, times = binary(60), rng(3).integers(1, 4, size=60)
    result = sp.fit(data, weights=times.astype(float), penalty=0.02)
    repeated = sp.fit(np.repeat(data, times, axis=0), penalty=0.02)
    assert result.objective == pytest.approx(repeated.objective, abs=1e-9)


def test_knowledge_holds_for_every_model():
    known = sp.Knowledge(required=[("x0", "x4")], forbidden=[("x1", "x2"), ("x2", "x1")])
    for solver in ("exact", "order"):
        dag = sp.fit(binary(), knowledge=known, solver=solver).dag.to_numpy()
        assert dag[0, 4] == 1
        assert dag[1, 2] == dag[2, 1] == 0


def test_a_mixed_model_beats_the_gaussian_one_on_mixed_tables():
    gaps = []
    for seed in range(4):
        truth = sp.simulate.random_dag(8, 1, "ER", rng(seed))
        data = sp.simulate.mixed(truth, 800, rng(seed)).data
        found = [sp.fit(data, model=model, solver="order") for model in ("mixed", "gaussian")]
        gaps.append(np.subtract(*[sp.graph.cpdag_shd(result.dag, truth) for result in found]))
    assert np.mean(gaps) < 0


def test_a_solver_object_or_an_unknown_solver_meets_every_model():
    found = sp.fit(binary(), solver=LocalOrderSearch(patience=0))
    assert found.solver == "LocalOrderSearch"
    with pytest.raises(sp.OptionError, match="unknown solver 'nonsense'"):
        sp.fit(binary(), solver="nonsense")
