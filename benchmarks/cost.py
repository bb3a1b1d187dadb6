"""What an edge should cost: errors of the default search at several costs, over unlike designs.

    python -m benchmarks.cost

The extended BIC with γ = ½ is taken from the literature (Foygel & Drton, 2010), not tuned on these designs.
"""

from __future__ import annotations

import argparse
import math
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

if __name__ == "__main__" and not __package__:  # python benchmarks/cost.py
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from sparsest.bench.designs import parse_graph
from sparsest.bench.tables import markdown

import sparsest as sp
from benchmarks import report
from benchmarks.report import RESULTS, Row

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
# How often log(n) is paid, and the γ of the extended BIC.
COSTS = {
    "BIC": (1, 0),
    "2 BIC": (2, 0),
    "3 BIC": (3, 0),
    "extended BIC, γ = ¼": (1, 0.25),
    "extended BIC, γ = ½ (auto)": (1, 0.5),
    "extended BIC, γ = 1": (1, 1),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run every cost on every design and store the table."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args(given)
    command = shlex.join(["python", "-m", "benchmarks.cost", *given])
    environment = report.environment()
    rows: list[Row] = []
    for design in DESIGNS:
        for seed in range(options.seeds):
            rows += compare(design, seed)
        print(design, file=sys.stderr)
        report.store(options.results, "cost", command, environment, rows, summary(rows))
    print(summary(rows))
    return 0


def compare(design: tuple[str, int, int, str], seed: int) -> list[Row]:
    """One row a cost."""
    graph, p, n, weights = design
    kind, k = parse_graph(graph)
    rng = np.random.default_rng(1000 + seed)
    dag = sp.simulate.random_dag(p, k, kind, rng)
    ranges, noise = ([(-1, 1)], (1.0, 1.5)) if weights == "weak" else ([(-1.5, -0.5), (0.5, 1.5)], (0.1, 0.7))
    B = sp.simulate.random_weights(dag, rng, ranges=ranges)
    moments = sp.Moments.from_array(sp.simulate.linear_gaussian(B, n, rng, noise=noise).data)
    rows = []
    for name, (times, gamma) in COSTS.items():
        cost = (times * math.log(n) + 4 * gamma * math.log(p)) / (2 * n)
        result = sp.fit(moments, penalty=cost)
        pairs = sp.graph.compare(dag, result.cpdag).adjacencies
        rows.append(
            {
                "graph": graph, "p": p, "n": n, "weights": weights, "seed": seed, "cost": name,
                "shd": sp.graph.cpdag_shd(dag, result.cpdag), "precision": pairs.precision,
                "recall": pairs.recall, "seconds": result.seconds,
            }
        )  # fmt: skip
    return rows


def summary(rows: Sequence[Row]) -> str:
    """Mean SHD (precision / recall of adjacencies) a design and cost."""
    designs = list(dict.fromkeys((row["graph"], row["p"], row["n"], row["weights"]) for row in rows))
    lines = []
    for design in designs:
        here = [row for row in rows if (row["graph"], row["p"], row["n"], row["weights"]) == design]
        cells = []
        for name in COSTS:
            mine = [row for row in here if row["cost"] == name]
            shd, precision, recall = (
                float(np.mean([row[key] for row in mine])) for key in ("shd", "precision", "recall")
            )
            cells.append(f"{shd:.1f} ({precision:.2f} / {recall:.2f})")
        lines.append([*map(str, design), *cells])
    return markdown(["graph", "p", "n", "weights", *COSTS], lines)


if __name__ == "__main__":
    raise SystemExit(main())
