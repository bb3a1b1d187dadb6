import json
import os
from pathlib import Path

import pytest

import sparsest as sp
from sparsest_bench import experiment, page, published_rows
from sparsest_bench.result_store import ResultStore
from tests.cli.test_cli import run

TEXT = """\
title = "<script>alert(1)</script> Mine & <b>yours</b>"
kind = "grid"
figure = "none"
remark = "if x < y then <img src=x onerror=alert(1)>"
[grid]
graphs = ["ER1"]
p = [3]
methods = ["empty"]
seeds = 1
"""
PEER = """
from pathlib import Path
Path({mark!r}).write_text("ran")
REQUIREMENTS = None
METHODS = {{"mine": {{}}}}

def fit(arrays):
    return {{}}
"""


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(TEXT)
    done = run("bench", "mine.toml", "--store", "store", "-o", "rows")
    assert done.exit_code == 0, done.output
    return tmp_path / "rows"


def retold(rows, change):
    about = json.loads((rows / "about.json").read_text())
    change(about)
    (rows / "about.json").write_text(json.dumps(about))


@pytest.mark.parametrize("name", ["../../../X", "/tmp/X", "..", ".hidden", "a/b", "a\\b", "", 3, None])
def test_published_rows_name_files_in_their_folder_only(rows, name, tmp_path):
    def rename_experiment(about):
        about["experiments"]["mine-paper.csv"]["experiment"]["name"] = name

    retold(rows, rename_experiment)
    with pytest.raises(sp.DataError, match="name"):
        published_rows.published(rows)


def test_rows_are_read_from_files_beside_their_description_only(rows, tmp_path):
    (tmp_path / "other.csv").write_bytes((rows / "mine-paper.csv").read_bytes())

    def move(about):
        about["experiments"]["../other.csv"] = about["experiments"].pop("mine-paper.csv")

    retold(rows, move)
    with pytest.raises(sp.DataError, match="not a name for files"):
        published_rows.published(rows)


def test_words_of_published_rows_reach_a_page_as_words(rows, tmp_path):
    def retitle(about):
        about["experiments"]["mine-paper.csv"]["experiment"]["claim"] = "</table><iframe src=x>"

    retold(rows, retitle)
    with ResultStore(tmp_path / "taken") as store:
        published_rows.take(store, published_rows.published(rows))
        written = page.write_page(store, "paper", tmp_path / "pages", "command")
    texts = [path.read_text() for path in (*written, rows / "mine-paper.md") if path.suffix == ".md"]
    for text in texts:
        for element in ("<script", "</script", "<img", "<iframe", "</table", "<b>"):
            assert element not in text
    assert any("&lt;script>alert(1)" in text for text in texts)
    assert any("if x < y then" in text for text in texts)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(",done,", ",done"),
        lambda text: text + "a,b\n",
        lambda text: text.replace(text.splitlines()[1].split(",")[-6], "long"),
        lambda text: text + "x" * 200_000 + "\n",
        lambda text: text.replace("key", "kee"),
        lambda text: text + "\0\n",
    ],
)
def test_malformed_rows_are_refused_by_line(rows, change):
    file = rows / "mine-paper.csv"
    changed = change(file.read_text())
    assert changed != file.read_text()
    file.write_text(changed)
    with pytest.raises(sp.DataError, match=r"mine-paper\.csv"):
        published_rows.published(rows)


@pytest.mark.parametrize(
    "about",
    [
        "[]",
        "{}",
        '{"experiments": 3, "environments": {}}',
        "[" * 100_000,
        b"\xed\xa0\x80",
    ],
)
def test_a_malformed_description_of_rows_is_refused(rows, about):
    (rows / "about.json").write_bytes(about if isinstance(about, bytes) else about.encode())
    with pytest.raises(sp.DataError, match=r"about\.json"):
        published_rows.published(rows)


@pytest.mark.parametrize(
    "entry",
    [3, {}, {"command": 3}, {"command": "", "experiment": 3}, {"command": "", "experiment": {"name": "x"}},
     {"command": "", "experiment": {"name": "x", "new": 1}}],
)  # fmt: skip
def test_a_malformed_entry_of_a_description_is_refused(rows, entry):
    def change(about):
        about["experiments"]["mine-paper.csv"] = entry

    retold(rows, change)
    with pytest.raises(sp.DataError):
        published_rows.published(rows)


def peer(folder, name="peer.py"):
    mark = folder / "ran"
    (folder / name).write_text(PEER.format(mark=str(mark)))
    return mark


def test_an_invalid_experiment_runs_no_peer(tmp_path):
    mark = peer(tmp_path)
    valid = TEXT.replace('"empty"]', '"empty", "mine"]\npeers = ["peer.py"]')
    for wrong in (valid.replace("seeds = 1", "seeds = 0"), valid.replace("p = [3]", "pp = [3]"), valid + "x"):
        with pytest.raises(sp.SparsestError):
            experiment.parse_experiment(wrong, "mine.toml", "mine", "paper", tmp_path)
        assert not mark.exists()
    experiment.parse_experiment(valid, "mine.toml", "mine", "paper", tmp_path)
    assert mark.exists()
    with pytest.raises(sp.OptionError, match="another"):
        experiment.parse_experiment(valid.replace('"mine"]', '"another"]'), "m", "mine", "paper", tmp_path)


def test_a_peer_outside_the_folder_of_the_experiment_is_run_only_if_asked(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    mark = peer(tmp_path)
    (inside / "link.py").symlink_to(tmp_path / "peer.py")
    for name in ("../peer.py", str(tmp_path / "peer.py"), "link.py"):
        text = TEXT.replace('"empty"]', f'"empty", "mine"]\npeers = [{json.dumps(name)}]')
        with pytest.raises(sp.OptionError, match="--outside"):
            experiment.parse_experiment(text, "mine.toml", "mine", "paper", inside)
        assert not mark.exists()
        experiment.parse_experiment(text, "mine.toml", "mine", "paper", inside, outside=True)
        assert mark.exists()
        mark.unlink()


def test_a_pipe_is_no_experiment_and_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.toml")
    done = run("bench", "pipe.toml", "--store", "store", "-o", "rows")
    assert done.exit_code == 2
    assert "it is a named pipe, not a file" in done.output
    assert not Path("rows").exists()
