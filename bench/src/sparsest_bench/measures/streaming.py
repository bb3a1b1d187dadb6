"""Files larger than memory: time and peak memory of learning from Parquet, against merely reading it.

Each row is measured in a child process, so that peak memory is that of the row alone. "read" goes through the
blocks of all columns and drops them; "fit" learns a graph from them. The files are deleted at the end.
"""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import sparsest as sp
from sparsest._core.allowed import integer, list_of
from sparsest_bench.measures.common import Row
from sparsest_bench.process import last_line
from sparsest_bench.tables import NOTHING, markdown

COLUMNS = 20
_PART = 10**6
_SPARE = 5 * 10**9  # bytes to leave on the disk


SETTINGS = {"sizes": list_of(integer(1)), "repetitions": integer(1)}


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per number of rows."""
    return [{"size": size, "repetitions": settings["repetitions"]} for size in settings["sizes"]]


def run(spec: Mapping[str, Any]) -> Row:
    """One row per way of going through the rows; the file is in the folder for temporary files (TMPDIR)."""
    with tempfile.TemporaryDirectory() as folder:
        return {"rows": measure(spec["size"], Path(folder), spec["repetitions"])}


def measure(n: int, folder: Path, repetitions: int) -> list[Row]:
    """One row per way of going through n rows."""
    room = shutil.disk_usage(folder).free - _SPARE
    if n * COLUMNS * 8 > room:
        return [{"what": "fit", "failure": f"needs {n * COLUMNS * 8e-9:.0f} GB of disk"}]
    path = folder / "table.parquet"
    write(path, n)
    found: dict[str, list[dict[str, float]]] = {"read": [], "fit": []}
    for _ in range(repetitions):
        for what, runs in found.items():
            command = [sys.executable, "-m", __name__, what, str(path)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                return [{"what": what, "failure": last_line(done.stderr)}]
            runs.append(json.loads(done.stdout))
    size = path.stat().st_size
    path.unlink()
    return [
        {"what": what, "bytes": size, "failure": None} | {key: [run[key] for run in runs] for key in runs[0]}
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
    """Learn, and report how long it took after the last row was read."""
    reading = [0.0]

    def note(step: Any) -> None:
        if step.stage == "reading rows":
            reading[0] = step.seconds

    result = sp.fit(path, model="gaussian", progress=note)
    return result.seconds - reading[0]


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per number of rows."""
    lines = []
    for n in dict.fromkeys(row["size"] for row in rows):
        here = {row["what"]: row for row in rows if row["size"] == n}
        failed = next((row["failure"] for row in here.values() if row.get("failure")), None)
        if failed:
            lines.append([f"{n:.0e}", failed, *[NOTHING] * 6])
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
    sys.stdout.write(json.dumps(run_child(*sys.argv[1:])))
