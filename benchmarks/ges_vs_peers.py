r"""GES against that of causal-learn and of the package `ges`: the same data, the same cost per edge (BIC's).

    python -m benchmarks.ges_vs_peers --p 10 20 --seeds 5
    python -m benchmarks.ges_vs_peers --p 50 100 --seeds 1 --name ges-large --time-limit 2000 \
        --methods sparsest "sparsest, 2 phases" causal-learn

The answers come from processes of their own, which load this file as that of a peer (`sparsest.bench.peers`).
Both peers are installed into one environment, which the first run makes.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

REQUIREMENTS = ("causal-learn==0.1.4.8", "ges==1.1.1")
METHODS: dict[str, dict[str, Any]] = {
    "sparsest": {"ours": True, "iterate": True},
    "sparsest, 2 phases": {"ours": True, "phases": ("forward", "backward")},
    "causal-learn": {"peer": "causal-learn"},  # the same two phases
    "sparsest, 3 phases": {"ours": True},
    "ges": {"peer": "ges"},  # the same three phases
}
REFERENCE = "causal-learn"


def fit(arrays: dict[str, Any], *, ours: bool = False, peer: str = "", **options: Any) -> tuple[str, Any]:
    """One answer of one method; a cost of log(n) / 2n per edge, the peers' default as well."""
    X = arrays["X"]
    if ours:
        return "dag", _ours(X, **options)
    if peer == "ges":
        import ges  # type: ignore[import-not-found]

        return "cpdag", ges.fit_bic(X)[0] != 0
    from causallearn.search.ScoreBased.GES import ges as search  # type: ignore[import-not-found]

    return "cpdag", search(X, lambda_value=0.5)["G"].graph == -1  # a tail at i: i -> j or i -- j


def _ours(X: Any, phases: Sequence[str] = ("forward", "backward", "turning"), iterate: bool = False) -> Any:
    from sparsest._core.progress import Watch
    from sparsest.penalties import L0
    from sparsest.problem import Problem
    from sparsest.scores import GaussianScore
    from sparsest.search import GES

    correlation, cost = np.corrcoef(X, rowvar=False), np.log(len(X)) / (2 * len(X))
    problem = Problem(GaussianScore(correlation), L0(cost))
    return GES(phases=tuple(phases), iterate=iterate).solve(problem, Watch()).adjacency


def main(given: Sequence[str]) -> None:
    """Simulate, run, judge, store."""
    from benchmarks import report
    from benchmarks.asking import answers, environment, prepare
    from benchmarks.datasets import tables

    options = _parser().parse_args(given)
    methods = [_method(name) for name in options.methods]
    places = prepare(methods)
    rows: list[dict[str, Any]] = []
    for p in options.p:
        datasets = list(tables(options.graphs, p, options.n, options.seeds, ["standardised"]))
        for method in methods:
            found = answers(method, places[method.peer], datasets, options.time_limit)
            rows += [_row(*pair, method.name) for pair in zip(datasets, found, strict=True)]
            print(f"p={p} {method.name}: done", file=sys.stderr)
    text = f"{NOTES}\n\n{_table(rows)}"
    command = shlex.join(["python", "-m", "benchmarks.ges_vs_peers", *given])
    report.store(options.results, options.name, command, environment(methods, places), rows, text)
    print(text)


NOTES = (
    "One thread each, warm. All methods minimise NLL + c · edges with c = log(n) / 2n; means over the seeds. "
    "Objective and time are compared with causal-learn on the datasets that both answered; "
    "better, same, worse: the objective by more than 1e-6. SHD: between CPDAGs."
)


def _method(name: str) -> Any:
    from sparsest.bench.methods import Method

    if METHODS[name].get("ours"):
        return Method(name, "ours", __file__, "", None)
    return Method(name, "ges_vs_peers", __file__, "", REQUIREMENTS)


def _row(dataset: Any, answer: dict[str, Any], name: str) -> dict[str, Any]:
    from sparsest.graph import cpdag_shd, cpdag_to_dag
    from sparsest.scores.gaussian import refit

    described = {key: value for key, value in dataset.described.items() if key != "scale"}
    row = described | {"method": name}
    row |= {"seconds": None, "edges": None, "shd": None, "objective": None, "error": answer.get("error")}
    if row["error"] is None:
        matrix = np.array(answer["answer"])
        dag = matrix if answer["kind"] == "dag" else cpdag_to_dag(matrix)
        _, variances = refit(np.corrcoef(dataset.X, rowvar=False), dag != 0)
        cost = np.log(dataset.design.n) / (2 * dataset.design.n)
        row["objective"] = 0.5 * float(np.log(variances).sum()) + cost * int(dag.sum())
        row["edges"], row["shd"] = int(dag.sum()), cpdag_shd(matrix, dataset.dag)
        row["seconds"] = answer["seconds"]
    return row


def _table(rows: Sequence[dict[str, Any]]) -> str:
    """A line a design and method."""
    from sparsest.bench.tables import markdown

    from benchmarks import report

    header = (
        "graph",
        "p",
        "method",
        "SHD",
        "edges",
        "seconds",
        "speed-up",
        "better",
        "same",
        "worse",
        "failed",
    )
    lines = []
    for design in dict.fromkeys((row["graph"], row["p"]) for row in rows):
        here = [row for row in rows if (row["graph"], row["p"]) == design]
        reference = {row["seed"]: row for row in here if row["method"] == REFERENCE and row["error"] is None}
        for name in dict.fromkeys(row["method"] for row in here):
            mine = [row for row in here if row["method"] == name]
            done = [row for row in mine if row["error"] is None]
            pairs = [(row, reference[row["seed"]]) for row in done if row["seed"] in reference]
            gaps = [row["objective"] - other["objective"] for row, other in pairs]
            clock = [sum(row["seconds"] for row in side) for side in zip(*pairs, strict=True)]
            lines.append(
                [
                    *map(str, design),
                    name,
                    *(report.mean([row[key] for row in done], 1) for key in ("shd", "edges")),
                    f"{fmean(row['seconds'] for row in done):.3g}" if done else report.NOTHING,
                    f"{clock[1] / clock[0]:.3g}" if clock else report.NOTHING,
                    str(sum(gap < -1e-6 for gap in gaps)),
                    str(sum(abs(gap) <= 1e-6 for gap in gaps)),
                    str(sum(gap > 1e-6 for gap in gaps)),
                    str(len(mine) - len(done)),
                ]
            )
    return markdown(header, lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.ges_vs_peers", description="GES and its peers."
    )
    parser.add_argument("--p", type=int, nargs="+", default=[10, 20])
    parser.add_argument("--graphs", nargs="+", default=["ER2"])
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--name", default="ges", help="of the files written")
    parser.add_argument("--time-limit", type=float, default=900.0, help="seconds a dataset")
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "results")
    return parser


if __name__ == "__main__":
    main(sys.argv[1:])
