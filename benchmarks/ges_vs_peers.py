r"""GES against that of causal-learn and of the package `ges`: the same data, the same cost per edge (BIC's).

    python -m benchmarks.ges_vs_peers --p 10 20 --seeds 5
    python -m benchmarks.ges_vs_peers --p 50 100 --seeds 1 --name ges-large --time-limit 2000 \
        --methods sparsest "sparsest, 2 phases" causal-learn

The answers come from processes of their own (`worker.py`): this file run with the name of a method. Both
peers are installed into one environment, which the first run makes.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.worker import serve

REQUIREMENTS = ("causal-learn==0.1.4.8", "ges==1.1.1")
METHODS: dict[str, dict[str, Any]] = {
    "sparsest": {"ours": True, "iterate": True},
    "sparsest, 2 phases": {"ours": True, "phases": ("forward", "backward")},
    "causal-learn": {"peer": "causal-learn"},  # the same two phases
    "sparsest, 3 phases": {"ours": True},
    "ges": {"peer": "ges"},  # the same three phases
}
REFERENCE = "causal-learn"


def fit(X: Any, *, ours: bool = False, peer: str = "", **options: Any) -> tuple[str, Any]:
    """One answer of one method; a cost of log(n) / 2n per edge, the peers' default as well."""
    if ours:
        return "dag", _ours(X, **options)
    if peer == "ges":
        import ges  # type: ignore[import-not-found]

        return "cpdag", ges.fit_bic(X)[0] != 0
    from causallearn.search.ScoreBased.GES import ges as search  # type: ignore[import-not-found]

    return "cpdag", search(X, lambda_value=0.5)["G"].graph == -1  # a tail at i: i -> j or i -- j


def _ours(X: Any, phases: Sequence[str] = ("forward", "backward", "turning"), iterate: bool = False) -> Any:
    from sparsest.penalties import L0
    from sparsest.problem import Problem
    from sparsest.progress import Watch
    from sparsest.scores import GaussianScore
    from sparsest.search import GES

    correlation, cost = np.corrcoef(X, rowvar=False), np.log(len(X)) / (2 * len(X))
    problem = Problem(GaussianScore(correlation), L0(cost))
    return GES(phases=tuple(phases), iterate=iterate).solve(problem, Watch()).adjacency


def main(given: Sequence[str]) -> None:
    """Simulate, run, judge, store."""
    from benchmarks import report
    from benchmarks.datasets import linear
    from benchmarks.methods import PeerMissing, versions

    options = _parser().parse_args(given)
    python = _peers_python()
    rows: list[dict[str, Any]] = []
    for p in options.p:
        datasets = list(linear(options.graphs, p, options.n, options.seeds, ["standardised"]))
        rows += _run(datasets, options.methods, python, options.time_limit)
    found = {"ours": versions(Path(sys.executable), ("sparsest", "numpy", "numba"))}
    if not isinstance(python, PeerMissing):
        found["peers"] = versions(python, ("causal-learn", "ges", "numpy"))
    text = f"{NOTES}\n\n{_table(rows)}"
    command = shlex.join(["python", "-m", "benchmarks.ges_vs_peers", *given])
    report.store(report.RESULTS, options.name, command, report.machine() | {"versions": found}, rows, text)
    print(text)


NOTES = (
    "One thread each, warm. All methods minimise NLL + c · edges with c = log(n) / 2n; means over the seeds. "
    "Objective and time are compared with causal-learn on the datasets that both answered; "
    "better, same, worse: the objective by more than 1e-6. SHD: between CPDAGs."
)


def _peers_python() -> Any:
    from benchmarks.methods import Method, prepare

    module = "benchmarks.ges_vs_peers"
    return prepare([Method(REFERENCE, module, REQUIREMENTS)])[module]


def _run(datasets: Sequence[Any], names: Sequence[str], python: Any, limit: float) -> list[dict[str, Any]]:
    from benchmarks.execute import answer
    from benchmarks.methods import Method

    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        inbox = Path(scratch) / "datasets"
        inbox.mkdir()
        for dataset in datasets:
            np.savez(inbox / dataset.name, X=dataset.X)
        for number, name in enumerate(names):
            ours = METHODS[name].get("ours", False)
            method = Method(name, "benchmarks.ges_vs_peers", None if ours else REQUIREMENTS)
            interpreter = Path(sys.executable) if ours else python
            answers = answer(method, interpreter, inbox, Path(scratch) / f"answers{number}", limit)
            rows += [_row(dataset, name, answers[dataset.name]) for dataset in datasets]
            print(f"p={datasets[0].p} {name}: done", file=sys.stderr)
    return rows


def _row(dataset: Any, name: str, answer: dict[str, Any]) -> dict[str, Any]:
    from sparsest.graph import cpdag_shd, cpdag_to_dag
    from sparsest.scores.gaussian import refit

    row = {"graph": dataset.graph, "p": dataset.p, "n": dataset.n, "seed": dataset.seed, "method": name}
    row |= {"seconds": None, "edges": None, "shd": None, "objective": None, "error": answer.get("error")}
    if row["error"] is None:
        matrix = np.array(answer["adjacency"])
        dag = matrix if answer["kind"] == "dag" else cpdag_to_dag(matrix)
        _, variances = refit(np.corrcoef(dataset.X, rowvar=False), dag != 0)
        cost = np.log(dataset.n) / (2 * dataset.n)
        row["objective"] = 0.5 * float(np.log(variances).sum()) + cost * int(dag.sum())
        row["edges"], row["shd"] = int(dag.sum()), cpdag_shd(matrix, dataset.dag)
        row["seconds"] = answer["seconds"]
    return row


def _table(rows: Sequence[dict[str, Any]]) -> str:
    """A line a design and method."""
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
    return report.table(header, lines)


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
    return parser


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in METHODS:
        serve(fit, METHODS)
    else:
        main(sys.argv[1:])
