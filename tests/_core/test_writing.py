import os
import stat

import numpy as np
import pytest

import sparsest as sp
from sparsest._core.writing import write_tree, written_whole

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes, links and pipes of POSIX")


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    return sp.fit(np.column_stack([x, x + rng.normal(size=200)]))


WRITERS = {
    "json": ("a.json", lambda result, path: write_tree({"a": 1}, path)),
    "archive": ("a.sparsest", lambda result, path: result.save(path)),
    "report": ("a.html", lambda result, path: result.report(path)),
    "picture": ("a.png", lambda result, path: result.plot(path)),
    "graph": ("a.dot", lambda result, path: result.cpdag.write(path)),
}


@pytest.fixture(params=WRITERS)
def writer(request, result):
    name, write = WRITERS[request.param]
    return name, lambda path: write(result, path)


def test_a_file_keeps_its_mode_and_a_new_one_has_the_usual(tmp_path, writer):
    name, write = writer
    private, new = tmp_path / name, tmp_path / f"new-{name}"
    private.write_text("old")
    private.chmod(0o600)
    before = os.umask(0o022)
    try:
        write(private)
        write(new)
    finally:
        os.umask(before)
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert stat.S_IMODE(new.stat().st_mode) == 0o644
    assert private.read_bytes() == new.read_bytes()


def test_a_link_stays_a_link_and_what_it_points_to_is_written(tmp_path, writer):
    name, write = writer
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / name, tmp_path / name
    target.write_text("old")
    link.symlink_to(target)
    write(link)
    assert link.is_symlink()
    assert target.read_bytes() != b"old"
    dangling = tmp_path / f"dangling-{name}"
    dangling.symlink_to(tmp_path / "elsewhere" / f"new-{name}")
    write(dangling)
    assert dangling.is_symlink()
    assert (tmp_path / "elsewhere" / f"new-{name}").is_file()


def test_what_is_no_regular_file_is_refused_and_stays(tmp_path, writer):
    name, write = writer
    pipe, folder = tmp_path / name, tmp_path / f"folder-{name}"
    os.mkfifo(pipe)
    folder.mkdir()
    for path, words in ((pipe, "named pipe"), (folder, "folder")):
        with pytest.raises(sp.OptionError, match=words):
            write(path)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([pipe.name, folder.name])


@pytest.mark.parametrize("device", ["/dev/null", "/dev/full"])
def test_a_device_is_refused_and_stays(device):
    with pytest.raises(sp.OptionError, match="device"), written_whole(device):
        raise AssertionError("nothing is written")
    assert stat.S_ISCHR(os.stat(device).st_mode)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write to all files")
def test_a_file_that_may_not_be_written_to_is_refused(tmp_path):
    (tmp_path / "a.json").write_text("old")
    (tmp_path / "a.json").chmod(0o400)
    with pytest.raises(sp.OptionError, match="read-only"):
        write_tree({}, tmp_path / "a.json")
    assert (tmp_path / "a.json").read_text() == "old"


def test_a_failure_leaves_the_old_file_and_no_draft(tmp_path):
    (tmp_path / "a.json").write_text("old")

    def write():
        with written_whole(tmp_path / "a.json") as draft:
            draft.write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write()
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
    assert (tmp_path / "a.json").read_text() == "old"


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path):
    write_tree({}, tmp_path / ("a" * 250 + ".json"))
    with pytest.raises(sp.OptionError, match="too long"):
        write_tree({}, tmp_path / ("a" * 300))


PATHS = ["", "~no-such-user/a", "a\0b", "no/such/folder/a", ".", "/", "\ud800/a"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("suffix", ["", ".png", ".html", ".dot"])
def test_a_path_that_cannot_be_written_to_is_refused_in_words(result, path, suffix, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write = {"": result.save, ".png": result.plot, ".html": result.report, ".dot": result.cpdag.write}[suffix]
    with pytest.raises(sp.SparsestError) as refused:
        write(path + suffix if path and path not in "./" else path)
    assert "\n" not in str(refused.value)
    assert not list(tmp_path.iterdir())


READERS = {
    "load": sp.load,
    "fit": sp.fit,
    "graph": sp.graph.read,
    "knowledge": lambda path: sp.fit(np.random.default_rng(0).normal(size=(50, 2)), knowledge=path),
    "moments": lambda path: sp.Moments.read(path, n=10),
}


@pytest.mark.parametrize("path", ["", "~no-such-user/a.csv", "a\0b.csv", "no/such/a.csv", ".", "pipe.csv"])
@pytest.mark.parametrize("reader", READERS)
def test_a_path_that_cannot_be_read_is_refused_in_words(reader, path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.csv")
    with pytest.raises(sp.SparsestError) as refused:
        READERS[reader](path)
    assert "\n" not in str(refused.value)


def test_a_store_in_a_place_that_is_no_file_is_refused(tmp_path):
    table = np.random.default_rng(0).normal(size=(60, 3))
    os.mkfifo(tmp_path / "pipe")
    for path in ("", "~no-such-user/s", "a\0b", tmp_path, tmp_path / "pipe", "/dev/null"):
        with pytest.raises(sp.SparsestError):
            sp.confidence(table, resamples=2, store=path)
