"""Whether our solvers reach what the originals reach: least squares + ℓ1 on the graphs they end at.

    python -m benchmarks.least_squares

DAGMA's central path and NOTEARS' augmented Lagrangian, ours and an independent implementation of each, at the
same λ. Every answer is cut to a DAG by the same threshold, and least squares + λ · ℓ1 is minimised once more
on its edges: both are judged by the objective they set out to minimise.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

if __name__ == "__main__" and not __package__:  # python benchmarks/least_squares.py
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from sparsest.bench.tables import markdown

from benchmarks import report
from benchmarks.asking import answers, chosen, environment, prepare
from benchmarks.datasets import Dataset, tables
from benchmarks.report import Row
from sparsest.graph import is_dag

# (ours, the original, λ)
PAIRS = (("our-dagma@0.3", "dagma-0.03", 0.03), ("our-notears@0.3", "gcastle-notears", 0.1))
TIE = 1e-3  # relative: both stop short of the minimum, and a weight may fall on either side of the threshold
NOTES = (
    "Least squares + λ · ℓ1 minimised on the edges of each answer, mean over seeds 0 to {last}; n = {n}. "
    f"No higher: on how many datasets ours is at most the original's, to {TIE:g} of it. "
    "The original: the package `dagma`; gCastle's NOTEARS."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run both of each pair on every dataset and store the table."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.least_squares")
    parser.add_argument("--p", type=int, nargs="+", default=[10, 20, 50])
    parser.add_argument("--graphs", nargs="+", default=["ER2", "SF2"])
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--time-limit", type=float, default=600.0)
    parser.add_argument("--results", type=Path, default=report.RESULTS)
    options = parser.parse_args(given)
    command = shlex.join(["python", "-m", "benchmarks.least_squares", *given])
    methods = {method.name: method for method in chosen([name for pair in PAIRS for name in pair[:2]])}
    places = prepare(methods.values())
    about = environment(methods.values(), places)
    rows: list[Row] = []
    for p in options.p:
        datasets = list(tables(options.graphs, p, options.n, options.seeds, ("raw", "standardised")))
        for ours, original, lam in PAIRS:
            for name in (ours, original):
                found = answers(methods[name], places[methods[name].peer], datasets, options.time_limit)
                rows += [
                    judged(dataset, original, name, lam, answer)
                    for dataset, answer in zip(datasets, found, strict=True)
                ]
                print(p, name, file=sys.stderr)
        text = f"{NOTES.format(last=options.seeds - 1, n=options.n)}\n\n{summary(rows)}"
        report.store(options.results, "least-squares", command, about, rows, text)
    print(summary(rows))
    return 0


def judged(dataset: Dataset, pair: str, method: str, lam: float, found: dict[str, object]) -> Row:
    """One row: the objective on the answer's graph, or why there is none."""
    row = dataset.described | {"varsortability": dataset.varsortability}
    row |= {"pair": pair, "method": method, "lam": lam, "seconds": found.get("seconds")}
    error, value = found.get("error"), None
    if error is None:
        graph = np.array(found["answer"]) != 0
        value, error = (objective(dataset.X, graph, lam), None) if is_dag(graph) else (None, "a cycle")
    return row | {"objective": value, "error": error}


def objective(X: NDArray[np.float64], graph: NDArray[np.bool_], lam: float) -> float:
    """The least value of ‖X − XB‖²/2n + λ‖B‖₁ over the B with these edges, by scikit-learn."""
    from sklearn.linear_model import Lasso

    centred = X - X.mean(axis=0)
    total = 0.0
    for node in range(graph.shape[1]):
        parents = np.flatnonzero(graph[:, node])
        residual = centred[:, node]
        if len(parents):
            lasso = Lasso(alpha=lam, fit_intercept=False, max_iter=100_000, tol=1e-8)
            weights = lasso.fit(centred[:, parents], centred[:, node]).coef_
            residual = residual - centred[:, parents] @ weights
            total += lam * float(np.abs(weights).sum())
        total += float(residual @ residual) / (2 * len(X))
    return total


def summary(rows: Sequence[Row]) -> str:
    """One line a design and pair."""
    header = ("graph", "p", "data", "original", "λ", "ours", "original's", "no higher", "time / original")
    lines = []
    for graph, p, scale, pair, lam in dict.fromkeys(
        (row["graph"], row["p"], row["scale"], row["pair"], row["lam"]) for row in rows
    ):
        here = [
            row
            for row in rows
            if (row["graph"], row["p"], row["scale"], row["pair"]) == (graph, p, scale, pair)
        ]
        theirs = {row["seed"]: row for row in here if row["method"] == pair and row["error"] is None}
        ours = {row["seed"]: row for row in here if row["method"] != pair and row["error"] is None}
        both = sorted(theirs.keys() & ours.keys())
        if not both:
            continue
        reached = sum(ours[seed]["objective"] <= theirs[seed]["objective"] * (1 + TIE) for seed in both)
        ratio = sum(ours[seed]["seconds"] for seed in both) / sum(theirs[seed]["seconds"] for seed in both)
        means = [report.mean([side[seed]["objective"] for seed in both], 4) for side in (ours, theirs)]
        lines.append(
            [graph, str(p), scale, pair, f"{lam:g}", *means, f"{reached} of {len(both)}", f"{ratio:.3g}"]
        )
    return markdown(header, lines)


if __name__ == "__main__":
    raise SystemExit(main())
