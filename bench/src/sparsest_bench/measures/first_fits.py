"""How long the first fit of a process takes under each model, with an empty and with a full compile cache.

Whole processes are measured: the interpreter, imports, the simulated table (a few hundredths of a second),
compilation and the search. One thread; CPU seconds, since other processes may share the machine.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import sparsest as sp
from sparsest._core.allowed import integer, list_of, one_of
from sparsest_bench.measures.child import ran
from sparsest_bench.measures.common import Row, mean
from sparsest_bench.model_tables import MODELS, diamonds, table_for
from sparsest_bench.tables import markdown

TABLES = (*MODELS, "diamonds")
SETTINGS = {
    "tables": list_of(one_of(TABLES)),
    "repetitions": integer(1),
    "columns": integer(2),
    "rows": integer(20),
}
_DIAMONDS = 53_940


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table and state of the compile cache."""
    p, n = settings.get("columns", 30), settings.get("rows", 1000)
    return [
        {
            "table": table,
            "p": 10 if table == "diamonds" else p,
            "n": settings.get("rows", _DIAMONDS) if table == "diamonds" else n,
            "cache": cache,
            "repetitions": settings["repetitions"],
        }
        for table in settings.get("tables", TABLES)
        for cache in ("empty", "full")
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """CPU and wall seconds of every repetition."""
    case = {key: spec[key] for key in ("table", "p", "n")}
    with tempfile.TemporaryDirectory() as scratch:
        if spec["cache"] == "full":
            ran(__name__, case, Path(scratch) / "full")
        names = [f"empty{k}" if spec["cache"] == "empty" else "full" for k in range(spec["repetitions"])]
        return {"rows": [ran(__name__, case, Path(scratch) / name) for name in names]}


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per table."""
    header = (
        "model",
        "columns",
        "rows",
        "CPU s, empty cache",
        "CPU s, full cache",
        "of it in the fit",
        "solver",
    )
    lines = []
    for name in dict.fromkeys(row["table"] for row in rows):
        own = [row for row in rows if row["table"] == name]
        empty, full = ([row for row in own if row["cache"] == cache] for cache in ("empty", "full"))
        cells = (mean([row["cpu"] for row in some], 1) for some in (empty, full))
        fit = mean([row["fit_cpu"] for row in full], 1)
        shown = "mixed (simulated diamonds)" if name == "diamonds" else name
        lines.append([shown, str(own[0]["p"]), str(own[0]["n"]), *cells, fit, own[0]["solver"]])
    return markdown(header, lines)


def child(case: Mapping[str, Any]) -> Row:
    """One fit, in a process of its own."""
    import time

    named = case["table"] != "diamonds"
    data = table_for(case["table"], case["p"], case["n"]) if named else diamonds(case["n"])
    began = time.process_time()
    result = sp.fit(data, model=case["table"] if named else "mixed")
    return {
        "fit_cpu": time.process_time() - began,
        "solver": result.solver,
        "objective": float(result.objective),
        "edges": len(result.dag.edges),
    }


if __name__ == "__main__":
    from sparsest_bench.measures.child import answer

    answer(child, sys.argv[1])
