import os
import random
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest

import sparsest as sp
from sparsest._core.store import FORMAT, Agenda, Record, Store, canonical, key_of


def record(number, status="done", **row):
    spec = {"number": number}
    return Record(key_of("square", spec), "square", spec, status, row)


def test_what_was_put_is_there_after_opening_again(tmp_path):
    with Store(tmp_path / "s") as store:
        store.put(record(3, value=9))
    with Store(tmp_path / "s") as store:
        assert [found.row for found in store.records()] == [{"value": 9}]
        assert store.states() == {record(3).key: ("done", None)}


def test_done_work_is_never_replaced_and_other_work_is(tmp_path):
    with Store(tmp_path / "s") as store:
        for one in (record(1, "failed"), record(1, value=1), record(1, value=2)):
            store.put(one)
        assert [found.row for found in store.records()] == [{"value": 1}]
        assert store.count() == 1


def test_work_from_elsewhere_is_taken_where_it_is_new_or_done_only_there(tmp_path):
    with Store(tmp_path / "s") as store:
        store.put_new([record(1, value=1), record(2, "failed")])
        assert store.put_new([record(1, value=5), record(2, value=4), record(3, value=9)]) == 2
        assert sorted(found.row["value"] for found in store.records()) == [1, 4, 9]


def test_a_plan_is_replaced_by_the_next_of_its_name_and_orders_the_records(tmp_path):
    keys = tuple(record(number).key for number in (2, 1, 3))
    with Store(tmp_path / "s") as store:
        store.put_new([record(1, value=1), record(2, value=4)])
        assert store.agenda("mine", "small") is None
        store.put_agenda(Agenda("mine", "small", {}, "", keys[:1]), {})
        store.put_agenda(Agenda("mine", "small", {"a": 1}, "again", keys), {})
        assert store.agenda_names() == [("mine", "small")]
        agenda = store.agenda("mine", "small")
        assert agenda == Agenda("mine", "small", {"a": 1}, "again", keys)
        assert [found.row["value"] for found in store.records(agenda)] == [4, 1]


def test_equal_specs_have_one_key_and_others_another():
    assert key_of("a", {"x": 1, "y": 2}) == key_of("a", {"y": 2, "x": 1})
    assert len({key_of("a", {"x": 1}), key_of("a", {"x": 2}), key_of("b", {"x": 1})}) == 3
    assert canonical({"b": 1, "a": "\u00e9"}) == '{"a":"\u00e9","b":1}'


SQUARES = """
import sys
from pathlib import Path
from sparsest._core.store import Record, Store, key_of

with Store(Path(sys.argv[1])) as store:
    done = store.states()
    for number in range(400):
        spec = {"number": number}
        key = key_of("square", spec)
        if key not in done:
            store.put(Record(key, "square", spec, row={"value": number**2}))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_program_killed_again_and_again_goes_on_where_it_was(tmp_path):
    rng, path = random.Random(0), tmp_path / "s"
    seen = []
    for target in (0, 20, 150, 399):
        process = subprocess.Popen([sys.executable, "-c", SQUARES, str(path)])
        until = time.monotonic() + 60
        while process.poll() is None and len(kept(path)) < target:
            assert time.monotonic() < until
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.01))
        process.kill()
        process.wait()
        seen.append(kept(path))
    subprocess.run([sys.executable, "-c", SQUARES, str(path)], check=True)
    final = kept(path)
    for before in seen:
        assert before.items() <= final.items()
    with Store(path) as store:
        assert sorted(found.row["value"] for found in store.records()) == [k * k for k in range(400)]


def kept(path):
    """The rows that another process has written so far, with the time each was finished."""
    if not path.exists():
        return {}
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
    try:
        return dict(database.execute("SELECT key, finished FROM tasks").fetchall())
    except sqlite3.OperationalError:  # not made yet
        return {}
    finally:
        database.close()


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


MAKERS = """
import sys
from pathlib import Path
from sparsest._core.store import Record, Store, key_of

Path(sys.argv[1], sys.argv[2]).touch()
while len(list(Path(sys.argv[1]).iterdir())) < 6:
    pass
for number in range(20):
    with Store(Path(sys.argv[1] + f"-{number}")) as store:
        spec = {"by": sys.argv[2]}
        store.put(Record(key_of("made", spec), "made", spec))
"""


def test_processes_that_make_one_store_at_once_all_write_to_it(tmp_path):
    at = tmp_path / "s"
    at.mkdir()
    makers = [
        subprocess.Popen([sys.executable, "-c", MAKERS, str(at), str(k)], stderr=subprocess.PIPE, text=True)
        for k in range(6)
    ]
    for maker in makers:
        assert maker.communicate() == (None, "")
    for number in range(20):
        with Store(tmp_path / f"s-{number}") as store:
            assert store.count() == 6


def calls(store):
    """Everything that a store can be asked."""
    store.states(), store.count()
    for at in store.agenda_names():
        store.records(store.agenda(*at))
    store.records()
    store.newest("number", "number", ["1"])
    store.put(record(9, value=81))
    store.put_new([record(10)])
    store.put_agenda(Agenda("mine", "small", {}, "", (record(9).key,)), {"here": 1})


def test_a_damaged_store_is_refused_in_words_or_read_whatever_byte_is_wrong(tmp_path):
    with Store(tmp_path / "s") as store:
        calls(store)
    whole, rng = (tmp_path / "s").read_bytes(), random.Random(0)
    refused = []
    for k in range(150):
        damaged = bytearray(whole)
        at = rng.randrange(len(whole))
        damaged[at : at + rng.choice((1, 8, 4096))] = rng.randbytes(rng.choice((0, 1, 8, 4096)))
        path = tmp_path / f"{k}"
        path.write_bytes(damaged)
        try:
            with Store(path) as store:
                calls(store)
        except sp.SparsestError as error:
            refused.append((str(path), str(error)))
    assert len(refused) > 30
    for path, words in refused:
        assert path in words
        assert "\n" not in words


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE tasks SET row = '{'",
        "UPDATE tasks SET row = '[1]'",
        "UPDATE tasks SET spec = x'ff'",
        "UPDATE tasks SET wall = 'long'",
        "UPDATE tasks SET time_limit = 'long'",
        "UPDATE tasks SET kind = x'00'",
        "UPDATE environments SET content = id",
        "UPDATE experiments SET content = 'null'",
        "DROP TABLE plans",
        "DROP TABLE tasks",
        "ALTER TABLE tasks DROP COLUMN error",
    ],
)
def test_malformed_entries_of_a_store_are_refused_in_words(change, tmp_path):
    with Store(tmp_path / "s") as store:
        calls(store)
    with sqlite3.connect(tmp_path / "s") as database:
        database.execute(change)
    database.close()

    def ask():
        with Store(tmp_path / "s") as store:
            calls(store)

    with pytest.raises(sp.DataError, match=r"store '.*/s' is damaged"):
        ask()


def test_resamples_that_were_tampered_with_are_refused_in_words(tmp_path):
    table = np.random.default_rng(0).normal(size=(60, 3))
    sp.confidence(table, resamples=2, store=tmp_path / "s")
    for change in ('{"p": 3}', '{"p": 2, "class": "zz", "redrawn": 0, "status": "optimal"}'):
        with sqlite3.connect(tmp_path / "s") as database:
            database.execute("UPDATE tasks SET row = ?", (change,))
        database.close()
        with pytest.raises(sp.DataError, match=r"store '.*/s' is damaged"):
            sp.confidence(table, resamples=2, store=tmp_path / "s")
