"""Coverage of 95 % intervals of effects, after the graph was learned from the same rows.

Small random graphs, half of whose weights are weak (0.15 to 0.6) and half strong (0.5 to 2). The truth is the
total effect in the DAG that the rows came from, for every ordered pair of columns; effects that are zero and
not, and that the true class identifies and does not, are counted apart. "split" is asked for four pairs of
each table, as it learns again each time.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

import sparsest as sp
from sparsest._core.allowed import integer
from sparsest.effects.affected import open_outcomes
from sparsest.effects.effect import Effect
from sparsest.effects.intervals import hull
from sparsest.graph import dag_to_cpdag, topological_order
from sparsest_bench.measures.common import Row
from sparsest_bench.tables import NOTHING, markdown

SETTINGS = {
    "tables": integer(1),  # of the linear model
    "logistic_tables": integer(1),
    "resamples": integer(1),
    "first_seed": integer(0),
    "most_rows": integer(8),
}
COLUMNS, SPLIT_PAIRS = 7, 4
MODELS, SIZES = ("linear", "logistic"), (200, 1000, 5000)
HOWS = ("resampled", "naive", "split")

Array = NDArray[np.float64]


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table; the cells grow together, so that a part of the tasks says something of each."""
    tables = {"linear": settings["tables"], "logistic": settings["logistic_tables"]}
    turns = sorted(((k + 1) / tables[model], model, k) for model in MODELS for k in range(tables[model]))
    return [
        {"model": model, "n": n, "seed": settings["first_seed"] + k, "resamples": settings["resamples"]}
        for _, model, k in turns
        for n in SIZES
        if n <= settings.get("most_rows", n)
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """For each kind of effect, how many there are, and for each kind of interval coverage and width."""
    rng = np.random.default_rng(spec["seed"])
    dag = sp.simulate.random_dag(COLUMNS, 1.2, "ER", rng)
    weights = sp.simulate.random_weights(dag, rng) * rng.choice([0.3, 1.0], size=(COLUMNS, COLUMNS))
    make = sp.simulate.linear_gaussian if spec["model"] == "linear" else sp.simulate.logistic
    data = make(weights, spec["n"], rng).data
    truth = np.linalg.inv(np.eye(COLUMNS) - weights) if spec["model"] == "linear" else risks(weights)
    began = time.process_time()
    model = "gaussian" if spec["model"] == "linear" else "logistic"
    result = sp.fit(data, model=model, resamples=spec["resamples"])
    pairs = list(itertools.permutations(range(COLUMNS), 2))
    split = {pairs[k] for k in rng.permutation(len(pairs))[:SPLIT_PAIRS]}
    counts: dict[str, dict[str, list[float]]] = {}
    unsure = np.array([open_outcomes(dag_to_cpdag(dag), [node]) for node in range(COLUMNS)])
    for pair in pairs:
        cell = counts.setdefault(cell_of(truth[pair], unsure[pair]), {how: [0, 0, 0] for how in HOWS})
        for how, interval in intervals(result, pair, with_split=pair in split):
            count(cell[how], interval, truth[pair])
    return {"counts": counts, "cpu_seconds": time.process_time() - began}


def count(seen: list[float], interval: tuple[float, float], truth: float) -> None:
    """Add an interval to how many there are, how many cover the truth, and the sum of their widths."""
    low, high = interval
    seen[0] += 1
    seen[1] += bool(low - 1e-9 <= truth <= high + 1e-9)
    seen[2] += high - low


def cell_of(value: float, unsure: bool) -> str:
    """The kind of effect."""
    return f"{'zero' if abs(value) < 1e-12 else 'nonzero'}, {'un' if unsure else ''}identified"


def intervals(
    result: sp.Result, pair: tuple[int, int], *, with_split: bool
) -> Iterator[tuple[str, tuple[float, float]]]:
    """The intervals of each kind."""
    found = result.effect(*pair, interval="resampled")
    assert found.interval is not None
    yield "resampled", found.interval
    yield "naive", naive_of(found)
    if with_split:
        other = result.effect(*pair, interval="split").interval
        assert other is not None
        yield "split", other


def naive_of(found: Effect) -> tuple[float, float]:
    """The interval that takes the graph for granted, from the cases."""
    return hull([case.interval for case in found.cases if case.interval is not None])


def risks(weights: Array) -> Array:
    """(p, p): the difference of risks between do(i = 1) and do(i = 0), summed over all rows that can be."""
    p = len(weights)
    states = np.array(list(itertools.product((0.0, 1.0), repeat=p)))
    order = topological_order((weights != 0).astype(int))
    found = np.zeros((p, p))
    for cause in range(p):
        means = []
        for setting in (0.0, 1.0):
            chance = np.where(states[:, cause] == setting, 1.0, 0.0)
            for node in order:
                if node != cause:
                    risk = expit(states @ weights[:, node])
                    chance = chance * np.where(states[:, node] == 1, risk, 1 - risk)
            means.append(chance @ states)
        found[cause] = means[1] - means[0]
    found[np.abs(found) < 1e-12] = 0.0
    return found


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per model, number of rows and kind of effect."""
    return table_of(rows, HOWS, "effects")


def table_of(rows: Sequence[Mapping[str, Any]], hows: Sequence[str], what: str) -> str:
    """The same for some kinds of intervals, the first of which are counted."""
    words = [word for how in hows for word in (f"{how} covers", "width")]
    header = ["model", "n", "effect", "tables", what, *words, "CPU s a table"]
    return markdown(header, _lines(rows, hows))


def _lines(rows: Sequence[Mapping[str, Any]], hows: Sequence[str]) -> Iterator[list[str]]:
    for model, n in dict.fromkeys((row["model"], row["n"]) for row in rows):
        here = [row for row in rows if (row["model"], row["n"]) == (model, n)]
        seconds = sum(row["cpu_seconds"] for row in here) / len(here)
        for cell in sorted({cell for row in here for cell in row["counts"]}):
            sums = {
                how: np.sum([row["counts"][cell][how] for row in here if cell in row["counts"]], axis=0)
                for how in hows
            }
            words = [word for how in hows for word in _share(*sums[how])]
            effects = int(sums[hows[0]][0])
            tables = sum(cell in row["counts"] for row in here)
            yield [model, str(n), cell, str(tables), str(effects), *words, f"{seconds:.1f}"]


def _share(total: float, covered: float, width: float) -> tuple[str, str]:
    return (f"{covered / total:.1%}", f"{width / total:.2f}") if total else (NOTHING, NOTHING)
