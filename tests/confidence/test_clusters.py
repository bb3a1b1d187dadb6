"""Resamples on a cluster of several processes: the same numbers, whatever happens to the workers."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time

import joblib
import numpy as np
import pytest

import sparsest as sp

distributed = pytest.importorskip("distributed")

pytestmark = [
    pytest.mark.filterwarnings(r"ignore:::distributed\."),  # at its start and its end
    pytest.mark.filterwarnings(r"ignore:::joblib\.externals\.loky\."),  # its tracker, of a killed process
    pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX"),
]

RNG = np.random.default_rng(3)
TABLE = RNG.normal(size=(150, 12))
TABLE[:, 1:] += 0.5 * TABLE[:, :-1]


def same(one, other):
    return (one.arrows == other.arrows).all() and (one.lines == other.lines).all()


@pytest.fixture(scope="module")
def alone():
    return sp.confidence(TABLE, resamples=60)


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_a_cluster_gives_the_shares_of_one_process_even_if_a_worker_is_killed(client, alone):
    pids = list(client.run(os.getpid).values())

    def kill_one(step):
        if step.stage.startswith("resamples") and step.step >= 5 and pids:
            os.kill(pids.pop(), signal.SIGKILL)
            pids.clear()

    with joblib.parallel_config(backend="dask"):
        found = sp.confidence(TABLE, resamples=60, progress=kill_one)
    assert not pids  # it was killed
    assert found.status is sp.Status.CONVERGED
    assert same(found, alone)


def test_if_the_cluster_goes_away_what_is_finished_is_kept_and_the_same_call_continues(
    client, alone, tmp_path
):
    closing = threading.Thread(target=client.cluster.close)

    def close(step):
        if step.stage.startswith("resamples") and step.step == 5:
            closing.start()

    store = tmp_path / "shares"
    with (
        joblib.parallel_config(backend="dask"),
        pytest.warns(sp.SparsestWarning, match=r"went away.* of 60 resamples are finished"),
    ):
        found = sp.confidence(TABLE, resamples=60, store=store, progress=close)
    closing.join()
    assert 5 <= found.resamples < 60
    assert found.status is sp.Status.WORKERS_LOST
    assert f"stopped by the loss of the workers after {found.resamples} of 60" in str(found)
    steps = []
    again = sp.confidence(TABLE, resamples=60, store=store, progress=steps.append)
    assert same(again, alone)
    numbers = [step.step for step in steps if step.stage.startswith("resamples")]
    assert numbers == list(range(found.resamples + 1, 61))


def test_models_share_the_workers_and_each_has_the_shares_it_has_alone():
    models = ["gaussian", "rank"]
    both = sp.confidence(TABLE[:, :5], resamples=10, models=models, n_jobs=2)
    for name in models:
        assert same(both.by_model[name], sp.confidence(TABLE[:, :5], resamples=10, model=name))


def test_a_process_that_is_killed_is_replaced_and_the_shares_are_the_same(alone):
    import psutil

    killed = []

    def workers():
        return [one for one in psutil.Process().children() if "LokyProcess" in " ".join(one.cmdline())]

    def kill_one(step):
        if step.stage.startswith("resamples") and step.step >= 5 and not killed:
            killed.append(workers()[0])
            killed[0].kill()

    found = sp.confidence(TABLE, resamples=60, n_jobs=2, progress=kill_one)
    assert killed
    assert same(found, alone)


INTERRUPTED = """
import sys, numpy as np, sparsest as sp
if __name__ == "__main__":
    table = np.random.default_rng(0).normal(size=(200, 12))
    found = sp.confidence(table, resamples=100_000, n_jobs=int(sys.argv[1]), progress=lambda step:
        print(step.step, flush=True) if step.stage.startswith("resamples") and step.step < 10 else None)
    print(found.status.name, 0 < found.resamples < found.asked, "Ctrl-C" in str(found), flush=True)
"""


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_gives_what_there_is_and_says_so(n_jobs):
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(n_jobs)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout.readline().strip() == "1"
    time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the workers get it too
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert out.splitlines()[-1] == "INTERRUPTED True True"
