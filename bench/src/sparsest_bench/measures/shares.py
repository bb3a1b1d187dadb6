"""Shares over half-samples: their time, whether sure arrows are right, and what the consensus is worth.

An arrow is right if the true DAG has it, a pair if it is joined there. The calibration error is taken over
pairs whose share lies strictly between 0.05 and 0.95: it is the mean distance between share and frequency
over ten bins, weighted by their counts.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sparsest as sp
from sparsest._core.allowed import integer
from sparsest.simulate.designs import Design, simulate
from sparsest_bench.measures.common import Row, mean
from sparsest_bench.tables import NOTHING, markdown

SETTINGS = {"seeds": integer(1), "resamples": integer(1), "most_columns": integer(2)}
SURE = 0.9
BINS = 10
# graph, columns, rows, noise, hidden causes, weights
DESIGNS = (
    ("ER2", 20, 200, "gaussian", 0, "strong"),
    ("ER2", 20, 1000, "gaussian", 0, "weak"),
    ("SF2", 30, 300, "gaussian", 0, "weak"),
    ("ER2", 50, 1000, "gaussian", 0, "strong"),
    ("ER2", 100, 1000, "gaussian", 0, "strong"),
    ("ER2", 20, 500, "exponential", 0, "strong"),
    ("ER2", 20, 500, "gaussian", 3, "strong"),
)
_FACTORS = ("graph", "p", "n", "noise", "hidden", "weights")

Array = NDArray[np.float64]


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table."""
    return [
        dict(zip(_FACTORS, design, strict=True)) | {"seed": 5000 + seed, "resamples": settings["resamples"]}
        for design in DESIGNS
        if design[1] <= settings.get("most_columns", design[1])
        for seed in range(settings["seeds"])
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """The shares of one table against its true graph."""
    design = Design(**{factor: spec[factor] for factor in _FACTORS})
    dataset = simulate(design, spec["seed"])
    sp.confidence(dataset.X, resamples=1)  # compiled and loaded
    began = time.process_time()
    found = sp.confidence(dataset.X, resamples=spec["resamples"])
    seconds = time.process_time() - began
    truth = dataset.dag != 0
    above = np.triu(np.ones_like(truth), 1)
    beside = ~np.eye(len(truth), dtype=bool)
    sure, joined = found.arrow >= SURE, (found.adjacency >= SURE) & above
    return {
        "cpu_seconds": seconds,
        "shd": int(sp.graph.cpdag_shd(dataset.dag, found.answer)),
        "shd_consensus": int(sp.graph.cpdag_shd(dataset.dag, found.graph())),
        "arrows": int(sure.sum()),
        "arrows_right": int((sure & truth).sum()),
        "pairs": int(joined.sum()),
        "pairs_right": int((joined & (truth | truth.T)).sum()),
        "arrow_bins": bins(found.arrow[beside], truth[beside]),
        "pair_bins": bins(found.adjacency[above], (truth | truth.T)[above]),
    }


def bins(numbers: Array, truth: NDArray[np.bool_], shares: Array | None = None) -> list[list[float]]:
    """Count, sum of numbers and number of true ones in each bin; of what has a share in between."""
    shares = numbers if shares is None else shares
    between = (shares > 0.05) & (shares < 0.95)
    place = np.minimum((numbers[between] * BINS).astype(int), BINS - 1)
    sums = (np.bincount(place, weights, BINS) for weights in (None, numbers[between], truth[between]))
    return [[float(value) for value in one] for one in zip(*sums, strict=True)]


def calibration_error(bins: Sequence[Sequence[Sequence[float]]]) -> float | None:
    """The mean distance between share and frequency, over the bins of several tables added up."""
    total = np.sum(np.array(bins), axis=0)
    used = total[total[:, 0] > 0]
    if not len(used):
        return None
    return float(np.abs(used[:, 1] - used[:, 2]).sum() / used[:, 0].sum())


def chance_error(bins: Sequence[Sequence[Sequence[float]]]) -> float | None:
    """The calibration error expected of numbers that are true probabilities, with these counts.

    How often true things come up in a bin is then binomial, and about normal: its mean distance from what is
    expected is √(2/π) standard deviations. Pairs of one table depend on each other, so that chance gives
    rather more than this.
    """
    total = np.sum(np.array(bins), axis=0)
    used = total[total[:, 0] > 0]
    if not len(used):
        return None
    variances = used[:, 1] * (1 - used[:, 1] / used[:, 0])
    return float(np.sqrt(2 / np.pi * np.maximum(variances, 0)).sum() / used[:, 0].sum())


def worst_bin(found: Sequence[Sequence[Sequence[float]]], least: int = 20) -> float | None:
    """The largest distance between share and frequency in a bin with enough in it."""
    total = np.sum(np.array(found), axis=0)
    used = total[total[:, 0] >= least]
    return float((np.abs(used[:, 1] - used[:, 2]) / used[:, 0]).max()) if len(used) else None


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per design."""
    header = [*_FACTORS, "tables", "CPU s", "SHD", "SHD of the consensus", "arrows ≥ 0.9 that are right",
              "pairs ≥ 0.9 that are right", "calibration error of arrows", "of pairs"]  # fmt: skip
    return markdown(header, _lines(rows))


def _lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    for design in dict.fromkeys(tuple(row[factor] for factor in _FACTORS) for row in rows):
        here = [row for row in rows if tuple(row[factor] for factor in _FACTORS) == design]
        means = (mean([row[key] for row in here], 1) for key in ("cpu_seconds", "shd", "shd_consensus"))
        right = (_right(here, what) for what in ("arrows", "pairs"))
        errors = (calibration_error([row[key] for row in here]) for key in ("arrow_bins", "pair_bins"))
        words = [NOTHING if error is None else f"{error:.3f}" for error in errors]
        yield [*map(str, design), str(len(here)), *means, *right, *words]


def _right(rows: Sequence[Mapping[str, Any]], what: str) -> str:
    total = sum(row[what] for row in rows)
    right = sum(row[f"{what}_right"] for row in rows)
    return f"{right / total:.1%} of {total}" if total else NOTHING
