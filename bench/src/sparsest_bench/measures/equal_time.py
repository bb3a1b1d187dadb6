"""Whether probabilities over all DAGs are better calibrated than shares of half-samples, at equal time.

The tables are of the designs on which the calibration is reported, with other seeds. Up to 15 columns the
posterior is exact (`sp.posterior`). Of 30 columns it is sampled by partition MCMC (Kuipers & Moffa, 2017), on
the same scores: three chains, from the answer and from two graphs learned from halves, which together have
the CPU time of the half-samples. Each column has at most 12 candidate parents. "Chains apart" counts the
tables on which a Gelman–Rubin statistic of an edge exceeds 1.1.

An edge counts with its direction in the true DAG. Errors and Brier scores are as in `calibration`.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sparsest as sp
from sparsest._core.allowed import integer
from sparsest.penalties import L0
from sparsest.penalties.criteria import cost_per_edge
from sparsest.problem import Problem
from sparsest.scores import GaussianScore
from sparsest_bench.calibration.collecting import drawn
from sparsest_bench.calibration.reported_families import REPORTED
from sparsest_bench.measures.calibration import SECOND, judged
from sparsest_bench.measures.common import Row, mean
from sparsest_bench.measures.shares import calibration_error, worst_bin
from sparsest_bench.partitions.sampling import sample
from sparsest_bench.tables import NOTHING, markdown

SETTINGS = {"seeds": integer(1), "resamples": integer(2)}
FIRST_SEED = 6400
ARMS = {
    "shares": "shares of half-samples",
    "calibrated": "**calibrated**",
    "posterior": "posterior, exact",
    "sampled": "posterior, partition MCMC",
}
_EXACT = 20
_APART = 1.1

Array = NDArray[np.float64]


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table, two of them well-specified."""
    return [
        {"design": family.name, "seed": FIRST_SEED + seed, "resamples": settings["resamples"]}
        for first in range(settings["seeds"])
        for family in REPORTED
        for seed in ([first, first + SECOND] if family.well else [first])
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """Shares and posterior probabilities of one table."""
    number = next(k for k, family in enumerate(REPORTED) if family.name == spec["design"])
    table = drawn(REPORTED[number], number, spec["seed"], 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SparsestWarning)
        sp.confidence(table.X, resamples=1, model="gaussian")  # compiled and loaded
        began = time.process_time()
        found = sp.confidence(table.X, resamples=spec["resamples"], model="gaussian")
        seconds = time.process_time() - began
        probable, shares = found.calibrated, (found.adjacency, found.arrow)
        posterior = _posterior(table.X, found, seconds, spec["seed"])
    arm = "posterior" if table.X.shape[1] <= _EXACT else "sampled"
    about = {"well": REPORTED[number].well, "p": table.X.shape[1], "n": len(table.X)}
    times = {"shares": seconds, arm: posterior["cpu_seconds"]}
    rows = [
        judged("shares", table, *shares),
        judged("calibrated", table, probable.adjacency, probable.arrow, shares),
        judged(arm, table, posterior["adjacency"], posterior["edge"], shares),
    ]
    split = {"split": posterior["split"], "steps": posterior["steps"]}
    return {"rows": [about | row | split | {"cpu_seconds": times.get(row["arm"])} for row in rows]}


def _posterior(X: Array, found: sp.Confidence, cpu_seconds: float, seed: int) -> dict[str, Any]:
    """The probabilities of edges of the DAG."""
    n, p = X.shape
    began = time.process_time()
    if p <= _EXACT:
        exact = sp.posterior(X, model="gaussian")
        assert exact.edge is not None  # a posteriori it is there
        edge, split, steps = exact.edge, None, 0
    else:
        problem = Problem(
            GaussianScore(np.asarray(np.corrcoef(X, rowvar=False))), L0(cost_per_edge("auto", n, p))
        )
        rng = np.random.default_rng([seed, 3])
        halves = (X[rng.permutation(n)[: n // 2]] for _ in range(2))
        others = [sp.fit(half, model="gaussian").dag.matrix != 0 for half in halves]
        starts = [found.result.dag.matrix != 0, *others] if found.result is not None else others
        spent = time.process_time() - began
        sampled = sample(problem, n, starts, rng, cpu_seconds - spent)
        edge, split, steps = sampled.edge, sampled.split, sampled.steps
    adjacency = np.minimum(edge + edge.T, 1.0)
    seconds = time.process_time() - began
    return {
        "adjacency": adjacency,
        "edge": edge,
        "split": split,
        "steps": steps,
        "cpu_seconds": seconds,
    }


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per kind of table, size and arm."""
    header = ["tables are", "columns", "", "tables", "calibration error of pairs", "worst bin",
              "of arrows", "worst bin", "Brier of pairs", "of arrows", "arrows ≥ 0.9 that are right",
              "CPU s", "chains apart"]  # fmt: skip
    return markdown(header, _lines(rows))


def _lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    for well, label in ((True, "well-specified"), (False, "misspecified")):
        for small, columns in ((True, "10 or 15"), (False, "30")):
            here = [row for row in rows if row["well"] is well and (row["p"] <= _EXACT) is small]
            for arm, words in ARMS.items():
                mine = [row for row in here if row["arm"] == arm]
                if mine:
                    yield [label, columns, words, str(len(mine)), *_cells(mine)]


def _cells(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for key in ("pair_bins", "arrow_bins"):
        error, worst = (rate([row[key] for row in rows]) for rate in (calibration_error, worst_bin))
        yield from (NOTHING if one is None else f"{one:.3f}" for one in (error, worst))
    yield from (mean([row[key] for row in rows], 4) for key in ("pair_brier", "arrow_brier"))
    sure, right = (sum(row[key] for row in rows) for key in ("sure", "sure_right"))
    yield f"{right / sure:.1%} of {sure}" if sure else NOTHING
    yield mean([row["cpu_seconds"] for row in rows if row["cpu_seconds"] is not None], 1)
    splits = [row["split"] for row in rows if row["arm"] == "sampled"]
    apart = sum(split is None or not split < _APART for split in splits)
    yield f"{apart} of {len(splits)}" if splits else NOTHING
