"""Has workers read hostile inputs, and notes which of them a process died or hung of."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import IO, Any

MEMORY = 3 * 2**30  # bytes that a worker may take for an input
SECONDS = 60.0  # for one input, on a machine that does other things as well; "slow" are those over 5 s
_STARTING = 180.0  # seconds until a worker says something at all, and for its end after the last input


def attack(kind: str, first: int, inputs: int) -> Iterator[Mapping[str, Any]]:
    """What came of each input; a worker that dies or hangs is replaced, and goes on with the next input."""
    end = first + inputs
    while first < end:
        for found in _worker(kind, first, end - first):
            yield found
            first = found["seed"] + 1


def _worker(kind: str, first: int, inputs: int) -> Iterator[Mapping[str, Any]]:
    """What one worker says, the last of which may be that it died."""
    spec = {"kind": kind, "first": first, "inputs": inputs, "memory": MEMORY}
    command = [sys.executable, "-m", "sparsest_bench.hostile.worker", json.dumps(spec)]
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), "1")
    with subprocess.Popen(
        command, env=os.environ | one, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None  # a pipe
        lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=_passed_on, args=(process.stdout, lines), daemon=True).start()
        seed, limit = first, _STARTING
        try:
            while True:
                try:
                    line = lines.get(timeout=limit)
                except queue.Empty:
                    at = min(seed, first + inputs - 1)  # at its end, it hangs of the last
                    yield {"seed": at, "answer": "hung", "words": f"longer than {limit:g} s"}
                    return
                if not line:
                    break
                if line.startswith("{"):
                    yield json.loads(line)
                    seed += 1
                    limit = _STARTING
                else:
                    seed, limit = int(line), SECONDS
            code = process.wait()
            if code or seed < first + inputs:
                yield {"seed": seed, "answer": "died", "words": _ending(code)}
        finally:
            process.kill()


def _passed_on(stream: IO[str], lines: queue.SimpleQueue[str]) -> None:
    for line in stream:
        lines.put(line)
    lines.put("")


def _ending(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
