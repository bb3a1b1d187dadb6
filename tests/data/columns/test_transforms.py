"""Columns on other scales: logarithms and normal scores of ranks."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest.data import read_table
from sparsest.data.columns.transforms import Logarithm, Scores, transform_from, transformed

pytestmark = pytest.mark.filterwarnings("ignore::sparsest.DataWarning")


def incomes(n=500, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.normal(40, 10, n)
    income = np.exp(8 + 0.03 * age + 0.5 * rng.normal(size=n))
    spend = np.exp(0.9 * np.log(income) - 1 + 0.4 * rng.normal(size=n))
    return pd.DataFrame({"age": age, "income": income, "spend": spend, "heavy": rng.standard_t(1.2, n)})


def test_auto_takes_logarithms_of_skew_and_ranks_of_heavy_tails_and_leaves_bells_alone():
    with pytest.warns(sp.DataWarning, match="'income', 'spend': taken as logarithms"):
        result = sp.fit(incomes(), transform="auto")
    assert result.columns["done"].to_list() == [
        "",
        "taken as log(income)",
        "taken as log(spend)",
        "taken as the normal score of heavy",
    ]
    assert result.settings["transform"] == "auto"
    assert result.fitted.transforms[1] == Logarithm()
    assert "log(income)" in result.traits.units


def test_a_logarithm_is_the_same_as_taking_it_first():
    frame = incomes()[["age", "income", "spend"]]
    first = frame.assign(income=np.log(frame.income), spend=np.log(frame.spend))
    one, two = sp.fit(frame, transform={"income": "log", "sp*": "log"}), sp.fit(first)
    assert one.cpdag == two.cpdag
    assert one.weights == pytest.approx(two.weights)
    assert one.objective == pytest.approx(two.objective)
    inside = one.predict(frame)["spend"], np.exp(two.predict(first)["spend"])
    assert inside[0] == pytest.approx(inside[1])
    density = two.log_likelihood(first) - first.income.to_numpy() - first.spend.to_numpy()
    assert one.log_likelihood(frame) == pytest.approx(density)
    draws = [each.sample(50, np.random.default_rng(3)).to_numpy() for each in (one, two)]
    assert np.log(draws[0][:, 1:]) == pytest.approx(draws[1][:, 1:])


def test_ranks_of_all_columns_give_the_class_of_the_rank_model():
    frame = incomes()
    assert sp.fit(frame, transform="rank").cpdag == sp.fit(frame, model="rank").cpdag


def test_an_effect_is_said_in_the_users_units():
    result = sp.fit(incomes(), transform="auto", knowledge={"roots": ["age"]})
    doubled = result.effect("income", "spend", interval=None)
    assert "raising log(income) by 1 raises log(spend) by" in str(doubled)
    assert f"doubling income multiplies spend by {2**doubled.value:.4g}" in str(doubled)
    between = result.effect("income", "spend", change=(1000, 2000), interval=None)
    assert "changing income from 1000 to 2000" in str(between)
    assert between.value == pytest.approx(doubled.value * np.log(2))
    raised = result.effect("age", "spend", interval=None)
    assert f"raising age by 1 multiplies spend by {np.exp(raised.value):.4g}" in str(raised)


def test_interventions_and_samples_are_in_the_users_units():
    result = sp.fit(incomes(), transform="auto", knowledge={"roots": ["age"]})
    for member in ("dag", "all"):
        rows = result.sample(2000, np.random.default_rng(0), do={"income": 5000.0}, member=member)
        assert rows["income"].to_numpy() == pytest.approx(5000)
        assert np.log(rows["spend"].to_numpy()).mean() == pytest.approx(0.9 * np.log(5000) - 1, abs=0.1)
    with pytest.raises(sp.OptionError, match=r"log\(income\) is not defined there"):
        result.sample(5, np.random.default_rng(0), do={"income": -1.0})
    with pytest.raises(sp.DataError, match=r"'income' has -1 in row 0 .*log\(income\) is not defined"):
        result.predict(incomes().assign(income=-1.0))


@pytest.mark.parametrize("model", ["gaussian", "additive", "mixed", "mlp"])
def test_every_model_takes_other_scales_and_a_saved_result_keeps_them(model, tmp_path):
    frame = incomes(200)[["income", "spend"]]
    result = sp.fit(frame, model=model, transform="log")
    result.save(tmp_path / "kept.sparsest")
    again = sp.load(tmp_path / "kept.sparsest")
    assert again.predict(frame)["spend"] == pytest.approx(result.predict(frame)["spend"])
    assert (result.predict(frame)["spend"] > 0).all()
    assert again.fitted.transforms == result.fitted.transforms


def test_gaps_and_zeros_are_borne():
    frame = incomes(300)
    frame.loc[::7, "income"] = np.nan
    frame.loc[::11, "spend"] = 0.0
    result = sp.fit(frame, transform={"income": "log", "spend": "log"})
    shift = float(frame.spend[frame.spend > 0].min()) / 2
    assert result.fitted.transforms[2] == Logarithm(shift)
    assert f"log(spend + {shift:g})" in result.columns["done"][2]
    mixed = sp.fit(frame.assign(word=np.where(frame.age > 40, "a", "b")), transform="auto")
    assert mixed.model == "mixed"


@settings(max_examples=50, deadline=None)
@example([0.0, 0.0, 5e-324])
@given(st.lists(st.floats(0, 1e12), min_size=3, max_size=40))
def test_there_and_back_is_the_identity(numbers):
    column = np.array(numbers)
    if (column > 0).any():
        log = Logarithm.of(column, "x")
        assert log.backward(log.forward(column)) == pytest.approx(column, rel=1e-6, abs=1e-6 * log.shift)
        assert transform_from(log.state()) == log
    ranks = Scores.of(column, "x")
    assert ranks.backward(ranks.forward(column)) == pytest.approx(column, rel=1e-6)
    assert transform_from(ranks.state()) == ranks


def test_the_users_numbers_are_not_changed():
    values = np.exp(np.random.default_rng(0).normal(size=(50, 2)))
    before = values.copy()
    table = read_table(values)
    assert transformed(table, "log").values == pytest.approx(np.log(before))
    assert (values == before).all()
    assert (table.values == before).all()


def test_what_has_no_other_scale_is_refused_with_the_way_out():
    frame = incomes(50).assign(word=np.where(np.arange(50) % 2, "a", "b"))
    with pytest.raises(sp.DataError, match=r"'heavy' has negative values.*transform=\{'heavy': 'rank'\}"):
        sp.fit(frame, transform={"heavy": "log"})
    with pytest.raises(sp.OptionError, match="the column is binary"):
        sp.fit(frame, transform={"word": "log"})
    with pytest.raises(sp.OptionError, match="'nothing' is no column"):
        sp.fit(frame, transform={"nothing": "log"})
    with pytest.raises(sp.OptionError, match="one of 'auto', 'log', 'rank' or None, not 'sqrt'"):
        sp.fit(frame, transform="sqrt")
    with pytest.raises(sp.OptionError, match="transform apply to tables"):
        sp.fit(sp.Moments(np.eye(2), 10), transform="log")
