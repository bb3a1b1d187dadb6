"""Methods of `sparsest.bench` on tables of a benchmark: each asked in a process of its own, then judged."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sparsest.bench.homes import Home, homes, versions
from sparsest.bench.judge import NoGraphError, judge
from sparsest.bench.methods import Method, known_methods
from sparsest.bench.process import FailedError, PeerProcess

from benchmarks import report
from benchmarks.datasets import Dataset

PEERS = Path(__file__).parent / ".peers"
TRUTH = "(true graph)"


def chosen(names: Iterable[str]) -> list[Method]:
    """The methods of these names; ends the program at a name that is not known."""
    known = known_methods()
    for name in names:
        if name not in known:
            raise SystemExit(f"unknown method {name!r}: use some of {', '.join(sorted(known))}")
    return [known[name] for name in names]


def prepare(methods: Iterable[Method]) -> dict[str, Home]:
    """The home of each peer, made before anything is timed where it is not there yet."""
    return homes(methods, PEERS, install=True, tell=lambda words: print(words, file=sys.stderr))


def environment(methods: Iterable[Method], places: Mapping[str, Home]) -> dict[str, Any]:
    """The machine, and versions by peer: ours together, each peer apart."""
    found = {}
    for method in {method.peer: method for method in methods}.values():
        home = places[method.peer]
        if home.missing:
            print(f"{method.name}: {home.missing}", file=sys.stderr)
            continue
        packages = report.OURS if method.requirements is None else (*method.packages, "numpy", "scipy")
        found[method.peer] = versions(Path(home.python), packages)
    return report.machine() | {"versions": found}


def answers(method: Method, home: Home, tables: Sequence[Dataset], time_limit: float) -> list[dict[str, Any]]:
    """The answer to every table; what failed or took too long has an "error" instead.

    A process that crashes or runs out of time loses the table it was at, and is started again for the rest.
    """
    if home.missing:
        return [{"error": home.missing} for _ in tables]
    found: list[dict[str, Any]] = []
    process = PeerProcess(home.python, method.file)
    try:
        with tempfile.TemporaryDirectory() as folder:
            for table in tables:
                if not process.alive:
                    process = PeerProcess(home.python, method.file)
                file = Path(folder) / "table.npz"
                np.savez(file, **table.arrays)  # type: ignore[arg-type]
                request = {"arrays": str(file), "method": method.name}
                try:
                    found.append(process.ask(request, time_limit))
                except FailedError as failure:
                    found.append({"error": str(failure)})
    finally:
        process.stop()
    return found


def judged(table: Dataset, answer: Mapping[str, Any]) -> dict[str, Any]:
    """The metrics and times of an answer and an "error" of None; or the error alone."""
    if "error" in answer:
        return {"error": answer["error"]}
    times = {key: answer.get(key) for key in ("seconds", "cpu_seconds", "memory_mb")}
    try:
        metrics = judge(table, answer["kind"], answer["answer"], gaussian=table.design.model == "linear")
    except NoGraphError as failure:
        return times | {"error": str(failure)}
    return times | metrics | {"error": None}


def truth(table: Dataset) -> dict[str, Any]:
    """The metrics of the graph that made the data: what a perfect search reaches or undercuts."""
    return judged(table, {"kind": "dag", "answer": table.dag})
