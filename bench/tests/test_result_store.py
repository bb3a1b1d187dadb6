from sparsest_bench.experiment import Experiment
from sparsest_bench.result_store import ResultStore
from sparsest_bench.tasks import Outcome, Task

EXPERIMENT = Experiment("mine", "smoke", "Mine", "example", "none", {"examples": []})


def tasks(*numbers, **call):
    return [Task("example", {"number": number}, call) for number in numbers]


def test_what_was_kept_is_there_after_opening_again(tmp_path):
    first, second = tasks(1, 2)
    with ResultStore(tmp_path / "s") as store:
        here = {"cpu": "x"}
        store.start(EXPERIMENT, [first.key, second.key], "command", here)
        store.keep(first, Outcome("done", {"value": 3}), here)
    with ResultStore(tmp_path / "s") as store:
        assert store.unfinished([first, second]) == [second]
        kept = store.kept("mine", "smoke")
        assert store.planned() == [(EXPERIMENT, "command", [first.key, second.key])]
    assert [row["value"] for row in kept.rows] == [3]
    assert (kept.planned, kept.command, kept.environments) == (2, "command", ({"cpu": "x"},))
    assert kept.experiment == EXPERIMENT


def test_a_timeout_is_run_again_only_with_more_time_and_a_failure_only_if_asked(tmp_path):
    (late,), (failed,) = tasks(1, time_limit=10.0), tasks(2)
    with ResultStore(tmp_path / "s") as store:
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


def test_a_later_plan_does_not_change_where_the_tasks_were_run(tmp_path):
    (task,) = tasks(1)
    with ResultStore(tmp_path / "s") as store:
        first, second = {"commit": "a"}, {"commit": "b"}
        store.start(EXPERIMENT, [task.key], "", first)
        store.keep(task, Outcome("done"), first)
        store.start(EXPERIMENT, [task.key], "", second)
        assert store.kept("mine", "smoke").environments == ({"commit": "a"},)
