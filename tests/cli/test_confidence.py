import numpy as np
import polars as pl
import pytest

from sparsest.export.csv import write_table
from tests.cli.test_cli import in_a_folder_of_its_own, run  # noqa: F401 (a fixture)


@pytest.fixture
def table(tmp_path):
    a, b, noise = np.random.default_rng(0).normal(size=(3, 200))
    write_table(np.column_stack([a, b, a + b + noise]), ["a", "b", "sum"], tmp_path / "table.csv")
    return tmp_path / "table.csv"


def test_shares_are_printed_and_written(table, tmp_path):
    done = run("confidence", table, "--resamples", "10", "-o", "shares.csv")
    assert done.exit_code == 0
    assert done.stdout.startswith("10 half-samples: the edges of the answer come again in 100 %")
    assert "a -> sum" in done.stdout
    shares = pl.read_csv(tmp_path / "shares.csv")
    assert shares.filter(pl.col("source") == "a")["share"].to_list() == [1.0]


def test_models_and_a_store_can_be_named(table):
    done = run("confidence", table, "--resamples", "4", "--models", "gaussian,rank", "--store", "kept")
    assert done.exit_code == 0
    assert "8 half-samples under 2 models (gaussian, rank)" in done.stdout
    other = run(
        "confidence", table, "--resamples", "4", "--models", "gaussian", "--store", "kept", "--seed", "1"
    )
    assert other.exit_code == 2
    assert "was begun with other groups, blocks or seeds" in other.stderr


def test_a_column_of_groups_keeps_its_rows_together_and_is_no_variable(table, tmp_path):
    frame = pl.read_csv(table).with_columns(plot=pl.int_range(pl.len()) % 20)
    frame.write_csv(tmp_path / "plots.csv")
    done = run("confidence", "plots.csv", "--resamples", "4", "--groups", "plot")
    assert done.exit_code == 0, done.stderr
    assert "a -> sum" in done.stdout
    assert "plot" not in done.stdout
    unknown = run("confidence", "plots.csv", "--groups", "plots")
    assert unknown.exit_code == 2
    assert "no column 'plots': did you mean 'plot'?" in unknown.stderr


def test_fit_writes_shares_beside_the_edges(table, tmp_path):
    done = run("fit", table, "--resamples", "10", "-o", "out")
    assert done.exit_code == 0
    assert "10 half-samples: the edges come again in 100 %" in done.stdout
    assert pl.read_csv(tmp_path / "out" / "edges.csv")["share"].to_list() == [1.0, 1.0]


def test_the_table_itself_is_never_overwritten(table):
    done = run("confidence", table, "-o", table)
    assert done.exit_code == 2
    assert "would be overwritten" in done.stderr
