"""Tables with skew, heavy tails and wild values: which scale, and which covariance, keeps the graph.

The linear model with Gaussian noise, then spoiled: `none`; `skew` takes the exponential of half of the
columns; `heavy` multiplies rows by a common factor, as in Student's t with 2 degrees of freedom; `cells`
moves 2 % of the values by ten standard deviations; `rows` does so to all values of 5 % of the rows.

Besides the scales of `transform`, three robust correlations go through `Moments`: Kendall's, by sin(πτ/2),
the minimum covariance determinant, and columns winsorised at three median absolute deviations.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sparsest as sp
from sparsest._core.allowed import integer
from sparsest._core.correlation import correlation_of
from sparsest_bench.measures.common import Row, mean, mean_and_error, simulated
from sparsest_bench.tables import markdown

Array = NDArray[np.float64]

SETTINGS = {"seeds": integer(1), "first": integer(0), "columns": integer(2), "rows": integer(10)}
SPOILED = ("none", "skew", "heavy", "cells", "rows")
WAYS = ("as they are", "auto", "rank", "kendall", "winsorised", "mcd")


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table and way of spoiling it."""
    first = settings.get("first", 0)
    sizes = {"columns": settings.get("columns", 20), "size": settings.get("rows", 1000)}
    return [
        {**sizes, "spoiled": spoiled, "seed": seed}
        for spoiled in SPOILED
        for seed in range(first, first + settings["seeds"])
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """One row per way of treating the table."""
    rng = np.random.default_rng(spec["seed"])
    drawn = simulated("ER2", spec["columns"], spec["size"], rng)
    data = spoil(drawn.data / drawn.data.std(axis=0), spec["spoiled"], rng)
    rows = []
    for way in WAYS:
        began = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = _learned(way, data)
        spent = time.process_time() - began
        rows.append({"way": way, "shd": sp.graph.cpdag_shd(drawn.dag, found), "cpu": spent})
    return {"rows": rows}


def spoil(data: Array, how: str, rng: np.random.Generator) -> Array:
    """The table with what real ones have."""
    n, p = data.shape
    if how == "skew":
        bent = data.copy()
        bent[:, ::2] = np.exp(bent[:, ::2])
        return bent
    if how == "heavy":
        heavy: Array = data * np.sqrt(2 / rng.chisquare(2, n))[:, None]
        return heavy
    if how == "cells":
        return np.where(rng.random((n, p)) < 0.02, data + 10 * rng.choice([-1, 1], (n, p)), data)
    if how == "rows":
        wild = rng.random((n, 1)) < 0.05
        return np.where(wild, data + 10 * rng.choice([-1, 1], (n, p)), data)
    return data


def _learned(way: str, data: Array) -> Any:
    if way == "as they are":
        return sp.fit(data, solver="order").cpdag
    if way in ("auto", "rank"):
        return sp.fit(data, transform=way, model="gaussian", solver="order").cpdag
    return sp.fit(sp.Moments(_COVARIANCES[way](data), len(data)), solver="order").cpdag


def _kendall(data: Array) -> Array:
    from scipy.stats import kendalltau

    p = data.shape[1]
    found = np.eye(p)
    for i in range(p):
        for j in range(i):
            found[i, j] = found[j, i] = np.sin(np.pi / 2 * kendalltau(data[:, i], data[:, j]).statistic)
    values, vectors = np.linalg.eigh(found)
    return correlation_of((vectors * np.maximum(values, 1e-3)) @ vectors.T)


def _winsorised(data: Array) -> Array:
    middle = np.median(data, axis=0)
    spread = 1.4826 * np.median(np.abs(data - middle), axis=0)
    cut: Array = np.cov(np.clip(data, middle - 3 * spread, middle + 3 * spread), rowvar=False)
    return cut


def _mcd(data: Array) -> Array:
    from sklearn.covariance import MinCovDet

    found: Array = MinCovDet(random_state=0).fit(data).covariance_
    return found


_COVARIANCES: dict[str, Callable[[Array], Array]] = {
    "kendall": _kendall,
    "winsorised": _winsorised,
    "mcd": _mcd,
}


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per way, one column per way of spoiling."""
    lines = []
    for way in WAYS:
        mine = [row for row in rows if row["way"] == way]
        apart = [[row["shd"] for row in mine if row["spoiled"] == one] for one in SPOILED]
        lines.append([way, *map(mean_and_error, apart), mean([row["cpu"] for row in mine], 2)])
    return markdown(("columns", *(f"SHD, {one}" for one in SPOILED), "CPU seconds"), lines)
