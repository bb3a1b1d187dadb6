"""Whether the answer depends on what it should not: units, the order of the columns, the number of threads.

The default fit on raw data (dataset i from `numpy.random.default_rng(i)`), and again on four variants of it:
how often the answers agree. Rescaled: columns multiplied by factors log-uniform between 1e-6 and 1e6. Same
objective: to 1e-9, after correcting for the change of units. Largest gap: in the objective, corrected too;
negative if the variant gave the better graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sparsest as sp
from sparsest._core.allowed import integer
from sparsest.problem import SAME_OBJECTIVE
from sparsest_bench.measures.common import Row, simulated
from sparsest_bench.tables import markdown

GRAPHS = tuple(f"{kind}{k}" for kind in ("ER", "SF") for k in (1, 2, 4))
LEAST, MOST = 5, 60  # columns
POWER = 6  # columns are rescaled by factors from 10^-POWER to 10^POWER
SETTINGS = {"datasets": integer(1), "n": integer(2), "most": integer(LEAST)}


@dataclass(frozen=True, eq=False)
class Variant:
    """The data in another form: columns multiplied by `factors`, then put in `order`."""

    name: str
    X: NDArray[np.float64]
    factors: NDArray[np.float64]
    order: NDArray[np.int64]
    options: dict[str, Any] = field(default_factory=dict)


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per dataset."""
    fixed = {"n": settings.get("n", 1000), "most": settings.get("most", MOST)}
    return [fixed | {"seed": seed} for seed in range(settings["datasets"])]


def run(spec: Mapping[str, Any]) -> Row:
    """One row per variant of a dataset."""
    rng = np.random.default_rng(spec["seed"])
    p, graph = int(rng.integers(LEAST, spec["most"] + 1)), str(rng.choice(GRAPHS))
    X = simulated(graph, p, spec["n"], rng).data
    raw = sp.fit(X)
    rows = [
        {"variant": variant.name} | agreement(raw, sp.fit(variant.X, **variant.options), variant)
        for variant in variants(X, rng)
    ]
    return {"graph": graph, "p": p, "solver": raw.solver, "rows": rows}


def variants(X: NDArray[np.float64], rng: np.random.Generator) -> Iterator[Variant]:
    """Variants that should make no difference."""
    p = X.shape[1]
    ones, still = np.ones(p), np.arange(p)
    scales = X.std(axis=0, ddof=1)
    yield Variant("standardised", (X - X.mean(axis=0)) / scales, 1 / scales, still)
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


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per variant and solver."""
    header = ("variant", "solver", "datasets", "same CPDAG", "same DAG", "same objective", "largest gap")
    lines = []
    for variant, solver in sorted({(row["variant"], row["solver"]) for row in rows}):
        mine = [row for row in rows if (row["variant"], row["solver"]) == (variant, solver)]
        gaps = [row["gap"] for row in mine]
        counts = (len(mine), *(sum(row[key] for row in mine) for key in ("same_cpdag", "same_dag")))
        same = sum(abs(gap) <= SAME_OBJECTIVE for gap in gaps)
        lines.append([variant, solver, *map(str, counts), str(same), f"{max(gaps, key=abs):.1e}"])
    return markdown(header, lines)
