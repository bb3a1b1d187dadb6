import csv
from dataclasses import replace

import pytest

import sparsest as sp
from sparsest.bench import catalog, rows, runner
from sparsest.bench.store import Store

SCALE = "smoke"


@pytest.fixture
def filled(tmp_path):
    """A store with a finished experiment, one of its tasks out of time."""
    with Store(tmp_path / "filled") as store:
        runner.run(
            catalog.load("examples", SCALE), store, command="sparsest reproduce examples --scale smoke"
        )
        late = replace(
            store.records()[0], key="late", spec={"example": "late", "version": None}, status="timeout"
        )
        store.take([replace(late, row={}, error="timeout: more than 5 s", time_limit=5.0)])
        kept = store.kept("examples", SCALE)
        store.plan(kept.experiment, [*(one.key for one in kept.records), "late"], kept.command, {"cpu": "x"})
        yield store


def published(store, folder):
    folder.mkdir()
    rows.write_rows(store.kept("examples", SCALE), folder / "examples.csv")
    return folder


def test_rows_that_were_written_and_taken_are_the_same(filled, tmp_path):
    folder = published(filled, tmp_path / "rows")
    with Store(tmp_path / "new") as new:
        assert rows.take(new, folder, SCALE) == 5
        first, second = (store.kept("examples", SCALE) for store in (filled, new))
        assert rows.rows_csv(second) == rows.rows_csv(first)
        assert (second.finished, second.environments) == (first.finished, first.environments)
        assert second.command == first.command
        for one, other in zip(first.records, second.records, strict=True):
            assert replace(other, wall=one.wall) == one
            assert other.wall == pytest.approx(one.wall, rel=1e-5)  # rounded in the file


def test_taking_twice_takes_nothing_and_changes_nothing(filled, tmp_path):
    folder = published(filled, tmp_path / "rows")
    before = filled.records()
    assert rows.take(filled, folder, SCALE) == 0
    assert filled.records() == before


def test_another_store_is_taken_whole(filled, tmp_path):
    with Store(tmp_path / "new") as new:
        assert rows.take(new, tmp_path / "filled", SCALE) == 5
        assert new.records() == filled.records()


@pytest.mark.parametrize("column", ["key", "environment"])
def test_a_file_that_is_not_ours_is_refused_by_its_missing_column(filled, tmp_path, column):
    folder = published(filled, tmp_path / "rows")
    with (folder / "examples.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    with (folder / "examples.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [name for name in lines[0] if name != column], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(lines)
    with Store(tmp_path / "new") as new, pytest.raises(sp.DataError, match=rf"no column '{column}'"):
        rows.take(new, folder, SCALE)


def test_rows_of_an_unknown_machine_are_refused_by_their_line(filled, tmp_path):
    folder = published(filled, tmp_path / "rows")
    (folder / rows.ENVIRONMENTS).write_text("{}")
    with Store(tmp_path / "new") as new, pytest.raises(sp.DataError, match=r"examples.csv', line 2: the env"):
        rows.take(new, folder, SCALE)
