import polars as pl

from tests.cli.test_cli import in_a_folder_of_its_own, run  # noqa: F401 (a fixture)
from tests.cli.test_confidence import table  # noqa: F401 (a fixture)


def test_probabilities_are_printed_and_written(table, tmp_path):  # noqa: F811
    done = run("posterior", table, "--score", "bge", "-o", "probabilities.csv")
    assert done.exit_code == 0
    assert done.stdout.startswith("posterior probability over all DAGs")
    assert "exact: all 25 DAGs were listed" in done.stdout
    written = pl.read_csv(tmp_path / "probabilities.csv")
    assert written.filter(pl.col("source") == "a", pl.col("target") == "sum")["share"].item() > 0.8


def test_an_unknown_score_is_the_users_to_correct(table):  # noqa: F811
    done = run("posterior", table, "--score", "aic")
    assert done.exit_code == 2
    assert "score must be 'bic' or 'bge'" in done.stderr


def test_the_table_itself_is_never_overwritten(table):  # noqa: F811
    assert run("posterior", table, "-o", table).exit_code == 2
