"""From any table to columns that can be modelled, with an account of all of them."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp

N = 120


def rng(seed=0):
    return np.random.default_rng(seed)


def messy(n=N, seed=0):
    """A table with one column of each kind that a first call used to refuse."""
    draw = rng(seed)
    x = draw.normal(size=n).round(3)
    frame = pd.DataFrame(
        {
            "SEQN": draw.permutation(n) + 5000,
            "name": [f"person {k}" for k in range(n)],
            "notes": [f"a remark of some length about person number {k}, who came late" for k in range(n)],
            "when": pd.date_range("2020-01-01", periods=n),
            "same": 7,
            "race": draw.integers(1, 5, n),
            "sex": draw.choice(["female", "male"], n),
            "grade": pd.Categorical(
                draw.choice(["low", "mid", "high"], n), ["low", "mid", "high"], ordered=True
            ),
            "city": draw.choice([f"city {k}" for k in range(60)], n),
            "as_text": [f" {value}" for value in (x + draw.normal(size=n)).round(2)],
            "x": x,
            "y": (2 * x + draw.normal(size=n)).round(3),
        }
    )
    frame.loc[3, "as_text"] = "?"
    frame.loc[[5, 9, 30], "y"] = -999
    return frame


def told(data, **options):
    with pytest.warns(sp.DataWarning) as issued:
        result = sp.fit(data, **options)
    return result, [str(each.message) for each in issued]


POLARS = pl.from_pandas(messy()).with_columns(
    pl.col("grade").cast(pl.String).cast(pl.Enum(["low", "mid", "high"]))
)
LEFT_OUT = {
    "SEQN": "an identifier",
    "name": "an identifier",
    "notes": "free text",
    "when": "a date",
    "same": "constant (all 7)",
    "city": "levels are too many for 120 rows",
}


def test_a_messy_table_gives_an_answer_at_the_first_call_and_an_account_of_every_column():
    frame = messy()
    result, words = told(frame, missing="drop")
    account = {row["column"]: row for row in result.columns.to_dicts()}
    assert list(account) == list(frame.columns)
    assert {name for name, row in account.items() if not row["used"]} == set(LEFT_OUT)
    for name, reason in LEFT_OUT.items():
        assert reason in account[name]["done"]
        assert any(repr(name) in line for line in words)
    assert account["race"]["kind"] == "categorical"
    assert account["race"]["levels"] == "1, 2, 3, 4"
    assert account["grade"]["kind"] == "ordinal"
    assert account["as_text"]["done"] == "numbers stored as text; '?' counts as missing"
    assert account["y"]["done"] == "-999 in 3 rows counts as missing"
    assert account["y"]["missing"] == pytest.approx(3 / N)
    assert account["sex"]["modelled"].startswith("log-odds")
    assert result.names == tuple(name for name in frame.columns if name not in LEFT_OUT)
    assert frame.equals(messy())  # the user's table is not changed


def test_strict_refuses_what_is_otherwise_left_out():
    for name in ("name", "when"):
        with pytest.raises(sp.DataError, match=name):
            sp.fit(messy()[[name, "x", "sex"]], strict=True)
    with pytest.raises(sp.DataError, match="'same' is constant"):
        sp.fit(messy()[["x", "same"]], strict=True)
    with pytest.raises(sp.DataError, match="'x' has NaN"):
        sp.fit(messy()[["x", "y"]].assign(x=[np.nan, *messy().x[1:]]), strict=True)


@pytest.mark.filterwarnings("ignore::sparsest.DataWarning")
@pytest.mark.parametrize("frame", [messy(), POLARS], ids=["pandas", "polars"])
def test_ordered_categories_work_in_every_model(frame):
    columns = ["grade", "x", "y"]
    for model in ("gaussian", "rank", "additive", "mixed"):
        assert "grade" in sp.fit(frame, columns=columns, model=model, missing="drop").names


@pytest.mark.filterwarnings("ignore::sparsest.DataWarning")
def test_models_of_numbers_leave_words_out_and_take_two_values_and_ordered_words():
    result = sp.fit(messy(), model="gaussian", missing="drop")
    account = {row["column"]: row for row in result.columns.to_dicts()}
    assert not account["city"]["used"]
    assert {"sex", "grade", "race", "as_text"} <= set(result.names)


@pytest.mark.filterwarnings("ignore::sparsest.DataWarning")
def test_the_account_is_saved_with_the_result(tmp_path):
    result = sp.fit(messy(), missing="drop")
    result.save(tmp_path / "r.sparsest")
    assert sp.load(tmp_path / "r.sparsest").columns.equals(result.columns)


@pytest.mark.filterwarnings("ignore::sparsest.DataWarning")
def test_the_audit_has_the_same_account():
    audit = sp.audit(messy())
    kinds = {row["column"]: row["kind"] for row in sp.fit(messy(), missing="drop").columns.to_dicts()}
    assert {row["column"]: row["kind"] for row in audit.columns.to_dicts()} == kinds
    assert "race" in str(audit)


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("id", range(100, 160), "identifier"),
        ("district", np.arange(60) * 7 + 3, "identifier"),
        ("PID", rng().permutation(60) * 11, "identifier"),
        ("x", rng().permutation(60) + 3, "identifier"),
        ("income", np.arange(60) * 97 + 11000, "continuous"),
        ("year", range(1950, 2010), "continuous"),
        ("rank", range(1, 61), "continuous"),
        ("patient", np.repeat(range(20), 3), "identifier"),
        ("race", np.tile([1, 2, 3], 20), "categorical"),
        ("target", np.tile([0, 1, 2], 20), "categorical"),
        ("bloodType", np.tile([1, 2, 3, 4], 15), "categorical"),
        ("steps", np.tile([1, 2, 3], 20), "continuous"),
        ("visits", np.tile([0, 1, 2], 20), "count"),
        ("age", np.tile(range(60), 1), "continuous"),
        ("weight", np.linspace(0, 1, 60), "continuous"),
    ],
)
def test_kinds_are_guessed_from_values_and_names(name, values, kind):
    frame = pd.DataFrame(
        {name: np.asarray(list(values)), "a": rng(1).normal(size=60), "b": rng(2).normal(size=60)}
    )
    assert sp.audit(frame).columns["kind"][0] == kind


@pytest.mark.filterwarnings("ignore::sparsest.DataWarning")
def test_a_kind_given_by_the_user_is_never_overruled_and_is_in_the_settings():
    frame = messy()[["SEQN", "race", "x", "y"]]
    kinds = {"SEQN": "continuous", "race": "continuous", "x": "identifier"}
    result = sp.fit(frame, kinds=kinds, missing="drop")
    assert result.names == ("SEQN", "race", "y")
    assert result.settings["kinds"] == kinds
    assert set(result.columns["why"][:3]) == {"as asked"}


def test_a_kind_that_a_column_cannot_be_is_refused_for_all_such_columns_at_once():
    with pytest.raises(sp.DataError, match=r"'sex'.*'name'|'name'.*'sex'"):
        sp.fit(messy(), kinds={"sex": "count", "name": "continuous"})


@pytest.mark.filterwarnings("ignore::sparsest.DataWarning")
def test_dates_are_days_if_asked():
    frame = messy()[["when", "x", "y"]]
    assert sp.fit(frame, missing="drop").names == ("x", "y")
    assert sp.fit(frame, kinds={"when": "date"}, missing="drop").names == ("when", "x", "y")


@pytest.mark.filterwarnings("ignore::sparsest.DataWarning")
def test_columns_and_exclude_take_wildcards():
    frame = pd.DataFrame(rng().normal(size=(50, 4)), columns=["gene1", "gene2", "cell1", "gene10"])
    assert sp.fit(frame, columns=["gene*"]).names == ("gene1", "gene2", "gene10")
    assert sp.fit(frame, exclude=["gene?"]).names == ("cell1", "gene10")
    assert sp.fit(frame, columns=["gene*"], exclude=["*10"]).names == ("gene1", "gene2")
    with pytest.raises(sp.DataError, match=r"no column 'genes'.*did you mean 'gene"):
        sp.fit(frame, exclude=["genes"])
    with pytest.raises(sp.OptionError, match="exclude leaves no column"):
        sp.fit(frame, exclude=["*"])


@pytest.mark.filterwarnings("ignore::sparsest.DataWarning")
def test_rare_levels_are_merged_and_new_rows_know_it():
    words = np.array(["a"] * 50 + ["b"] * 40 + [f"rare {k}" for k in range(10)])
    frame = pd.DataFrame({"word": words, "x": rng().normal(size=100), "y": rng(1).normal(size=100)})
    result = sp.fit(frame)
    row = result.columns.row(0, named=True)
    assert row["levels"] == "a, b, (other)"
    assert row["done"] == "10 rare levels merged into '(other)'"
    assert np.isfinite(result.log_likelihood(frame.assign(word="rare 3"))).all()
    assert np.isfinite(result.log_likelihood(frame.assign(word="never seen"))).all()


@pytest.mark.filterwarnings("ignore::sparsest.DataWarning")
def test_a_dash_among_plus_signs_is_a_value_and_a_mark_among_words_is_missing():
    frame = pd.DataFrame(
        {"sign": np.tile(["+", "-"], 30), "x": rng().normal(size=60), "y": rng(1).normal(size=60)}
    )
    assert sp.audit(frame).columns["levels"][0] == "+, -"
    frame["sign"] = np.tile(["yes", "no", "?"], 20)
    assert sp.audit(frame).columns.select("levels", "missing").row(0) == ("no, yes", pytest.approx(1 / 3))


@pytest.mark.filterwarnings("ignore::sparsest.DataWarning")
def test_marks_of_missing_values_can_be_given():
    frame = messy()[["x", "y"]]
    frame.loc[:4, "x"] = 77.0
    missing = {name: sp.audit(frame, na=na).columns["missing"].to_list() for name, na in {
        "found": None, "given": [77], "none": [], "by name": {"x": 77}}.items()}  # fmt: skip
    assert missing["found"] == [0, 3 / N]
    assert missing["given"] == [5 / N, 0]
    assert missing["none"] == [0, 0]
    assert missing["by name"] == [5 / N, 3 / N]
    with pytest.raises(sp.OptionError, match="na must be"):
        sp.fit(frame, na=object())


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            pd.DataFrame({"id": range(50), "x": rng().normal(size=50)}),
            "only 'x' is left.*'id' .an identifier",
        ),
        (pd.DataFrame({"a": ["x"] * 50, "b": [1.0] * 50}), "no column is left.*constant"),
        (pd.DataFrame({"a": [np.nan] * 50, "b": [None] * 50}), "no column is left.*no values"),
    ],
)
def test_a_table_of_which_nothing_is_left_is_one_clear_line(data, words):
    with pytest.raises(sp.DataError, match=words) as error:
        sp.fit(data)
    assert "\n" not in str(error.value)


@settings(deadline=None, max_examples=8)
@given(st.integers(0, 10**6))
@pytest.mark.filterwarnings("ignore::sparsest.DataWarning")
def test_kinds_and_the_answer_do_not_depend_on_the_order_of_rows_and_columns(seed):
    frame = messy()[["SEQN", "race", "city", "as_text", "x", "y", "same"]]
    draw = rng(seed)
    moved = frame.iloc[draw.permutation(N)][list(draw.permutation(frame.columns))]
    one, other = sp.fit(frame, missing="drop"), sp.fit(moved, missing="drop")
    account = ["column", "kind", "why", "used", "levels", "done"]
    assert one.columns.select(account).sort("column").equals(other.columns.select(account).sort("column"))
    order = [other.names.index(name) for name in one.names]
    assert (other.cpdag.to_numpy()[np.ix_(order, order)] == one.cpdag.to_numpy()).all()


@pytest.mark.filterwarnings("ignore::sparsest.DataWarning")
def test_odd_cells_are_left_out_or_counted_as_missing():
    n = 60
    frame = pd.DataFrame(
        {
            "lists": [[k] for k in range(n)],
            "times": [datetime.time(k % 24) for k in range(n)],
            "odd": [str(k / 7) for k in range(n - 1)] + ["n.d."],
            "inf": [np.inf, *rng().normal(size=n - 1)],
            "x": rng(1).normal(size=n),
        }
    )
    result = sp.fit(frame, missing="drop")
    assert result.names == ("odd", "inf", "x")
    done = dict(result.columns.select("column", "done").rows())
    assert "'n.d.' among numbers counts as missing" in done["odd"]
    assert "infinite in 1 row" in done["inf"]


@pytest.mark.filterwarnings("ignore::sparsest.DataWarning")
def test_a_level_that_dropped_rows_leave_with_one_row_is_no_obstacle():
    frame = pd.DataFrame(
        {"word": ["a", "b", "c"] * 30, "x": rng().normal(size=90), "y": rng(1).normal(size=90)}
    )
    frame.loc[(frame.word == "c") & (frame.index > 5), "x"] = np.nan
    assert (frame.word[frame.x.notna()] == "c").sum() == 2
    frame.loc[2, "x"] = np.nan
    result = sp.fit(frame, missing="drop")
    assert result.columns["levels"][0] == "a, b"
    assert result.n == 60


@pytest.mark.filterwarnings("ignore::sparsest.DataWarning")
def test_the_same_categories_under_other_labels_are_left_out():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 3, size=60)
    frame = pd.DataFrame(
        {
            "region": np.array(["north", "south", "west"])[code],
            "zone": np.array(["c", "a", "b"])[code],
            "is_north": code == 0,
            "dummy": np.where(code == 0, 1987, 1990),
            "gap": np.where(np.arange(60) == 7, None, (code == 0).astype(str)),
            "size": rng.normal(size=60),
        }
    )
    account = sp.fit(frame).account
    assert {note.name: note.done for note in account.left_out} == {
        "zone": "left out: a copy of 'region' under other labels",
        "is_north": "left out: a copy of 'dummy' under other labels",
    }
