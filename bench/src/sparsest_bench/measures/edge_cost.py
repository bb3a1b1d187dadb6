"""What an edge should cost: errors of the default search at several costs, over diverse designs.

The extended BIC with γ = ½ is taken from the literature (Foygel & Drton, 2010), not tuned on these designs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import sparsest as sp
from sparsest._core.allowed import integer
from sparsest.penalties.criteria import cost_per_edge
from sparsest.simulate.designs import parse_graph
from sparsest_bench.measures.common import Row
from sparsest_bench.tables import markdown

# graph, columns, rows, weights. "strong": ±[0.5, 1.5] as in the paper; "weak": uniform on [-1, 1].
DESIGNS = (
    ("ER1", 100, 1000, "strong"),
    ("ER2", 20, 1000, "strong"),
    ("ER2", 50, 200, "strong"),
    ("ER2", 50, 1000, "strong"),
    ("ER2", 50, 10_000, "strong"),
    ("ER2", 100, 1000, "strong"),
    ("ER4", 50, 1000, "strong"),
    ("ER4", 100, 1000, "strong"),
    ("SF2", 50, 1000, "strong"),
    ("ER2", 30, 500, "weak"),
    ("ER5", 50, 1000, "weak"),
    ("ER5", 100, 1000, "weak"),
    ("ER10", 100, 1000, "weak"),
)
# Multiples of the BIC, and γ of the extended BIC.
COSTS = {
    "BIC": (1, 0),
    "2 BIC": (2, 0),
    "3 BIC": (3, 0),
    "extended BIC, γ = ¼": (1, 0.25),
    "extended BIC, γ = ½ (auto)": (1, 0.5),
    "extended BIC, γ = 1": (1, 1),
}

SETTINGS = {"seeds": integer(1), "most_columns": integer(2)}


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table; designs of at most `most_columns` columns."""
    return [
        {"graph": graph, "p": p, "n": n, "weights": weights, "seed": seed}
        for graph, p, n, weights in DESIGNS
        if p <= settings.get("most_columns", p)
        for seed in range(settings["seeds"])
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """One row per cost."""
    graph, p, n, weights, seed = (spec[key] for key in ("graph", "p", "n", "weights", "seed"))
    kind, k = parse_graph(graph)
    rng = np.random.default_rng(1000 + seed)
    dag = sp.simulate.random_dag(p, k, kind, rng)
    ranges, noise = ([(-1, 1)], (1.0, 1.5)) if weights == "weak" else ([(-1.5, -0.5), (0.5, 1.5)], (0.1, 0.7))
    B = sp.simulate.random_weights(dag, rng, ranges=ranges)
    moments = sp.Moments.from_array(sp.simulate.linear_gaussian(B, n, rng, noise=noise).data)
    rows = []
    for name, (times, gamma) in COSTS.items():
        result = sp.fit(moments, penalty=edge_cost(times, gamma, n, p))
        pairs = sp.graph.compare(dag, result.cpdag).adjacencies
        rows.append(
            {
                "cost": name,
                "shd": sp.graph.cpdag_shd(dag, result.cpdag), "precision": pairs.precision,
                "recall": pairs.recall, "seconds": result.seconds,
            }
        )  # fmt: skip
    return {"rows": rows}


def edge_cost(times: float, gamma: float, n: int, p: int) -> float:
    """Cost per edge: the extended BIC is linear in γ, from the BIC at 0 to "ebic" at ½."""
    bic, ebic = (cost_per_edge(criterion, n, p) for criterion in ("bic", "ebic"))
    return (times - 2 * gamma) * bic + 2 * gamma * ebic


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Mean SHD (precision / recall of adjacencies) of each design and cost."""
    designs = list(dict.fromkeys((row["graph"], row["p"], row["n"], row["weights"]) for row in rows))
    lines = []
    for design in designs:
        here = [row for row in rows if (row["graph"], row["p"], row["n"], row["weights"]) == design]
        cells = []
        for name in COSTS:
            mine = [row for row in here if row["cost"] == name]
            shd, precision, recall = (_mean(mine, key) for key in ("shd", "precision", "recall"))
            cells.append(f"{shd:.1f} ({precision:.2f} / {recall:.2f})")
        lines.append([*map(str, design), *cells])
    return markdown(["graph", "p", "n", "weights", *COSTS], lines)


def _mean(rows: Sequence[Mapping[str, Any]], key: str) -> float:
    """The mean over the tables where there is a value: an empty graph has no precision."""
    values = [row[key] for row in rows if row[key] is not None]
    return float(np.mean(values)) if values else math.nan
