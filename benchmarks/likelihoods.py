"""What the benchmarks of logistic, additive and mixed data share: methods on the same tables, one table."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.asking import answers, chosen, environment, judged, prepare
from benchmarks.datasets import Dataset, tables
from benchmarks.report import NOTHING, Row
from sparsest.bench.tables import markdown

NOTES = (
    "One thread each, the first table of each p answered once before the clock starts. SHD: mean ± standard "
    "error over the tables, between the CPDAGs and between the DAGs. Difference: of the CPDAG-SHD to "
    "{reference} on the same table, mean ± standard error; below 0 is better. CPU seconds do not count "
    "waiting on a busy machine; the ratio is of these. Seeds 0 to {last}, `numpy.random.default_rng`."
)


@dataclass(frozen=True)
class Design:
    """What is run; its name is that of the model that makes the tables."""

    name: str
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
    methods = chosen(options.methods)
    places = prepare(methods)
    about = environment(methods, places)
    command = shlex.join(["python", "-m", f"benchmarks.{design.name}", *given])
    notes = NOTES.format(reference=options.reference, last=options.seeds - 1)
    rows: list[Row] = []
    for p in options.p:
        datasets = list(tables(options.graphs, p, options.n, options.seeds, model=design.name))
        for method in methods:
            found = answers(method, places[method.peer], datasets, options.time_limit)
            rows += [_row(*pair, method.name) for pair in zip(datasets, found, strict=True)]
            text = f"{notes}\n\n{summary(rows, options.reference)}"
            report.store(options.results, options.name, command, about, rows, text)
            print(f"p={p} {method.name} done", file=sys.stderr)
    print(text)
    return 0


def _row(dataset: Dataset, answer: dict[str, Any], method: str) -> Row:
    """One row of the results: the design, the method, its time, both distances to the truth."""
    described = {key: value for key, value in dataset.described.items() if key != "scale"}
    found = judged(dataset, answer)
    row = described | {"method": method}
    row |= {key: found.get(key) for key in ("seconds", "cpu_seconds", "error", "edges", "shd")}
    return row | {"dag_shd": found.get("shd_dag")}


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
                report.mean_and_error([row["dag_shd"] for row in good if row["dag_shd"] is not None]),
                report.mean([row["edges"] for row in good], 1),
                report.mean([row["seconds"] for row in good], 2),
                report.mean([row["cpu_seconds"] for row in good], 2),
                f"{sum(other['cpu_seconds'] for _, other in pairs) / spent:.3g}" if pairs else NOTHING,
                str(len(mine) - len(good)),
            ])  # fmt: skip
    return markdown(header, lines)


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
