"""Measurements in a process of their own: how it is started, and what it and its parent report."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sparsest_bench.measures.common import Row
from sparsest_bench.process import last_line

# One thread, so that CPU seconds are those of one core.
_ONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def ran(module: str, case: Mapping[str, Any], cache: Path) -> Row:
    """What `module` reports of a case, its CPU and wall seconds, and how long it took to end after that."""
    environment = os.environ | _ONE | {"NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-m", module, json.dumps(dict(case))]
    began, cpu = time.perf_counter(), _cpu_of_children()
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None  # a pipe, as the other one
        assert process.stderr is not None
        line = process.stdout.readline()
        answered = time.perf_counter()
        errors = process.stderr.read()
    ended = time.perf_counter()
    if not line:
        raise RuntimeError(last_line(errors))
    reported: Row = json.loads(line)
    return reported | {
        "cpu": _cpu_of_children() - cpu,
        "wall": ended - began,
        "lingered": ended - answered,
    }


def answer(child: Callable[[Mapping[str, Any]], Row], case: str) -> None:
    """Measure a case in this process, and write what came of it as one line."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reported = child(json.loads(case))
    sys.stdout.write(json.dumps(reported) + "\n")
    sys.stdout.flush()


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
