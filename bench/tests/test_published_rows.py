import json
import math
from collections import Counter
from dataclasses import replace
from operator import itemgetter
from pathlib import Path

import pytest

import sparsest as sp
from sparsest_bench import catalog, published_rows, runner
from sparsest_bench.experiment import parse_experiment
from sparsest_bench.result_store import ResultStore

ROOT = Path(__file__).resolve().parents[2]
MINE = """\
title = "Mine"
kind = "grid"
figure = "none"

[grid]
graphs = ["ER1"]
p = [4]
n = [50]
seeds = 2
methods = ["empty", "dagma"]
"""


@pytest.fixture
def filled(tmp_path):
    """A store with a finished experiment: some tasks done, some without their peer, one odd in every way."""
    with ResultStore(tmp_path / "filled") as store:
        experiment = parse_experiment(MINE, "mine.toml", "mine", "paper")
        runner.run(experiment, store, peers=tmp_path / "none", command="sparsest bench mine.toml")
        first = store.kept("mine", "paper").records[0]
        spec = {**first.spec, "version": '{"torch": "2.13.0"}', "options": "1.0", "r2sortability": 0.3}
        row = {
            "shd": 1 / 3,
            "objective": -143.25714285714,
            "aid": math.inf,
            "flag": False,
            "rows": [{"t": 1}],
        }
        error = 'timeout: "more", than\u2028 5 s'
        odd = replace(first, key="odd", spec=spec, row=row, status="timeout", error=error, time_limit=5.0)
        store.put_new([odd])
        keys = [one.key for one in store.kept("mine", "paper").records]
        store.start(experiment, [*keys, "odd"], "sparsest bench mine.toml", {"cpu": "x"})
        yield store


def publish(store, folder):
    folder.mkdir(exist_ok=True)
    published_rows.write_rows(store.kept("mine", "paper"), folder / "mine-paper.csv")
    return folder


def close(record):
    """A record with its numbers rounded as they are in a file."""
    rounded = {
        name: float(f"{value:.12g}") if isinstance(value, float) else value
        for name, value in record.row.items()
        if value is not None
    }
    return replace(record, row=rounded, wall=float(f"{record.wall:.12g}"))


def test_rows_that_were_written_and_taken_are_the_same(filled, tmp_path):
    folder = publish(filled, tmp_path / "rows")
    with ResultStore(tmp_path / "new") as new:
        assert published_rows.take(new, published_rows.published(folder)) == 5
        first, second = (store.kept("mine", "paper") for store in (filled, new))
        assert published_rows.rows_csv(second) == published_rows.rows_csv(first)
        assert second.records == tuple(map(close, first.records))
        assert (second.experiment, second.command) == (first.experiment, first.command)
        assert (second.finished, second.environments) == (first.finished, first.environments)


def test_taking_twice_takes_nothing_and_changes_nothing(filled, tmp_path):
    folder = publish(filled, tmp_path / "rows")
    before = filled.records()
    assert published_rows.take(filled, published_rows.published(folder)) == 0
    assert filled.records() == before


def test_another_store_is_taken_whole_and_left_as_it_is(filled, tmp_path):
    before = (tmp_path / "filled").read_bytes()
    with ResultStore(tmp_path / "new") as new:
        assert published_rows.take(new, published_rows.published(tmp_path / "filled")) == 5
        assert new.records() == filled.records()
        assert new.kept("mine", "paper") == filled.kept("mine", "paper")
    assert (tmp_path / "filled").read_bytes() == before


def test_taken_answers_of_a_peer_that_is_not_installed_here_still_count(filled, tmp_path):
    experiment = parse_experiment(MINE, "mine.toml", "mine", "paper")
    with ResultStore(tmp_path / "elsewhere") as store:
        done = [
            replace(
                one,
                spec={**one.spec, "version": "1.1.1"},
                key=f"dagma {place}",
                status="done",
                row={"shd": 2},
            )
            for place, one in enumerate(filled.records())
            if one.spec["method"] == "dagma"
        ]
        store.put_new(done)
        assert store.last_version("version", "method", ["dagma"]) == "1.1.1"
        assert store.last_version("version", "method", ["boss"]) is None
        summary = runner.run(experiment, store, peers=tmp_path / "none")
        versions = {row["version"] for row in store.kept("mine", "paper").rows if row["method"] == "dagma"}
    assert summary.tasks == 4
    assert versions == {"1.1.1"}  # planned as that version, so that its finished tasks are found


def test_what_a_folder_says_of_other_files_stays_and_of_removed_ones_goes(filled, tmp_path):
    folder = publish(filled, tmp_path / "rows")
    other = replace(filled.kept("mine", "paper"), records=())
    published_rows.write_rows(other, folder / "other.csv")
    assert len(published_rows.published(folder).records) == 5
    (folder / "mine-paper.csv").unlink()
    published_rows.write_rows(other, folder / "other.csv")
    about = json.loads((folder / published_rows.ABOUT).read_text())
    assert (list(about["experiments"]), about["environments"]) == (["other.csv"], {})


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (
            lambda folder: (folder / "mine-paper.csv").unlink(),
            r"cannot read .*mine-paper.csv', which about.json",
        ),
        (lambda folder: (folder / "mine-paper.csv").write_text("a,b\n1,2\n"), r"no column 'key'"),
        (
            lambda folder: (folder / published_rows.ABOUT).write_text("{}"),
            r"cannot read .*about.json', which says what",
        ),
        (
            lambda folder: (folder / published_rows.ABOUT).unlink(),
            r"neither a store nor a folder of published rows",
        ),
    ],
)
def test_what_is_wrong_with_published_rows_is_said(filled, tmp_path, spoil, words):
    folder = publish(filled, tmp_path / "rows")
    spoil(folder)
    with pytest.raises(sp.DataError, match=words):
        published_rows.published(folder)


def test_rows_of_an_unknown_machine_are_refused_by_their_line(filled, tmp_path):
    folder = publish(filled, tmp_path / "rows")
    about = json.loads((folder / published_rows.ABOUT).read_text())
    (folder / published_rows.ABOUT).write_text(json.dumps(about | {"environments": {}}))
    with pytest.raises(sp.DataError, match=r"mine-paper.csv', line 2: about.json does not know the env"):
        published_rows.published(folder)


@pytest.mark.parametrize("content", [b"", b"notes\n" * 99])
def test_a_file_that_is_no_store_is_refused_and_left_as_it_is(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(sp.DataError, match="is not a store of sparsest"):
        published_rows.published(tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == content


@pytest.mark.skipif(not (ROOT / "docs" / "results").is_dir(), reason="needs the repository's docs")
def test_the_rows_of_our_own_page_can_be_taken():
    found = published_rows.published(ROOT / "docs" / "results")
    assert {experiment.scale for experiment, _, _ in found.plans} == {"small"}
    planned = {key for _, _, keys in found.plans for key in keys}
    assert {record.key for record in found.records} == planned
    assert len(found.records) == len(planned) > 10_000  # tasks that experiments share are there once


# Measured with an older source than the reference answers: they were due to be run again before, too.
OLDER = {"beyond-same-cost-100", "beyond-same-cost-100-dense"}


@pytest.mark.skipif(not (ROOT / "docs" / "results").is_dir(), reason="needs the repository's docs")
def test_what_moves_in_the_source_makes_no_published_row_of_ours_old(tmp_path, monkeypatch):
    """Only answers do: tasks planned at the identity of the published rows have the keys of these rows."""
    with ResultStore(tmp_path / "new") as store:
        rows = published_rows.published(ROOT / "docs" / "results")
        published_rows.take(store, rows)
        versions = Counter(str(record.spec.get("version")) for record in rows.records)
        ours, _ = max((pair for pair in versions.items() if ", source " in pair[0]), key=itemgetter(1))
        monkeypatch.setattr("sparsest_bench.peer_homes.our_version", lambda: ours)
        names = {name for name, _ in store.experiments()} - OLDER
        left = {name: unfinished_of_ours(store, name, tmp_path / "no-peers") for name in names}
    assert len(left) > 25
    assert {name: len(tasks) for name, tasks in left.items() if tasks} == {}


def unfinished_of_ours(store, name, peers):
    """The tasks of a shipped experiment that need no peer and are not in the store."""
    experiment = catalog.load(name, "small")
    tasks = runner.plan(experiment, runner.places(experiment, store, peers))
    return [task for task in store.unfinished(tasks) if not task.call.get("missing")]
