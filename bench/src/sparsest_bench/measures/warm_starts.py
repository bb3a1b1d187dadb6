"""Whether half-samples that are searched from the answer from all rows come out too near to that answer.

Each half is searched as `sparsest.confidence` does, with a head start; as `sparsest.fit` does, without one;
and thoroughly, by eight chains of twice the usual patience, without one. The best graph known of a half is
the one of least objective. A head start biases if its graphs are nearer to the answer than those are.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import sparsest as sp
from sparsest._core.allowed import integer
from sparsest._core.progress import Watch
from sparsest.confidence.asking import given_options, inquired
from sparsest.confidence.drawing import Drawing, units_of
from sparsest.confidence.searching import in_resamples
from sparsest.problem import SAME_OBJECTIVE
from sparsest.search import OrderSearch
from sparsest.simulate.designs import Design, simulate
from sparsest_bench.measures.common import Row, mean, mean_and_error
from sparsest_bench.tables import markdown

SETTINGS = {"seeds": integer(1), "halves": integer(1), "most_columns": integer(2)}
FIRST_SEED = 6950
DESIGNS = (
    Design(graph="ER2", p=30, n=100),
    Design(graph="ER2", p=50, n=200),
    Design(graph="ER2", p=50, n=1000),
    Design(graph="ER4", p=50, n=1000),
    Design(graph="SF4", p=50, n=1000),
    Design(graph="ER2", p=50, n=500, hidden=5),
    Design(graph="ER2", p=100, n=1000),
    Design(graph="ER2", p=250, n=1000),
)
ARMS = {"head start": "with a head start", "none": "without one", "thorough": "thoroughly, without one"}


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table."""
    return [
        {"design": number, "seed": FIRST_SEED + seed, "halves": settings["halves"]}
        for number, design in enumerate(DESIGNS)
        if design.p <= settings.get("most_columns", design.p)
        for seed in range(settings["seeds"])
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """One row per half and arm."""
    design = DESIGNS[spec["design"]]
    data = simulate(design, spec["seed"]).X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SparsestWarning)
        inquiry = inquired(data, given_options("fit", {"model": "gaussian"}, ()), Watch())
        answer = inquiry.answer(Watch())
        ways = _ways(inquiry.prepared, inquiry.choices, answer)
        draws = Drawing.checked("half", units_of(len(data), None, None), spec["seed"], design.p)
        halves = [draws.resample(inquiry.prepared, k)[0] for k in range(spec["halves"])]
        rows = [row for half in halves for row in _learned(inquiry, half, ways, answer)]
    words = f"{design.graph}, {design.hidden} hidden" if design.hidden else design.graph
    return {"graph": words, "p": design.p, "n": design.n, "rows": rows}


def _ways(prepared: Any, choices: Any, answer: sp.Result) -> dict[str, Any]:
    ours = in_resamples(prepared, choices, answer.dag.matrix != 0)
    return {
        "head start": ours,
        "none": replace(ours, solver=OrderSearch(choices.seed)),
        "thorough": replace(ours, solver=OrderSearch(choices.seed, patience=20, chains=8)),
    }


def _learned(inquiry: Any, half: Any, ways: Mapping[str, Any], answer: sp.Result) -> list[Row]:
    found, seconds = {}, {}
    for arm, choices in ways.items():
        began = time.process_time()
        found[arm] = inquiry.learn(half, Watch(), choices)
        seconds[arm] = time.process_time() - began
    best = min(found.values(), key=lambda result: result.objective)
    nearest = sp.graph.cpdag_shd(best.cpdag, answer.cpdag)
    return [
        {
            "arm": arm,
            "above": bool(result.objective > best.objective + SAME_OBJECTIVE),
            "gap": result.objective - best.objective,
            "distance": sp.graph.cpdag_shd(result.cpdag, answer.cpdag) - nearest,
            "of_best": nearest,
            "cpu_seconds": seconds[arm],
        }
        for arm, result in found.items()
    ]


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per design and arm."""
    header = ["graph", "p", "rows", "halves searched", "halves", "above the best known", "mean gap",
              "SHD of the best known from the answer", "of these, less that", "CPU s"]  # fmt: skip
    lines = []
    for graph, p, n in dict.fromkeys((row["graph"], row["p"], row["n"]) for row in rows):
        for arm, label in ARMS.items():
            here = [
                row for row in rows if (row["graph"], row["p"], row["n"], row["arm"]) == (graph, p, n, arm)
            ]
            above = f"{np.mean([row['above'] for row in here]):.0%}"
            gap, of_best = mean([row["gap"] for row in here], 5), mean([row["of_best"] for row in here], 1)
            distance = mean_and_error([row["distance"] for row in here])
            seconds = mean([row["cpu_seconds"] for row in here], 3)
            head = [graph, str(p), str(n), label, str(len(here))]
            lines.append([*head, above, gap, of_best, distance, seconds])
    return markdown(header, lines)
