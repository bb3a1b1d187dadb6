"""Whether the answer depends on what it should not: units, the order of the columns, the number of threads.

    python -m benchmarks.invariance --datasets 200

The default fit on each dataset, and again on four variants of it.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

if __name__ == "__main__" and not __package__:  # python benchmarks/invariance.py
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from sparsest.bench.tables import markdown

import sparsest as sp
from benchmarks import report
from benchmarks.datasets import simulated, standardised
from benchmarks.report import Row

GRAPHS = tuple(f"{kind}{k}" for kind in ("ER", "SF") for k in (1, 2, 4))
LEAST, MOST = 5, 60  # columns
POWER = 6  # columns are rescaled by factors from 10^-POWER to 10^POWER
TIE = 1e-9  # objectives closer than this are equal
NOTES = (
    f"The default fit on raw data (graphs {', '.join(GRAPHS)}; p from {LEAST} to {MOST}; {{n}} rows; "
    "dataset i from `numpy.random.default_rng(i)`), and again on variants of the data: how often the answers "
    f"agree. Rescaled: columns multiplied by factors log-uniform between 1e-{POWER} and 1e{POWER}. "
    f"Same objective: to {TIE:g}, the change of units taken off. "
    "Largest gap: of the objective, in the same sense; below 0 where the variant found the better graph."
)


@dataclass(frozen=True, eq=False)
class Variant:
    """The data in another form: columns multiplied by `factors`, then put in `order`."""

    name: str
    X: NDArray[np.float64]
    factors: NDArray[np.float64]
    order: NDArray[np.int64]
    options: dict[str, Any] = field(default_factory=dict)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, compare, count, and store under benchmarks/results/invariance."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser().parse_args(given)
    rows: list[Row] = []
    for seed in range(options.datasets):
        rows += compare(seed, options.n)
        print(f"{seed + 1} of {options.datasets} datasets", file=sys.stderr)
    environment = report.environment()
    command = shlex.join(["python", "-m", "benchmarks.invariance", *given])
    text = f"{NOTES.format(n=options.n)}\n\n{summary(rows)}"
    report.store(options.results, "invariance", command, environment, rows, text)
    print(text)
    return 0


def compare(seed: int, n: int) -> list[Row]:
    """A row a variant of one dataset."""
    rng = np.random.default_rng(seed)
    p, graph = int(rng.integers(LEAST, MOST + 1)), str(rng.choice(GRAPHS))
    X = simulated(graph, p, n, rng).data
    raw = sp.fit(X)
    return [
        {"seed": seed, "graph": graph, "p": p, "solver": raw.solver, "variant": variant.name}
        | agreement(raw, sp.fit(variant.X, **variant.options), variant)
        for variant in variants(X, rng)
    ]


def variants(X: NDArray[np.float64], rng: np.random.Generator) -> Iterator[Variant]:
    """What should make no difference."""
    p = X.shape[1]
    ones, still = np.ones(p), np.arange(p)
    yield Variant("standardised", standardised(X), 1 / X.std(axis=0, ddof=1), still)
    factors = np.power(10.0, rng.uniform(-POWER, POWER, size=p))
    yield Variant("rescaled", X * factors, factors, still)
    order = rng.permutation(p)
    yield Variant("permuted columns", X[:, order], ones, order)
    yield Variant("two threads", X, ones, still, {"n_jobs": 2})


def agreement(raw: sp.Result, found: sp.Result, variant: Variant) -> Row:
    """How the result on a variant compares with that on the raw data."""
    back = np.ix_(*[np.argsort(variant.order)] * 2)
    cpdag, dag = (graph.to_numpy()[back] for graph in (found.cpdag, found.dag))
    return {
        "same_cpdag": np.array_equal(cpdag, raw.cpdag.to_numpy()),
        "same_dag": np.array_equal(dag, raw.dag.to_numpy()),
        # ½ Σ log ω grows by Σ log factors
        "gap": found.objective - float(np.log(variant.factors).sum()) - raw.objective,
    }


def summary(rows: Sequence[Row]) -> str:
    """One line a variant and solver: counts."""
    header = ("variant", "solver", "datasets", "same CPDAG", "same DAG", "same objective", "largest gap")
    lines = []
    for variant, solver in sorted({(row["variant"], row["solver"]) for row in rows}):
        mine = [row for row in rows if (row["variant"], row["solver"]) == (variant, solver)]
        gaps = [row["gap"] for row in mine]
        counts = (len(mine), *(sum(row[key] for row in mine) for key in ("same_cpdag", "same_dag")))
        same = sum(abs(gap) <= TIE for gap in gaps)
        lines.append([variant, solver, *map(str, counts), str(same), f"{max(gaps, key=abs):.1e}"])
    return markdown(header, lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.invariance",
        description="Whether the answer depends on what it should not.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--datasets", type=int, default=200, help="how many: seeds 0, 1, ...")
    parser.add_argument("--n", type=int, default=1000, help="rows")
    parser.add_argument("--results", type=Path, default=report.RESULTS, help="folder to write to")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
