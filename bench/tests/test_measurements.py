"""The measurements that the docs quote: each runs through the one runner, and its rows make its table."""

from pathlib import Path

import pytest

from sparsest_bench import runner, tables
from sparsest_bench.experiment import read_experiment
from sparsest_bench.measures import cost_rules, registry
from sparsest_bench.process import FailedError
from sparsest_bench.result_store import ResultStore

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "bench" / "measurements").glob("*.toml"))

pytestmark = pytest.mark.skipif(not FILES, reason="needs a clone of the repository")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_measurement_is_run_stored_and_told(file, tmp_path):
    experiment = read_experiment(file, "smoke")
    with ResultStore(tmp_path / "store") as store:
        first = runner.run(experiment, store, peers=tmp_path)
        again = runner.run(experiment, store, peers=tmp_path)
        kept = store.kept(experiment.name, "smoke")
    bad = [row["error"] for row in kept.rows if row["status"] not in ("done", "missing")]
    assert not bad
    assert (first.run, again.run) == (first.tasks, 0)
    assert tables.table(kept).startswith("| ")


def test_a_measurement_without_any_task_done_says_so(tmp_path, monkeypatch):
    def missing(spec):
        raise FailedError("the peer is not there")

    monkeypatch.setattr(cost_rules, "run", missing)
    experiment = read_experiment(ROOT / "bench" / "measurements" / "cost-rules.toml", "smoke")
    with ResultStore(tmp_path / "store") as store:
        runner.run(experiment, store, peers=tmp_path)
        kept = store.kept(experiment.name, "smoke")
    assert tables.table(kept) == "No task was done."
    assert "the peer is not there" in tables.failures(kept)[0]


def test_every_measure_has_a_file():
    kinds = {read_experiment(file, "paper").settings.get("of") for file in FILES}
    assert kinds - {None} == set(registry.NAMES)
