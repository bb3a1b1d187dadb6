"""A file that is streamed gives the moments of the file read at once."""

import math
import warnings

import numpy as np
import polars as pl
import pytest

import sparsest as sp
from sparsest._core.errors import DataError, DataWarning
from sparsest._core.progress import Watch
from sparsest.data import Source, TableOptions
from sparsest.data.read import blocks, streaming

ROWS = 25_000  # more than the rows that tell the types


def frame(gaps=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 4)) @ rng.normal(size=(4, 4)) + 1e6
    columns = {name: X[:, j] for j, name in enumerate("abcd")}
    table = pl.DataFrame(
        columns | {"w": rng.random(ROWS), "ill": rng.random(ROWS) < 0.3, "k": rng.integers(0, 9, ROWS)}
    )
    if gaps:
        table = table.with_columns(pl.when(pl.Series(rng.random(ROWS) < 0.9)).then(pl.col("a", "b", "k")))
    return table


def parts(table, folder):
    folder.mkdir()
    for k, part in enumerate(table.iter_slices(9000)):
        part.select(part.columns if k else part.columns[::-1]).write_parquet(folder / f"{k}.parquet")


WRITERS = {
    "table.csv": lambda table, path: table.write_csv(path),
    "comma.csv": lambda table, path: table.write_csv(path, separator=";", decimal_comma=True),
    "table.parquet": lambda table, path: table.write_parquet(path, row_group_size=7000),
    "table.feather": lambda table, path: table.write_ipc(path, record_batch_size=6000),
    "folder": parts,
}
each_file = pytest.mark.parametrize("name", WRITERS)


@pytest.fixture
def both(tmp_path, monkeypatch):
    """The moments of a file read at once, and streamed."""

    def read(name, table, **options):
        path = tmp_path / name
        WRITERS[name](table, path)
        found = []
        for large in (math.inf, 0):
            monkeypatch.setattr(streaming, "LARGE", large)
            monkeypatch.setattr(blocks, "_PIECE", 20_000)
            read = Source(path, TableOptions(**options), Watch()).moments()
            found.append((read.moments, read.notices))
        return found

    return read


def assert_same(found):
    (whole, said), (streamed, said_too) = found
    assert streamed.names == whole.names
    assert streamed.n == pytest.approx(whole.n)
    np.testing.assert_allclose(streamed.covariance, whole.covariance, rtol=1e-6)
    np.testing.assert_allclose(streamed.mean, whole.mean, rtol=1e-12)
    assert said_too == said


@each_file
@pytest.mark.parametrize(
    ("gaps", "options"),
    [
        (False, {}),
        (False, {"columns": ["k", "c", "ill"]}),
        (False, {"weights": "w"}),
        (True, {"missing": "drop"}),
        (True, {"missing": "pairwise", "weights": "w"}),
        (False, {"missing": "pairwise"}),
    ],
)
def test_streamed_and_read_at_once_are_the_same(both, name, gaps, options):
    assert_same(both(name, frame(gaps), **options))


def test_constants_are_dropped_on_request(both):
    table = frame().with_columns(one=pl.lit(0.1))
    assert_same(both("table.parquet", table, drop_constant=True))


@pytest.fixture
def streamed(tmp_path, monkeypatch):
    monkeypatch.setattr(streaming, "LARGE", 0)

    def read(name, table, **options):
        WRITERS[name](table, tmp_path / name)
        return Source(tmp_path / name, TableOptions(**options), Watch()).moments()

    return read


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        ({"a": pl.when(pl.int_range(pl.len()) != 20_005).then("a")}, {}, "column 'a' has NaN in row 20005 "),
        ({"a": pl.lit(math.inf)}, {"missing": "drop"}, "column 'a' has inf in row 0 "),
        ({"t": pl.lit("word")}, {}, "column 't' holds text, for example 'word'"),
        ({"one": pl.lit(0.1)}, {}, r"column 'one' is constant \(all 0.1\)"),
        ({"w": -pl.col("w")}, {"weights": "w"}, "the weights in column 'w' must be finite and non-negative"),
        ({"a": pl.lit(None, dtype=pl.Float64)}, {"missing": "drop"}, "only 0 of 25000 rows are complete"),
        ({}, {"columns": ["z"]}, "there is no column 'z'"),
    ],
)
@pytest.mark.parametrize("name", ["table.csv", "table.parquet", "folder"])
def test_what_cannot_be_used_is_refused_by_name(streamed, change, options, words, name):
    with pytest.raises(DataError, match=words):
        streamed(name, frame().with_columns(**change), **options)


def test_a_late_word_in_a_text_file_is_refused_by_column(tmp_path, monkeypatch):
    monkeypatch.setattr(streaming, "LARGE", 0)
    path = tmp_path / "table.csv"
    path.write_text("a,b\n" + "1,2\n3,4\n" * 8000 + "5,oops\n")
    with pytest.raises(DataError, match="column 'b' holds text, for example 'oops'"):
        Source(path, TableOptions(), Watch()).moments()
    path.write_text("a,b\n" + "1,2\n3,4\n" * 8000 + "5,6,7\n")
    with pytest.raises(DataError, match=r"line 16002 of .* has 3 fields"):
        Source(path, TableOptions(), Watch()).moments()


@pytest.mark.parametrize("model", ["auto", "gaussian"])
def test_fit_streams_large_files_and_reports_the_rows(tmp_path, monkeypatch, model):
    path = tmp_path / "table.parquet"
    table = frame().select("a", "b", "c", "d")
    table.write_parquet(path)
    monkeypatch.setattr(streaming, "LARGE", 0)
    steps = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        result, expected = sp.fit(path, model=model, progress=steps.append), sp.fit(table, model=model)
    assert result.dag == expected.dag
    assert [step.step for step in steps if step.stage == "reading rows"][-1] == ROWS
