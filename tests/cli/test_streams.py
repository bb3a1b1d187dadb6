"""Names that act on terminals and spreadsheets, and streams that are closed or full."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsest as sp
from sparsest._core.cells import safe_cell, text_of_cell
from sparsest._core.words import printable
from sparsest.cli.terminal import say
from sparsest.export.csv import write_edges
from tests.cli.test_cli import run, shell
from tests.export.results import make

NASTY = ("\x1b[2J\x1b[31mred", "bell\x07\x9b1A", "back\x08\rover", "\u202eturned", "=HYPERLINK(1)")
ACTING = set("\x1b\x07\x9b\x08\r\u202e")


def collider():
    weights = np.zeros((5, 5))
    weights[0, 2] = weights[1, 2] = 1.0
    return make(weights, NASTY)


@pytest.mark.parametrize(
    "show", [repr, lambda one: one.summary(), lambda one: repr(one.cpdag), lambda one: repr(one.dag)]
)
def test_names_are_printed_without_what_a_terminal_acts_on(show):
    assert not set(show(collider())) & ACTING


def test_everything_that_is_said_about_a_table_is_plain_text():
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 200))
    columns = [a, b, a + b + c, rng.normal(size=200), a + rng.normal(size=200)]
    found = sp.fit(pl.DataFrame(dict(zip(NASTY, columns, strict=True))), resamples=5)
    said = [
        found.summary(), repr(found), str(found.audit), str(found.confidence),
        str(found.effect(NASTY[0], NASTY[2])), str(found.explain(NASTY[0], NASTY[2])),
        str(found.explain(NASTY[0], NASTY[1])),
    ]  # fmt: skip
    assert not any(set(words) & ACTING for words in said)


def test_a_result_says_the_main_things_in_five_lines():
    lines = repr(collider()).splitlines()
    assert len(lines) <= 5
    assert lines[0].startswith("<Result: 2 edges on 5 columns")


@given(st.text())
def test_what_is_printable_stays_so_and_lines_stay_lines(text):
    shown = printable(text)
    assert printable(shown) == shown
    assert shown.count("\n") == text.count("\n")
    if text.isprintable():
        assert shown == text


def test_the_command_line_says_nothing_that_acts(capsys):
    say("a\x1b[2J\nb")
    assert capsys.readouterr().out == "a\\x1b[2J\nb\n"


@given(st.one_of(st.text(), st.from_regex(r"'*[=+\-@][0-9a-z]*", fullmatch=True)))
def test_a_cell_is_no_formula_and_is_read_again_as_it_was(text):
    cell = safe_cell(text)
    assert text_of_cell(cell) == text
    if cell.startswith(tuple("=+-@\t\r")) and any(map(str.isalnum, cell)):
        float(cell)  # a number is no formula, and marks alone are none


def test_edges_and_matrices_hold_no_formulas_and_are_read_again(tmp_path):
    names = ("=1+1", "@sum", "-1", "'=x", "+a")
    weights = np.triu(np.ones((5, 5)), 1)
    dag = sp.Dag(weights, names)
    dag.write(tmp_path / "matrix.csv")
    write_edges(make(weights, names), tmp_path / "edges.csv")
    for name in ("edges.csv", "matrix.csv"):
        with (tmp_path / name).open(encoding="utf-8", newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert not any(cell.startswith(("=", "@", "+")) for cell in cells)
    assert sp.graph.read(tmp_path / "matrix.csv") == dag
    assert set(sp.graph.read(tmp_path / "edges.csv").names) == set(names)


BREAKING = """
import sys
stream, state = sys.argv.pop(1).split("=")
setattr(sys, stream, None if state == "closed" else open("/dev/full", "w"))
from sparsest.cli.failure import run
run()
"""


def broken(stream, *arguments):
    call = [sys.executable, "-c", BREAKING, stream, *map(str, arguments)]
    return subprocess.run(call, capture_output=True, text=True)


@pytest.fixture
def small(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("a,b\n" + "".join(f"{k * k % 7},{k % 5}\n" for k in range(40)))
    return table


full = pytest.param("full", marks=pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full"))


@pytest.mark.parametrize("state", ["closed", full])
def test_a_broken_stdout_is_one_line_and_code_2(state, small):
    done = broken(f"stdout={state}", "audit", small)
    assert done.returncode == 2
    assert done.stderr.startswith("sparsest: error: cannot write to the standard output: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("state", ["closed", full])
def test_without_stderr_the_work_is_done_all_the_same(state, small, tmp_path):
    done = broken(f"stderr={state}", "fit", small, "-o", tmp_path / "out", "--max-parents", "1")
    assert done.returncode == 0
    assert json.loads((tmp_path / "out" / "result.json").read_text())["format"] == "sparsest-result"
    assert broken(f"stderr={state}", "audit", tmp_path / "absent.csv").returncode == 2


@pytest.mark.parametrize("state", [full])
def test_help_that_cannot_be_printed_is_one_line(state):
    done = broken(f"stdout={state}", "--help")
    assert done.returncode == 2
    assert done.stderr == "sparsest: error: cannot write: No space left on device\n"


def test_files_are_replaced_by_no_command_unless_forced(small, tmp_path):
    there = tmp_path / "there.csv"
    there.write_text("mine")
    for arguments in (
        ["confidence", small, "-o", there], ["posterior", small, "-o", there], ["path", small, "-o", there],
        ["path", small, "--edges", there], ["effect", small, "--cause", "a", "--outcome", "b", "-o", there],
        ["audit", small, "--json", there], ["fit", small, "--json", there],
        ["compare", small, small, "--json", there],
    ):  # fmt: skip
        done = run(*arguments)
        assert done.exit_code == 2
        assert "--force" in done.stderr
    assert there.read_text() == "mine"
    assert run("audit", small, "--json", there, "--force").exit_code == 0


def test_commands_that_read_a_table_take_the_words_of_fit_and_all_give_an_example():
    words = ["--columns", "--exclude", "--kind", "--na", "--separator", "--json", "--force", "Example"]
    learning = ["--missing", "--model", "--knowledge", "--seed", "--time-limit", "--quiet"]
    for name in ("fit", "confidence", "effect", "path", "posterior", "audit"):
        text = shell(name, "--help").stdout.decode()
        assert [word for word in words + learning * (name != "audit") if word not in text] == [], name
    for name in ("app", "bench", "compare", "convert", "demo", "report", "reproduce", "simulate", "warm-up"):
        assert "Example" in shell(name, "--help").stdout.decode()
