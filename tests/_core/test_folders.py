import os
import signal
import stat
import subprocess
import sys
import time

import pytest

import sparsest as sp
from sparsest._core import folders
from sparsest._core.folders import folder_written_whole, settle

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes, links and signals of POSIX")
NAMES = ("a", "b", "c")


def write(folder, word, names=NAMES):
    with folder_written_whole(folder, NAMES) as draft:
        for name in names:
            (draft / name).write_text(word)


def held(folder):
    return {file.name: file.read_text() for file in folder.iterdir() if file.is_file()}


@pytest.fixture(params=["one step", "one by one"])
def way(request, monkeypatch):
    if request.param == "one by one":
        monkeypatch.setattr(folders, "_exchange", lambda: lambda one, other: False)


def test_files_appear_together_and_replace_those_of_an_earlier_answer(tmp_path, way):
    write(tmp_path / "new" / "folder", "old")
    assert held(tmp_path / "new" / "folder") == dict.fromkeys(NAMES, "old")
    write(tmp_path / "new" / "folder", "new", names="ac")
    assert held(tmp_path / "new" / "folder") == {"a": "new", "c": "new"}
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["folder"]


def test_a_failure_leaves_the_old_answer_or_nothing(tmp_path, way):
    def fail(folder):
        with folder_written_whole(folder, NAMES) as draft:
            (draft / "a").write_text("half")
            raise ZeroDivisionError

    write(tmp_path / "old", "old")
    for name in ("old", "new"):
        with pytest.raises(ZeroDivisionError):
            fail(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert held(tmp_path / "old") == dict.fromkeys(NAMES, "old")


def test_other_files_links_and_modes_stay(tmp_path, way):
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    folder.mkdir(mode=0o700)
    (folder / "notes").write_text("mine")
    (folder / "sub").mkdir()
    elsewhere.write_text("old")
    (folder / "a").symlink_to(elsewhere)
    (folder / "b").write_text("old")
    (folder / "b").chmod(0o600)
    write(folder, "new")
    assert held(folder) == dict.fromkeys(NAMES, "new") | {"notes": "mine"}
    assert (folder / "sub").is_dir()
    assert (folder / "a").is_symlink()
    assert elsewhere.read_text() == "new"
    assert stat.S_IMODE((folder / "b").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_private_answer_stays_private(tmp_path, way):
    write(tmp_path / "folder", "old")
    (tmp_path / "folder").chmod(0o700)
    (tmp_path / "folder" / "a").chmod(0o600)
    write(tmp_path / "folder", "new")
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "folder" / "a").stat().st_mode) == 0o600


def test_the_folder_one_is_in_is_written_to_and_not_replaced(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "old")
    write(tmp_path, "new")
    assert {path.name for path in tmp_path.iterdir()} == set(NAMES)
    assert os.path.samefile(os.getcwd(), tmp_path)


def test_a_pipe_among_the_files_is_refused_before_anything_is_replaced(tmp_path):
    os.mkfifo(tmp_path / "b")
    (tmp_path / "a").write_text("old")
    with pytest.raises(sp.OptionError, match="named pipe"):
        write(tmp_path, "new")
    assert held(tmp_path) == {"a": "old"}


def test_complete_files_left_behind_are_put_in_place_and_no_others(tmp_path):
    folder = tmp_path / "folder"
    write(folder, "old")
    complete = folder / folders.COMPLETE
    complete.mkdir()
    (complete / "a").write_text("new")
    (complete / "stranger").write_text("new")
    (tmp_path / "outside").write_text("mine")
    (complete / ".gone").write_text("c\n../outside\nnotes")
    (folder / "notes").write_text("mine")
    settle(folder, NAMES)
    assert held(folder) == {"a": "new", "b": "old", "notes": "mine"}
    assert (tmp_path / "outside").read_text() == "mine"
    assert not complete.exists()


WRITER = """
import sys
from pathlib import Path
from sparsest._core.folders import folder_written_whole

for number in range(100_000):
    with folder_written_whole(Path(sys.argv[1]), ("a", "b", "c")) as draft:
        for name in "abc":
            (draft / name).write_text(f"{number} " * 1000)
"""


@pytest.mark.parametrize("other", [False, True])
def test_a_writer_killed_at_any_moment_leaves_one_whole_answer(other, tmp_path):
    folder = tmp_path / "folder"
    if other:  # then the files take their places one by one
        folder.mkdir()
        (folder / "notes").write_text("mine")
    for k in range(6):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(folder)]) as process:
            while not (folder / "a").exists():
                time.sleep(0.001)
            time.sleep(0.3 + k * 0.0137)
            process.send_signal(signal.SIGKILL)
        settle(folder, NAMES)
        found = held(folder)
        assert found.pop("notes", None) == ("mine" if other else None)
        assert set(found) == set(NAMES)
        assert len(set(found.values())) == 1
