"""Runs an experiment in a process that is killed again and again, and goes on each time where it was."""

import random
import signal
import sqlite3
import subprocess
import sys
import time

TASKS = 64
BACKENDS = ("loky", "threading", "threading", "threading")  # processes take their time to start
PATIENCE = 120.0  # seconds
PROGRAM = "from sparsest.cli.main import app; app()"

EXPERIMENT = """\
title = "Nothing learned"
kind = "grid"
figure = "none"

[grid]
graphs = ["ER1", "SF1"]
p = [3, 4]
n = [30]
data = ["raw", "standardised"]
seeds = 4
methods = ["empty", "random"]
"""


def command(file, store, output, jobs=2, backend="loky"):
    options = ["--store", str(store), "-o", str(output), "--jobs", str(jobs), "--backend", backend]
    return [sys.executable, "-c", PROGRAM, "bench", str(file), *options]


def run_killed(file, store, output, kills, rng: random.Random):
    """What was kept at each kill, and what the last run, left alone, says.

    The kills are spread over the whole run: the first comes while the program still starts, each other one
    waits for a number of kept tasks, drawn at random up to all but one, and then about as long as a task.
    """
    seen = []
    for target in (0, *sorted(rng.choices(range(1, TASKS), k=kills - 1))):
        process = subprocess.Popen(
            command(file, store, output, backend=rng.choice(BACKENDS)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + PATIENCE
        while process.poll() is None and len(kept(store)) < target:
            assert time.monotonic() < until, f"the run does not reach {target} tasks"
            time.sleep(0.002)
        time.sleep(rng.uniform(0.0, 0.02))
        process.send_signal(signal.SIGKILL)
        process.wait()
        seen.append(kept(store))
    last = subprocess.run(
        command(file, store, output, backend="threading"), check=True, capture_output=True, text=True
    )
    return seen, last.stdout


def kept(store):
    """The finished tasks by key: when they were finished and how long they took, to the last digit."""
    try:
        database = sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=10)
        try:
            found = database.execute("SELECT key, finished, wall FROM tasks").fetchall()
        finally:
            database.close()
    except sqlite3.OperationalError:  # not made yet
        return {}
    return {key: about for key, *about in found}


def rows(store):
    """What was measured, without times."""
    from pathlib import Path

    from sparsest_bench.result_store import ResultStore

    timed = {"seconds", "cpu_seconds", "memory_mb", "wall"}
    with ResultStore(Path(store)) as opened:
        found = opened.kept("mine", "paper")
    return [{key: value for key, value in row.items() if key not in timed} for row in found.rows]
