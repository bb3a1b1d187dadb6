"""What the benchmarks of logistic, additive and mixed data share: methods on the same tables, one table."""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import report
from benchmarks.datasets import Dataset, parse_graph
from benchmarks.execute import answer
from benchmarks.methods import PeerMissing, known_methods, prepare, versions
from benchmarks.report import NOTHING, Row
from sparsest.graph import cpdag_shd, is_dag, shd
from sparsest.simulate.models import Simulation

Simulate = Callable[[str, int, int, int, np.random.Generator], Simulation]

NOTES = (
    "One thread each, the first table of each p answered once before the clock starts. SHD: mean ± standard "
    "error over the tables, between the CPDAGs and between the DAGs. Difference: of the CPDAG-SHD to "
    "{reference} on the same table, mean ± standard error; below 0 is better. CPU seconds do not count "
    "waiting on a busy machine; the ratio is of these. Seeds 0 to {last}, `numpy.random.default_rng`."
)


@dataclass(frozen=True)
class Design:
    """What is run: `simulate(kind, k, p, n, rng)` makes the tables."""

    name: str
    simulate: Simulate
    methods: tuple[str, ...]
    reference: str
    sizes: tuple[int, ...]
    graphs: tuple[str, ...]
    n: int
    seeds: int


def main(design: Design, arguments: Sequence[str] | None = None) -> int:
    """Parse, run, store under benchmarks/results."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser(design).parse_args(given)
    known = known_methods()
    unknown = [method for method in options.methods if method not in known]
    if unknown:
        raise SystemExit(f"unknown method {unknown[0]!r}: use some of {', '.join(sorted(known))}")
    methods = [known[method] for method in options.methods]
    pythons = prepare(methods)
    found = {
        method.peer: versions(python, method.packages)
        for method in {method.module: method for method in methods}.values()
        if not isinstance(python := pythons[method.module], PeerMissing)
    }
    environment = report.machine() | {"versions": found}
    command = shlex.join(["python", "-m", f"benchmarks.{design.name}", *given])
    rows: list[Row] = []
    for p in options.p:
        datasets = list(tables(design.simulate, options.graphs, p, options.n, options.seeds))
        with tempfile.TemporaryDirectory() as scratch:
            inbox = Path(scratch) / "datasets"
            inbox.mkdir()
            for dataset in datasets:
                np.savez(inbox / dataset.name, X=dataset.X)
            for number, method in enumerate(methods):
                outbox = Path(scratch) / f"answers{number}"
                answers = answer(method, pythons[method.module], inbox, outbox, options.time_limit)
                rows += [judged(dataset, method.name, answers[dataset.name]) for dataset in datasets]
                text = NOTES.format(reference=options.reference, last=options.seeds - 1)
                text = f"{text}\n\n{summary(rows, options.reference)}"
                report.store(options.results, options.name, command, environment, rows, text)
                print(f"p={p} {method.name} done", file=sys.stderr)
    print(text)
    return 0


def tables(simulate: Simulate, graphs: Sequence[str], p: int, n: int, seeds: int) -> Iterator[Dataset]:
    """The tables of one number of columns; those whose columns do not all vary are drawn again."""
    for graph in graphs:
        kind, k = parse_graph(graph)
        for seed in range(seeds):
            rng = np.random.default_rng(seed)
            simulation = simulate(kind, k, p, n, rng)
            while (simulation.data == simulation.data[0]).all(axis=0).any():
                simulation = simulate(kind, k, p, n, rng)
            yield Dataset(graph, p, n, "raw", seed, simulation.data, simulation.dag.to_numpy())


def judged(dataset: Dataset, method: str, given: dict[str, Any]) -> Row:
    """One row of the results: the design, the method, its time, both distances to the truth."""
    row = {"graph": dataset.graph, "p": dataset.p, "n": dataset.n, "seed": dataset.seed, "method": method}
    row |= {key: given.get(key) for key in ("seconds", "cpu_seconds", "error")}
    row |= {"edges": None, "shd": None, "dag_shd": None}
    if row["error"] is None:
        matrix = np.array(given["adjacency"])
        if not is_dag(matrix):
            return row | {"error": "the graph has a cycle"}
        row |= {
            "edges": int(matrix.sum()),
            "shd": cpdag_shd(matrix, dataset.dag),
            "dag_shd": shd(matrix, dataset.dag),
        }
    return row


def summary(rows: Sequence[Row], reference: str) -> str:
    """One line a design and method."""
    header = ("graph", "p", "n", "method", "tables", "CPDAG-SHD", "difference", "DAG-SHD", "edges", "seconds",
              "CPU seconds", f"{reference} / CPU", "failed")  # fmt: skip
    lines = []
    for design in dict.fromkeys((row["graph"], row["p"], row["n"]) for row in rows):
        here = [row for row in rows if (row["graph"], row["p"], row["n"]) == design]
        bar = {row["seed"]: row for row in here if row["method"] == reference and row["error"] is None}
        for method in dict.fromkeys(row["method"] for row in here):
            mine = [row for row in here if row["method"] == method]
            good = [row for row in mine if row["error"] is None]
            pairs = [(row, bar[row["seed"]]) for row in good if row["seed"] in bar]
            differences = [one["shd"] - other["shd"] for one, other in pairs]
            spent = sum(one["cpu_seconds"] for one, _ in pairs)
            lines.append([
                *map(str, design), method, str(len(mine)),
                report.mean_and_error([row["shd"] for row in good]) if good else NOTHING,
                report.mean_and_error(differences) if pairs and method != reference else NOTHING,
                report.mean_and_error([row["dag_shd"] for row in good]) if good else NOTHING,
                report.mean([row["edges"] for row in good], 1),
                report.mean([row["seconds"] for row in good], 2),
                report.mean([row["cpu_seconds"] for row in good], 2),
                f"{sum(other['cpu_seconds'] for _, other in pairs) / spent:.3g}" if pairs else NOTHING,
                str(len(mine) - len(good)),
            ])  # fmt: skip
    return report.table(header, lines)


def _parser(design: Design) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{design.name}", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    add = parser.add_argument
    add("--p", type=int, nargs="+", default=list(design.sizes), help="numbers of columns")
    add("--graphs", nargs="+", default=list(design.graphs), help="ER or SF and the edges a node")
    add("--n", type=int, default=design.n, help="rows")
    add("--seeds", type=int, default=design.seeds, help="tables of each design: seeds 0, 1, ...")
    add("--methods", nargs="+", default=list(design.methods), help="ours and peers")
    add("--reference", default=design.reference, help="the method the others are compared with")
    add("--time-limit", type=float, default=600.0, help="seconds a table")
    add("--name", default=design.name, help="of the files written")
    add("--results", type=Path, default=report.RESULTS, help="folder to write to")
    return parser
