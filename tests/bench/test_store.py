import sqlite3

import pytest

import sparsest as sp
from sparsest.bench.experiment import Experiment
from sparsest.bench.store import FORMAT, Store
from sparsest.bench.tasks import Outcome, Task

EXPERIMENT = Experiment("mine", "smoke", "Mine", "example", "none", {"examples": []})


def tasks(*numbers, **call):
    return [Task("example", {"number": number}, call) for number in numbers]


def test_what_was_kept_is_there_after_opening_again(tmp_path):
    first, second = tasks(1, 2)
    with Store(tmp_path / "s") as store:
        here = {"cpu": "x"}
        store.plan(EXPERIMENT, [first.key, second.key], "command", here)
        store.keep(first, Outcome("done", {"value": 3}), here)
    with Store(tmp_path / "s") as store:
        assert store.unfinished([first, second]) == [second]
        kept = store.kept("mine", "smoke")
    assert [row["value"] for row in kept.rows] == [3]
    assert (kept.planned, kept.command, kept.environments) == (2, "command", ({"cpu": "x"},))
    assert kept.experiment == EXPERIMENT


def test_a_done_task_is_never_replaced(tmp_path):
    (task,) = tasks(1)
    with Store(tmp_path / "s") as store:
        here = {}
        store.plan(EXPERIMENT, [task.key], "", here)
        for value in (1, 2):
            store.keep(task, Outcome("done", {"value": value}), here)
        assert [row["value"] for row in store.kept("mine", "smoke").rows] == [1]
        assert store.count() == 1


def test_a_timeout_is_run_again_only_with_more_time_and_a_failure_only_if_asked(tmp_path):
    (late,), (failed,) = tasks(1, time_limit=10.0), tasks(2)
    with Store(tmp_path / "s") as store:
        here = {}
        store.keep(late, Outcome("timeout"), here)
        store.keep(failed, Outcome("failed", error="why"), here)
        assert store.unfinished([late, failed]) == []
        assert store.unfinished(tasks(1, time_limit=20.0)) == tasks(1, time_limit=20.0)
        assert store.unfinished([late, failed], retry=True) == [late, failed]


def test_a_task_is_known_by_what_it_depends_on_and_not_by_how_it_is_called():
    one = Task("grid", {"p": 5, "method": "auto"}, {"time_limit": 1})
    assert one.key == Task("grid", {"method": "auto", "p": 5}, {"time_limit": 2}).key
    assert one.key != Task("grid", {"method": "auto", "p": 6}).key
    assert one.key != Task("starts", one.spec).key


def test_a_store_of_another_version_is_said_and_left_as_it_is(tmp_path):
    path = tmp_path / "s"
    Store(path).__exit__(None, None, None)
    with sqlite3.connect(path) as database:
        database.execute(f"PRAGMA user_version = {FORMAT + 1}")
    database.close()
    before = path.read_bytes()
    with pytest.raises(sp.DataError, match=rf"has format {FORMAT + 1}.*reads format {FORMAT}.*left as it is"):
        Store(path)
    assert path.read_bytes() == before


def test_files_that_are_no_stores_are_refused_and_left_as_they_are(tmp_path):
    text, other = tmp_path / "text", tmp_path / "other"
    text.write_text("my precious notes, longer than a header of SQLite would be\n" * 20)
    before = text.read_bytes()
    with pytest.raises(sp.DataError, match="not a store of sparsest"):
        Store(text)
    assert text.read_bytes() == before
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE mine (x)")
    database.close()
    with pytest.raises(sp.DataError, match="not a store of sparsest, but a database of something else"):
        Store(other)


def test_a_store_needs_its_folder(tmp_path):
    with pytest.raises(sp.DataError, match="no folder"):
        Store(tmp_path / "absent" / "s")


def test_a_later_plan_does_not_change_where_the_tasks_were_run(tmp_path):
    (task,) = tasks(1)
    with Store(tmp_path / "s") as store:
        first, second = {"commit": "a"}, {"commit": "b"}
        store.plan(EXPERIMENT, [task.key], "", first)
        store.keep(task, Outcome("done"), first)
        store.plan(EXPERIMENT, [task.key], "", second)
        assert store.kept("mine", "smoke").environments == ({"commit": "a"},)
