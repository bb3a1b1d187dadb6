"""Rows that a reader leaves out are missed: they are counted apart from it."""

import io

import numpy as np
import polars as pl
import pytest

from sparsest._core.errors import DataError
from sparsest.data import read_table
from sparsest.data.read.arrow import rows_declared
from sparsest.data.read.counting import _lines, _records, require_all_rows
from sparsest.data.read.dialect import Dialect
from sparsest.data.read.packing import Part

DIALECT = Dialect(",", ("a", "b"))
TEXTS = [
    (b"a,b\n1,2\n3,4\n", 2), (b"a,b\n1,2\n3,4", 2), (b"a,b\r\n1,2\r\n\r\n3,4\r\n", 2), (b"a,b\n\n\n1,2\n", 1),
    (b'a,b\n1,"x\ny"\n3,4\n', 2), (b'a,b\n1,"x ""\n"" y"\n', 1), (b"a,b\n,\n1,2\nNA,NA\n", 1),
]  # fmt: skip


@pytest.mark.parametrize(("text", "rows"), TEXTS)
def test_the_rows_that_are_there_are_enough_and_fewer_are_refused(text, rows):
    require_all_rows(text, DIALECT, "it", rows, frozenset(["", "NA"]))
    with pytest.raises(DataError, match=f"more rows than the {rows - 1} that could be read"):
        require_all_rows(text, DIALECT, "it", rows - 1, frozenset(["", "NA"]))


def test_records_do_not_depend_on_where_pieces_end(monkeypatch):
    text = b'a,b\n\n1,"x\n\ny"\r\n\r\n3,4\n5,6'
    for size in range(1, len(text) + 1):
        monkeypatch.setattr("sparsest.data.read.counting._PIECE", size)
        assert (_records(text), _lines(text)) == ((4, True), 8)


def test_a_reader_that_stops_early_is_noticed(tmp_path, monkeypatch):
    from sparsest.data.read import delimited

    whole = delimited.parsed
    monkeypatch.setattr(delimited, "parsed", lambda *a, **k: whole(*a, **k).head(50))
    (tmp_path / "t.csv").write_text("a,b\n" + "\n".join(f"{k},{k * k % 7}" for k in range(100)))
    with pytest.raises(DataError, match="more rows than the 50"):
        read_table(tmp_path / "t.csv")


@pytest.mark.parametrize("packed", ["uncompressed", "lz4", "zstd"])
@pytest.mark.parametrize("writer", ["write_ipc", "write_ipc_stream"])
def test_arrow_files_say_how_many_rows_they_have(tmp_path, packed, writer):
    frame = pl.DataFrame({"a": np.arange(1000.0), "c": pl.Series(["u", "v"] * 500, dtype=pl.Categorical)})
    for rows in (0, 1, 1000):
        file = io.BytesIO()
        getattr(frame.head(rows), writer)(file, compression=packed)
        assert rows_declared(file.getvalue(), Part(tmp_path / "t.arrow", ".arrow", "")) == rows


def test_an_arrow_stream_without_its_end_is_refused(tmp_path):
    file = io.BytesIO()
    pl.DataFrame({"a": np.arange(10.0), "b": np.arange(10) % 3}).write_ipc_stream(file)
    (tmp_path / "t.arrow").write_bytes(file.getvalue()[:-8])
    with pytest.raises(DataError, match="no end mark"):
        read_table(tmp_path / "t.arrow")
