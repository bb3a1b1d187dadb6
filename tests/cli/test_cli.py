import csv
import json
import os
import signal
import subprocess
import sys
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

import sparsest
from sparsest.cli import terminal
from sparsest.cli.main import app
from sparsest.export.csv import write_table

HEAVY = {
    "numba",
    "sklearn",
    "matplotlib",
    "polars",
    "pandas",
    "pyarrow",
    "scipy",
    "networkx",
    "numpy",
    "rich",
}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def table(tmp_path):
    """a -> c <- b, c -> d: every direction is identified."""
    rng = np.random.default_rng(0)
    a, b, noise_c, noise_d = rng.normal(size=(4, 400))
    c = a - b + 0.5 * noise_c
    write_table(np.column_stack([a, b, c, c + noise_d]), ["a", "b", "c", "d"], tmp_path / "table.csv")
    return tmp_path / "table.csv"


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def shell(*arguments, **environment):
    """The command in a process of its own; bytes, as a pipe gets them."""
    call = [sys.executable, "-c", "from sparsest.cli.main import app; app()", *map(str, arguments)]
    return subprocess.run(call, capture_output=True, env=os.environ | environment)


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["--help"],
        *([name, "--help"] for name in ("fit", "audit", "demo", "simulate", "compare")),
    ],
)
def test_help_and_version_import_nothing_heavy(arguments):
    code = (
        "import sys; from sparsest.cli.main import app\n"
        f"try: app({arguments})\n"
        "except SystemExit as stop: code = stop.code\n"
        "print('loaded', *sorted({name.split('.')[0] for name in sys.modules}))\n"
        "sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "typer" in loaded
    assert not loaded & HEAVY
    assert "Usage: " in done.stdout or sparsest.__version__ in done.stdout


def test_fit_writes_result_picture_and_edges_and_says_so(table, tmp_path):
    done = run("fit", table, "-o", tmp_path / "answer")
    assert done.exit_code == 0
    assert sorted(path.name for path in (tmp_path / "answer").iterdir()) == [
        "columns.csv",
        "edges.csv",
        "graph.png",
        "report.html",
        "result.json",
        "result.sparsest",
    ]
    assert sparsest.load(tmp_path / "answer" / "result.sparsest").names == ("a", "b", "c", "d")
    result = read_json(tmp_path / "answer" / "result.json")
    assert {(edge["source"], edge["mark"], edge["target"]) for edge in result["cpdag"]} == {
        ("a", "->", "c"), ("b", "->", "c"), ("c", "->", "d"),
    }  # fmt: skip
    assert (tmp_path / "answer" / "graph.png").read_bytes().startswith(b"\x89PNG")
    with (tmp_path / "answer" / "edges.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 3
    assert "4 columns, 400 rows: 3 edges, the direction of all identified" in done.stdout
    assert done.stdout.endswith(
        "wrote result.json, report.html, graph.png, edges.csv, columns.csv, result.sparsest in "
        f"{tmp_path / 'answer'}\n"
    )


def test_the_folder_is_named_after_the_file_unless_told(table, tmp_path):
    assert run("fit", table, "--quiet").exit_code == 0
    assert (tmp_path / "table-sparsest" / "result.json").exists()


def test_options_reach_the_solver(table, tmp_path):
    done = run(
        "fit", table, "-o", "out", "--solver", "order", "--penalty", "0.25", "--columns", "a,c,d",
        "--max-parents", "1", "--time-limit", "30", "--seed", "3", "--no-standardize",
    )  # fmt: skip
    assert done.exit_code == 0
    result = read_json(tmp_path / "out" / "result.json")
    assert (result["solver"], result["cost"], result["names"]) == ("order", 0.25, ["a", "c", "d"])
    assert result["evidence"]["standardized"] is False
    targets = [edge["target"] for edge in result["dag"]]
    assert len(set(targets)) == len(targets)
    assert run("fit", table, "-o", "bic", "--penalty", "bic", "--standardize").exit_code == 0
    assert read_json(tmp_path / "bic" / "result.json")["cost"] == pytest.approx(np.log(400) / 800)


def test_the_threshold_reaches_the_published_solver(table, tmp_path):
    done = run("fit", table, "-o", "out", "--solver", "logll-dagma", "--threshold", "0.3")
    assert done.exit_code == 0
    assert read_json(tmp_path / "out" / "result.json")["evidence"]["graph_from"] == "threshold"


def test_columns_may_have_commas_in_their_names(tmp_path):
    rng = np.random.default_rng(0)
    write_table(rng.normal(size=(50, 3)), ["a,b", "c", "d"], tmp_path / "table.csv")
    assert run("fit", "table.csv", "-o", "out", "--columns", '"a,b",d').exit_code == 0
    assert read_json(tmp_path / "out" / "result.json")["names"] == ["a,b", "d"]


def test_quiet_means_files_only(table):
    done = run("fit", table, "--quiet")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")


def test_constant_columns_are_refused_or_dropped_with_a_warning_on_stderr(tmp_path):
    values = np.column_stack([np.random.default_rng(0).normal(size=(50, 2)), np.full(50, 41.0)])
    write_table(values, ["a", "b", "age"], tmp_path / "table.csv")
    refused = run("fit", "table.csv", "--strict")
    assert refused.exit_code == 2
    assert "'age' is constant" in refused.stderr
    dropped = run("fit", "table.csv", "--quiet")
    assert (dropped.exit_code, dropped.stdout) == (0, "")
    assert dropped.stderr.startswith("sparsest: warning: left out 'age'")
    assert "--strict refuses instead" in dropped.stderr
    told = run("fit", "table.csv", "--force")
    assert (told.stdout + told.stderr).count("left out 'age'") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fit", "absent.csv"], "absent.csv"),
        (["fit", "table.csv", "--columns", "a,z"], "no column 'z'"),
        (["fit", "table.csv", "--solver", "magic"], "unknown solver 'magic'"),
        (["fit", "table.csv", "--penalty", "cheap"], "unknown penalty 'cheap'"),
        (["fit", "table.csv", "--penalty", "-1"], "-1"),
        (["fit", "table.csv", "--time-limit", "-1"], "time_limit"),
        (["fit", "table.csv", "-o", "table.csv"], "is not a folder"),
        (["fit", "table.csv", "-o", "table.csv/deeper"], "is not a folder"),
        (["demo", "--nodes", "0"], "at least 1"),
        (["demo", "--rows", "1"], "too few rows"),
    ],
)
def test_the_users_mistakes_are_one_line_and_code_2_and_leave_nothing_behind(
    table, tmp_path, arguments, words
):
    before = sorted(tmp_path.iterdir())
    done = run(*arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("sparsest: error: ")
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_wrong_usage_is_code_2():
    assert run("fit").exit_code == 2
    assert run("fit", "table.csv", "--seed", "many").exit_code == 2
    assert run("nonsense").exit_code == 2


def test_our_mistakes_are_one_line_and_code_1_and_a_traceback_if_asked(table, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(sparsest, "fit", broken)
    done = run("fit", table)
    assert done.exit_code == 1
    assert len(done.stderr.splitlines()) == 1
    assert "unexpected RuntimeError: two lines" in done.stderr
    assert "SPARSEST_DEBUG" in done.stderr
    monkeypatch.setenv("SPARSEST_DEBUG", "1")
    assert "Traceback" in run("fit", table).stderr


def test_an_earlier_answer_is_replaced_and_other_files_are_left_alone(table, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("mine")
    assert run("fit", table, "-o", "out").exit_code == 0
    done = run("fit", table, "-o", "out")
    assert done.exit_code == 2
    assert "--force" in done.stderr
    assert run("fit", table, "-o", "out", "--force").exit_code == 0
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"


def test_a_file_that_is_not_ours_is_not_overwritten(table, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "data.csv").write_text("mine")
    done = run("demo", "-o", "out")
    assert done.exit_code == 2
    assert "data.csv" in done.stderr
    assert (tmp_path / "out" / "data.csv").read_text() == "mine"
    # The same with a result.json of another program.
    (tmp_path / "out" / "result.json").write_text("{}")
    assert run("fit", table, "-o", "out").exit_code == 2


def test_the_input_is_not_overwritten(table, tmp_path):
    assert run("fit", table, "-o", "out").exit_code == 0
    done = run("fit", "out/edges.csv", "-o", "out")
    assert done.exit_code == 2
    assert "would be overwritten" in done.stderr


def test_a_file_that_cannot_be_written_is_the_users_turn(table, tmp_path):
    assert run("fit", table, "-o", "out").exit_code == 0
    (tmp_path / "out" / "graph.png").unlink()
    (tmp_path / "out" / "graph.png").mkdir()
    done = run("fit", table, "-o", "out", "--force")
    assert done.exit_code == 2
    assert "cannot write 'out" in done.stderr


def test_ctrl_c_gives_the_best_so_far(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    write_table(
        rng.normal(size=(200, 20)) @ rng.normal(size=(20, 20)), [f"c{k}" for k in range(20)], "table.csv"
    )
    presses = iter([signal.SIGINT])

    def press_once(*_):
        for number in presses:
            signal.raise_signal(number)

    monkeypatch.setattr(terminal.PlainProgress, "__call__", press_once)
    done = run("fit", "table.csv", "-o", "out", "--solver", "order")
    assert done.exit_code == 0
    assert read_json(tmp_path / "out" / "result.json")["status"] == "interrupted"
    assert "stopped by Ctrl-C, best so far" in done.stdout


def test_the_help_describes_every_model_and_solver_in_the_words_of_the_registry():
    from sparsest.models.registry import MODELS, SOLVERS

    words = " ".join(run("fit", "--help").stdout.split())
    for entry in (*MODELS.values(), *SOLVERS):
        assert f"{entry.name} {entry.sentence}" in words


def test_a_model_can_be_asked_for(table, tmp_path):
    assert run("fit", table, "-o", "out", "--model", "additive", "-q").exit_code == 0
    assert read_json(tmp_path / "out" / "result.json")["model"] == "additive"
    done = run("fit", table, "-o", "out", "--force", "--model", "logistic")
    assert done.exit_code == 2
    assert "use --model mixed" in done.stderr


def test_no_picture_is_drawn_of_more_columns_than_can_be_read_and_an_older_one_goes(
    table, tmp_path, monkeypatch
):
    assert run("fit", table, "-o", "out").exit_code == 0
    monkeypatch.setattr("sparsest.cli.fit._READABLE", 3)
    done = run("fit", table, "-o", "out", "--force")
    assert done.exit_code == 0
    assert not (tmp_path / "out" / "graph.png").exists()
    assert "too many columns for a picture (4): the edges are in edges.csv" in done.stdout
    assert "wrote result.json, report.html, edges.csv, columns.csv, result.sparsest in out" in done.stdout


def test_the_demo_compares_with_the_truth_and_survives_other_units(tmp_path):
    done = run("demo", "--nodes", "8", "--rows", "300", "--seed", "1")
    assert done.exit_code == 0
    folder = tmp_path / "sparsest-demo"
    assert sorted(path.name for path in folder.iterdir()) == [
        "data.csv", "graph.png", "report.html", "result.json",
    ]  # fmt: skip
    for words in (
        "simulated 300 rows of 8 columns",
        "precision",
        "recall",
        "SHD",
        "the same graph",
        "wrote ",
    ):
        assert words in done.stdout
    again = sparsest.fit(folder / "data.csv")
    assert again.objective == read_json(folder / "result.json")["objective"]


def test_a_terminal_without_unicode_gets_ascii(tmp_path):
    rng = np.random.default_rng(0)
    a = rng.normal(size=100)
    write_table(np.column_stack([a, a + rng.normal(size=100)]), ["Löhne", "b"], tmp_path / "table.csv")
    done = shell("fit", "table.csv", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert b"L\\xf6hne -- b" in done.stdout
    assert "Löhne – b" in run("fit", "table.csv", "--force").stdout


def test_a_process_ends_with_the_code_and_no_traceback(tmp_path):
    done = shell("fit", "absent.csv")
    assert done.returncode == 2
    assert done.stderr.startswith(b"sparsest: error: ")
    assert b"Traceback" not in done.stderr


def test_other_warnings_are_shown_as_usual():
    with pytest.warns(UserWarning, match="from elsewhere"), terminal.reporting():
        warnings.warn("from elsewhere", UserWarning, stacklevel=1)


def test_a_model_is_chosen_by_its_name(table):
    done = run("fit", table, "-o", "out", "--model", "rank")
    assert done.exit_code == 0
    assert "model rank" in done.stdout
