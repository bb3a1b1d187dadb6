"""The options of tables on the command line, and errors that speak its language."""

import numpy as np
import polars as pl
import pytest

from sparsest.cli.failure import in_shell_words
from tests.cli.test_cli import in_a_folder_of_its_own, read_json, run  # noqa: F401


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    a = rng.normal(size=200)
    frame = pl.DataFrame(
        {
            "a": a,
            "b": a + rng.normal(size=200),
            "size": rng.choice(["S", "M", "L"], 200),
            "w": rng.random(200),
        }
    )
    frame = frame.with_columns(b=pl.when(pl.int_range(pl.len()) > 9).then("b"))
    frame.write_csv(tmp_path / "table.csv", separator=";", decimal_comma=True)
    return tmp_path / "table.csv"


def test_the_options_of_tables_reach_the_reader(table, tmp_path):
    done = run(
        "fit", table, "-o", "out", "--separator", ";", "--decimal", ",", "--missing", "drop",
        "--weights", "w", "--kind", "size=S<M<L",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    result = read_json(tmp_path / "out" / "result.json")
    assert result["names"] == ["a", "b", "size"]
    assert result["n"] < 190


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--columns", "a,b", "--strict"], "--missing drop"),
        (["--missing", "mean"], "missing must be one of"),
        (["--kind", "a=number"], "the kind of column 'a' must be one of"),
        (["--separator", ";;"], "separator must be a single character"),
    ],
)
def test_errors_name_options_as_they_are_typed(table, arguments, words):
    done = run("fit", table, *arguments)
    assert done.exit_code == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_only_options_of_the_command_are_spelled_for_the_shell():
    options = ("columns", "drop_constant", "missing", "kinds")
    assert in_shell_words("with columns=[...], or pass drop_constant=True", options) == (
        "with --columns ..., or pass --drop-constant"
    )
    assert in_shell_words("say missing='em' for y='x'", options) == "say --missing em for y='x'"
    assert in_shell_words("columns=5", ()) == "columns=5"


def test_what_is_left_out_and_marks_of_missing_values_are_options(tmp_path):
    rows = "".join(f"{k},{k % 7}.5,{(k * k) % 11}.25,{k * 7 % 13 if k % 5 else 77}.5\n" for k in range(60))
    (tmp_path / "t.csv").write_text("id,gene1,gene2,x\n" + rows)
    done = run("fit", "t.csv", "-o", "out", "--exclude", "gene2", "--na", "77.5", "--kind", "id=identifier")
    assert done.exit_code == 0, done.stderr
    with (tmp_path / "out" / "columns.csv").open(encoding="utf-8") as file:
        assert file.readline().startswith("column,kind,why,used")
    audited = run("audit", "t.csv", "--exclude", "gene*", "--kind", "id=continuous")
    assert audited.exit_code == 0
    assert "id  continuous (as asked)" in audited.stdout
    assert "gene" not in audited.stdout
