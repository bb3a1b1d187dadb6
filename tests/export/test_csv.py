import csv

import numpy as np

from sparsest.data import read_table
from sparsest.export.csv import write_edges, write_table
from tests.export.results import GARDEN, WEIGHTS, make


def test_an_edge_is_a_line_with_its_mark_and_weight(tmp_path):
    write_edges(GARDEN, tmp_path / "edges.csv")
    assert (tmp_path / "edges.csv").read_text(encoding="utf-8").splitlines() == [
        "source,target,mark,weight",
        "rain,wet,->,0.8",
        "sprinkler,wet,->,-2.0",
        "wet,slippery,->,1.5",
        "season,rain,--,0.25",
    ]


def test_names_with_commas_and_quotes_read_back(tmp_path):
    names = ["a,b", 'say "c"', "d", "e", "f"]
    write_edges(make(WEIGHTS, names), tmp_path / "edges.csv")
    with (tmp_path / "edges.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["source"] == "a,b"
    assert rows[1]["source"] == 'say "c"'


def test_a_table_reads_back_exactly(tmp_path):
    values = np.random.default_rng(0).normal(size=(20, 3)) * [1e-9, 1.0, 1e12]
    write_table(values, ["a", "b,c", "d"], tmp_path / "data.csv")
    table = read_table(tmp_path / "data.csv")
    assert table.names == ("a", "b,c", "d")
    assert np.array_equal(table.values, values)
