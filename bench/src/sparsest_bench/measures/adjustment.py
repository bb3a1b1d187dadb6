"""Effects in a known DAG: ours against the adjustment of pgmpy and DoWhy, on the same tables and pairs.

Linear Gaussian tables of 1000 rows; ordered pairs with a directed path between them. Each program is given
the DAG and the rows, finds a set to adjust for, and estimates. "error" is the mean distance from the true
effect. Times are CPU seconds for all pairs on one thread, without imports and a first call.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.allowed import integer
from sparsest.graph import Mpdag
from sparsest_bench.measures.common import Row, asked, simulated
from sparsest_bench.measures.effect_sets import result_of
from sparsest_bench.process import FailedError
from sparsest_bench.tables import NOTHING, markdown

SETTINGS = {"tables": integer(1), "first_seed": integer(0), "most_columns": integer(2)}
SIZES, ROWS, PAIRS = (10, 20, 50), 1000, 10
NEEDS = ("pgmpy-adjustment", "dowhy-adjustment")
_TIME_LIMIT = 60.0

Array = NDArray[np.float64]


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table."""
    return [
        {"p": p, "seed": settings["first_seed"] + k}
        for k in range(settings["tables"])
        for p in SIZES
        if p <= settings.get("most_columns", p)
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """CPU seconds and mean distance from the truth of each program."""
    rng = np.random.default_rng(spec["seed"])
    drawn = simulated("ER2", spec["p"], ROWS, rng)
    dag = drawn.weights != 0
    truth = np.linalg.inv(np.eye(spec["p"]) - drawn.weights)
    there = np.argwhere(_paths(dag)).tolist()
    pairs = [there[k] for k in rng.permutation(len(there))[:PAIRS]]
    _ours(drawn.data, dag, pairs[:1])
    began = time.process_time()
    found = _ours(drawn.data, dag, pairs)
    row: Row = {"pairs": len(pairs), "ours": [time.process_time() - began, _error(found, truth, pairs)]}
    arrays = {"X": drawn.data, "dag": dag.astype(int), "pairs": np.array(pairs)}
    for method in NEEDS:
        try:
            reply = asked(method, arrays, _TIME_LIMIT)
        except FailedError as error:
            row |= {f"{method} failed": str(error)}
            continue
        row[method] = [reply["cpu_seconds"], _error(np.array(reply["answer"]), truth, pairs)]
    return row


def _paths(dag: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(p, p): whether a directed path leads from one node to another."""
    total = np.abs(np.linalg.inv(np.eye(len(dag)) - 0.01 * dag)) > 0
    return np.asarray(total & ~np.eye(len(dag), dtype=bool))


def _ours(data: Array, dag: NDArray[np.bool_], pairs: Sequence[Sequence[int]]) -> Array:
    """The DAG as a class of its own, fitted to the rows, and its effects."""
    graph = Mpdag(dag.astype(int))
    result = result_of(graph, np.cov(data, rowvar=False))
    found = np.zeros(dag.shape)
    for i, j in pairs:
        found[i, j] = result.effect(i, j, interval=None).values[0]
    return found


def _error(found: NDArray[Any], truth: NDArray[Any], pairs: Sequence[Sequence[int]]) -> float:
    return fmean(abs(found[i, j] - truth[i, j]) for i, j in pairs)


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per number of columns."""
    header = ["p", "tables", "pairs", "CPU s", "error"]
    for name in ("pgmpy", "DoWhy"):
        header += [f"CPU s of {name}", "times ours", "error"]
    return markdown(header, _lines(rows))


def _lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    for p in dict.fromkeys(row["p"] for row in rows):
        here = [row for row in rows if row["p"] == p]
        ours = fmean(row["ours"][0] for row in here)
        words = [f"{ours:.3f}", f"{fmean(row['ours'][1] for row in here):.3f}"]
        for method in NEEDS:
            there = [row[method] for row in here if method in row]
            if len(there) < len(here):
                failures = [row.get(f"{method} failed", "") for row in here]
                words += [next(filter(None, failures)).removeprefix("timeout: "), NOTHING, NOTHING]
                continue
            seconds = fmean(one[0] for one in there)
            words += [f"{seconds:.2f}", f"{seconds / ours:.0f}", f"{fmean(one[1] for one in there):.3f}"]
        yield [str(p), str(len(here)), str(sum(row["pairs"] for row in here)), *words]
