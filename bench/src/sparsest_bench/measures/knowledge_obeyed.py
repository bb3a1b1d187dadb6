"""Whether every solver obeys knowledge, and whether knowledge that is true helps.

Violations: random graphs (ER1 to ER4, p from 2 to 10), 20 to 300 rows, and knowledge that is true of another
random graph, so that the data contradict it: forbidden and required edges, tiers, roots, leaves. One run in
three has a time limit of up to 0.05 s; soft weights become a graph by score or by a threshold. A violation is
an edge that is forbidden but present, or required but absent, in the DAG or one of 50 members of its class.

Help: the default solver on ER2, with knowledge that is true. *forbidden* states a tenth of the ordered pairs
without an edge, *required* a tenth of the edges, *tiers* cuts a true order in three, *all* is all of these
and a tenth of roots and leaves. SHD to the truth's class refined by the knowledge, mean ± standard error;
*without* is what the default finds without knowledge, against the same target. *to the plain class* is what
it finds without knowledge, against the truth's class as it is.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sparsest as sp
from sparsest._core.allowed import between, integer
from sparsest_bench.measures.common import Row, mean, mean_and_error, simulated
from sparsest_bench.tables import markdown

RUNS = {
    "auto": 500, "exact": 500, "order": 500, "ges": 500, "notears": 60, "golem-ev": 60, "golem-nv": 60,
    "dagma": 60, "logll-dagma": 60, "logll-notears": 10, "differentiable": 6,
}  # fmt: skip
SOFT = ("notears", "golem-ev", "golem-nv", "dagma", "logll-dagma", "logll-notears", "differentiable")
LEAST, MOST = 2, 10  # columns of the tables on which violations are counted
SIZES = {10: 50, 20: 30, 50: 8}  # columns: datasets on which knowledge should help
KINDS = ("forbidden", "required", "tiers", "all")
SHARE = 0.1  # of the edges, and of the pairs without one, that are stated
SETTINGS = {"share": between(0, 1), "n": integer(2)}


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """Tasks of both parts, or a share of them."""
    share, n = settings.get("share", 1.0), settings.get("n", 300)
    return [
        *(
            {"part": "violations", "solver": solver, "number": number}
            for solver, count in RUNS.items()
            for number in _few(count, share)
        ),
        *(
            {"part": "help", "p": p, "n": n, "seed": seed}
            for p, datasets in SIZES.items()
            for seed in _few(datasets, share)
        ),
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """One run with knowledge, or one dataset with and without it."""
    if spec["part"] == "violations":
        return violation(spec["solver"], spec["number"])
    return {"rows": help_of(spec["p"], spec["n"], spec["seed"])}


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Violations by solver, then what knowledge is worth."""
    parts = [[row for row in rows if row["part"] == part] for part in ("violations", "help")]
    return f"{_violations(parts[0])}\n\n{_help(parts[1])}"


def _few(count: int, share: float) -> range:
    return range(max(1, math.ceil(count * share)))


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
        "columns": p, "rows_given": n, "graph": graph, "told": kind, **said,
        "ruled_out": int((~masks.allowed).sum() - p), "required": int(masks.required.sum()),
        "stopped": result.status.stopped_early, "violated": bool(violated),
    }  # fmt: skip


def help_of(p: int, n: int, seed: int) -> list[Row]:
    """One row per kind of knowledge: the distance to the truth with and without it."""
    rng = np.random.default_rng(seed)
    simulation = simulated("ER2", p, n, rng)
    truth, plain = simulation.dag, sp.fit(simulation.data).cpdag
    rows = []
    for kind in KINDS:
        knowledge = knowledge_of(truth.to_numpy(), rng, kind)
        target = sp.graph.refine(truth, *knowledge.masks(truth.names))
        found = sp.fit(simulation.data, knowledge=knowledge).cpdag
        rows.append({
            "told": kind,
            "to_the_plain_class": sp.graph.cpdag_shd(plain, truth.to_cpdag()),
            "without": sp.graph.cpdag_shd(plain, target),
            "with": sp.graph.cpdag_shd(found, target),
        })  # fmt: skip
    return rows


def _violations(rows: Sequence[Mapping[str, Any]]) -> str:
    header = ("solver", "runs", "stopped early", "edges ruled out", "edges required", "violations")
    lines = []
    for solver in [*RUNS, "all"]:
        mine = [row for row in rows if solver in (row["solver"], "all")]
        means = [mean([row[key] for row in mine], 1) for key in ("ruled_out", "required")]
        stopped, violated = (str(sum(row[key] for row in mine)) for key in ("stopped", "violated"))
        lines.append([solver, str(len(mine)), stopped, *means, violated])
    return markdown(header, lines)


def _help(rows: Sequence[Mapping[str, Any]]) -> str:
    header = ("p", "knowledge", "datasets", "to the plain class", "without", "with", "with − without")
    lines = []
    for p, kind in dict.fromkeys((row["p"], row["told"]) for row in rows):
        mine = [row for row in rows if (row["p"], row["told"]) == (p, kind)]
        columns = [[row[key] for row in mine] for key in ("to_the_plain_class", "without", "with")]
        differences = [after - before for before, after in zip(columns[1], columns[2], strict=True)]
        shown = [mean_and_error(column) for column in columns]
        lines.append([str(p), kind, str(len(mine)), *shown, _signed(differences)])
    return markdown(header, lines)


def _signed(values: Sequence[float]) -> str:
    if len(values) < 2:
        return f"{fmean(values):+.1f}"
    return f"{fmean(values):+.1f} ± {stdev(values) / math.sqrt(len(values)):.1f}"
