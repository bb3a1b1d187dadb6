"""How far the searches reach: seconds, memory and errors as the number of columns grows.

    python -m benchmarks.scaling            # --large adds p = 5000

One descent of the order search, the default, and the exact search, each case in a process of its own with one
thread. A dataset of ten columns goes first: it loads the compiled kernels before the clock starts, and its
memory is that of a process that has done nothing much.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__" and not __package__:  # python benchmarks/scaling.py
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from sparsest.bench.designs import Design
from sparsest.bench.judge import objective
from sparsest.bench.methods import Method
from sparsest.bench.tables import markdown

from benchmarks import report
from benchmarks.asking import answers, chosen, judged, prepare
from benchmarks.datasets import simulate
from benchmarks.report import NOTHING, Row

LARGE = 5000
SMALL = 10  # columns of the dataset that warms up
NOTES = (
    "Standardised linear Gaussian data of {n} rows, seeds 0 to {last} of `numpy.random.default_rng`. "
    "One thread, a process a case, kernels loaded before the clock starts. "
    "order1: one descent of the order search. auto: the default. exact: the global minimum. "
    "CPU share: CPU time / wall time; well below 1 the machine was busy. "
    "Peak MB: the most memory of the process; idle MB: of the same process after a fit of ten columns. "
    "SHD: between CPDAGs. Gap to truth: the objective less that of the true graph; "
    "below 0 the truth is not the minimum, above it is certain that the search missed it."
)


@dataclass(frozen=True)
class Case:
    """A method on one dataset."""

    method: Method
    graph: str
    p: int
    n: int
    seed: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cases, smallest first, and store after each: a long run may be stopped."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser().parse_args(given)
    command = shlex.join(["python", "-m", "benchmarks.scaling", *given])
    environment = report.environment()
    rows: list[Row] = []
    for case in cases(options):
        rows.append(measure(case, options.time_limit))
        print({key: value for key, value in rows[-1].items() if value is not None}, file=sys.stderr)
        text = f"{NOTES.format(n=options.n, last=options.seeds - 1)}\n\n{summary(rows)}"
        report.store(options.results, options.name, command, environment, rows, text)
    print(summary(rows))
    return 0


def cases(options: argparse.Namespace) -> Iterator[Case]:
    """The exact search on one kind of graph, which its time does not depend on; the others on all."""
    (exact,), methods, seeds = chosen(["exact"]), chosen(options.methods), range(options.seeds)
    for p in options.exact:
        yield from (Case(exact, options.graphs[0], p, options.n, seed) for seed in seeds)
    for p in [*options.p, *[LARGE] * options.large]:
        for graph in options.graphs:
            for method in methods:
                yield from (Case(method, graph, p, options.n, seed) for seed in seeds)


def measure(case: Case, time_limit: float) -> Row:
    """One case in a process of its own, judged here."""
    small, dataset = (
        simulate(Design(case.graph, p, case.n, data="standardised"), seed)
        for p, seed in ((SMALL, 0), (case.p, case.seed))
    )
    home = prepare([case.method])[case.method.peer]
    first, answer = answers(case.method, home, [small, dataset], time_limit)
    found = judged(dataset, answer)
    row: Row = {"method": case.method.name, "graph": case.graph, "p": case.p, "n": case.n, "seed": case.seed}
    row |= {key: found.get(key) for key in ("seconds", "cpu_seconds", "error", "edges", "shd", "objective")}
    row |= {"megabytes": found.get("memory_mb"), "idle_megabytes": first.get("memory_mb")}
    return row | {
        "true_edges": int(dataset.dag.sum()),
        "true_objective": objective(dataset.X, dataset.dag),
    }


def summary(rows: Sequence[Row]) -> str:
    """One line a method, graph and size: means over the seeds."""
    what = ("method", "graph", "p", "true edges", "edges", "SHD", "gap to truth")
    header = (*what, "seconds", "CPU share", "peak MB", "idle MB", "failed")
    designs = dict.fromkeys((row["method"], row["graph"], row["p"]) for row in rows)
    return markdown(header, [_line(rows, *design) for design in designs])


def _line(rows: Sequence[Row], method: str, graph: str, p: int) -> list[str]:
    mine = [row for row in rows if (row["method"], row["graph"], row["p"]) == (method, graph, p)]
    done = [row for row in mine if row["error"] is None]
    gaps = [row["objective"] - row["true_objective"] for row in done]
    wall, cpu = (sum(row[key] for row in done) for key in ("seconds", "cpu_seconds"))
    reasons = [row["error"] for row in mine if row["error"] is not None]
    return [
        method,
        graph,
        str(p),
        _mean(mine, "true_edges", 0),
        _mean(done, "edges", 0),
        _mean(done, "shd", 1),
        report.mean(gaps, 4),
        _mean(done, "seconds", 3),
        f"{cpu / wall:.2f}" if done else NOTHING,
        _mean(done, "megabytes", 0),
        _mean(done, "idle_megabytes", 0),
        f"{len(reasons)} of {len(mine)}: {reasons[0][:60]}".replace("|", "/") if reasons else "0",
    ]


def _mean(rows: Sequence[Row], key: str, digits: int) -> str:
    return report.mean([row[key] for row in rows], digits)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scaling",
        description="How far the searches reach.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("--p", type=int, nargs="*", default=[100, 200, 500, 1000, 2000], help="columns")
    add("--large", action="store_true", help=f"p = {LARGE} too")
    add("--exact", type=int, nargs="*", default=[10, 15, 18, 20, 22, 24], help="columns for the exact search")
    add("--methods", nargs="+", default=["order1", "auto"], help="of sparsest.bench")
    add("--name", default="scaling", help="of the files written")
    add("--graphs", nargs="+", default=["ER2", "ER4"], help="ER or SF and the edges a node")
    add("--n", type=int, default=1000, help="rows")
    add("--seeds", type=int, default=1, help="datasets of each design: seeds 0, 1, ...")
    add("--time-limit", type=float, default=3600.0, help="seconds a case")
    add("--results", type=Path, default=report.RESULTS, help="folder to write to")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
