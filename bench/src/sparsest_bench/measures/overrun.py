"""How late a fit returns after its time limit or Ctrl-C: all solvers and models, compiled before or not.

Every case is a process of its own. A limit of a second, or an interrupt after a second, with one edge
required and one forbidden. Recorded are the seconds past that second, the CPU seconds among them (on a busy
machine much of a second belongs to others), whether the graph obeys the knowledge, whether its objective is
no worse than that of the required edges alone, and how long the process took to end once it had answered.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import sparsest as sp
from sparsest._core.allowed import integer, list_of, one_of
from sparsest.problem import Problem, Solution
from sparsest_bench.measures.child import ran
from sparsest_bench.measures.common import Row
from sparsest_bench.model_tables import MODELS, table_for
from sparsest_bench.tables import NOTHING, markdown

CASES = {
    "gaussian": (
        *("exact", "order", "ges", "differentiable", "notears", "golem-ev", "golem-nv", "dagma"),
        *("logll-notears", "logll-dagma"),
    ),
    "rank": ("order",),
    "logistic": ("exact", "order", "differentiable", "logll-dagma"),
    "poisson": ("order", "differentiable"),
    "additive": ("order", "cam", "differentiable"),
    "mixed": ("order", "differentiable"),
    "mlp": ("greedy", "order", "differentiable"),
}
_EXACT = {"gaussian": 20, "logistic": 16}  # the most columns of exact search
SECOND = 1.0
SETTINGS = {
    "models": list_of(one_of(MODELS)),
    "columns": list_of(integer(3)),
    "ways": list_of(one_of(("limit", "interrupt"))),
    "caches": list_of(one_of(("empty", "full"))),
}


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per model, solver, number of columns, way of stopping and state of the compile cache."""
    return [
        {
            "model": model,
            "solver": solver,
            "p": columns,
            "n": 1000 if p < 100 else 5000,
            "way": way,
            "cache": cache,
        }
        for model in settings.get("models", MODELS)
        for solver in CASES[model]
        for p in settings.get("columns", (30, 300))
        if not (solver == "exact" and p > 30)
        for columns in (min(p, _EXACT[model]) if solver == "exact" else p,)
        for way in settings.get("ways", ("limit", "interrupt"))
        for cache in settings.get("caches", ("empty", "full"))
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """One fit in a process of its own, after one that fills the cache where it is to be full."""
    case = {key: spec[key] for key in ("model", "solver", "p", "n", "way")}
    if spec["cache"] == "full":
        full = Path(tempfile.gettempdir()) / "sparsest-bench-full-cache"  # shared by all cases
        ran(__name__, case | {"way": "fill"}, full)
        return ran(__name__, case, full)
    with tempfile.TemporaryDirectory() as scratch:
        return ran(__name__, case, Path(scratch))


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per solver, model and number of columns: seconds past the second, by way and cache."""
    ways = [(way, cache) for way in ("limit", "interrupt") for cache in ("empty", "full")]
    header = ("model", "solver", "columns", *(f"{way}, {cache} cache" for way, cache in ways), "graph")
    lines = []
    for model, solver, p in dict.fromkeys((row["model"], row["solver"], row["p"]) for row in rows):
        own = [row for row in rows if (row["model"], row["solver"], row["p"]) == (model, solver, p)]
        late = [_late([row for row in own if (row["way"], row["cache"]) == way]) for way in ways]
        fine = all(row["obeys"] and row["no_worse"] for row in own if row["ended"] != "KeyboardInterrupt")
        lines.append([model, solver, str(p), *late, "fine" if fine else "WRONG"])
    return markdown(header, lines)


def _late(rows: Sequence[Mapping[str, Any]]) -> str:
    """Seconds past the limit (CPU seconds among them), or that the fit had ended before."""
    if not rows:
        return NOTHING
    (row,) = rows
    if row["late"] < 0:
        return "done before"
    return f"{row['late']:.2f} ({row['late_cpu']:.2f} CPU)"


class _Nothing:
    """The required edges and nothing else."""

    standardizes = True
    returns_dag = True

    def solve(self, problem: Problem, watch: Any) -> Solution:
        graph = problem.required.astype(float)
        return Solution(graph, np.nan, sp.Status.CONVERGED, steps=1, seconds=watch.seconds)


def child(case: Mapping[str, Any]) -> Row:
    """One fit that is stopped after a second; or, to fill the cache, one that is not."""
    model, way = case["model"], case["way"]
    known = sp.Knowledge(required=[("x0", "x1")], forbidden=[("x1", "x2")])
    options: Row = {"model": model, "solver": case["solver"], "knowledge": known}
    if way == "fill":
        sp.fit(table_for(model, min(case["p"], 30), 200), time_limit=90, **options)
        return {}
    data = table_for(model, case["p"], case["n"])
    at: list[float] = []
    threading.Timer(SECOND, lambda: at.append(time.process_time())).start()
    interrupt = threading.Timer(SECOND, lambda: os.kill(os.getpid(), signal.SIGINT))
    if way == "interrupt":
        signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background inherit a deaf ear
        interrupt.start()
    began = time.perf_counter()
    try:
        result = sp.fit(data, time_limit=SECOND if way == "limit" else None, **options)
    except KeyboardInterrupt:  # it was still reading
        result = None
    finally:
        interrupt.cancel()  # the fit may have ended before
    late, cpu = time.perf_counter() - began - SECOND, time.process_time()
    row: Row = {"late": late, "late_cpu": cpu - at[0] if at else 0.0, "ended": "KeyboardInterrupt"}
    if result is None:
        return row | {"obeys": True, "no_worse": True, "edges": 0}
    least = sp.fit(data, **(options | {"solver": _Nothing(), "penalty": result.cost}))
    edges = set(result.dag.edges)
    return row | {
        "ended": result.status.value,
        "obeys": ("x0", "x1") in edges and ("x1", "x2") not in edges,
        "no_worse": bool(result.objective <= least.objective + 1e-6),
        "edges": len(edges),
    }


if __name__ == "__main__":
    from sparsest_bench.measures.child import answer

    answer(child, sys.argv[1])
