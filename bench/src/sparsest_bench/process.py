"""Our end of the pipe: processes of peers, one thread each, that answer one table at a time."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS"),
    "1",
)
STARTING = 180.0  # extra seconds: for imports and the untimed warm-up, and for compilation
_MOST_ALIVE = 2  # processes a worker keeps; some hold hundreds of megabytes
_SERVE = Path(__file__).with_name("serve.py")


class FailedError(Exception):
    """No answer, and why; `timeout` if there was not enough time."""

    def __init__(self, reason: str, timeout: bool = False):
        super().__init__(reason)
        self.timeout = timeout


def last_line(text: str) -> str:
    """The last line of an error message."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


class PeerProcess:
    """One process that answers for one peer."""

    def __init__(self, python: str, peer: str):
        self._log = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        self._last_words = ""
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        self._process = subprocess.Popen(
            [python, "-P", str(_SERVE), peer],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=environment | ONE_THREAD,
            text=True,
            encoding="utf-8",
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def ask(self, request: dict[str, Any], time_limit: float) -> dict[str, Any]:
        """The reply to one table; time counts from the start of the method, after imports and warm-up."""
        if self._process.stdin is None:
            raise AssertionError("stdin is a pipe")
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        reply = self._next(STARTING, time_limit)
        while "began" in reply:
            reply = self._next(time_limit + (STARTING if reply["compiling"] else 0.0), time_limit)
        if "error" in reply:
            raise FailedError(str(reply["error"]))
        if reply["cpu_seconds"] > time_limit:  # a method that may have been compiling was given more time
            raise FailedError(f"timeout: more than {time_limit:g} s", timeout=True)
        return reply

    def _next(self, patience: float, time_limit: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=patience)
        except queue.Empty:
            self.stop()
            raise FailedError(f"timeout: more than {time_limit:g} s", timeout=True) from None
        if not line:
            self.stop()
            code = self._process.returncode
            raise FailedError(f"the process ended with code {code}: {self._last_words}")
        reply: dict[str, Any] = json.loads(line)
        return reply

    @property
    def alive(self) -> bool:
        """Whether it can take a table."""
        return self._process.poll() is None

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        self._listener.join(timeout=5.0)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        if not self._log.closed:
            self._log.seek(0)
            self._last_words = last_line(self._log.read())
            self._log.close()

    def _listen(self) -> None:
        if self._process.stdout is None:
            raise AssertionError("stdout is a pipe")
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")


_alive: dict[tuple[int, str, str, bytes], PeerProcess] = {}
_lock = threading.Lock()


def peer_process(python: str, peer: str) -> PeerProcess:
    """The running process of a peer for the calling thread; the least recently used ones are ended.

    A process that was started before the peer's file changed is not used again.
    """
    me = threading.get_ident()
    name = me, python, peer, Path(peer).read_bytes()
    with _lock:
        process = _alive.pop(name, None)
        if process is None or not process.alive:
            process = PeerProcess(python, peer)
        _alive[name] = process
        kept = [key for key in _alive if key[0] == me]
        spare = [_alive.pop(key) for key in kept[:-_MOST_ALIVE]]
    for old in spare:
        old.stop()
    return process


def ask(python: str, peer: str, method: str, arrays: dict[str, Any], time_limit: float) -> dict[str, Any]:
    """The reply of a peer's method to one table.

    Raises
    ------
    FailedError
        If there is none.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.npz"
        np.savez(file, **arrays)
        return peer_process(python, peer).ask({"arrays": str(file), "method": method}, time_limit)


@atexit.register
def stop_all() -> None:
    """End every process that is still alive."""
    with _lock:
        processes = list(_alive.values())
        _alive.clear()
    for process in processes:
        process.stop()
