"""Tasks over several workers: each is done once, whatever happens to the workers."""

import pickle
import signal
import sys
import time

import joblib
import numpy as np
import pytest
from joblib.parallel import ThreadingBackend

from sparsest._core.progress import Watch
from sparsest._core.spreading import WorkersLostError, _cloudpickle, _handed_over, spread


def squared(number, watch):
    assert watch.stop is None
    return number**2


def until_told(number, watch):
    while watch.stop is None:
        time.sleep(0.01)
    return number


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_every_task_is_done_once(n_jobs):
    assert sorted(spread(squared, range(6), n_jobs, Watch())) == [0, 1, 4, 9, 16, 25]


class AllAtOnce(ThreadingBackend):
    """An engine that gives its answers all at once, as Ray's does."""

    supports_return_generator = False


def test_engines_that_give_all_answers_at_once_get_handfuls_of_tasks():
    joblib.register_parallel_backend("all-at-once", AllAtOnce)
    with joblib.parallel_config(backend="all-at-once", n_jobs=2):
        assert list(spread(squared, range(20), None, Watch())) == [number**2 for number in range(20)]
        done = list(spread(until_told, range(50), None, Watch(time_limit=0.1)))
    assert 0 < len(done) < 50


@pytest.mark.parametrize("engine", ["loky", "threading"])
def test_a_time_limit_reaches_tasks_that_have_begun(engine):
    with joblib.parallel_config(backend=engine, n_jobs=2):
        list(spread(squared, range(4), None, Watch()))  # so that the processes are there
        began = time.perf_counter()
        done = list(spread(until_told, range(50), None, Watch(time_limit=0.3)))
    assert len(done) < 50
    assert time.perf_counter() - began < 10


def test_nothing_is_begun_after_the_end():
    assert list(spread(squared, range(3), None, Watch(time_limit=0))) == []


class Rows:
    def __init__(self, rows):
        self.rows = rows

    def __call__(self, task, watch):
        return task, self.rows, watch.stop


def test_neither_the_work_nor_its_results_are_sent_with_a_task():
    with _handed_over(Rows(np.ones(10**6)), Watch()) as (shared, received):
        sent = _cloudpickle().dumps(shared)
        assert len(sent) < 1000
        answer = pickle.loads(sent)(7, "task")
        assert answer == 7
        number, (task, rows, stop) = received(answer)
    assert (number, task, rows.sum(), stop) == (7, "task", 1e6, None)


class Killed:
    """Its process is killed by some tasks, in the first `times` attempts."""

    def __init__(self, folder, times):
        self.folder, self.times = folder, times

    def __call__(self, task, watch):
        import os

        if task == 3 and len(tries := list(self.folder.iterdir())) < self.times:
            (self.folder / str(len(tries))).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return task, bytes(200_000)


posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


@posix
def test_tasks_of_a_process_that_is_killed_are_done_again(tmp_path):
    found = list(spread(Killed(tmp_path, 1), range(12), 2, Watch()))
    assert sorted(task for task, _ in found) == list(range(12))
    assert len(list(tmp_path.iterdir())) == 1


@posix
def test_processes_that_die_again_and_again_are_given_up(tmp_path):
    with pytest.raises(WorkersLostError, match="died 3 times"):
        list(spread(Killed(tmp_path, 9), range(4), 2, Watch()))
