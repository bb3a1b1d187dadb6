"""Odd names, numbers, labels and paths are read, or refused in words of ours."""

import contextlib

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sparsest as sp
from sparsest.data import read_table

pytestmark = pytest.mark.filterwarnings("ignore::sparsest.DataWarning")
ROWS = [[1.0, 2.0], [2.0, 3.5], [3.0, 5.0], [4.0, 4.0], [5.0, 7.5]]


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".feather", ".xlsx", "frame", "pandas"])
@pytest.mark.parametrize("name", ["^q.z$", "^.*$", "*", "a b", "=x", "$array"])
def test_a_text_column_is_read_whatever_its_name(tmp_path, suffix, name):
    frame = pl.DataFrame({name: ["u", "v", "w"] * 10, "b": np.arange(30) ** 2 % 7})
    source = {"frame": frame, "pandas": frame.to_pandas()}.get(suffix)
    if source is None:
        source = tmp_path / f"t{suffix}"
        if suffix == ".xlsx":
            from sparsest_bench.hostile.tables import _xlsx

            source.write_bytes(_xlsx(frame.to_dict(as_series=False)))
        else:
            {".csv": frame.write_csv, ".parquet": frame.write_parquet, ".feather": frame.write_ipc}[suffix](
                source
            )
    table = read_table(source, numbers_only=False)
    assert table.names == (name, "b")
    assert table.levels[0] == ("u", "v", "w")
    assert np.array_equal(table.values[:, 1], frame["b"])


def test_labels_that_look_the_same_are_refused_by_name():
    assert sp.fit(pd.DataFrame(ROWS, columns=[1, 2])).names == ("1", "2")
    for labels in ([1, True], [1, "1"], ["a", "a"]):
        with pytest.raises(sp.DataError, match=r"column|labels"):
            sp.fit(pd.DataFrame(ROWS, columns=labels))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tiers = [" + "9" * 5000 + "]", "a number has thousands of digits"),
        ("tiers = " + "[" * 100_000, "nested too deeply"),
    ],
)
def test_toml_beyond_all_measure_is_refused(tmp_path, text, words):
    (tmp_path / "k.toml").write_text(text)
    with pytest.raises(sp.DataError, match=f"not valid TOML: .*{words}"):
        sp.Knowledge.read(tmp_path / "k.toml")


def test_a_cell_too_long_for_csv_is_refused(tmp_path):
    (tmp_path / "g.csv").write_text("source,target\na," + "b" * 200_000 + "\n")
    with pytest.raises(sp.DataError, match="is not CSV"):
        sp.graph.read(tmp_path / "g.csv")


def test_a_column_without_a_name_is_no_obstacle():
    frame = pl.DataFrame({"": [1, 2, 3, 4, 2, 3, 4, 3, 3], "x": [3, 1, 1, 2, 3, 4, 1, 2, 3]})
    assert sp.fit(frame, model="poisson").names == ("unnamed_0", "x")


@pytest.mark.parametrize("ends", [(-(2**63) + 1, 2**63 - 1), (0, 2**62)])
@pytest.mark.parametrize("kind", [pl.Duration("us"), pl.Datetime("us", "Europe/Berlin"), pl.Datetime("ms")])
def test_extreme_times_are_read_or_refused(ends, kind):
    frame = pl.DataFrame(
        {"t": pl.Series([*ends, 3, 4, 5]).cast(kind), "x": [1.0, 2, 4, 3, 5], "y": [2, 1, 4, 3, 9]}
    )
    with contextlib.suppress(sp.SparsestError):
        sp.fit(frame, kinds={"t": "date"})


def test_paths_that_are_none_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = sp.fit(ROWS)
    for path in ("", ".", "~nobody_of_this_name/x.sparsest", "a\0b"):
        with pytest.raises(sp.SparsestError):
            result.save(path)
        with pytest.raises(sp.SparsestError):
            sp.load(path)
        with pytest.raises(sp.SparsestError):
            sp.graph.read(path)
    with pytest.raises(sp.SparsestError):
        sp.fit("~nobody_of_this_name/x.csv")
