import itertools
import os
import random
import subprocess

import pytest

from bench.tests import killing
from sparsest_bench import runner
from sparsest_bench.experiment import parse_experiment
from sparsest_bench.result_store import ResultStore

SMALL = """\
title = "Small"
kind = "grid"
figure = "none"

[grid]
graphs = ["ER1"]
p = [4]
n = [50]
seeds = 2
methods = ["empty", "random", "dagma"]
"""


def small(**changes):
    text = SMALL
    for key, value in changes.items():
        text = text.replace(*value) if isinstance(value, tuple) else f"{text}{key} = {value}\n"
    return parse_experiment(text, "mine.toml", "mine", "paper")


def test_finished_tasks_are_not_run_again_and_a_missing_peer_is_recorded(tmp_path):
    told = []
    with ResultStore(tmp_path / "s") as store:
        first = runner.run(small(), store, peers=tmp_path, on_progress=told.append)
        again = runner.run(small(), store, peers=tmp_path)
        more = runner.run(small(seeds=("seeds = 2", "seeds = 3")), store, peers=tmp_path)
        rows = store.kept("mine", "paper").rows
    assert (first.tasks, first.run, first.statuses) == (6, 6, {"done": 4, "missing": 2})
    assert (again.tasks, again.run) == (6, 0)
    assert (more.tasks, more.run) == (9, 3)
    assert [progress.done for progress in told] == [1, 2, 3, 4, 5, 6]
    assert told[-1].seconds_left == 0
    assert {row["error"] for row in rows if row["method"] == "dagma"} == {
        f"not installed in {tmp_path}: run with --install"
    }


def test_the_environment_is_kept_with_the_results(tmp_path):
    with ResultStore(tmp_path / "s") as store:
        runner.run(small(), store, peers=tmp_path)
        kept = store.kept("mine", "paper")
    (about,) = kept.environments
    assert {"cpu", "cores", "python", "sparsest", "packages", "peers", "threads_per_task"} <= set(about)
    assert about["peers"]["dagma"] == "missing"
    assert {row["commit"] for row in kept.rows} == {about["commit"]}


def test_a_commit_is_marked_where_python_files_differ_from_it(tmp_path, monkeypatch):
    from sparsest_bench import environment

    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.setattr(environment.sparsest, "__file__", str(package / "__init__.py"))
    assert environment._commit() is None
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-C", str(tmp_path)]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    (package / "experiment.toml").touch()
    clean = environment._commit()
    (package / "more.py").touch()
    assert not clean.endswith("dirty")
    assert environment._commit() == f"{clean}-dirty"


def test_a_bug_in_a_task_does_not_end_the_run(monkeypatch):
    from sparsest_bench.tasks import Task

    def broken(task):
        raise ZeroDivisionError("a bug")

    monkeypatch.setitem(runner._RUN, "grid", broken)
    _, outcome = runner.execute(Task("grid", {}))
    assert (outcome.status, outcome.error) == ("failed", "ZeroDivisionError: a bug")


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_run_killed_at_ten_moments_loses_no_task_and_runs_none_twice(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(killing.EXPERIMENT)
    seen, said = killing.run_killed(file, tmp_path / "killed", tmp_path / "out", 10, random.Random(0))
    subprocess.run(
        killing.command(file, tmp_path / "whole", tmp_path / "out2", jobs=1, backend="threading"),
        check=True,
        capture_output=True,
    )
    final = killing.kept(tmp_path / "killed")
    for before, after in itertools.pairwise([*seen, final]):
        assert before.items() <= after.items()  # neither lost nor overwritten
    assert len(seen[0]) < killing.TASKS / 2 < len(seen[-1])
    assert len(final) == killing.TASKS
    assert f"{killing.TASKS} tasks, {killing.TASKS - len(seen[-1])} of them run now" in said
    killed, whole = (killing.rows(tmp_path / store) for store in ("killed", "whole"))
    assert killed == whole
