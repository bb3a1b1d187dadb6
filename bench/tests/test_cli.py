from pathlib import Path

import pytest
from typer.testing import CliRunner

from sparsest.cli.main import app
from sparsest_bench import catalog, claims


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sparsest(*words):
    return CliRunner().invoke(app, list(map(str, words)))


def test_the_list_names_every_figure_and_every_claim():
    shown = sparsest("reproduce", "--list")
    assert shown.exit_code == 0
    figures, told = shown.stdout.split("\n\n")
    assert [line.split()[0] for line in figures.splitlines()] == catalog.names()
    assert [line.split()[0] for line in told.splitlines()[1:]] == [claim.name for claim in claims.claims()]


def test_a_figure_is_reproduced_into_store_table_rows_and_picture_and_not_twice(tmp_path):
    first = sparsest("reproduce", "quasi-mcp", "--scale", "smoke", "--store", "s", "-o", "out")
    assert first.exit_code == 0, first.output
    assert "1 tasks, 1 of them run now" in first.stdout
    files = {file.name for file in (tmp_path / "out").iterdir()}
    assert files == {"quasi-mcp-smoke.md", "quasi-mcp-smoke.csv", "quasi-mcp-smoke.svg", "about.json"}
    again = sparsest("reproduce", "quasi-mcp", "--scale", "smoke", "--store", "s", "-o", "out")
    assert "1 tasks, 0 of them run now" in again.stdout
    page = sparsest("reproduce", "--page", "docs", "--scale", "smoke", "--store", "s")
    assert page.exit_code == 0, page.output
    assert "quasi-MCP" in (tmp_path / "docs" / "results.md").read_text(encoding="utf-8")
    assert "quasi-MCP" in (tmp_path / "docs" / "results" / "quasi-mcp.md").read_text(encoding="utf-8")


def test_published_rows_are_taken_into_a_new_store_and_not_run_again(monkeypatch):
    sparsest("reproduce", "examples", "--scale", "smoke", "--store", "s", "-o", "out")
    sparsest("reproduce", "--page", "docs", "--scale", "smoke", "--store", "s")
    taken = sparsest("reproduce", "--take", "docs/results", "--store", "t")
    assert taken.exit_code == 0, taken.output
    assert "took 4 tasks into t, which had the other 0" in taken.stdout
    Path("again").mkdir()
    with monkeypatch.context() as elsewhere:
        elsewhere.chdir("again")
        page = sparsest("reproduce", "--page", "docs", "--scale", "smoke", "--store", "../t")
    assert page.exit_code == 0, page.output
    first, second = (
        {file.relative_to(folder): file.read_bytes() for file in Path(folder).rglob("*.*")}
        for folder in ("docs", "again/docs")
    )
    assert first == second
    again = sparsest("reproduce", "examples", "--scale", "smoke", "--store", "t", "-o", "out")
    assert "4 tasks, 0 of them run now" in again.stdout


def test_a_page_says_at_which_scales_a_store_has_results():
    sparsest("reproduce", "quasi-mcp", "--scale", "smoke", "--store", "s", "-o", "out")
    shown = sparsest("reproduce", "--page", "docs", "--store", "s")
    assert shown.exit_code == 2
    assert "no results at scale 'small': it has them at smoke" in shown.stderr


MINE = """\
title = "Mine"
kind = "grid"
figure = "lines"
reference = "empty"

[grid]
graphs = ["ER1"]
p = [4]
n = [50]
seeds = 2
methods = ["empty", "random"]
"""


def test_a_reference_is_compared_with_the_others_and_the_page_names_the_command(tmp_path):
    (tmp_path / "mine.toml").write_text(MINE)
    done = sparsest("bench", "mine.toml", "-o", "out")
    assert done.exit_code == 0, done.output
    assert "empty against" in done.stdout
    assert "empty against" in (tmp_path / "out" / "mine-paper.md").read_text(encoding="utf-8")
    assert sparsest("reproduce", "--page", "docs", "--scale", "paper").exit_code == 0
    assert "[Mine](results/mine.md)" in (tmp_path / "docs" / "results.md").read_text(encoding="utf-8")
    page = (tmp_path / "docs" / "results" / "mine.md").read_text(encoding="utf-8")
    assert "\nsparsest bench mine.toml --scale paper\n" in page
    assert "empty against" in page


def test_an_experiment_that_is_left_without_tasks_says_so(tmp_path):
    (tmp_path / "mine.toml").write_text(MINE + "largest = { empty = 3, random = 3 }\n")
    shown = sparsest("bench", "mine.toml", "-o", "out")
    assert shown.exit_code == 2
    assert "'mine' has no task at scale 'paper'" in shown.stderr


def test_ctrl_c_says_what_is_kept_and_that_it_goes_on(tmp_path, monkeypatch):
    (tmp_path / "mine.toml").write_text(MINE)

    def interrupt(self, progress):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("sparsest_bench.reporting.ProgressLines.__call__", interrupt)
        stopped = sparsest("bench", "mine.toml", "-o", "out")
    assert stopped.exit_code == 130
    assert "stopped: 1 of 4 tasks are kept in sparsest-results.sqlite" in stopped.stderr
    assert "4 tasks, 3 of them run now" in sparsest("bench", "mine.toml", "-o", "out").stdout


def test_an_experiment_of_ones_own_is_run_from_its_file(tmp_path):
    (tmp_path / "mine.toml").write_text(
        'title = "Mine"\nkind = "example"\nfigure = "none"\n[example]\nexamples = ["two-nodes"]\n'
    )
    done = sparsest("bench", "mine.toml", "-o", "out")
    assert done.exit_code == 0, done.output
    assert "Omega1[1,1]" in done.stdout
    assert (tmp_path / "sparsest-results.sqlite").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("bench", "absent.toml"), "there is no file 'absent.toml'"),
        (("reproduce", "figure-7"), "there is no experiment 'figure-7'"),
        (("reproduce", "quasi-mcp", "--scale", "huge"), "unknown scale 'huge'"),
        (("reproduce",), "name a figure"),
        (("reproduce", "--page", "docs"), "there is no store"),
        (("reproduce", "--take", "absent"), "there is no 'absent' to take results from"),
        (("reproduce", "--take", "."), "neither a store nor a folder of published rows"),
    ],
)
def test_what_the_user_got_wrong_is_said_in_one_line(words, message):
    shown = sparsest(*words)
    assert shown.exit_code == 2
    assert message in shown.stderr
    assert "Traceback" not in shown.output
