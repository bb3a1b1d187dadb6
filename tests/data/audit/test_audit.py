"""Laws of the audit as a whole."""

import json
import pickle
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest.data import read_table
from sparsest.data.audit import audit_of
from tests.data.audit.test_checks import FLAWS, clean, where, with_columns

# These checks read numbers as they are written: whole numbers, -999, 20240531.
WRITTEN = {"identifier", "dates", "missing-codes", "kinds", "variances"}


def told(audit):
    return {(each.check, each.severity, frozenset(each.columns)) for each in audit.findings}


def flawed(seed):
    """Clean columns with an outlier, a heavy tail, a copy, a sum, gaps and a random walk among them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 8))
    X[:, 1] += X[:, 0]
    X[:, 2] = np.cumsum(X[:, 2])
    X[:, 3] = X[:, 0] + X[:, 4]
    X[:, 5] = np.exp(2 * X[:, 5])
    X[rng.integers(200), [6, 7]] = 1e3
    X[rng.integers(200, size=5), 6] = np.nan
    return pl.DataFrame(X, schema=[f"column {k}" for k in range(8)])


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_units_and_the_order_of_columns_change_nothing_but_the_order(seed):
    table, rng = flawed(seed), np.random.default_rng(seed)
    order = rng.permutation(8)
    units, zeros = 10.0 ** rng.uniform(-3, 3, 8), rng.normal(size=8)
    other = pl.DataFrame(
        (table.to_numpy() * units + zeros)[:, order], schema=[table.columns[k] for k in order]
    )
    plain = {finding for finding in told(sp.audit(table)) if finding[0] not in WRITTEN}
    assert plain
    assert {finding for finding in told(sp.audit(other)) if finding[0] not in WRITTEN} == plain


@pytest.mark.parametrize("flaw", FLAWS)
def test_every_kind_of_data_frame_and_file_is_audited_alike(flaw, tmp_path):
    table = FLAWS[flaw][-1]
    table.write_csv(tmp_path / "table.csv")
    found = told(sp.audit(table))
    for same in (table.to_pandas(), table.to_arrow(), table.lazy()):
        assert told(sp.audit(same)) == found
    if flaw != "infinite":  # a CSV file spells it in many ways
        assert told(sp.audit(str(tmp_path / "table.csv"))) == found


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_table_is_untouched(order):
    X = np.array(flawed(0).to_numpy(), order=order)
    X.flags.writeable = False
    before = X.copy()
    sp.audit(X)
    np.testing.assert_array_equal(X, before)


def test_an_audit_is_a_value_with_words():
    audit = sp.audit(with_columns(same=np.ones(400), f=where([3], np.nan)))
    assert pickle.loads(pickle.dumps(audit)) == audit
    assert len(audit) == 2
    assert audit
    tree = json.loads(json.dumps(audit.to_dict(), allow_nan=False))
    assert (tree["rows"], tree["columns"], len(tree["findings"])) == (400, 7, 2)
    text = audit.summary()
    assert text == str(audit)
    assert text.startswith("7 columns, 400 rows: 1 serious, 0 to be careful about, 1 for information\n")
    assert text.index("'same'") < text.index("'f'")
    assert max(map(len, text.splitlines())) <= 100


def test_columns_are_chosen_by_name_and_unknown_ones_refused():
    table = with_columns(same=np.ones(400))
    assert not sp.audit(table, columns=["a", "b"])
    with pytest.raises(sp.DataError, match="no column 'z'"):
        sp.audit(table, columns=["a", "z"])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (np.zeros(5), "Expected 2D array"),
        (np.zeros((5, 0)), "empty"),
        ("nowhere.csv", "no file"),
        (3, "cannot read"),
    ],
)
def test_what_is_no_table_is_refused(data, words):
    with pytest.raises(sp.DataError, match=words):
        sp.audit(data)


def test_findings_stay_short_when_many_columns_have_the_same_flaw():
    X = np.random.default_rng(0).integers(1, 5, size=(2000, 300))
    audit = sp.audit(X)
    assert len(audit) == 1
    assert len(audit.findings[0].columns) == 300
    assert "and 295 more" in audit.findings[0].words


def test_fit_warns_of_what_is_serious_keeps_the_rest_and_says_nothing_twice():
    table = with_columns(f=where([17], 1e3), g=where([17], -2e3)).with_columns(copy=pl.col("a") * 2)
    with pytest.warns(sp.DataWarning) as caught:
        result = sp.fit(table, strict=True)
    words = [str(warning.message) for warning in caught]
    assert len(words) == 2
    assert sum("decides correlations" in each for each in words) == 1
    assert sum("'a', 'copy' are linearly dependent" in each for each in words) == 1
    assert result.evidence.warnings == tuple(words)
    assert told(result.audit) == told(sp.audit(table))


def test_fit_audits_moments_too():
    table = clean().with_columns(copy=pl.col("a") * 2)
    with pytest.warns(sp.DataWarning, match="linearly dependent"):
        result = sp.fit(sp.Moments.from_array(table.to_numpy(), table.columns))
    assert [each.check for each in result.audit.findings] == ["duplicate"]


def test_of_a_large_table_fit_looks_at_some_rows_and_numbers_them_rightly():
    X = np.random.default_rng(0).normal(size=(60_000, 40))
    far = np.arange(0, 60_000, 1000)
    X[far, :2] = 1e3
    table = read_table(X)
    audit = audit_of(table, sp.Moments.from_array(X))
    assert audit.n == 60_000
    words = audit.about("outliers")[0].words
    numbers = [int(number) for number in words.split("counting from 0: ")[1].split(", ...")[0].split(", ")]
    assert set(numbers) <= set(far.tolist())


def test_hundred_thousand_rows_or_a_thousand_columns_take_about_a_second():
    for shape in ((100_000, 50), (1000, 1000)):
        X = np.random.default_rng(0).normal(size=shape)
        started = time.process_time()
        sp.audit(X)
        assert time.process_time() - started < 3  # generous: machines differ


def test_pandas_and_arrow_types_with_gaps_are_read():
    frame = pd.DataFrame({"i": pd.array([1, None, 3, 4] * 10, dtype="Int64"), "x": np.arange(40) ** 1.5})
    assert sp.audit(frame).about("missing")[0].columns == ("i",)
    assert sp.audit(pa.table({"i": [1.5, None, 3.25] * 10, "x": list(range(30))})).about("missing")


def test_of_a_file_too_large_for_memory_the_first_rows_are_audited(tmp_path, monkeypatch):
    monkeypatch.setattr("sparsest.data.read.streaming.LARGE", 0)
    table = with_columns(same=np.ones(400), city=["Ulm", "Bonn"] * 200)
    table.write_csv(tmp_path / "table.csv", separator=";", decimal_comma=True)
    table.write_parquet(tmp_path / "table.parquet")
    for name in ("table.csv", "table.parquet"):
        audit = sp.audit(tmp_path / name)
        assert {each.check for each in audit.findings} == {"constant", "text", "sample"}
        assert not sp.audit(tmp_path / name, columns=["a", "b"]).serious
