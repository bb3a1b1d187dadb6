"""Whether every solver obeys knowledge, and whether knowledge that is true helps.

    python -m benchmarks.knowledge

Two tables: violations over random graphs, data, knowledge and solvers, of which there must be none; and the
SHD of the default solver with and without true knowledge, against the truth's class refined by it.
"""

from __future__ import annotations

import argparse
import math
import shlex
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

if __name__ == "__main__" and not __package__:  # python benchmarks/knowledge.py
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from sparsest.bench.tables import markdown

import sparsest as sp
from benchmarks import report
from benchmarks.datasets import simulated
from benchmarks.report import Row

RUNS = {
    "auto": 500, "exact": 500, "order": 500, "ges": 500, "notears": 60, "golem-ev": 60, "golem-nv": 60,
    "dagma": 60, "logll-dagma": 60, "logll-notears": 10, "differentiable": 6,
}  # fmt: skip
SOFT = ("notears", "golem-ev", "golem-nv", "dagma", "logll-dagma", "logll-notears", "differentiable")
LEAST, MOST = 2, 10  # columns of the tables on which violations are counted
SIZES = {10: 50, 20: 30, 50: 8}  # columns: datasets on which knowledge should help
KINDS = ("forbidden", "required", "tiers", "all")
SHARE = 0.1  # of the edges, and of the pairs without one, that are told
NOTES = f"""
## Violations

Random graphs (ER1 to ER4, p from {LEAST} to {MOST}), 20 to 300 rows, and knowledge that is true of another
random graph, so that the data speak against it: forbidden and required edges, tiers, roots, leaves. A run in
three has a time limit of up to 0.05 s; soft weights become a graph by score or by a threshold. A violation is
an edge that is ruled out and there, or required and not, in the DAG or in one of 50 members of its class.

{{violations}}

## Help

Default solver, ER2, {{n}} rows; the knowledge is true. *forbidden* tells {SHARE:.0%} of the ordered pairs
that are no edge, *required* {SHARE:.0%} of the edges, *tiers* cuts a true order in three, *all* is all of
these and {SHARE:.0%} of roots and leaves. SHD to the truth's class refined by the knowledge, mean ± standard
error; *without* is what the default finds without knowledge, against the same target. *to the plain class* is
what it finds without knowledge, against the truth's class as it is.

{{help}}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Count, compare, and store under benchmarks/results/knowledge."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser().parse_args(given)
    rows: list[Row] = []
    for solver, count in RUNS.items():
        rows += [violation(solver, number) for number in _few(count, options.scale)]
        print(f"{solver} done", file=sys.stderr)
    for p, datasets in SIZES.items():
        for seed in _few(datasets, options.scale):
            rows += help_of(p, options.n, seed)
        print(f"p = {p} done", file=sys.stderr)
    environment = report.environment()
    command = shlex.join(["python", "-m", "benchmarks.knowledge", *given])
    parts = [row for row in rows if "violated" in row], [row for row in rows if "with" in row]
    text = NOTES.format(violations=_violations(parts[0]), help=_help(parts[1]), n=options.n).strip()
    report.store(options.results, "knowledge", command, environment, rows, text)
    print(text)
    return int(any(row["violated"] for row in parts[0]))


def _few(count: int, scale: float) -> range:
    return range(max(1, math.ceil(count * scale)))


def knowledge_of(
    dag: NDArray[np.int64], rng: np.random.Generator, kind: str = "all", share: float = SHARE
) -> sp.Knowledge:
    """Knowledge that is true of a DAG."""
    p = len(dag)
    said: dict[str, Any] = {}
    pairs = [(i, j) for i in range(p) for j in range(p) if i != j]
    told = [pair for pair in pairs if rng.random() < share]
    if kind in ("forbidden", "all"):
        said["forbidden"] = [pair for pair in told if not dag[pair]]
    if kind in ("required", "all"):
        said["required"] = [pair for pair in told if dag[pair]]
    if kind in ("tiers", "all"):
        order = np.array(sp.graph.topological_order(dag))
        said["tiers"] = [part.tolist() for part in np.array_split(order, 3) if len(part)]
    if kind == "all":
        said["roots"] = [k for k in range(p) if not dag[:, k].any() and rng.random() < share]
        said["leaves"] = [k for k in range(p) if not dag[k].any() and rng.random() < share]
    return sp.Knowledge(**said)


def violation(solver: str, number: int) -> Row:
    """One run with knowledge of another graph: whether the answer violates it."""
    rng = np.random.default_rng([number, list(RUNS).index(solver)])
    p, graph, n = int(rng.integers(LEAST, MOST + 1)), f"ER{rng.integers(1, 5)}", int(rng.integers(20, 300))
    X = simulated(graph, p, n, rng).data
    other = sp.simulate.random_dag(p, int(rng.integers(1, 5)), "ER", rng).to_numpy()
    kind = str(rng.choice(KINDS))
    knowledge = knowledge_of(other, rng, kind, float(rng.uniform(0.05, 0.4)))
    said: dict[str, Any] = {}
    if rng.random() < 1 / 3:
        said["time_limit"] = float(rng.uniform(0, 0.05))
    if solver in SOFT and rng.random() < 0.5:
        said["threshold"] = float(rng.choice([0.0, 0.1, 0.3]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.DataWarning)
        result = sp.fit(X, solver=solver, knowledge=knowledge, **said)
    masks = knowledge.masks(result.names)
    members = [
        result.dag,
        *(dag for dag, _ in zip(sp.graph.mec_members(result.cpdag), range(50), strict=False)),
    ]
    violated = any(
        (dag.pattern & ~masks.allowed).any() or (masks.required & ~dag.pattern).any() for dag in members
    )
    return {
        "solver": solver, "number": number, "p": p, "n": n, "graph": graph, "kind": kind, **said,
        "ruled_out": int((~masks.allowed).sum() - p), "required": int(masks.required.sum()),
        "stopped": result.status.stopped_early, "violated": bool(violated),
    }  # fmt: skip


def help_of(p: int, n: int, seed: int) -> list[Row]:
    """A row a kind of knowledge: the distance to the truth with and without."""
    rng = np.random.default_rng(seed)
    simulation = simulated("ER2", p, n, rng)
    truth, plain = simulation.dag, sp.fit(simulation.data).cpdag
    rows = []
    for kind in KINDS:
        knowledge = knowledge_of(truth.to_numpy(), rng, kind)
        target = sp.graph.refine(truth, *knowledge.masks(truth.names))
        found = sp.fit(simulation.data, knowledge=knowledge).cpdag
        rows.append({
            "p": p, "n": n, "seed": seed, "kind": kind,
            "to_the_plain_class": sp.graph.cpdag_shd(plain, truth.to_cpdag()),
            "without": sp.graph.cpdag_shd(plain, target),
            "with": sp.graph.cpdag_shd(found, target),
        })  # fmt: skip
    return rows


def _violations(rows: Sequence[Row]) -> str:
    header = ("solver", "runs", "stopped early", "edges ruled out", "edges required", "violations")
    lines = []
    for solver in [*RUNS, "all"]:
        mine = [row for row in rows if solver in (row["solver"], "all")]
        means = [report.mean([row[key] for row in mine], 1) for key in ("ruled_out", "required")]
        stopped, violated = (str(sum(row[key] for row in mine)) for key in ("stopped", "violated"))
        lines.append([solver, str(len(mine)), stopped, *means, violated])
    return markdown(header, lines)


def _help(rows: Sequence[Row]) -> str:
    header = ("p", "knowledge", "datasets", "to the plain class", "without", "with", "with − without")
    lines = []
    for p, kind in dict.fromkeys((row["p"], row["kind"]) for row in rows):
        mine = [row for row in rows if (row["p"], row["kind"]) == (p, kind)]
        columns = [[row[key] for row in mine] for key in ("to_the_plain_class", "without", "with")]
        differences = [after - before for before, after in zip(columns[1], columns[2], strict=True)]
        shown = [report.mean_and_error(column) for column in columns]
        lines.append([str(p), kind, str(len(mine)), *shown, _signed(differences)])
    return markdown(header, lines)


def _signed(values: Sequence[float]) -> str:
    if len(values) < 2:
        return f"{fmean(values):+.1f}"
    return f"{fmean(values):+.1f} ± {stdev(values) / math.sqrt(len(values)):.1f}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.knowledge",
        description="Whether every solver obeys knowledge, and whether it helps.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--scale", type=float, default=1.0, help="a share, or a multiple, of all counts")
    parser.add_argument("--n", type=int, default=300, help="rows, where knowledge should help")
    parser.add_argument("--results", type=Path, default=report.RESULTS, help="folder to write to")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
