"""Effects over a class at the population, against the truth and against listing all members; and their time.

"truth": random graphs of 8 to 20 columns, with knowledge for every second one; the true effect must be among
the values of its class. "enumeration": graphs of up to 8 columns; the values of all members, listed one by
one, must be those of the local method, and `identified` must say whether they agree. "all pairs" and "one
pair": CPU seconds without intervals.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sparsest as sp
from sparsest._core.allowed import integer
from sparsest.effects.affected import open_outcomes, reached
from sparsest.effects.linear import effects_on_all, implied_covariance
from sparsest.effects.orientations import orientations
from sparsest.graph import dag_to_cpdag, mec_members, refine
from sparsest.graph.types import Cpdag
from sparsest.scores.gaussian import refit
from sparsest_bench.measures.common import Row
from sparsest_bench.tables import NOTHING, markdown

SETTINGS = {"classes": integer(1), "batch": integer(1), "first_seed": integer(0), "most_columns": integer(8)}
TIMED = (("all pairs", 100), ("one pair", 500))

Array = NDArray[np.float64]


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """Tasks of some graphs each, and the two timings."""
    first, batch = settings["first_seed"], settings["batch"]
    tasks = [
        {"what": what, "seed": first + start, "graphs": min(batch, settings["classes"] - start), "p": 0}
        for what in ("truth", "enumeration")
        for start in range(0, settings["classes"], batch)
    ]
    most = settings.get("most_columns", 500)
    return tasks + [{"what": what, "seed": first, "graphs": 1, "p": p} for what, p in TIMED if p <= most]


def run(spec: Mapping[str, Any]) -> Row:
    """How often the values were right, the largest distance, and the time."""
    if spec["p"]:
        return _timed(spec["what"], spec["p"], spec["seed"])
    check = _truth if spec["what"] == "truth" else _enumeration
    rows = [check(spec["seed"] + k) for k in range(spec["graphs"])]
    return {
        "pairs": sum(row[0] for row in rows),
        "right": sum(row[1] for row in rows),
        "identified_right": sum(row[2] for row in rows),
        "distance": max(row[3] for row in rows),
    }


def _class(seed: int, least: int, most: int) -> tuple[Cpdag, Array, Array]:
    """A class, the weights of a member, and their covariance."""
    rng = np.random.default_rng(seed)
    p = int(rng.integers(least, most + 1))
    dag = sp.simulate.random_dag(p, float(rng.uniform(0.5, min(2.0, (p - 1) / 2))), "ER", rng)
    weights = sp.simulate.random_weights(dag, rng)
    edges, graph = np.argwhere(dag), dag_to_cpdag(sp.Dag(dag))
    if seed % 2 and len(edges):
        required = np.zeros((p, p), dtype=bool)
        required[tuple(edges[rng.integers(len(edges))])] = True
        graph = refine(sp.Dag(dag), None, required)
    return graph, weights, implied_covariance(weights, rng.uniform(0.3, 2, p))


def _local(graph: Cpdag, covariance: Array, cause: int) -> Array:
    """(sets, p): the possible effects of a cause on all columns."""
    found = orientations(graph, [cause]).patterns
    return np.array(
        [effects_on_all(covariance, cause, np.flatnonzero(one[:, cause]).tolist()) for one in found]
    )


def _truth(seed: int) -> tuple[int, int, int, float]:
    """One random pair: whether the true effect is among the values, and zero only where the graph says so."""
    graph, weights, covariance = _class(seed, 8, 20)
    cause, outcome = np.random.default_rng([seed, 1]).permutation(len(graph))[:2]
    true = np.linalg.inv(np.eye(len(graph)) - weights)[cause, outcome]
    distance = float(np.abs(_local(graph, covariance, int(cause))[:, outcome] - true).min())
    scale = max(1.0, abs(true))
    zero = bool(abs(true) < 1e-10 or reached(graph, [int(cause)])[outcome])
    return 1, int(distance < 1e-8 * scale), int(zero), distance / scale


def _enumeration(seed: int) -> tuple[int, int, int, float]:
    """All pairs of a class: the values of listed members against the local ones."""
    graph, _, covariance = _class(seed, 3, 8)
    totals = [
        np.linalg.inv(np.eye(len(graph)) - refit(covariance, one.pattern.copy())[0])
        for one in mec_members(graph)
    ]
    pairs = right = agreed = 0
    worst = 0.0
    for cause in range(len(graph)):
        local, unsure = _local(graph, covariance, cause), open_outcomes(graph, [cause])
        for outcome in set(range(len(graph))) - {cause}:
            listed = np.array([total[cause, outcome] for total in totals])
            apart = np.abs(np.subtract.outer(local[:, outcome], listed))
            distance = max(apart.min(axis=0).max(), apart.min(axis=1).max()) / max(1.0, np.abs(listed).max())
            worst = max(worst, float(distance))
            pairs, right = pairs + 1, right + int(distance < 1e-10)
            agreed += int(bool(unsure[outcome]) == bool(np.ptp(listed) > 1e-8))
    return pairs, right, agreed, worst


def _timed(what: str, p: int, seed: int) -> Row:
    rng = np.random.default_rng(seed)
    weights = sp.simulate.random_weights(sp.simulate.random_dag(p, 2, "ER", rng), rng)
    moments = sp.Moments(implied_covariance(weights, np.ones(p)), n=1000)
    result = sp.fit(moments, time_limit=60)
    result.effect(0, 1, interval=None)
    began = time.process_time()
    rows = len(result.effects()) if what == "all pairs" else len(result.effect(2, 3, interval=None).cases)
    return {"pairs": rows, "cpu_seconds": time.process_time() - began}


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per question."""
    header = ["what", "graphs", "pairs", "values right", "identified right", "largest distance", "CPU s"]
    return markdown(header, _lines(rows))


def _lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    for what in ("truth", "enumeration"):
        here = [row for row in rows if row["what"] == what]
        if here:
            sums = [sum(row[key] for row in here) for key in ("graphs", "pairs", "right", "identified_right")]
            yield [what, *map(str, sums), f"{max(row['distance'] for row in here):.1e}", NOTHING]
    for row in rows:
        if row["p"]:
            where = f"{row['what']}, p = {row['p']}"
            yield [where, "1", str(row["pairs"]), NOTHING, NOTHING, NOTHING, f"{row['cpu_seconds']:.2f}"]
