"""Runs one method on a folder of datasets in a process of its own: one thread, time limits, no surprises."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

from benchmarks.methods import Method, PeerMissing, last_line
from benchmarks.worker import WARM, write

ROOT = Path(__file__).resolve().parents[1]
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)
STARTING = 120.0  # seconds more for imports and compilation, before the warm-up is done
POLL = 0.05


def answer(
    method: Method, python: Path | PeerMissing, datasets: Path, answers: Path, time_limit: float
) -> dict[str, dict[str, Any]]:
    """The answer to every dataset by its name; what failed or took too long has an "error" instead.

    A process that crashes or runs out of time loses the dataset it was at, and is started again for the rest.
    """
    names = sorted(file.stem for file in datasets.glob("*.npz"))
    if isinstance(python, PeerMissing):
        return {name: {"error": python.reason} for name in names}
    answers.mkdir()
    while _unanswered(names, answers):
        (answers / WARM).unlink(missing_ok=True)
        reason = _attempt(method, python, datasets, answers, time_limit)
        for name in _unanswered(names, answers)[:1]:
            write(answers / f"{name}.json", {"error": reason})
    return {name: json.loads((answers / f"{name}.json").read_text()) for name in names}


def _unanswered(names: list[str], answers: Path) -> list[str]:
    return [name for name in names if not (answers / f"{name}.json").exists()]


def _attempt(method: Method, python: Path, datasets: Path, answers: Path, time_limit: float) -> str:
    """One process until it ends or lingers; why it did."""
    environment = os.environ | ONE_THREAD
    if method.requirements is not None:
        environment.pop("PYTHONPATH", None)  # ours, not the peer's
    command = [str(python), "-m", method.module, method.name, str(datasets), str(answers)]
    log = answers / "log.txt"
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output)
        try:
            in_time = _wait(process, answers, time_limit)
        finally:
            process.kill()
            process.wait()
    if not in_time:
        return f"timeout: more than {time_limit:g} s"
    return f"the process ended with code {process.returncode}: {last_line(log.read_text())}"


def _wait(process: subprocess.Popen[bytes], answers: Path, time_limit: float) -> bool:
    """Whether the process ended by itself, with never more than the limit from one answer to the next."""
    seen, since = 0, time.monotonic()
    while process.poll() is None:
        warm = (answers / WARM).exists()
        done = len(list(answers.glob("*.json"))) + warm
        if done != seen:
            seen, since = done, time.monotonic()
        if time.monotonic() - since > time_limit + (0 if warm else STARTING):
            return False
        time.sleep(POLL)
    return True
