import json

import numpy as np
import pytest

import sparsest
from sparsest.confidence import asking
from tests.cli.test_cli import run, shell, table  # noqa: F401
from tests.export.results import GARDEN


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_graph_is_converted_to_every_format_and_back(here):
    GARDEN.cpdag.write("graph.json")
    for name in ("a.dot", "a.dagitty", "a.txt", "a.caugi.json", "a.graphml", "a.gml", "a.csv"):
        assert run("convert", "graph.json", name).exit_code == 0
        assert sparsest.graph.read(name) == GARDEN.cpdag
    assert run("convert", "graph.json", "a.svg").exit_code == 0
    assert (here / "a.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_nothing_is_replaced_without_force(here):
    GARDEN.dag.write("graph.json")
    assert run("convert", "graph.json", "a.dot").exit_code == 0
    done = run("convert", "graph.json", "a.dot")
    assert done.exit_code == 2
    assert "--force" in done.stderr
    assert run("convert", "graph.json", "a.dot", "--force").exit_code == 0


def test_contradictions_and_unknown_formats_are_one_clear_line(here):
    GARDEN.cpdag.write("graph.json")
    for arguments, words in (
        (["graph.json", "a.lavaan"], "takes one DAG"),
        (["graph.json", "a.xyz"], "cannot tell in which format"),
        (["nowhere.json", "a.dot"], "there is no file"),
        (["graph.json", "a.dot", "--kind", "tree"], "'dag' or 'cpdag'"),
    ):
        done = run("convert", *arguments)
        assert done.exit_code == 2
        assert words in done.stderr
        assert "Traceback" not in done.stderr


def test_a_report_is_written_of_a_saved_result_and_a_broken_one_refused(here):
    GARDEN.save("result.sparsest")
    done = run("report", "result.sparsest", "-o", "page.html", "--title", "Garden")
    assert done.exit_code == 0
    assert "<title>Garden</title>" in (here / "page.html").read_text(encoding="utf-8")
    (here / "broken.sparsest").write_bytes(b"PK\x03\x04nonsense")
    done = run("report", "broken.sparsest")
    assert done.exit_code == 2
    assert "not a saved result" in done.stderr


def test_json_for_machines_goes_to_a_file_or_alone_to_stdout(table, tmp_path):  # noqa: F811
    done = run("fit", table, "-o", tmp_path / "a", "--json", "-")
    assert json.loads(done.stdout)["format"] == "sparsest-result"
    done = run("fit", table, "-o", tmp_path / "b", "--json", tmp_path / "b.json")
    assert json.loads((tmp_path / "b.json").read_text())["names"] == ["a", "b", "c", "d"]
    assert "4 columns" in done.stdout
    done = run("effect", table, "--cause", "a", "--outcome", "c", "--interval", "naive", "--json", "-")
    assert json.loads(done.stdout)["identified"] is True


def test_a_mistyped_column_is_refused_before_anything_is_learned(here, monkeypatch):
    noise = np.random.default_rng(0).normal(size=(50, 3)).round(3)
    rows = [f"{i},{','.join(map(str, row))}" for i, row in enumerate(noise)]
    file = here / "table.csv"
    file.write_text("\n".join(["id,a,b,c", *rows]), encoding="utf-8")
    monkeypatch.setattr(asking, "answered", lambda *_, **__: pytest.fail("learned"))
    for arguments, words in (
        (["--cause", "a", "--outcome", "cc"], "outcome 'cc': there is no such column; did you mean 'c'?"),
        (["--cause", "a,bb", "--outcome", "c"], "cause 'bb': there is no such column; did you mean 'b'?"),
        (["--cause", "id", "--outcome", "c"], "the model does not have this column; left out: an identifier"),
        (["--cause", "a", "--outcome", "a"], "the same column, 'a'"),
    ):
        done = run("effect", file, *arguments)
        assert done.exit_code == 2
        assert words in " ".join(done.stderr.split())


def test_every_command_has_help():
    done = shell("--help")
    assert done.returncode == 0
    for name in (
        b"app", b"audit", b"bench", b"compare", b"confidence", b"convert", b"demo", b"effect", b"fit",
        b"path", b"posterior", b"report", b"reproduce", b"simulate", b"warm-up", b"--install-completion",
    ):  # fmt: skip
        assert name in done.stdout
