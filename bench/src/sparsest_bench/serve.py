"""The peer's end of the pipe: a process in a peer's Python that answers tables. Needs only numpy.

    python -P serve.py PEER.py

reads one JSON object per line, `{"arrays": "table.npz", "method": "dagma"}`, and answers with one line:

- `{"kind": "dag" | "cpdag" | "pdag" | "cpdags", "answer": [[0, 1], [0, 0]], "seconds": 0.1, "cpu_seconds":
  0.1, "memory_mb": 100.0}`, where `answer[i][j] == 1` means i -> j, and both `[i][j]` and `[j][i]` i -- j; or
- the same with `"kind": "weights"` and an answer of real numbers, for measurements that ask for these; or
- `{"error": "ValueError: ..."}`.

Before that, a line `{"began": true, "compiling": false}` says that the method starts: its time
counts from there.

A method first answers a tiny table untimed, so that imports and compilation are not timed, and then
the first table of each number of columns; where that alone took long, its answer counts. A peer that says
`COMPILES = True` is given more time for that: it may have been compiling. Methods that take minutes on any
table are named by the peer's `LONG_ANYWAY`, and not warmed up.

When the pipe closes, the process ends at once, even in the middle of an answer.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

KINDS = ("dag", "cpdag", "pdag", "cpdags", "weights")
LONG = 10.0  # CPU seconds from which a first answer counts
COMPILING = 60.0  # the same for peers that compile, which need less


class NoAnswerError(Exception):
    """A method returned something that is not an answer."""


def main(path: str) -> None:
    """Answer until the pipe closes."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a peer prints goes to the log, not into the replies
    peer = _load(path)
    requests: queue.Queue[dict[str, Any]] = queue.Queue()
    threading.Thread(target=_read, args=(requests,), daemon=True).start()
    warm: set[tuple[str, int]] = set()

    def tell(reply: dict[str, Any]) -> None:
        replies.write(json.dumps(reply) + "\n")
        replies.flush()

    while True:
        tell(_reply(peer, requests.get(), warm, tell))


def _load(path: str) -> Any:
    """The peer's file as a module: always its present text, never cached bytecode."""
    module = ModuleType("peer")
    module.__file__ = path
    sys.modules["peer"] = module
    exec(compile(Path(path).read_bytes(), path, "exec", dont_inherit=True), module.__dict__)
    return module


def _read(requests: queue.Queue[dict[str, Any]]) -> None:
    for line in sys.stdin:
        requests.put(json.loads(line))
    os._exit(0)


def _reply(
    peer: Any, request: dict[str, Any], warm: set[tuple[str, int]], tell: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    method = request["method"]
    with np.load(request["arrays"]) as stored:
        arrays = {name: stored[name] for name in stored.files}
    try:
        options = peer.METHODS[method]
        if method not in getattr(peer, "LONG_ANYWAY", ()) and not any(name == method for name, _ in warm):
            _warm_up(peer, arrays, options)
        first = (method, arrays["X"].shape[1]) not in warm
        compiles = getattr(peer, "COMPILES", False)
        tell({"began": True, "compiling": first and compiles})
        reply = _timed(peer, arrays, options)
        if first and reply["cpu_seconds"] < (COMPILING if compiles else LONG):
            tell({"began": True, "compiling": False})
            reply = _timed(peer, arrays, options)
        warm.add((method, arrays["X"].shape[1]))
    except NoAnswerError as error:
        return {"error": str(error)}
    except Exception as error:  # a peer may fail in any way; the run goes on
        return {"error": f"{type(error).__name__}: {error}{_where(error, peer)}"}
    return reply


def _where(error: Exception, peer: Any) -> str:
    """The line of the peer's file in which it failed."""
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == peer.__file__
    ]
    return f" ({Path(peer.__file__).name}, line {lines[-1]})" if lines else ""


def _warm_up(peer: Any, arrays: dict[str, Any], options: dict[str, Any]) -> None:
    """Answer the first rows of three columns; whatever the outcome, everything has been loaded."""
    few = {name: array[(slice(3),) * array.ndim] for name, array in arrays.items()}
    few["X"] = arrays["X"][:200, :3]
    with contextlib.suppress(Exception):
        peer.fit(few, **options)


def _timed(peer: Any, arrays: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    wall, cpu = time.perf_counter(), _cpu_seconds()
    found = peer.fit(arrays, **options)
    used = {"seconds": time.perf_counter() - wall, "cpu_seconds": _cpu_seconds() - cpu}
    kind, matrix = _checked(found, arrays["X"].shape[1])
    return {"kind": kind, "answer": matrix.tolist()} | used | {"memory_mb": _peak_memory()}


def _cpu_seconds() -> float:
    """Of this process, and of programs that it has called and that have ended."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def _checked(found: Any, p: int) -> tuple[str, Any]:
    """The kind and the matrix that `fit` returned: unless it is weights, any nonzero entry is an edge."""
    if not (isinstance(found, tuple | list) and len(found) == 2 and found[0] in KINDS):
        got = f"{found[0]!r}" if isinstance(found, tuple | list) and len(found) == 2 else type(found).__name__
        raise NoAnswerError(f'fit must return "dag", "cpdag" or "pdag" and a matrix, not {got}')
    kind, matrix = found[0], np.asarray(found[1])
    if matrix.shape[-2:] != (p, p) or matrix.ndim != (3 if kind == "cpdags" else 2):
        raise NoAnswerError(f"the matrix is {' x '.join(map(str, matrix.shape))}, the table has {p} columns")
    if matrix.dtype.kind not in "biuf" or not np.isfinite(matrix).all():
        raise NoAnswerError("the matrix has entries that are no numbers")
    loops = np.argwhere(np.diagonal(matrix, axis1=-2, axis2=-1).reshape(-1, p).any(axis=0))
    if len(loops):
        raise NoAnswerError(f"the matrix joins column {loops[0][0]} to itself: its diagonal must be 0")
    return kind, matrix if kind == "weights" else (matrix != 0).astype(int)


def _peak_memory() -> float | None:
    """The most memory this process has held, in megabytes; None where the system does not say (Windows)."""
    status = Path("/proc/self/status")
    if status.exists():  # on Linux getrusage counts what the parent held when it started us
        held = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
        return int(held[0].split()[1]) / 1e3 if held else None
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


if __name__ == "__main__":
    main(sys.argv[1])
