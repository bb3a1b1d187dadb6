"""A small file that asks for much is refused before the work, in a process that would survive no less."""

import bz2
import gzip
import io
import json
import lzma
import sys
import zipfile

import numpy as np
import polars as pl
import pytest

from sparsest._core.budget import expansion_limit, require_room
from sparsest._core.errors import DataError, OptionError
from tests.hold.children import outcome, refused

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits on memory are Linux's")
HUGE = (b"1,2\n" * 2**20, 300)  # 1.2 GB of rows


@pytest.mark.parametrize("suffix", [".csv.gz", ".zip", ".csv.zst"])
def test_a_file_that_unpacks_to_gigabytes_is_refused(tmp_path, suffix):
    piece, times = HUGE
    path = tmp_path / f"bomb{suffix}"
    if suffix == ".csv.gz":
        member = gzip.compress(piece)
        path.write_bytes(gzip.compress(b"a,b\n") + member * times)
    elif suffix == ".zip":
        with (
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
            archive.open("t.csv", "w") as inside,
        ):
            for _ in range(times // 2):
                inside.write(piece)
    else:
        frame = b"".join([  # a frame whose blocks repeat one byte, see RFC 8878
            b"\x28\xb5\x2f\xfd\x00\x58",
            *[(2 | 2**17 << 3).to_bytes(3, "little") + b"1"] * 9000,
            (1 | 2 | 1 << 3).to_bytes(3, "little") + b"\n",
        ])  # fmt: skip
        path.write_bytes(frame)
    assert "SPARSEST_MEMORY" in refused(f"read_table({path.name!r})", tmp_path)


def workbook(path, cells):
    """A sheet with these addresses."""
    space = "http://schemas.openxmlformats.org"
    rows = "".join(f'<row><c r="{address}"><v>1</v></c></row>' for address in cells)
    office = f"{space}/officeDocument/2006/relationships"
    members = {
        "[Content_Types].xml": f'<Types xmlns="{space}/package/2006/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{space}/package/2006/relationships"><Relationship Id="a" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{space}/spreadsheetml/2006/main" xmlns:r="{office}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="b"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{space}/package/2006/relationships">'
        f'<Relationship Id="b" Type="{office}/worksheet" Target="s.xml"/></Relationships>',
        "xl/s.xml": f'<worksheet xmlns="{space}/spreadsheetml/2006/main"><sheetData>{rows}</sheetData>'
        "</worksheet>",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)


@pytest.mark.parametrize(
    ("cells", "words"),
    [(["A1", "XFD1048576"], "row 1048576 and column 16384"), (["A1", "ZZZZZZ4294967295"], "no address")],
)
def test_an_excel_file_with_distant_cells_is_refused(tmp_path, cells, words):
    workbook(tmp_path / "t.xlsx", cells)
    assert words in refused("read_table('t.xlsx')", tmp_path)


@pytest.mark.parametrize("stream", [False, True])
def test_an_arrow_file_whose_lengths_are_wrong_is_refused(tmp_path, stream):
    file = io.BytesIO()
    frame = pl.DataFrame({"a": np.arange(20.0), "b": ["x", "yy"] * 10})
    (frame.write_ipc_stream if stream else frame.write_ipc)(file)
    content = file.getvalue()
    for at in range(8, len(content) - 8, 8):
        damaged = bytearray(content)
        damaged[at : at + 8] = (2**38).to_bytes(8, "little")
        (tmp_path / f"{at}.arrow").write_bytes(damaged)
    (tmp_path / "all.py").write_text(
        "import glob, contextlib, sparsest as sp\nfrom sparsest.data import read_table\n"
        "for name in glob.glob('*.arrow'):\n    with contextlib.suppress(sp.SparsestError):\n"
        "        read_table(name, numbers_only=False)\n"
    )
    kind, words, _ = outcome("__import__('runpy').run_path('all.py') and 1", tmp_path)
    assert kind == "read", words


@pytest.mark.parametrize("stream", [False, True])
def test_an_arrow_column_that_says_it_unpacks_to_gigabytes_is_refused(tmp_path, stream):
    file = tmp_path / "t.arrow"
    frame = pl.DataFrame({"a": [7] * 1000, "b": [5] * 1000})
    (frame.write_ipc_stream if stream else frame.write_ipc)(file, compression="zstd")
    content, zstd = bytearray(file.read_bytes()), bytes.fromhex("28b52ffd")
    at = content.index((8000).to_bytes(8, "little") + zstd)
    content[at : at + 8] = (1_600_000_000).to_bytes(8, "little")
    file.write_bytes(content)
    assert "a file of its size may ask for" in refused("read_table('t.arrow')", tmp_path)


def test_a_parquet_footer_of_endless_numbers_is_refused_at_once(tmp_path):
    footer = b"\x15" + b"\xff" * 2_000_000 + b"\x00"
    (tmp_path / "t.parquet").write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    assert "damaged" in refused("read_table('t.parquet')", tmp_path)


def test_a_saved_result_names_one_array_often_and_takes_it_once(tmp_path):
    large = io.BytesIO()
    np.lib.format.write_array(large, np.zeros(8_000_000), allow_pickle=False)
    tree = {"format": "sparsest-archive", "version": 1, "result": [{"$array": "0.npy"}] * 60}
    with zipfile.ZipFile(tmp_path / "t.sparsest", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("result.json", json.dumps(tree))
        archive.writestr("0.npy", large.getvalue())
    assert "no result" in refused("sp.load('t.sparsest')", tmp_path)


def test_graphs_of_very_many_nodes_are_refused(tmp_path):
    names = [f"x{k}" for k in range(20_000)]
    tree = {"format": "sparsest-graph", "version": 1, "names": names, "dag": [], "cpdag": []}
    (tmp_path / "g.json").write_text(json.dumps(tree))
    (tmp_path / "g.dot").write_text("digraph {" + ";".join(names) + "}")
    for name in ("g.json", "g.dot"):
        assert "a graph of 20000 nodes" in refused(f"sp.graph.read({name!r})", tmp_path)


def test_groups_of_knowledge_with_millions_of_pairs_are_refused(tmp_path):
    names = " ".join(f"a{k}" for k in range(4000))
    (tmp_path / "k.txt").write_text(f"/knowledge\nforbiddengroup\n{names}\n{names}\n")
    assert "line 4: 16000000 pairs" in refused("sp.Knowledge.read('k.txt')", tmp_path)


@pytest.mark.parametrize("columns", [20_000, 50_000])
def test_more_columns_than_memory_are_refused(tmp_path, columns):
    assert f"{columns} columns" in refused(f"sp.fit(numpy.eye(3, {columns}))", tmp_path)


def test_the_user_can_set_the_limit(monkeypatch):
    monkeypatch.setenv("SPARSEST_MEMORY", "2GB")
    assert expansion_limit(0) == 2**31
    require_room(2**31, "this", "do less")
    with pytest.raises(DataError, match=r"this would need .* 2\.1 GB can be used: do less"):
        require_room(2**31 + 1e6, "this", "do less")
    monkeypatch.setenv("SPARSEST_MEMORY", "much")
    with pytest.raises(OptionError, match="a size such as 8GB, not 'much'"):
        expansion_limit(0)


@pytest.mark.parametrize(("suffix", "pack"), [("gz", gzip), ("bz2", bz2), ("xz", lzma)])
def test_fair_files_are_unpacked_whole(tmp_path, suffix, pack):
    from sparsest.data import read_table

    x = np.random.default_rng(0).normal(size=(5000, 3))
    text = "a,b,c\n" + "\n".join(",".join(map(repr, map(float, row))) for row in x)
    (tmp_path / f"t.csv.{suffix}").write_bytes(pack.compress(text.encode()))
    assert np.array_equal(read_table(tmp_path / f"t.csv.{suffix}").values, x)
