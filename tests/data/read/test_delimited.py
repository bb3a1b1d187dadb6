"""Text files are understood however they are written, where that is plain."""

import bz2
import gzip
import lzma
import zipfile

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from sparsest._core.errors import DataError, DataWarning, OptionError
from sparsest.data import Kind, read_table

VALUES = [[1234.5, 2], [-0.25, 3], [7, 1000000]]
SAME = {
    "comma": 'a,b\n1234.5,2\n-0.25,3\n7,1000000\n',
    "semicolon": "a;b\n1234.5;2\n-0.25;3\n7;1000000\n",
    "bar": "a|b\n1234.5|2\n-0.25|3\n7|1000000\n",
    "tab": "a\tb\n1234.5\t2\n-0.25\t3\n7\t1000000\n",
    "decimal comma": "a;b\n1234,5;2\n-0,25;3\n7;1000000\n",
    "thousands": 'a,b\n"1,234.5",2\n-0.25,3\n7,"1,000,000"\n',
    "decimal comma and thousands": "a;b\n1.234,5;2\n-0,25;3\n7;1.000.000\n",
    "exponents": "a,b\n1.2345e3,2\n-25e-2,3\n7,1E6\n",
}  # fmt: skip


@pytest.fixture
def written(tmp_path):
    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.mark.parametrize("text", SAME.values(), ids=SAME)
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt"])
def test_separators_and_marks_are_found(written, text, suffix):
    table = read_table(written(text, f"table{suffix}"))
    assert table.names == ("a", "b")
    assert table.values.tolist() == VALUES


def test_marks_that_are_not_plain_can_be_said(written):
    path = written("a;b\n1,234;5\n2,345;6\n")
    assert read_table(path, decimal=",").values[0, 0] == 1.234
    assert read_table(path, thousands=",").values[0, 0] == 1234
    assert read_table(path, separator=";", decimal=",").names == ("a", "b")
    assert read_table(written("a;b\n1 234;5\n2 345;6\n"), thousands=" ").values[0, 0] == 1234
    assert read_table(written("a:b\n1:5\n2:6\n"), separator=":").names == ("a", "b")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"separator": ";;"}, "separator must be a single character"),
        ({"decimal": "x"}, "decimal must be '.' or ','"),
        ({"decimal": ",", "thousands": ","}, "cannot be both the decimal mark and another mark"),
        ({"columns": 5}, "columns must be a list of names, got 5"),
        ({"transpose": "yes"}, "transpose must be True or False"),
    ],
)
def test_impossible_options_are_refused(written, options, words):
    with pytest.raises(OptionError, match=words):
        read_table(written(SAME["comma"]), **options)


def test_marks_are_for_files_only():
    with pytest.raises(OptionError, match="are for files"):
        read_table(np.eye(3), decimal=",")


@pytest.mark.parametrize(
    "text",
    [
        '"","a","b"\n"1",1.5,2\n"2",3,4\n',  # R's write.csv
        '"a" "b"\n"r1" 1.5 2\n"r2" 3 4\n',  # R's write.table
        ",a,b\n0,1.5,2\n1,3,4\n",  # an index of pandas
    ],
)
def test_row_names_are_left_out_with_a_notice(written, text):
    with pytest.warns(DataWarning, match="left out the first column, which has no name"):
        table = read_table(written(text, "table.txt"))
    assert table.names == ("a", "b")
    assert table.values.tolist() == [[1.5, 2], [3, 4]]


def test_types_are_not_settled_by_the_first_rows(written):
    text = "a,b\n" + "1,2\n3,4\n" * 150_000 + "0.5,1e3\n"
    table = read_table(written(text))
    assert table.values[-1].tolist() == [0.5, 1000]


@pytest.mark.parametrize(
    "text", ["gene,s1,s2,s3\nBRCA1,1,2,3\nTP53,4,5,7\n", ",s1,s2,s3\nBRCA1,1,2,3\nTP53,4,5,7\n"]
)
def test_genes_in_rows_become_columns(written, text):
    table = read_table(written(text), transpose=True)
    assert table.names == ("BRCA1", "TP53")
    assert table.values.tolist() == [[1, 4], [2, 5], [3, 7]]
    assert read_table(written(text), transpose=True, columns=["TP53"]).values[:, 0].tolist() == [4, 5, 7]


def test_an_array_is_transposed_too():
    assert read_table(np.array([[1.0, 2, 3], [4, 5, 7]]), transpose=True).values.tolist() == [
        [1, 4],
        [2, 5],
        [3, 7],
    ]


PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


@pytest.mark.parametrize("suffix", PACKERS)
def test_compressed_files_are_the_files_in_them(written, suffix):
    assert (
        read_table(written(PACKERS[suffix](SAME["comma"].encode()), f"table.csv{suffix}")).values.tolist()
        == VALUES
    )
    broken = PACKERS[suffix](SAME["comma"].encode())[:-9]
    with pytest.raises(DataError, match=f"cannot read .*table.csv{suffix}.*complete {suffix} file"):
        read_table(written(broken, f"table.csv{suffix}"))


def test_zstandard_is_unpacked(written):
    path = written(pa.compress(SAME["comma"].encode(), "zstd", asbytes=True), "table.csv.zst")
    assert read_table(path).values.tolist() == VALUES


@pytest.mark.parametrize("name", ["table.zip", "table.csv.zip"])
def test_an_archive_must_hold_one_table(tmp_path, name):
    path = tmp_path / name
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("inner/table.csv", SAME["semicolon"])
        archive.writestr("__MACOSX/._table.csv", "x")
    assert read_table(path).values.tolist() == VALUES
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("other.csv", SAME["comma"])
    with pytest.raises(DataError, match="has 2 files in it"):
        read_table(path)


def test_an_excel_sheet_is_a_table(tmp_path):
    path = tmp_path / "table.xlsx"
    write_sheet(path, [["a", "b", "c"], [1, 2.5, "x"], [3, 4, "y"], [5, 7, "x"]])
    table = read_table(path, numbers_only=False)
    assert table.names == ("a", "b", "c")
    assert table.values.tolist() == [[1, 2.5, 0], [3, 4, 1], [5, 7, 0]]
    assert table.kinds[2] is Kind.BINARY
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(DataError, match=r"cannot read .*table.xlsx"):
        read_table(path)


def write_sheet(path, rows):
    """The least that Excel's format asks for."""
    kinds = {str: ' t="inlineStr"><is><t>{}</t></is>', int: "><v>{}</v>", float: "><v>{}</v>"}
    lines = "".join(
        f'<row r="{i}">'
        + "".join(f'<c r="{"ABC"[j]}{i}"{kinds[type(c)].format(c)}</c>' for j, c in enumerate(row))
        + "</row>"
        for i, row in enumerate(rows, 1)
    )
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
            'ContentType="application/xml"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
            f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
            f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets><sheet name="S" sheetId="1" r:id="r1"/>'
            "</sheets></workbook>",
        )
        archive.writestr(
            "xl/worksheets/sheet1.xml",
            f'<worksheet xmlns="{main}"><sheetData>{lines}</sheetData></worksheet>',
        )


def test_a_folder_of_parts_is_one_table(tmp_path):
    pl.DataFrame({"a": [1, 2], "b": [3.5, 4]}).write_parquet(tmp_path / "part-0.parquet")
    pl.DataFrame({"b": [5, 6], "a": [7.5, 8]}).write_parquet(tmp_path / "part-1.parquet")
    (tmp_path / "_SUCCESS").touch()
    assert read_table(tmp_path).values.tolist() == [[1, 3.5], [2, 4], [7.5, 5], [8, 6]]
    (tmp_path / "year=2024").mkdir()
    pl.DataFrame({"a": [9], "c": [10]}).write_parquet(tmp_path / "year=2024" / "part.parquet")
    with pytest.raises(DataError, match="the parts differ: 'b', 'c' is in only one of"):
        read_table(tmp_path)
    (tmp_path / "more.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match=r"parts of different kinds \(.csv, .parquet\)"):
        read_table(tmp_path)


def test_names_may_have_any_character_and_so_may_paths(tmp_path):
    names = ["a,b", 'say "x"', "new\nline", "ä → β", "[x]*?", "a=b"]
    frame = pl.DataFrame({name: [1.5, 2, float(k)] for k, name in enumerate(names)})
    for path in (tmp_path / "odd [1]*?.csv", tmp_path / "odd [1]*?.parquet"):
        (frame.write_csv if path.suffix == ".csv" else frame.write_parquet)(path)
        assert read_table(path).names == tuple(names)


def test_ten_thousand_columns_are_read(tmp_path):
    X = np.random.default_rng(0).normal(size=(5, 10_000))
    path = tmp_path / "wide.csv"
    header = ",".join(f"a column with a long name {j}" for j in range(10_000))
    path.write_text("\n".join([header, *(",".join(map(repr, row)) for row in X.tolist())]))
    np.testing.assert_array_equal(read_table(path).values, X)


def test_a_damaged_page_of_a_parquet_file_is_refused_not_read(tmp_path):
    path = tmp_path / "table.parquet"
    pl.DataFrame({"a": np.arange(1000.0), "b": np.arange(1000) % 7}).write_parquet(path)
    whole = path.read_bytes()
    assert read_table(path).values.shape == (1000, 2)
    for at in range(4, 40):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        words = "table.parquet"
        try:
            assert read_table(path, missing="keep").values.shape == (1000, 2)  # a byte that no one needs
        except DataError as error:
            words = str(error)
        assert "table.parquet" in words or "column" in words
