"""What exact search proves: seconds, memory, and the gap where time or memory ran out.

Each table is solved in a child process of one thread, so that peak memory is that of the table alone. What is
compiled is compiled before the clock starts, and the limit is one of CPU seconds. Seeds begin at 900: none of
these tables was looked at while the search was developed (on seeds 0 to 9).
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from itertools import product
from statistics import fmean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sparsest as sp
from sparsest._core.allowed import between, integer, list_of, quoted_text
from sparsest._core.progress import Watch
from sparsest.penalties import L0
from sparsest.penalties.criteria import cost_per_edge
from sparsest.problem import Problem
from sparsest.scores import GaussianScore
from sparsest.search import ExactSearch, OrderSearch, _exact_kernels, bounded
from sparsest_bench.measures.common import Row, simulated
from sparsest_bench.process import ONE_THREAD, last_line
from sparsest_bench.tables import markdown

FIRST_SEED = 900
SETTINGS = {
    "p": list_of(integer(2)),
    "graphs": list_of(quoted_text),
    "seeds": list_of(integer(0)),
    "time_limit": between(0),
}


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table: so many of each graph for each number of columns."""
    return [
        {"graph": graph, "p": p, "seed": FIRST_SEED + seed, "time_limit": settings["time_limit"]}
        for p, seeds in zip(settings["p"], settings["seeds"], strict=True)
        for seed, graph in product(range(seeds), settings["graphs"])
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """The table in a process of its own."""
    given = [spec["graph"], str(spec["p"]), str(spec["seed"]), str(spec["time_limit"])]
    done = subprocess.run(
        [sys.executable, "-m", __name__, *given],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | ONE_THREAD,
    )
    if done.returncode:
        raise RuntimeError(last_line(done.stderr))
    row: Row = json.loads(done.stdout)
    return row


class CpuWatch(Watch):
    """A watch that counts the CPU seconds of this process: a busy machine does not shorten a limit."""

    def __init__(self, time_limit: float):
        self._began = time.process_time()
        super().__init__(time_limit)

    @property
    def seconds(self) -> float:
        """CPU seconds since the watch was created."""
        return time.process_time() - self._began


def solve(graph: str, p: int, seed: int, time_limit: float) -> Row:
    """CPU seconds, peak memory, and what was proved, in this process."""
    _exact_kernels.compile_all(clear=True)
    bounded.compile_all()
    OrderSearch().solve(_problem(np.eye(3), 100), Watch())  # compiled, too
    data = simulated(graph, p, 1000, np.random.default_rng(seed)).data
    asked, watch = _problem(sp.Moments.from_array(data).correlation(), 1000), CpuWatch(time_limit)
    found = ExactSearch().solve(asked, watch)
    return {
        "edges": int(found.adjacency.sum()),
        "cost": asked.cost,
        "proved": found.status is sp.Status.OPTIMAL,
        "gap": None if found.bound is None else found.objective - found.bound,
        "steps": found.steps,
        "ended": found.stages[-1].name,
        "cpu_seconds": watch.seconds,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _problem(correlation: NDArray[np.float64], n: int) -> Problem:
    return Problem(GaussianScore(correlation), L0(cost_per_edge("auto", n, len(correlation))))


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per design."""
    lines = []
    for p, graph in dict.fromkeys((row["p"], row["graph"]) for row in rows):
        these = [row for row in rows if (row["p"], row["graph"]) == (p, graph)]
        seconds = sorted(row["cpu_seconds"] for row in these)
        gaps = [row["gap"] / row["cost"] for row in these if not row["proved"] and row["gap"] is not None]
        lines.append(
            [
                graph,
                str(p),
                str(len(these)),
                f"{fmean(row['edges'] for row in these):.0f}",
                str(sum(row["proved"] for row in these)),
                f"{median(seconds):.2g}",
                f"{seconds[-1]:.3g}",
                f"{max(row['peak_mb'] for row in these):.0f}",
                f"{max(gaps):.1f}" if gaps else "0",
            ]
        )
    head = ["graph", "p", "tables", "edges", "proved", "median CPU s", "most CPU s", "most MB"]
    return markdown([*head, "largest gap, in costs of an edge"], lines)


if __name__ == "__main__":
    graph, *numbers = sys.argv[1:]
    json.dump(solve(graph, int(numbers[0]), int(numbers[1]), float(numbers[2])), sys.stdout)
