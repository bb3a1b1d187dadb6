import polars as pl

from tests.cli.test_cli import in_a_folder_of_its_own, run  # noqa: F401 (a fixture)
from tests.cli.test_confidence import table  # noqa: F401 (a fixture)

QUICK = ("--points", "5", "--folds", "2", "--subsamples", "3")


def test_a_path_is_printed_written_and_drawn(table, tmp_path):  # noqa: F811
    done = run(
        "path", table, *QUICK, "-o", "costs.csv", "--edges", "edges.csv", "--picture", "curves.png"
    )  # fmt: skip
    assert done.exit_code == 0
    head, *rows = done.stdout.splitlines()
    assert head.split()[:2] == ["cost", "edges"]
    assert rows[0].split()[1] == "0"  # at the highest cost
    assert "7 costs per edge from" in done.stdout
    assert pl.read_csv(tmp_path / "costs.csv")["edges"].to_list()[0] == 0
    assert pl.read_csv(tmp_path / "edges.csv")["target"].to_list()[-1] == "sum"
    assert (tmp_path / "curves.png").stat().st_size > 10_000
    assert "wrote curves.png" in done.stdout


def test_costs_can_be_given(table):  # noqa: F811
    done = run("path", table, "--costs", "0.3,0.01", "--folds", "0", "--subsamples", "0")
    assert done.exit_code == 0
    assert "2 costs per edge from 0.3 to 0.01" in done.stdout
    done = run("path", table, "--costs", "0.3,cheap")
    assert done.exit_code == 2
    assert "costs must be positive numbers" in done.stderr


def test_fit_takes_the_rules_that_choose_from_a_path(table, tmp_path):  # noqa: F811
    done = run("fit", table, "--penalty", "cv", "-o", "out")
    assert done.exit_code == 0
    assert "cost of an edge chosen by cv from 22 costs: the highest held-out log-likelihood" in done.stdout
    assert '"penalty": "cv"' in (tmp_path / "out" / "result.json").read_text(encoding="utf-8")


def test_fit_shows_the_path_in_the_report_if_asked(table, tmp_path):  # noqa: F811
    done = run("fit", table, "--path", "--penalty", "bic", "-o", "out")
    assert done.exit_code == 0
    assert "What an edge costs" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    done = run("fit", table, "-o", "plain")
    assert done.exit_code == 0
    assert "What an edge costs" not in (tmp_path / "plain" / "report.html").read_text(encoding="utf-8")


def test_the_table_itself_is_never_drawn_over(table):  # noqa: F811
    done = run("path", table, "--picture", table)
    assert done.exit_code == 2
    assert "would be overwritten" in done.stderr
