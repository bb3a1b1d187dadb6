"""Throughput of resamples with two workers over that with one, on processes and on a Dask cluster.

Each way is warmed up first, so that starting processes and loading compiled code is not counted; times are
wall-clock seconds, the best of two. The machine must have two idle cores.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

import sparsest as sp
from sparsest._core.allowed import integer
from sparsest.simulate.designs import Design, simulate
from sparsest_bench.measures.common import Row, mean
from sparsest_bench.tables import markdown

SETTINGS = {"seeds": integer(1), "resamples": integer(1)}
ENGINES = ("loky", "dask")
_DESIGN = Design(graph="ER2", p=50, n=1000, noise="gaussian", hidden=0, weights="strong")
_REPEATS = 2


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table and engine."""
    return [
        {"engine": engine, "seed": 6000 + seed, "resamples": settings["resamples"]}
        for engine in ENGINES
        for seed in range(settings["seeds"])
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """The seconds of the resamples of one table with one worker and with two."""
    rows = simulate(_DESIGN, spec["seed"]).X
    found = {}
    for workers in (1, 2):
        with _configured(spec["engine"], workers):
            found[workers] = _timed(rows, spec["resamples"])
    same = all((one.arrows == found[1][1].arrows).all() for _, one in found.values())
    return {
        "one": found[1][0],
        "two": found[2][0],
        "ratio": found[1][0] / found[2][0],
        "same": bool(same),
    }


def _timed(rows: np.ndarray[Any, Any], resamples: int) -> tuple[float, sp.Confidence]:
    sp.confidence(rows, resamples=8)  # compiled and loaded on every worker
    best, found = np.inf, None
    for _ in range(_REPEATS):
        began = time.perf_counter()
        found = sp.confidence(rows, resamples=resamples)
        best = min(best, time.perf_counter() - began)
    assert found is not None  # there is at least one repeat
    return float(best), found


@contextmanager
def _configured(engine: str, workers: int) -> Iterator[None]:
    """Joblib set to an engine with a number of workers; one process of loky is this one."""
    import joblib

    if engine == "loky":
        with joblib.parallel_config(backend="loky", n_jobs=workers):
            yield
        return
    from distributed import Client, LocalCluster

    quiet = {"dashboard_address": None, "silence_logs": logging.CRITICAL}
    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, **quiet) as cluster,
        Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        yield


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per engine."""
    header = [
        "engine",
        "tables",
        "seconds with one worker",
        "with two",
        "throughput, two over one",
        "same shares",
    ]
    lines = []
    for engine in dict.fromkeys(row["engine"] for row in rows):
        here = [row for row in rows if row["engine"] == engine]
        means = [
            mean([row[key] for row in here], digits) for key, digits in (("one", 1), ("two", 1), ("ratio", 2))
        ]
        lines.append([engine, str(len(here)), *means, "yes" if all(row["same"] for row in here) else "no"])
    return markdown(header, lines)
