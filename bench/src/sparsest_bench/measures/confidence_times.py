"""The seconds that half-samples and the exact posterior take, warm, on one core that does nothing else.

Half-samples are of ER2 graphs with 1000 rows. The posterior is of chains, whose columns are closely related,
and of unrelated columns, where more graphs are probable. CPU seconds say what the wall clock would be on an
idle core.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import sparsest as sp
from sparsest._core.allowed import integer
from sparsest.simulate.designs import Design, simulate
from sparsest_bench.measures.common import Row, mean
from sparsest_bench.tables import markdown

SETTINGS = {"seeds": integer(1), "resamples": integer(1), "most_columns": integer(2)}
# What, columns, and the seconds it is meant to take.
WANTED = (
    ("half-samples", 50, 10),
    ("half-samples", 100, 30),
    ("posterior of a chain", 15, 2),
    ("posterior of unrelated columns", 15, 2),
    ("posterior of a chain", 20, 60),
    ("posterior of unrelated columns", 20, 60),
)
_ROWS = 1000


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table."""
    return [
        {"what": what, "p": p, "wanted": wanted, "seed": 6600 + seed, "resamples": settings["resamples"]}
        for what, p, wanted in WANTED
        if p <= settings.get("most_columns", p)
        for seed in range(settings["seeds"])
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """The seconds of one table, after a short run that compiles and loads."""
    p, seed = spec["p"], spec["seed"]
    if spec["what"] == "half-samples":
        X = simulate(Design(graph="ER2", p=p, n=_ROWS), seed).X
        return _timed(
            lambda: sp.confidence(X, resamples=1), lambda: sp.confidence(X, resamples=spec["resamples"])
        )
    X = np.random.default_rng(seed).normal(size=(_ROWS, p))
    if "chain" in spec["what"]:
        for j in range(1, p):
            X[:, j] += 0.6 * X[:, j - 1]
    return _timed(lambda: sp.posterior(X[:, :7], samples=10), lambda: sp.posterior(X))


def _timed(warm: Any, measured: Any) -> Row:
    warm()
    wall, cpu = time.perf_counter(), time.process_time()
    measured()
    return {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per task."""
    header = ["what", "columns", "tables", "seconds", "CPU s", "meant to take"]
    lines = []
    for what, p, wanted in dict.fromkeys((row["what"], row["p"], row["wanted"]) for row in rows):
        here = [row for row in rows if (row["what"], row["p"]) == (what, p)]
        words = f"{here[0]['resamples']} half-samples" if what == "half-samples" else what
        means = (mean([row[key] for row in here], 1) for key in ("seconds", "cpu_seconds"))
        lines.append([words, str(p), str(len(here)), *means, f"{wanted} s"])
    return markdown(header, lines)
