"""Missing values: errors of the default search when rows are dropped, pairs are used, or EM fills the gaps.

    python -m benchmarks.missing --seeds 20

Random graphs, linear Gaussian rows, a share of all values missing completely at random.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

if __name__ == "__main__" and not __package__:  # python benchmarks/missing.py
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from sparsest.bench.tables import markdown

import sparsest as sp
from benchmarks import report
from sparsest._core.progress import Watch
from sparsest.data import TableOptions, gaussian_moments

WAYS = ("complete", "drop", "pairwise", "em")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run every way on every table and store the table of errors."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.missing")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--share", type=float, default=0.2)
    parser.add_argument("--results", type=Path, default=report.RESULTS)
    options = parser.parse_args(given)
    rows: list[report.Row] = []
    for seed in range(options.seeds):
        rows += compare(seed, options.columns, options.rows, options.share)
        print(f"seed {seed}", file=sys.stderr)
    environment = report.environment()
    command = shlex.join(["python", "-m", "benchmarks.missing", *given])
    report.store(options.results, "missing", command, environment, rows, summary(rows))
    print(summary(rows))
    return 0


def compare(seed: int, p: int, n: int, share: float) -> list[report.Row]:
    """One row for each way."""
    rng = np.random.default_rng(seed)
    dag = sp.simulate.random_dag(p, 2, "ER", rng)
    complete = sp.simulate.linear_gaussian(sp.simulate.random_weights(dag, rng), n, rng).data
    spoiled = np.where(rng.random(complete.shape) < share, np.nan, complete)
    rows = []
    for way in WAYS:
        data, missing = (complete, "error") if way == "complete" else (spoiled, way)
        start = time.perf_counter()
        moments = gaussian_moments(data, TableOptions(missing=missing), [], Watch())
        seconds = time.perf_counter() - start
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.DataWarning)  # too few rows are left after dropping
            result = sp.fit(moments)
        shd = sp.graph.cpdag_shd(dag, result.cpdag)
        rows.append({"seed": seed, "missing": way, "shd": shd, "n": float(moments.n), "seconds": seconds})
    return rows


def summary(rows: Sequence[report.Row]) -> str:
    """A line for each way."""
    lines = []
    for way in WAYS:
        mine = [row for row in rows if row["missing"] == way]
        lines.append(
            [
                way,
                report.mean_and_error([row["shd"] for row in mine]),
                report.mean([row["n"] for row in mine], 0),
                report.mean([row["seconds"] for row in mine], 3),
            ]
        )
    return markdown(("missing", "SHD of the CPDAG", "rows that count", "seconds for the moments"), lines)


if __name__ == "__main__":
    raise SystemExit(main())
