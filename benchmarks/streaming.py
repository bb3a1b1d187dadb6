"""Files larger than memory: time and peak memory of learning from Parquet, against merely reading it.

    python -m benchmarks.streaming --rows 10000000 100000000

Each row is a child process of its own, so that its peak memory is its own. "read" hands the blocks of all
columns over and drops them; "fit" learns a graph from them. The files are deleted at the end.
"""

from __future__ import annotations

import argparse
import json
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__" and not __package__:  # python benchmarks/streaming.py
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from sparsest.bench.process import last_line
from sparsest.bench.tables import markdown

import sparsest as sp
from benchmarks import report

COLUMNS = 20
_PART = 10**6
_SPARE = 5 * 10**9  # bytes to leave on the disk


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, measure, and store under benchmarks/results/streaming."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streaming")
    parser.add_argument("--rows", type=int, nargs="+", default=[10**7])
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=None, help="where there is room for the files")
    parser.add_argument("--results", type=Path, default=report.RESULTS)
    parser.add_argument("--child", nargs=2, metavar=("WHAT", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args(given)
    if options.child:
        print(json.dumps(run_child(*options.child)))
        return 0
    rows: list[report.Row] = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for n in options.rows:
            rows += measure(n, Path(folder), options.repetitions)
    environment = report.environment("sparsest", "numpy", "polars")
    command = shlex.join(["python", "-m", "benchmarks.streaming", *given])
    report.store(options.results, "streaming", command, environment, rows, summary(rows))
    print(summary(rows))
    return 0


def measure(n: int, folder: Path, repetitions: int) -> list[report.Row]:
    """One row for each way to go through n rows."""
    room = shutil.disk_usage(folder).free - _SPARE
    if n * COLUMNS * 8 > room:
        return [{"rows": n, "what": "fit", "error": f"needs {n * COLUMNS * 8e-9:.0f} GB of disk"}]
    path = folder / "table.parquet"
    write(path, n)
    found: dict[str, list[dict[str, float]]] = {"read": [], "fit": []}
    for _ in range(repetitions):
        for what, runs in found.items():
            command = [sys.executable, "-m", "benchmarks.streaming", "--child", what, str(path)]
            done = subprocess.run(command, capture_output=True, text=True, cwd=report.RESULTS.parents[1])
            if done.returncode:
                return [{"rows": n, "what": what, "error": last_line(done.stderr)}]
            runs.append(json.loads(done.stdout))
    size = path.stat().st_size
    path.unlink()
    return [
        {"rows": n, "what": what, "bytes": size, "error": None}
        | {key: [run[key] for run in runs] for key in runs[0]}
        for what, runs in found.items()
    ]


def write(path: Path, n: int) -> None:
    """A linear Gaussian table in a Parquet file, packed as Polars does: a million rows repeated."""
    import pyarrow
    import pyarrow.parquet

    rng = np.random.default_rng(0)
    weights = sp.simulate.random_weights(sp.simulate.random_dag(COLUMNS, 2, "ER", rng), rng)
    total = np.linalg.inv(np.eye(COLUMNS) - weights)
    names = [f"x{j}" for j in range(COLUMNS)]
    schema = pyarrow.schema([(name, pyarrow.float64()) for name in names])
    values = rng.standard_normal((min(_PART, n), COLUMNS)) @ total
    block = pyarrow.table(list(np.ascontiguousarray(values.T)), schema=schema)
    with pyarrow.parquet.ParquetWriter(path, schema, use_dictionary=False, compression="zstd") as writer:
        for _ in range(0, n, _PART):
            writer.write_table(block)


def run_child(what: str, path: str) -> dict[str, Any]:
    """Seconds and peak memory of this process."""
    import polars

    if what == "fit":
        sp.fit(np.random.default_rng(0).normal(size=(100, COLUMNS)), model="gaussian")  # compiled before
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    if what == "read":
        for _ in polars.scan_parquet(path).collect_batches(chunk_size=2**21 // COLUMNS):
            pass
        learning = 0.0
    else:
        learning = _learning_seconds(path)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": seconds, "learning": learning, "peak_mb": peak / 1024, "before_mb": before / 1024}


def _learning_seconds(path: str) -> float:
    """Learn, and say how long it took after the last row was read."""
    reading = [0.0]

    def note(step: Any) -> None:
        if step.stage == "reading rows":
            reading[0] = step.seconds

    result = sp.fit(path, model="gaussian", progress=note)
    return result.seconds - reading[0]


def summary(rows: Sequence[report.Row]) -> str:
    """A line for each number of rows."""
    lines = []
    for n in dict.fromkeys(row["rows"] for row in rows):
        here = {row["what"]: row for row in rows if row["rows"] == n}
        failed = next((row["error"] for row in here.values() if row["error"]), None)
        if failed:
            lines.append([f"{n:.0e}", failed, *[report.NOTHING] * 6])
            continue
        read, fit = min(here["read"]["seconds"]), min(here["fit"]["seconds"])
        learning = min(here["fit"]["learning"])
        lines.append(
            [
                f"{n:.0e}",
                f"{here['fit']['bytes'] / 1e9:.1f}",
                f"{read:.1f}",
                f"{fit:.1f}",
                f"{learning:.1f}",
                f"{fit / read:.2f}",
                f"{max(here['read']['peak_mb']):.0f}",
                f"{max(here['fit']['peak_mb']):.0f}",
            ]
        )
    header = ("rows", "GB", "read s", "fit s", "of it search", "fit / read", "read peak MB", "fit peak MB")
    return markdown(header, lines)


if __name__ == "__main__":
    raise SystemExit(main())
