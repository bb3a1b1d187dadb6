"""What all commands have in common: the table of the reference, and that each keeps its word."""

import json
from pathlib import Path

import pytest
import typer

from sparsest.cli.main import app
from tests.cli.test_cli import in_a_folder_of_its_own, run, table  # noqa: F401
from tests.export.results import GARDEN

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "command_line.md"
COMMANDS = typer.main.get_group(app).commands

# Every command but `app`, which serves until it is stopped, with the least that it needs.
CALLS = {
    "audit": ["table.csv"],
    "bench": ["mine.toml", "--store", "s", "-o", "rows"],
    "compare": ["truth.json", "other.json"],
    "confidence": ["table.csv", "--resamples", 2],
    "convert": ["truth.json", "written.dot"],
    "demo": ["--nodes", 3, "--rows", 60, "-o", "demo"],
    "effect": ["table.csv", "--cause", "a", "--outcome", "c", "--interval", "naive"],
    "fit": ["table.csv", "-o", "answer"],
    "path": ["table.csv", "--points", 2, "--folds", 0, "--subsamples", 0],
    "posterior": ["table.csv"],
    "report": ["garden.sparsest", "-o", "page.html"],
    "reproduce": ["--list"],
    "simulate": ["--columns", 3, "--rows", 20, "-o", "simulated"],
    "warm-up": [],
}
FORMATS = {
    "audit": "audit", "bench": "experiments", "compare": "comparison", "confidence": "confidence",
    "convert": "graph", "demo": "demo", "effect": "effect", "fit": "result", "path": "path",
    "posterior": "posterior", "report": "report", "reproduce": "figures", "simulate": "graph",
    "warm-up": "warm-up",
}  # fmt: skip


@pytest.fixture
def ready(table):  # noqa: F811
    GARDEN.dag.write("truth.json")
    GARDEN.cpdag.write("other.json")
    GARDEN.save("garden.sparsest")
    Path("mine.toml").write_text(
        'title = "Mine"\nkind = "grid"\nfigure = "none"\n'
        '[grid]\ngraphs = ["ER1"]\np = [3]\nn = [50]\nseeds = 1\nmethods = ["empty"]\n'
    )


def test_the_table_of_the_reference_is_true():
    _, _, after = PAGE.read_text(encoding="utf-8").partition("<!-- commands and their options -->\n")
    lines = after.splitlines()
    head, _, *body = [
        [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        for line in lines[: lines.index("<!-- end of commands -->")]
    ]
    told = {name: dict(zip(head[1:], cells, strict=True)) for name, *cells in body}
    options = {
        name: {option for one in command.params for option in one.opts} for name, command in COMMANDS.items()
    }
    assert told == {
        name: {option: "yes" if option in mine else "" for option in head[1:]}
        for name, mine in options.items()
    }


def test_every_command_but_the_page_is_called_here():
    assert set(CALLS) == set(FORMATS) == set(COMMANDS) - {"app"}


@pytest.mark.parametrize("name", CALLS)
def test_a_machine_gets_json_and_nothing_else(name, ready):
    done = run(name, *CALLS[name], "--json", "-")
    assert done.exit_code == 0, done.output
    tree = json.loads(done.stdout, parse_constant=pytest.fail)
    assert tree["format"] == f"sparsest-{FORMATS[name]}"


@pytest.mark.parametrize("name", CALLS)
def test_quiet_leaves_files_and_says_nothing(name, ready):
    done = run(name, *CALLS[name], "--quiet", "--json", "told.json")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    assert json.loads(Path("told.json").read_text(encoding="utf-8"))["format"] == f"sparsest-{FORMATS[name]}"


@pytest.mark.parametrize("name", CALLS)
def test_a_file_is_replaced_by_force_alone_and_before_any_work(name, ready):
    Path("told.json").write_text("mine")
    done = run(name, *CALLS[name], "--json", "told.json")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--force" in done.stderr
    assert Path("told.json").read_text() == "mine"


def test_two_options_that_name_the_same_file_are_refused(ready):
    done = run("confidence", "table.csv", "-o", "out.csv", "--json", "./out.csv")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "-o and --json name the same file" in done.stderr


def test_the_json_of_a_conversion_is_a_graph_that_can_be_read(ready):
    import sparsest

    assert run("convert", "other.json", "a.dot", "--json", "told.json").exit_code == 0
    assert sparsest.graph.read("told.json") == sparsest.graph.read("a.dot") == GARDEN.cpdag


def test_files_of_others_are_not_replaced_by_an_experiment(ready):
    Path("rows").mkdir()
    for name in ("mine-paper.md", "mine-paper.csv", "mine-paper-raw.svg"):
        Path("rows", name).write_text("mine")
        done = run("bench", *CALLS["bench"])
        assert (done.exit_code, done.stdout) == (2, "")
        assert "--force" in done.stderr
        assert Path("rows", name).read_text() == "mine"
        Path("rows", name).unlink()
    assert run("bench", *CALLS["bench"]).exit_code == 0
    assert run("bench", *CALLS["bench"]).exit_code == 0  # from the same store: nothing is lost
    done = run("bench", "mine.toml", "--store", "another", "-o", "rows")
    assert done.exit_code == 2
    assert "holds 1 tasks that the store 'another' does not" in done.stderr
    assert run("bench", "mine.toml", "--store", "another", "-o", "rows", "--force").exit_code == 0
