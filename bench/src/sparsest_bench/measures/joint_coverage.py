"""Coverage of 95 % intervals of joint interventions, after the graph was learned from the same rows.

The tables are those of `effect_coverage`. Two columns are raised by 1 at the same time; the truth is what
that does to a third one in the DAG that the rows came from.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import sparsest as sp
from sparsest._core.allowed import integer
from sparsest.effects.affected import open_outcomes
from sparsest.effects.linear import joint_effects
from sparsest.graph import dag_to_cpdag
from sparsest_bench.measures.common import Row
from sparsest_bench.measures.effect_coverage import COLUMNS, SIZES, cell_of, count, naive_of, table_of

SETTINGS = {
    "tables": integer(1),
    "resamples": integer(1),
    "questions": integer(1),  # of each table
    "first_seed": integer(0),
    "most_rows": integer(8),
}
HOWS = ("resampled", "naive")


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table."""
    return [
        {"model": "linear", "n": n, "seed": settings["first_seed"] + k}
        | {name: settings[name] for name in ("resamples", "questions")}
        for k in range(settings["tables"])
        for n in SIZES
        if n <= settings.get("most_rows", n)
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """For each kind of effect, how many there are, and for each kind of interval coverage and width."""
    rng = np.random.default_rng(spec["seed"])
    dag = sp.simulate.random_dag(COLUMNS, 1.2, "ER", rng)
    weights = sp.simulate.random_weights(dag, rng) * rng.choice([0.3, 1.0], size=(COLUMNS, COLUMNS))
    data = sp.simulate.linear_gaussian(weights, spec["n"], rng).data
    triples = [
        (causes, outcome)
        for causes in itertools.combinations(range(COLUMNS), 2)
        for outcome in range(COLUMNS)
        if outcome not in causes
    ]
    chosen = [triples[k] for k in rng.permutation(len(triples))[: spec["questions"]]]
    began = time.process_time()
    result, true_class = sp.fit(data, resamples=spec["resamples"]), dag_to_cpdag(dag)
    counts: dict[str, dict[str, list[float]]] = {}
    for causes, outcome in chosen:
        truth = float(joint_effects(weights, causes, outcome).sum())
        unsure = bool(open_outcomes(true_class, causes)[outcome])
        cell = counts.setdefault(cell_of(truth, unsure), {how: [0, 0, 0] for how in HOWS})
        found = result.effect(causes, outcome, interval="resampled")
        assert found.interval is not None
        count(cell["resampled"], found.interval, truth)
        count(cell["naive"], naive_of(found), truth)
    return {"counts": counts, "cpu_seconds": time.process_time() - began}


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per number of rows and kind of effect."""
    return table_of(rows, HOWS, "joint effects")
