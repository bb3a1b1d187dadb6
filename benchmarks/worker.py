"""The other side of the runner: a process that answers datasets one by one. Needs numpy only.

    python -m benchmarks.peers.dagma METHOD DATASETS ANSWERS

reads `DATASETS/<name>.npz` (array `X`, one row a sample) and writes `ANSWERS/<name>.json`:

- `{"kind": "dag" | "cpdag" | "pdag", "adjacency": [[0, 1], [0, 0]], "seconds": 0.1, "cpu_seconds": 0.1,
  "megabytes": 90.0}`, where `adjacency[i][j] == 1` means i -> j, and both `[i][j]` and `[j][i]` i -- j (a
  PDAG is a CPDAG but for conflicts), and the memory is the most that the process has held so far; or
- `{"error": "ValueError: ..."}`.

The first dataset is answered once without the clock, so that imports and compilation are not timed; the file
`ANSWERS/warm` says that this is done. Datasets that have an answer are left out: a process that was stopped
can be started again.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

WARM = "warm"

Fit = Callable[..., tuple[str, Any]]


def serve(fit: Fit, methods: Mapping[str, Mapping[str, Any]]) -> None:
    """Answer every dataset of a folder with `fit(X, **options)`, which returns a kind and a matrix."""
    method, datasets, answers = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    options = methods[method]
    files = [file for file in sorted(datasets.glob("*.npz")) if not _answer(answers, file).exists()]
    if files:
        _attempt(fit, options, files[0])
    (answers / WARM).touch()
    for file in files:
        write(_answer(answers, file), _attempt(fit, options, file))


def write(path: Path, answer: Mapping[str, Any]) -> None:
    """Write an answer in one piece: whoever polls for the file never sees half of it."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(answer))
    part.replace(path)


def _answer(answers: Path, dataset: Path) -> Path:
    return answers / f"{dataset.stem}.json"


def _attempt(fit: Fit, options: Mapping[str, Any], file: Path) -> dict[str, Any]:
    with np.load(file) as stored:
        X = stored["X"]
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        kind, adjacency = fit(X, **options)
    except Exception as error:  # a peer may fail in any way; the run goes on
        return {"error": f"{type(error).__name__}: {error}"}
    seconds, cpu_seconds = time.perf_counter() - wall, time.process_time() - cpu
    used = {"seconds": seconds, "cpu_seconds": cpu_seconds, "megabytes": _peak_megabytes()}
    return {"kind": kind, "adjacency": np.asarray(adjacency, dtype=int).tolist()} | used


def _peak_megabytes() -> float:
    """The most memory the process has held; on Linux not by getrusage, which counts its parent's too."""
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
        return int(line.split()[1]) / 1024
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (2**20 if sys.platform == "darwin" else 2**10)
