"""Files that are not plain UTF-8 with commas: white space, other encodings and line ends, other programs."""

import gzip
import sqlite3

import numpy as np
import pandas as pd
import pytest

import sparsest as sp
from sparsest.data import read_table

FRAME = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)).round(3), columns=["a", "b", "c"])
CSV = FRAME.to_csv(index=False)


def lines(separator="  ", header=True):
    rows = FRAME.astype(str).apply(separator.join, axis=1).tolist()
    return "\n".join([separator.join(FRAME.columns), *rows] if header else rows) + "\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.dat", lines("   ").encode()),
        ("t.data", lines(" ").encode()),
        ("t.txt", lines(" \t ").encode()),
        ("t.dat", lines(",").encode()),
        ("cr.csv", CSV.replace("\n", "\r").encode()),
        ("crlf.csv", CSV.replace("\n", "\r\n").encode()),
        ("utf16.csv", CSV.encode("utf-16")),
        ("t.dat.gz", gzip.compress(lines("  ").encode())),
    ],
)
def test_the_table_is_the_same_however_it_is_written(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    if "utf16" in name:
        with pytest.warns(sp.DataWarning, match="read as UTF-16"):
            table = read_table(path)
    else:
        table = read_table(path)
    assert table.names == ("a", "b", "c")
    np.testing.assert_allclose(table.values, FRAME.to_numpy())


def test_latin_1_is_detected_and_said(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(CSV.replace("a,b,c", "größe,b,c").encode("latin-1"))
    with pytest.warns(sp.DataWarning, match="read as Latin-1"):
        assert read_table(path).names == ("größe", "b", "c")


def test_data_files_without_names_get_some(tmp_path):
    path = tmp_path / "t.data"
    path.write_text(lines("   ", header=False))
    with pytest.warns(sp.DataWarning, match="the first line holds numbers"):
        table = read_table(path)
    assert table.names == ("x0", "x1", "x2")
    assert len(table.values) == 60


def test_tetrads_covariance_files(tmp_path):
    covariance = FRAME.cov()
    text = "/covariance\n60\na b c\n" + "".join(
        " ".join(f"{covariance.iloc[i, j]:.12f}" for j in range(i + 1)) + "\n" for i in range(3)
    )
    path = tmp_path / "t.cov.txt"
    path.write_text(text)
    moments = sp.Moments.read(path)
    assert (moments.n, moments.names) == (60, ("a", "b", "c"))
    np.testing.assert_allclose(moments.covariance, covariance, atol=1e-9)
    assert sp.fit(path).cpdag == sp.fit(moments).cpdag
    path.write_text(text.rsplit(" ", 1)[0])
    with pytest.raises(sp.DataError, match="row 2"):
        sp.fit(path)


def test_a_square_table_of_correlations_needs_the_number_of_rows(tmp_path):
    path = tmp_path / "t.csv"
    FRAME.corr().to_csv(path)
    np.testing.assert_allclose(sp.Moments.read(path, n=60).covariance, FRAME.corr())
    with pytest.raises(sp.OptionError, match="pass n="):
        sp.Moments.read(path)
    with pytest.raises(sp.DataError, match="there is no file"):
        sp.Moments.read(tmp_path / "none.csv", n=3)


def test_queries_are_read_through_a_connection():
    connection = sqlite3.connect(":memory:")
    FRAME.to_sql("t", connection, index=False)
    result = sp.fit("select a, b from t", connection=connection)
    assert result.names == ("a", "b")
    assert result.n == 60
    with pytest.raises(sp.DataError, match="the query cannot be read: no such table: none_such"):
        sp.fit("select * from none_such", connection=connection)
    connection.close()


def test_duckdb_connections_and_relations():
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("frame", FRAME)
    assert sp.fit("select b, c from frame", connection=connection).names == ("b", "c")
    assert sp.fit(connection.sql("select * from frame")).names == ("a", "b", "c")


def test_files_of_other_statistics_programs_keep_their_labels(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = FRAME.assign(sex=np.tile([1.0, 2.0], 30))
    labels = {"sex": {1.0: "female", 2.0: "male"}}
    pyreadstat.write_sav(frame, str(tmp_path / "t.sav"), variable_value_labels=labels)
    pyreadstat.write_dta(frame.astype({"sex": int}), str(tmp_path / "t.dta"), variable_value_labels=labels)
    for name in ("t.sav", "t.dta"):
        account = sp.fit(tmp_path / name).columns
        assert account.row(3, named=True)["levels"] == "female, male"
    (tmp_path / "bad.sav").write_bytes(b"not spss")
    with pytest.raises(sp.DataError, match=r"cannot read .*bad.sav"):
        sp.fit(tmp_path / "bad.sav")


FILES = {  # how they are written
    "plain.sav": {},
    "codes.sav": {"row_compress": True},
    "zipped.sav": {"compress": True},
    "labelled.sav": {
        "note": "a note",
        "column_labels": {"k": "an odd label"},
        "variable_value_labels": {"k": {0: "none", 1: "one"}},
        "missing_ranges": {"k": [{"lo": 7, "hi": 9}]},
    },
    "old.dta": {"version": 8},
    "labelled.dta": {"version": 10, "variable_value_labels": {"k": {0: "none", 1: "one"}}},
    "later.dta": {"version": 12},
    "new.dta": {"version": 15},
}


@pytest.mark.parametrize("name", FILES)
def test_a_header_that_declares_fewer_rows_than_there_are_loses_none(tmp_path, name):
    pyreadstat = pytest.importorskip("pyreadstat")
    write = {".sav": pyreadstat.write_sav, ".dta": pyreadstat.write_dta}
    path = tmp_path / name
    frame = FRAME.assign(k=np.tile([0.0, 1, 2], 20), w=["yes", "no", "a" * 20] * 20)
    write[path.suffix](frame, str(path), **FILES[name])
    assert len(read_table(path, numbers_only=False).values) == 60
    content = bytearray(path.read_bytes())
    at = content.index((60).to_bytes(4, "little"), 80 if path.suffix == ".sav" else 0)
    for fewer in (59, 31, 2):
        content[at : at + 4] = fewer.to_bytes(4, "little")
        path.write_bytes(content)
        with pytest.raises(sp.DataError, match=r"more follow them|cannot read"):
            read_table(path, numbers_only=False)


@pytest.mark.parametrize(
    ("begun", "piece", "words"),
    [
        ("", "a", "cell of more than"),
        ("", '"', "cell of more than"),
        ("x,y\n1,2\n", "0", "cell of more than"),
        ("", "1,", "fields"),
    ],
)
def test_one_endless_line_is_not_called_empty(tmp_path, begun, piece, words):
    path = tmp_path / "t.csv"
    path.write_text(begun + piece * 3_000_000)
    with pytest.raises(sp.DataError, match=rf"line \d of .*{words}"):
        sp.fit(path)
