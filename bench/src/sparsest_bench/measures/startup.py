"""How long a user waits: for `import sparsest`, `sparsest --help` and `sparsest demo`.

Whole processes are timed, the interpreter's own start included (the first row). The compile cache is in a
temporary folder: empty in every repetition, or filled by one run that is not timed. CPU seconds well below
wall seconds indicate a busy machine.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from sparsest import simulate
from sparsest._core.allowed import integer, list_of, quoted_text
from sparsest.export.csv import write_table
from sparsest_bench.measures.common import Row
from sparsest_bench.process import last_line
from sparsest_bench.tables import NOTHING, markdown

SPARSEST = str(Path(sysconfig.get_path("scripts")) / "sparsest")


@dataclass(frozen=True)
class Case:
    """Something a user starts, the state of the compile cache, and the seconds it may take."""

    label: str
    command: tuple[str, ...]
    cache: str = NOTHING
    limit: float | None = None
    table: tuple[int, int] | None = None  # rows and columns of table.csv, which is there beforehand


CASES = (
    Case("python -c pass", (sys.executable, "-c", "pass")),
    Case("import sparsest", (sys.executable, "-c", "import sparsest"), limit=0.5),
    Case("sparsest --help", (SPARSEST, "--help"), limit=0.33),
    Case("sparsest demo", (SPARSEST, "demo"), cache="empty", limit=15),
    Case("sparsest demo", (SPARSEST, "demo"), cache="warm", limit=3),
    Case(
        "sparsest fit, 1000 x 20, with report", (SPARSEST, "fit", "table.csv"), cache="warm", limit=3,
        table=(1000, 20),
    ),
)  # fmt: skip

SETTINGS = {"repetitions": integer(1), "cases": list_of(quoted_text)}


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per case, or some of them by label."""
    wanted = settings.get("cases", [case.label for case in CASES])
    return [
        {"what": case.label, "cache": case.cache, "limit": case.limit, "repetitions": settings["repetitions"]}
        for case in CASES
        if case.label in wanted
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """Wall and CPU seconds of every repetition of a case."""
    (case,) = (case for case in CASES if (case.label, case.cache) == (spec["what"], spec["cache"]))
    return measure(case, spec["repetitions"])


def measure(case: Case, repetitions: int) -> Row:
    """Wall and CPU seconds of every repetition, or why there are none."""
    row: Row = {"failure": None}
    times: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as scratch:
        try:
            _times(case, Path(scratch) / "warm")  # not counted: files read once, bytecode and caches written
            for number in range(repetitions):
                cache = f"empty{number}" if case.cache == "empty" else "warm"
                times.append(_times(case, Path(scratch) / cache))
        except OSError as error:
            row["failure"] = f"{error.strerror}: {Path(case.command[0]).name}"
        except subprocess.CalledProcessError as error:
            row["failure"] = last_line(error.stderr)
    return row | {"seconds": [wall for wall, _ in times], "cpu_seconds": [cpu for _, cpu in times]}


def _times(case: Case, cache: Path) -> tuple[float, float]:
    """Wall and CPU seconds of one run in an empty folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        if case.table is not None:
            _write_table(*case.table, Path(folder) / "table.csv")
        environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
        wall, cpu = time.perf_counter(), _cpu_of_children()
        subprocess.run(case.command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
        return time.perf_counter() - wall, _cpu_of_children() - cpu


def _write_table(rows: int, columns: int, path: Path) -> None:
    rng = np.random.default_rng(0)
    weights = simulate.random_weights(simulate.random_dag(columns, 2, "ER", rng), rng)
    values = simulate.linear_gaussian(weights, rows, rng).data
    write_table(values, [f"x{k}" for k in range(columns)], path)


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per case."""
    header = ("what", "compile cache", "median s", "least", "most", "CPU s", "repetitions", "limit s")
    return markdown(header, [_line(row) for row in rows])


def _line(row: Mapping[str, Any]) -> list[str]:
    seconds, limit = row["seconds"], row["limit"]
    if seconds:
        numbers = (median(seconds), min(seconds), max(seconds), median(row["cpu_seconds"]))
        shown = [f"{number:.2f}" for number in numbers]
    else:
        shown = [row.get("failure") or "", *[NOTHING] * 3]
    return [
        row["what"],
        row["cache"],
        *shown,
        str(len(seconds)),
        NOTHING if limit is None else f"{limit:g}",
    ]
