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
        (["--columns", "a,b"], "--missing drop"),
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
