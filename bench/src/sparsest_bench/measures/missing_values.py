"""Missing values: errors of the default search under row deletion, pairwise deletion and EM.

Random graphs, linear Gaussian rows, a share of all values missing completely at random.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import sparsest as sp
from sparsest._core.allowed import between, integer
from sparsest._core.progress import Watch
from sparsest.data import Source, TableOptions
from sparsest_bench.measures.common import Row, mean, mean_and_error
from sparsest_bench.tables import markdown

WAYS = ("complete", "drop", "pairwise", "em")
SETTINGS = {"seeds": integer(1), "columns": integer(2), "rows": integer(2), "share": between(0, 1)}


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table."""
    fixed = {"columns": 20, "rows": 1000, "share": 0.2} | {
        key: settings[key] for key in SETTINGS if key in settings and key != "seeds"
    }
    return [
        {"size": fixed["rows"], "columns": fixed["columns"], "share": fixed["share"], "seed": seed}
        for seed in range(settings["seeds"])
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """One row per treatment of missing values."""
    rng = np.random.default_rng(spec["seed"])
    dag = sp.simulate.random_dag(spec["columns"], 2, "ER", rng)
    complete = sp.simulate.linear_gaussian(sp.simulate.random_weights(dag, rng), spec["size"], rng).data
    spoiled = np.where(rng.random(complete.shape) < spec["share"], np.nan, complete)
    rows = []
    for way in WAYS:
        data, missing = (complete, "error") if way == "complete" else (spoiled, way)
        start = time.perf_counter()
        moments = Source(data, TableOptions(missing=missing), Watch()).moments().moments
        seconds = time.perf_counter() - start
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.DataWarning)  # too few rows are left after dropping
            result = sp.fit(moments)
        shd = sp.graph.cpdag_shd(dag, result.cpdag)
        rows.append({"missing": way, "shd": shd, "n": float(moments.n), "seconds": seconds})
    return {"rows": rows}


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per treatment."""
    lines = []
    for way in WAYS:
        mine = [row for row in rows if row["missing"] == way]
        lines.append(
            [
                way,
                mean_and_error([row["shd"] for row in mine]),
                mean([row["n"] for row in mine], 0),
                mean([row["seconds"] for row in mine], 3),
            ]
        )
    return markdown(("missing", "SHD of the CPDAG", "rows that count", "seconds for the moments"), lines)
