"""Whether our solvers do as well as the originals: least squares + ℓ1 on the graphs they end at.

DAGMA's central path and NOTEARS' augmented Lagrangian, ours and an independent implementation of each, at the
same λ. Every answer is cut to a DAG by the same threshold, and least squares + λ · ℓ1 is minimised once more
on its edges: both are judged by the objective they set out to minimise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.allowed import between, integer, list_of, quoted_text
from sparsest.graph import is_dag
from sparsest.simulate.designs import DATA, Design, simulate
from sparsest_bench.measures.common import Row, asked, mean
from sparsest_bench.process import FailedError
from sparsest_bench.tables import markdown

# (ours, the original, λ)
PAIRS = (("our-dagma@0.3", "dagma-0.03", 0.03), ("our-notears@0.3", "gcastle-notears", 0.1))
TIE = 1e-3  # relative: both stop short of the minimum, and a weight may fall on either side of the threshold
SETTINGS = {
    "p": list_of(integer(2)),
    "graphs": list_of(quoted_text),
    "n": integer(2),
    "seeds": integer(1),
    "time_limit": between(0.1),
    "methods": list_of(quoted_text),
}


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table and method, or some of the methods."""
    fixed = {"n": settings.get("n", 1000), "time_limit": settings.get("time_limit", 600.0)}
    return [
        fixed
        | {"p": p, "graph": graph, "data": data, "seed": seed, "pair": pair, "method": method, "lam": lam}
        for p in settings["p"]
        for ours, pair, lam in PAIRS
        for method in (ours, pair)
        if method in settings.get("methods", (ours, pair))
        for graph, data in product(settings["graphs"], DATA)
        for seed in range(settings["seeds"])
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """The objective on the graph of a method's answer, or why there is none."""
    design = Design(spec["graph"], spec["p"], spec["n"], data=spec["data"])
    dataset = simulate(design, spec["seed"])
    row = {"varsortability": dataset.varsortability, "seconds": None, "objective": None}
    try:
        reply = asked(spec["method"], dataset.arrays, spec["time_limit"])
    except FailedError as failure:
        return row | {"failure": str(failure)}
    graph = np.array(reply["answer"]) != 0
    row["seconds"] = reply["seconds"]
    if not is_dag(graph):
        return row | {"failure": "a cycle"}
    return row | {"objective": objective(dataset.X, graph, spec["lam"]), "failure": None}


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


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per design and pair."""
    header = ("graph", "p", "data", "original", "λ", "ours", "original's", "no higher", "time / original")
    lines = []
    for graph, p, scale, pair, lam in dict.fromkeys(
        (row["graph"], row["p"], row["data"], row["pair"], row["lam"]) for row in rows
    ):
        here = [
            row
            for row in rows
            if (row["graph"], row["p"], row["data"], row["pair"]) == (graph, p, scale, pair)
        ]
        theirs = {row["seed"]: row for row in here if row["method"] == pair and row.get("failure") is None}
        ours = {row["seed"]: row for row in here if row["method"] != pair and row.get("failure") is None}
        both = sorted(theirs.keys() & ours.keys())
        if not both:
            continue
        reached = sum(ours[seed]["objective"] <= theirs[seed]["objective"] * (1 + TIE) for seed in both)
        ratio = sum(ours[seed]["seconds"] for seed in both) / sum(theirs[seed]["seconds"] for seed in both)
        means = [mean([side[seed]["objective"] for seed in both], 4) for side in (ours, theirs)]
        lines.append(
            [graph, str(p), scale, pair, f"{lam:g}", *means, f"{reached} of {len(both)}", f"{ratio:.3g}"]
        )
    return markdown(header, lines)
