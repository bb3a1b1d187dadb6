import json

import numpy as np
import pytest
from typer.testing import CliRunner

from sparsest.cli.main import app
from sparsest.export.csv import write_table


@pytest.fixture(autouse=True)
def chain(tmp_path, monkeypatch):
    """a - b - c: no direction is identified."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    a, noise_b, noise_c = rng.normal(size=(3, 400))
    b = a + noise_b
    write_table(np.column_stack([a, b, b + noise_c]), ["a", "b", "c"], tmp_path / "table.csv")
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, ["fit", "table.csv", "-o", "out", *arguments])


def test_a_file_of_knowledge_is_obeyed_and_the_files_say_what_came_from_it(chain):
    (chain / "known.toml").write_text("roots = ['c']\n")
    done = run("--knowledge", "known.toml")
    assert done.exit_code == 0
    assert "known beforehand, not from these data: the direction of 2 edges" in done.stdout
    written = json.loads((chain / "out" / "result.json").read_text(encoding="utf-8"))
    assert written["cpdag_kind"] == "mpdag"
    assert {(edge["source"], edge["target"]) for edge in written["dag"]} == {("c", "b"), ("b", "a")}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("roots = ['d']", "'known.toml': roots: no column is called 'd'"),
        ("roots = [", "known.toml' is not valid TOML"),
        ("required = ['a -> b', 'b -> a']", "cycle: 'a' -> 'b' -> 'a'"),
        (None, "there is no file 'known.toml'"),
    ],
)
def test_bad_knowledge_is_one_line_and_code_2(chain, text, words):
    if text is not None:
        (chain / "known.toml").write_text(text)
    done = run("--knowledge", "known.toml")
    assert done.exit_code == 2
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (chain / "out").exists()
