"""Tables in files."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from sparsest._core.errors import DataError
from sparsest.data import read_table

FRAME = pl.DataFrame({"age": [41, 7, 30], "height": [1.8, 1.2, 1.75]})
WRITERS = {
    ".csv": FRAME.write_csv,
    ".tsv": lambda path: FRAME.write_csv(path, separator="\t"),
    ".parquet": FRAME.write_parquet,
    ".feather": FRAME.write_ipc,
}


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("kind", [str, Path])
def test_every_format_gives_the_same_table(tmp_path, suffix, kind):
    path = tmp_path / f"table{suffix}"
    WRITERS[suffix](path)
    table = read_table(kind(path))
    assert table.names == ("age", "height")
    np.testing.assert_array_equal(table.values, FRAME.to_numpy())
    assert read_table(path, columns=["height"]).names == ("height",)


def test_the_suffix_may_be_in_capitals_and_the_path_in_the_home_folder(tmp_path, monkeypatch):
    FRAME.write_csv(tmp_path / "TABLE.CSV")
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setitem(os.environ, variable, str(tmp_path))
    assert read_table("~/TABLE.CSV").names == ("age", "height")


GOOD = {
    "blanks": "a, b\n1, 2.5\n3 , 4\n",
    "quotes": '"a","b"\n"1","2.5"\n"3","4"\n',
    "windows": "a,b\r\n1,2.5\r\n3,4\r\n",
    "byte order mark": "\ufeffa,b\n1,2.5\n3,4\n",
    "blank lines": "a,b\n1,2.5\n\n3,4\n\n",
    "no last newline": "a,b\n1,2.5\n3,4",
    "integers first": "a,b\n1.0,2.5\n3,4\n",
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_the_usual_ways_to_write_a_csv_file_are_understood(tmp_path, text):
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode())
    table = read_table(path)
    assert table.names == ("a", "b")
    assert table.values.tolist() == [[1, 2.5], [3, 4]]


def test_a_late_fraction_in_a_column_of_integers_is_read(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a\n" + "\n".join(map(str, range(5000))) + "\n0.5\n")
    assert read_table(path).values[-1, 0] == 0.5


def test_whole_numbers_can_be_names(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("1990,2000\n1,2\n3,5\n")
    assert read_table(path).names == ("1990", "2000")


BAD = {
    "empty": ("", ["cannot read", "empty"]),
    "header only": ("a,b\n", ["0 sample(s)"]),
    "twice a name": ("a,b,a\n1,2,3\n4,5,6\n", ["several columns of", "table.csv' are named 'a'"]),
    "no name": ("a,,b\n0,1,2\n1,2,3\n", ["column 1", "has no name", "'a', 'b'"]),
    "first has no name": (",a\n5,1\n5,2\n", ["column 0", "has no name"]),
    "no names": ("1.5,2\n3,4\n5,6\n", ["the first line", "holds numbers, not names"]),
    "missing": ("a,b\n1,\n2,3\n", ["column 'b' has NaN in 1 of 2 rows, first in row 0"]),
    "NA": ("a,b\n1,2\n2,NA\n", ["column 'b' has NaN in 1 of 2 rows, first in row 1"]),
    "inf": ("a,b\n1,2\n2,inf\n", ["column 'b' has inf"]),
    "text": ("a,b\n1,2\n3,oops\n4,5\n", ["column 'b' holds text, for example 'oops' in row 1"]),
    "unclear": ("a;b\n1,234;2\n3;4\n", ["'1,234', which may be a decimal or a thousand: pass decimal="]),
    "long rows": ("a,b\n1,2,3\n4,5,6\n", ["line 2 of", "has 3 fields, but there are 2 columns"]),
    "long row": ("a,b\n1,2\n4,5,6\n", ["line 3 of", "has 3 fields, but there are 2 columns"]),
    "short row": ("a,b\n1,2\n4\n", ["line 3 of", "has 1 fields, but there are 2 columns"]),
    "latin-1, late": (b"a,b\n" + b"1,2\n" * 50_000 + b"\xe9,4\n", ["line 50002 is not UTF-8"]),
    "constant": ("a,b\n1,2\n1,3\n", ["column 'a' is constant (all 1)"]),
}


@pytest.mark.parametrize(("text", "words"), BAD.values(), ids=BAD)
def test_bad_csv_files_are_refused_in_clear_words(tmp_path, text, words):
    path = tmp_path / "table.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(DataError) as caught:
        read_table(path)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_a_damaged_file_is_refused_with_its_name(tmp_path, suffix):
    path = tmp_path / f"table{suffix}"
    path.write_text("not what the suffix says")
    with pytest.raises(DataError, match=f"cannot read .*table{suffix}.* complete {suffix} file"):
        read_table(path)


def test_a_missing_file_is_refused_with_its_name():
    with pytest.raises(DataError, match=r"there is no file 'nowhere\.csv'"):
        read_table("nowhere.csv")


@pytest.mark.parametrize("name", ["table.doc", "table", "table.gz"])
def test_an_unknown_format_is_refused_with_the_known_ones(name):
    with pytest.raises(
        DataError, match=r"supported are .csv, .tsv, .txt, .dat, .data, .xlsx, .parquet, .feather"
    ):
        read_table(name)


def test_a_folder_without_parts_is_refused_with_its_name(tmp_path):
    (tmp_path / ".hidden.csv").write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(DataError, match=f"the folder {str(tmp_path)!r} has no parts"):
        read_table(tmp_path)


def test_the_room_loads_no_data_frame_library_before_it_needs_one():
    heavy = "'pandas', 'polars', 'narwhals', 'pyarrow', 'scipy', 'numba', 'sklearn'"
    code = f"import sys, sparsest.data; print([name for name in ({heavy}) if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
