"""How long a user waits: for `import sparsest`, `sparsest --help` and `sparsest demo`.

    python -m benchmarks.startup --repetitions 5

Whole processes are timed, the interpreter's own start included (the first row). The compile cache lies in a
temporary folder: empty in every repetition, or filled by one run that is not timed. CPU seconds well below
the wall's tell that the machine was busy.
"""

from __future__ import annotations

import argparse
import os
import resource
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

if __name__ == "__main__" and not __package__:  # python benchmarks/startup.py
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from sparsest.bench.process import last_line
from sparsest.bench.tables import markdown

from benchmarks import report

SPARSEST = str(Path(sysconfig.get_path("scripts")) / "sparsest")


@dataclass(frozen=True)
class Case:
    """Something a user starts, the state of the compile cache, and the seconds it may take."""

    label: str
    command: tuple[str, ...]
    cache: str = report.NOTHING
    limit: float | None = None


CASES = (
    Case("python -c pass", (sys.executable, "-c", "pass")),
    Case("import sparsest", (sys.executable, "-c", "import sparsest"), limit=0.5),
    Case("sparsest --help", (SPARSEST, "--help"), limit=0.3),
    Case("sparsest demo", (SPARSEST, "demo"), cache="empty", limit=15),
    Case("sparsest demo", (SPARSEST, "demo"), cache="warm", limit=3),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and store under benchmarks/results/startup."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.startup", description="How long a user waits."
    )
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--results", type=Path, default=report.RESULTS)
    options = parser.parse_args(given)
    rows = [measure(case, options.repetitions) for case in CASES]
    environment = report.environment("sparsest", "numpy", "scipy", "numba", "matplotlib")
    text = summary(rows)
    command = shlex.join(["python", "-m", "benchmarks.startup", *given])
    report.store(options.results, "startup", command, environment, rows, text)
    print(text)
    return 0


def measure(case: Case, repetitions: int) -> dict[str, Any]:
    """Wall and CPU seconds of every repetition, or why there are none."""
    row: dict[str, Any] = {"what": case.label, "cache": case.cache, "limit": case.limit, "error": None}
    times: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as scratch:
        try:
            _times(case, Path(scratch) / "warm")  # not counted: files read once, bytecode and caches written
            for number in range(repetitions):
                cache = f"empty{number}" if case.cache == "empty" else "warm"
                times.append(_times(case, Path(scratch) / cache))
        except OSError as error:
            row["error"] = f"{error.strerror}: {Path(case.command[0]).name}"
        except subprocess.CalledProcessError as error:
            row["error"] = last_line(error.stderr)
    return row | {"seconds": [wall for wall, _ in times], "cpu_seconds": [cpu for _, cpu in times]}


def _times(case: Case, cache: Path) -> tuple[float, float]:
    """Wall and CPU seconds of one run in an empty folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
        wall, cpu = time.perf_counter(), _cpu_of_children()
        subprocess.run(case.command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
        return time.perf_counter() - wall, _cpu_of_children() - cpu


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def summary(rows: Sequence[dict[str, Any]]) -> str:
    """A line a case."""
    header = ("what", "compile cache", "median s", "least", "most", "CPU s", "repetitions", "limit s")
    return markdown(header, [_line(row) for row in rows])


def _line(row: dict[str, Any]) -> list[str]:
    seconds, limit = row["seconds"], row["limit"]
    if seconds:
        numbers = (median(seconds), min(seconds), max(seconds), median(row["cpu_seconds"]))
        shown = [f"{number:.2f}" for number in numbers]
    else:
        shown = [row["error"] or "", *[report.NOTHING] * 3]
    return [
        row["what"],
        row["cache"],
        *shown,
        str(len(seconds)),
        report.NOTHING if limit is None else f"{limit:g}",
    ]


if __name__ == "__main__":
    raise SystemExit(main())
