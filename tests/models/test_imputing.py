"""Missing values in models that are not Gaussian."""

import numpy as np
import pandas as pd
import pytest

import sparsest as sp
from sparsest._core.progress import Watch
from sparsest.data import Source, TableOptions, read_table
from sparsest.models import imputing
from sparsest.models.imputing import completed

pytestmark = pytest.mark.filterwarnings("ignore::sparsest.DataWarning")


def mixed(n=400, share=0.2, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = 1.5 * a + rng.normal(size=n)
    c = np.where(rng.random(n) < 1 / (1 + np.exp(-2.5 * b)), "yes", "no").astype(object)
    d = rng.poisson(np.exp(0.6 * a)).astype(float)
    e = rng.choice(["red", "green", "blue"], n).astype(object)
    frame = pd.DataFrame({"a": a, "b": b, "c": c, "d": d, "e": e})
    return frame.mask(rng.random(frame.shape) < share)


MODELS = {
    "mixed": list("abcde"),
    "additive": list("ab"),
    "rank": list("abd"),
    "gaussian": list("abd"),
    "mlp": list("ab"),
}


@pytest.mark.parametrize("model", MODELS)
def test_every_model_learns_from_tables_with_missing_values_and_says_how(model):
    frame = mixed()[MODELS[model]]
    with pytest.warns(sp.DataWarning, match="values .* are missing"):
        result = sp.fit(frame, model=model, max_parents=2)
    assert ("a", "b") in result.dag.edges or ("b", "a") in result.dag.edges
    assert np.isfinite(result.objective)


def test_logistic_and_poisson_too():
    rng = np.random.default_rng(1)
    x = (rng.random((300, 3)) < 0.5).astype(float)
    x[:, 1] = np.where(rng.random(300) < 0.9, x[:, 0], 1 - x[:, 0])
    x[rng.random(x.shape) < 0.1] = np.nan
    assert sp.fit(x).model == "logistic"
    assert len(sp.fit(x).dag.edges) == 1
    counts = rng.poisson(3, (200, 3)).astype(float)
    counts[rng.random(counts.shape) < 0.1] = np.nan
    assert sp.fit(counts, model="poisson").n < 200


def test_known_values_stay_and_gaps_get_values_that_can_occur():
    table = read_table(mixed(), missing="keep", numbers_only=False)
    found = completed(table, seed=0)
    gaps = np.isnan(table.values)
    for copy in found.copies:
        assert (copy[~gaps] == table.values[~gaps]).all()
        assert np.isfinite(copy).all()
        for j in (2, 3, 4):
            assert set(copy[:, j]) <= set(table.values[~gaps[:, j], j])
    assert not (found.copies[0][gaps] == found.copies[1][gaps]).all()
    assert found.n < len(table.values)


def test_equal_rows_get_different_draws():
    values = np.tile([[0.0, 0.0], [1.0, 1.0]], (200, 1))
    values[:100, 1] = np.nan
    values[200:, 1] = np.random.default_rng(0).integers(0, 2, 200)
    table = read_table(values, missing="keep")
    assert set(completed(table, 0).copies[0][:100, 1]) == {0.0, 1.0}


def marks(cpdag, new=None):
    """The edges of a class under new names, an open direction in either order."""
    new = new or {name: name for name in cpdag.names}
    found = set()
    for a, mark, b in cpdag.edges:
        found |= {(new[a], mark, new[b])} | ({(new[b], mark, new[a])} if mark == "--" else set())
    return found


@pytest.mark.parametrize("seed", range(3))
def test_columns_without_ties_and_with_as_many_gaps_draw_apart_and_in_any_order(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(200, 4)) @ rng.normal(size=(4, 4))
    for j in range(4):
        values[rng.choice(200, 40, replace=False), j] = np.nan
    names, rows, columns = list("abcd"), rng.permutation(200), rng.permutation(4)
    table = read_table(pd.DataFrame(values, columns=names), missing="keep")
    moved = read_table(pd.DataFrame(values[rows][:, columns], columns=names), missing="keep")
    one, two = completed(table, 0).copies, completed(moved, 0).copies
    assert two == pytest.approx(one[:, rows][:, :, columns], abs=1e-6)


def test_the_answer_depends_on_neither_order_nor_units_nor_names():
    frame = mixed()
    rng = np.random.default_rng(5)
    moved = frame.iloc[rng.permutation(len(frame))][list("ebdca")].assign(a=lambda f: 1000 * f.a)
    kinds = {"a": "continuous", "b": "continuous", "c": "binary", "d": "count", "e": "categorical"}
    new = dict(zip("abcde", ("race", "id", "x", "group", "z"), strict=True))
    one = sp.fit(frame, kinds=kinds)
    two = sp.fit(moved.rename(columns=new), kinds={new[name]: kind for name, kind in kinds.items()})
    assert marks(one.cpdag, new) == marks(two.cpdag)  # members of a class tie, and the order may pick one
    assert two.objective == pytest.approx(one.objective + np.log(1000), abs=1e-6)


def test_filling_in_keeps_the_moments_of_values_missing_at_random():
    rng = np.random.default_rng(2)
    a = rng.normal(size=4000)
    b = a + 0.5 * rng.normal(size=4000)
    lacking = rng.random(4000) < 1 / (1 + np.exp(-2 * a))
    table = read_table(np.column_stack([a, np.where(lacking, np.nan, b)]), missing="keep")
    filled = completed(table, 0).stacked.values
    assert abs(np.nanmean(table.values[:, 1])) > 0.3
    assert np.cov(filled.T) == pytest.approx(np.array([[1, 1], [1, 1.25]]), abs=0.08)
    assert filled[:, 1].mean() == pytest.approx(0, abs=0.05)


def test_resamples_draw_from_the_same_copies():
    source = Source(mixed(), TableOptions(missing="auto", strict=False), Watch())
    prepared = sp.models.Mixed().prepare(source, 0)
    every = prepared.resample(np.arange(400))
    assert (every.values == prepared.values).all()
    assert every.n == pytest.approx(prepared.n)
    half = prepared.resample(np.arange(200))
    assert half.n < prepared.n
    weighed = prepared.resample(weights=np.r_[np.ones(200), np.zeros(200)])
    assert (weighed.values == half.values).all()
    assert sp.fit(mixed(), resamples=4).confidence.resamples == 4


def test_ways_for_gaussian_models_are_refused_with_one_that_works():
    with pytest.raises(sp.OptionError, match=r"missing='em' is for Gaussian models.*missing='auto'"):
        sp.fit(mixed(), missing="em")
    with pytest.raises(sp.DataError, match="missing='auto'"):
        sp.fit(mixed(), missing="error")
    first, x = np.arange(60) < 30, np.sin(np.arange(60))
    apart = pd.DataFrame({"a": np.where(first, x, np.nan), "b": np.where(first, np.nan, x)})
    with pytest.raises(sp.DataError, match=r"only 0 of 60 rows are complete.*missing='auto'"):
        sp.fit(apart, missing="drop")


def test_levels_that_vanish_with_dropped_rows_vanish():
    frame = pd.DataFrame({"word": ["a", "b", "c"] * 30, "x": np.random.default_rng(0).normal(size=90)})
    frame["y"] = frame.x + np.random.default_rng(1).normal(size=90)
    frame.loc[frame.word == "c", "x"] = np.nan
    result = sp.fit(frame, missing="drop")
    assert result.columns["levels"][0] == "a, b"
    assert "1 level only in rows that were dropped" in result.columns["done"][0]
    assert result.fitted.levels[0] == ("a", "b")


def test_a_column_that_is_hardly_ever_known_is_left_out():
    frame = mixed().assign(rare=np.r_[[np.nan] * 390, np.arange(10.0)])
    result = sp.fit(frame)
    assert "rare" not in result.names
    assert "known in only 10 of 400 rows" in result.columns.row(5, named=True)["done"]


def test_columns_that_are_never_known_together_are_not_both_used():
    first, x = np.arange(200) < 100, np.random.default_rng(0).normal(size=(200, 3))
    frame = pd.DataFrame(x, columns=list("abc")).assign(d=np.where(first, x[:, 0] ** 3, np.nan))
    frame["e"] = np.where(first, np.nan, x[:, 1] ** 3)
    result = sp.fit(frame, model="mixed")
    assert result.names == ("a", "b", "c", "d")
    assert "hardly ever known in the same rows as 'd'" in result.columns["done"][4]


def test_regressions_that_see_some_of_the_rows_draw_alike_in_any_order_and_keep_moments(monkeypatch):
    monkeypatch.setattr(imputing, "_PRODUCTS", 1)
    monkeypatch.setattr(imputing, "_FEWEST_SEEN", 150)
    frame = mixed(n=600)
    rows = np.random.default_rng(1).permutation(len(frame))
    one, two = (
        completed(read_table(each, missing="keep", numbers_only=False), 0)
        for each in (frame, frame.iloc[rows])
    )
    # Sorted, since rows that are equal get different draws.
    assert np.sort(one.copies, axis=1) == pytest.approx(np.sort(two.copies, axis=1), abs=1e-9)
    assert np.corrcoef(one.copies[0][:, :2].T)[0, 1] == pytest.approx(1.5 / np.hypot(1.5, 1), abs=0.08)
