"""Runs an experiment in a process that is killed again and again, and goes on each time where it was."""

import random
import signal
import sqlite3
import subprocess
import sys
import time

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


def command(file, store, output, jobs=2):
    options = ["--store", str(store), "-o", str(output), "--jobs", str(jobs)]
    return [sys.executable, "-c", PROGRAM, "bench", str(file), *options]


def run_killed(file, store, output, kills, rng: random.Random):
    """How many tasks were kept at each kill; the last run is left alone."""
    seen = []
    for _ in range(kills):
        process = subprocess.Popen(
            command(file, store, output), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        before = kept(store)
        while process.poll() is None and kept(store) == before:
            time.sleep(0.005)
        time.sleep(rng.uniform(0.0, 0.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        seen.append(kept(store))
    subprocess.run(command(file, store, output), check=True, capture_output=True)
    return seen


def kept(store):
    try:
        database = sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=10)
        try:
            return database.execute("SELECT count(*) FROM tasks").fetchone()[0]
        finally:
            database.close()
    except sqlite3.OperationalError:  # not made yet
        return 0


def rows(store):
    """What was measured, without times."""
    from pathlib import Path

    from sparsest.bench.store import Store

    timed = {"seconds", "cpu_seconds", "memory_mb", "wall"}
    with Store(Path(store)) as opened:
        found = opened.kept("mine", "paper")
    return [{key: value for key, value in row.items() if key not in timed} for row in found.rows]
