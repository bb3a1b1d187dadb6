"""Linear Gaussian data: our methods and peers, raw and standardised, one table."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparsest.bench.homes import Home
from sparsest.bench.methods import Method
from sparsest.bench.tables import markdown

from benchmarks import report
from benchmarks.asking import TRUTH, answers, environment, judged, prepare, truth
from benchmarks.datasets import Dataset, tables
from benchmarks.report import NOTHING, Row

TIE = 1e-9  # objectives closer than this are equal
DESIGN = ("graph", "p", "n", "scale")
NOTES = (
    "One thread each, the first dataset of each p answered once before the clock starts. "
    "CPU share: CPU time / wall time; well below 1 the machine was busy, and the times are not to be quoted. "
    "SHD: between CPDAGs, mean ± standard error. "
    "Objective: NLL refitted on the method's graph + c · edges, c our default cost per edge; "
    "lower is better, and it compares on the same data only. "
    "≤ truth: on how many of the datasets it is no higher than that of the true graph. "
    "All means are over the datasets that did not fail. "
    "Varsortability: 1 where sorting by variance gives the causal order, 0.5 where it says nothing. "
    "Seeds: {first} to {last}, `numpy.random.default_rng`."
)


@dataclass(frozen=True)
class Experiment:
    """What is run: every method on every combination of graph, p, scale and seed."""

    methods: Sequence[Method]
    reference: str
    graphs: Sequence[str]
    sizes: Sequence[int]
    n: int
    seeds: int
    scales: Sequence[str]
    time_limit: float
    first: int = 0


def run(experiment: Experiment, name: str, command: str, folder: Path) -> list[Row]:
    """Run, store after each p (a long run may be stopped), and print the table."""
    places = prepare(experiment.methods)
    about = environment(experiment.methods, places)
    rows: list[Row] = []
    for p in experiment.sizes:
        rows += run_size(experiment, p, places)
        notes = NOTES.format(first=experiment.first, last=experiment.first + experiment.seeds - 1)
        text = f"{notes}\n\n{summary(rows, experiment.reference)}"
        report.store(folder, name, command, about, rows, text)
    print(text)
    return rows


def run_size(experiment: Experiment, p: int, places: Mapping[str, Home]) -> list[Row]:
    """The rows of every method on the datasets with p columns."""
    datasets = list(
        tables(experiment.graphs, p, experiment.n, experiment.seeds, experiment.scales, experiment.first)
    )
    rows = [_row(dataset, TRUTH, truth(dataset)) for dataset in datasets]
    for method in experiment.methods:
        started = time.monotonic()
        found = answers(method, places[method.peer], datasets, experiment.time_limit)
        pairs = zip(datasets, found, strict=True)
        rows += [_row(dataset, method.name, judged(dataset, answer)) for dataset, answer in pairs]
        _say(p, method, rows[-len(datasets) :], time.monotonic() - started)
    return rows


def _row(dataset: Dataset, method: str, found: Mapping[str, Any]) -> Row:
    """One row of the results: the design, the method, its time, and how good its graph is."""
    keys = ("seconds", "cpu_seconds", "edges", "shd", "objective", "error")
    about = {"varsortability": dataset.varsortability, "method": method}
    return dataset.described | about | {key: found.get(key) for key in keys}


def summary(rows: Sequence[Row], reference: str) -> str:
    """One line a design and method: means over the seeds."""
    header = (
        "graph",
        "p",
        "n",
        "data",
        "varsortability",
        "method",
        "SHD",
        "≤ truth",
        "seconds",
        f"time / {reference}",
        "CPU share",
        "objective",
        "failed",
    )
    return markdown(header, _lines(rows, reference))


def _lines(rows: Sequence[Row], reference: str) -> Iterator[list[str]]:
    for design in dict.fromkeys(tuple(row[key] for key in DESIGN) for row in rows):
        here = [row for row in rows if tuple(row[key] for key in DESIGN) == design]
        clock = {row["seed"]: row["seconds"] for row in here if row["method"] == reference}
        bar = {row["seed"]: row["objective"] for row in here if row["method"] == TRUTH}
        ease = report.mean(_values(here, "varsortability"), 2)
        for method in dict.fromkeys(row["method"] for row in here):
            mine = [row for row in here if row["method"] == method]
            yield [
                *map(str, design),
                ease,
                method,
                report.mean_and_error(_values(mine, "shd")),
                NOTHING if method == TRUTH else _no_higher(mine, bar),
                report.mean(_values(mine, "seconds"), 3),
                NOTHING if method == TRUTH else _ratio(mine, clock),
                _cpu_share(mine),
                report.mean(_values(mine, "objective"), 4),
                _failures(mine),
            ]


def _values(rows: Sequence[Row], key: str) -> list[float]:
    return [row[key] for row in rows if row[key] is not None]


def _ratio(rows: Sequence[Row], clock: dict[int, float | None]) -> str:
    """Mean seconds over the reference's, on the datasets that both answered."""
    pairs = [(row["seconds"], clock.get(row["seed"])) for row in rows]
    both = [(mine, other) for mine, other in pairs if mine is not None and other is not None]
    return f"{sum(mine for mine, _ in both) / sum(other for _, other in both):.3g}" if both else NOTHING


def _no_higher(rows: Sequence[Row], bar: dict[int, float]) -> str:
    """On how many datasets the objective is no higher than the bar; a failure is not."""
    reached = [row["objective"] is not None and row["objective"] <= bar[row["seed"]] + TIE for row in rows]
    return f"{sum(reached)} of {len(rows)}"


def _cpu_share(rows: Sequence[Row]) -> str:
    """CPU time over wall time."""
    timed = [row for row in rows if row["seconds"] is not None]
    if not timed:
        return NOTHING
    return f"{sum(_values(timed, 'cpu_seconds')) / sum(_values(timed, 'seconds')):.2f}"


def _failures(rows: Sequence[Row]) -> str:
    """How many of the datasets have no graph, and the first reason."""
    reasons = [row["error"] for row in rows if row["error"] is not None]
    return f"{len(reasons)} of {len(rows)}: {reasons[0][:60]}".replace("|", "/") if reasons else "0"


def _say(p: int, method: Method, rows: Sequence[Row], seconds: float) -> None:
    failed = sum(row["error"] is not None for row in rows)
    print(f"p={p} {method.name}: {len(rows)} datasets in {seconds:.0f} s, {failed} failed", file=sys.stderr)
