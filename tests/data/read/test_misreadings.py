"""Tables that look like others: each is read as what it is."""

import math
import re

import numpy as np
import polars as pl
import pytest

import sparsest as sp
from sparsest._core.progress import Watch
from sparsest.data import Source, TableOptions, read_table
from sparsest.data.read import streaming

pytestmark = pytest.mark.filterwarnings("ignore::sparsest.DataWarning")


def numbers(n=60):
    rng = np.random.default_rng(0)
    return np.round(rng.normal(size=(n, 3)), 4)


@pytest.mark.parametrize("above", ["", "\n", "\r\n", " \n", "\n\n", ",,\n", "\n \n\n"])
@pytest.mark.parametrize("header", ['"1990","1991","1992"', "a,b,c"])
@pytest.mark.parametrize("row_names", [False, True])
def test_the_header_is_no_row_whatever_blank_lines_come_before_it(tmp_path, above, header, row_names):
    x = numbers()
    rows = [",".join([*([f'"r{i}"'] if row_names else []), *map(str, row)]) for i, row in enumerate(x)]
    file = tmp_path / "table.csv"
    file.write_text(above + "\n".join([header, *rows]) + "\n")
    table = read_table(file)
    assert table.names == tuple(header.replace('"', "").split(","))
    assert table.values == pytest.approx(x)
    if row_names:
        assert sp.fit(file, missing="em").n == len(x)


PAIRS = [(mark, end) for mark in " |\t;" for end in ("csv", "txt", "dat") if (mark, end) != (" ", "csv")]


@pytest.mark.parametrize(("separator", "suffix"), PAIRS)
@pytest.mark.parametrize("with_comma", [1, 2, 3])
def test_decimal_commas_in_one_column_separate_nothing(tmp_path, separator, suffix, with_comma):
    x = np.round(numbers(), 2)
    x[:, with_comma:] = np.round(100 * x[:, with_comma:])
    lines = [
        separator.join(
            f"{v:.2f}".replace(".", ",") if j < with_comma else f"{v:.0f}" for j, v in enumerate(row)
        )
        for row in x
    ]
    file = tmp_path / f"table.{suffix}"
    file.write_text("\n".join([separator.join("abc"), *lines]) + "\n")
    table = read_table(file)
    assert table.names == ("a", "b", "c")
    assert table.values == pytest.approx(x)


def test_blanks_in_a_csv_file_are_refused_where_they_may_separate(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("a b c\n" + "1,5 2 3\n2,5 3 4\n" * 20)
    with pytest.raises(sp.DataError, match=r"pass separator="):
        read_table(file)
    assert read_table(file, separator=" ").values[:2].tolist() == [[1.5, 2, 3], [2.5, 3, 4]]


def test_a_folder_with_a_link_to_itself_is_read_once(tmp_path):
    (tmp_path / "year=2024").mkdir()
    file = tmp_path / "year=2024" / "part.csv"
    pl.DataFrame(numbers(), schema=["a", "b", "c"]).write_csv(file)
    (tmp_path / "year=2024" / "again=1").symlink_to(tmp_path, target_is_directory=True)
    assert len(read_table(tmp_path).values) == 60
    assert len(read_table(tmp_path / "**" / "*.csv").values) == 60


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow"])
@pytest.mark.parametrize("large", [False, True])
def test_a_name_is_no_pattern(tmp_path, monkeypatch, suffix, large):
    x = numbers()
    frame = pl.DataFrame(x, schema=["c", "b", "^c$"])
    file = tmp_path / f"table.{suffix}"
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "arrow": frame.write_ipc}[suffix](file)
    if large:
        monkeypatch.setattr(streaming, "LARGE", 1)
    result = sp.fit(file, columns=["^c$", "b"], model="gaussian")
    assert result.names == ("^c$", "b")
    assert result.moments.mean == pytest.approx(x[:, [2, 1]].mean(axis=0))


def test_a_text_column_may_be_called_like_a_pattern(tmp_path):
    x = numbers()
    file = tmp_path / "table.csv"
    frame = pl.DataFrame(
        {"^q.z$": [f"{v:.2f}".replace(".", ",") for v in x[:, 0]], "b": x[:, 1], "qaz": x[:, 2]}
    )
    frame.write_csv(file, separator=";")
    assert read_table(file).values == pytest.approx(np.column_stack([np.round(x[:, 0], 2), x[:, 1:]]))
    words = frame.with_columns(pl.Series("^q.z$", ["u", "v"] * 30))
    words.write_csv(file)
    assert sp.fit(file).names == ("^q.z$", "b", "qaz")
    for name in ("one.csv", "two.csv"):
        (tmp_path / "folder").mkdir(exist_ok=True)
        words.write_csv(tmp_path / "folder" / name)
    assert sp.fit(tmp_path / "folder").names == ("^q.z$", "b", "qaz")


ENCLOSED = [  # a text of three rows, and what is said of them
    ('id,x\n"a\nb",1\nc,2\n"d\n\ne",3\n', "2 rows go over several lines that quotation marks join, .* 2 on"),
    ('id,x\na,1\n"b, c\r\nd ""e""",2\nc,3\n', "1 row goes over several lines that quotation marks join"),
    (
        '"id\n(name)",x\na,1\n"b\n",2\nc,3\n',
        "1 row goes over several lines that .* from line 4 on",
    ),
]
read_in_two_ways = pytest.mark.parametrize("large", [False, True])


@read_in_two_ways
@pytest.mark.parametrize(("text", "said"), ENCLOSED)
def test_rows_of_several_lines_are_read_and_said(tmp_path, monkeypatch, text, said, large):
    file = tmp_path / "table.csv"
    file.write_bytes(text.encode())
    monkeypatch.setattr(streaming, "LARGE", 0 if large else math.inf)
    found = Source(file, TableOptions(columns=["x"]), Watch()).moments()
    assert found.moments.n == 3
    assert found.moments.mean == 2
    assert any(re.match(said, notice) for notice in found.notices)


SWALLOWED = [  # two wrong quotation marks: the lines between them look like a cell
    'a,x\nyes,1\n"no",2\n"yes,3\nno,4\n"yes",5\n"no"",6\nyes,7\n',
    'a,x\n"q""uotry,1\n"q""uote",2\nb,3\n"q|"uote",4\nb,5\n',
    'a\tx\nb\t1\n"q""u\t2\nb\t3\n"q""uote"\t4\nb\t5\n',
    'a,x\nyes,1\nno,2\n3" pipe,3\nyes,4\n5" pipe,5\nno,6\n',
]


@read_in_two_ways
@pytest.mark.parametrize("text", SWALLOWED)
def test_no_line_disappears_between_two_wrong_quotation_marks(tmp_path, monkeypatch, text, large):
    file = tmp_path / "table.csv"
    file.write_text(text)
    monkeypatch.setattr(streaming, "LARGE", 0 if large else math.inf)
    with pytest.raises(sp.DataError, match=r"a quotation mark in line \d of|holds text"):
        Source(file, TableOptions(columns=["x"]), Watch()).moments()
