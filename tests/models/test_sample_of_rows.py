"""Laws of the search on a sample of rows."""

import numpy as np
import pytest

import sparsest as sp
from sparsest._core.errors import DataWarning
from sparsest.simulate import logistic

pytestmark = pytest.mark.filterwarnings("ignore::sparsest.DataWarning")


def binary(n=3000, p=4, seed=0):
    weights = np.zeros((p, p))
    weights[0, 1], weights[1, 2] = 2.0, -2.0
    return logistic(weights, n, np.random.default_rng(seed)).data


def test_the_search_sees_a_sample_and_the_refit_all_rows():
    table = binary()
    result = sp.fit(table, model="logistic", search_rows=1000)
    assert result.n == 3000
    assert 1000 <= result.evidence.searched_rows <= 1010
    whole = sp.fit(
        table, model="logistic", knowledge=sp.Knowledge(required=result.dag.edges), search_rows=None
    )
    assert whole.dag == result.dag
    assert result.nll == pytest.approx(whole.nll, abs=1e-9)
    assert result.weights == pytest.approx(whole.weights, abs=1e-5)


def test_a_sample_is_announced_and_the_seed_decides_it():
    with pytest.warns(DataWarning, match="search_rows=None"):
        one = sp.fit(binary(), model="logistic", search_rows=500)
    assert any("random sample of 50" in warning for warning in one.evidence.warnings)
    assert sp.fit(binary(), model="logistic", search_rows=500).objective == one.objective
    solver = [
        sp.fit(binary(), model="logistic", search_rows=500, seed=s).evidence.solver_objective for s in (0, 1)
    ]
    assert solver[0] != solver[1]


@pytest.mark.parametrize("asked", [None, "auto", 3000])
def test_a_table_that_is_short_enough_is_searched_whole(asked):
    result = sp.fit(binary(), model="logistic", search_rows=asked)
    assert result.evidence.searched_rows is None
    assert result.objective == sp.fit(binary(), model="logistic").objective


def test_a_criterion_counts_the_rows_that_were_searched():
    costs = [sp.fit(binary(), model="logistic", penalty="bic", search_rows=n).cost for n in (1000, None)]
    assert costs[0] == pytest.approx(np.log(1000) / 2000, rel=0.01)
    assert costs[1] == pytest.approx(np.log(3000) / 6000)


def test_rare_categories_and_rare_values_are_in_every_sample():
    rng = np.random.default_rng(0)
    words = np.array(["a", "b"], dtype=object)[rng.integers(0, 2, size=3000)]
    words[:2] = "rare"
    yes = np.zeros(3000)
    yes[5] = 1
    table = {"word": words, "yes": yes, "x": rng.normal(size=3000)}
    import polars

    result = sp.fit(polars.DataFrame(table, strict=False), model="mixed", search_rows=100)
    assert result.evidence.searched_rows < 120


def test_networks_are_refitted_from_those_of_the_sample():
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, size=4000)
    table = np.column_stack([x, np.sin(2 * x) + 0.2 * rng.normal(size=4000)])
    some = sp.fit(table, model="mlp", search_rows=400)
    whole = sp.fit(table, model="mlp", search_rows=None)
    assert some.dag == whole.dag
    assert some.nll == pytest.approx(whole.nll, abs=0.01)


def test_stopped_the_sample_is_all_that_is_fitted():
    result = sp.fit(binary(), model="logistic", search_rows=500, time_limit=0)
    assert result.n == 3000
    assert any("since time was up" in warning for warning in result.evidence.warnings)


def test_the_check_compares_answers_from_the_same_sample():
    result = sp.fit(binary(), model="logistic", search_rows=1000, check=True)
    assert result.evidence.same_when_rescaled is True


@pytest.mark.parametrize("model", ["gaussian", "rank", "additive"])
def test_models_that_go_through_the_rows_once_take_no_sample(model):
    table = np.random.default_rng(0).normal(size=(200, 3))
    with pytest.raises(sp.OptionError, match="search_rows"):
        sp.fit(table, model=model, search_rows=100)
    assert sp.fit(table, model=model, search_rows=None).evidence.searched_rows is None


@pytest.mark.parametrize("wrong", [0, 1, -5, 2.5, "all", True])
def test_a_number_of_rows_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(sp.OptionError, match="search_rows"):
        sp.fit(binary(100), model="logistic", search_rows=wrong)
