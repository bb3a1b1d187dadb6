"""Missing values in tables of mixed kinds: what errors each treatment of them costs.

Random graphs over continuous, binary, count and categorical columns. 20 % of all values are missing, either
completely at random, or at random: in half of the columns, each with a probability that grows with another
column, which has no gaps. Costs of the node-average likelihood were tuned on seeds 0 to 19; what is reported
starts at seed 7000.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sparsest as sp
from sparsest._core.allowed import between, integer
from sparsest._core.progress import Watch
from sparsest.data import Source, TableOptions
from sparsest.models import Mixed
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.scores.families import Column
from sparsest.scores.regression import RegressionScore
from sparsest.search import LocalOrderSearch
from sparsest_bench.measures.common import Row, mean, mean_and_error
from sparsest_bench.tables import markdown

Array = NDArray[np.float64]

WAYS = ("complete", "drop", "auto", "node-average", "iterative")
MECHANISMS = ("completely at random", "at random")
KINDS = ("continuous", "binary", "count", "categorical")
SETTINGS = {
    "seeds": integer(1),
    "first": integer(0),
    "columns": integer(2),
    "rows": integer(2),
    "share": between(0, 1),
}
_FACTOR = 2.0  # of the cost of a parameter, which shrinks as n^(-0.45): the best on seeds 0 to 19


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table and mechanism."""
    fixed = {"columns": 10, "rows": 1000, "share": 0.2} | {
        key: settings[key] for key in ("columns", "rows", "share") if key in settings
    }
    first = settings.get("first", 0)
    return [
        {
            "size": fixed["rows"],
            "columns": fixed["columns"],
            "share": fixed["share"],
            "mechanism": mechanism,
            "seed": seed,
        }
        for mechanism in MECHANISMS
        for seed in range(first, first + settings["seeds"])
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """One row per treatment of missing values."""
    rng = np.random.default_rng(spec["seed"])
    dag = sp.simulate.random_dag(spec["columns"], 1, "ER", rng)
    drawn = sp.simulate.mixed(dag, spec["size"], rng, kinds=KINDS)
    spoiled = with_gaps(drawn.data, spec["mechanism"], spec["share"], rng)
    kinds = {f"x{j}": kind for j, kind in enumerate(drawn.kinds or ())}
    rows = []
    for way in WAYS:
        start = time.process_time()
        found = _learned(way, drawn.data, spoiled, kinds)
        rows.append(
            {"missing": way, "shd": sp.graph.cpdag_shd(dag, found), "seconds": time.process_time() - start}
        )
    return {"rows": rows}


def with_gaps(data: Array, mechanism: str, share: float, rng: np.random.Generator) -> Array:
    """The table with a share of its values missing."""
    if mechanism == "completely at random":
        return np.where(rng.random(data.shape) < share, np.nan, data)
    p = data.shape[1]
    order = rng.permutation(p)
    known, lacking = order[: p - p // 2], order[p - p // 2 :]
    spoiled = data.copy()
    for j in lacking:
        by = data[:, rng.choice(known)]
        height = (by - by.mean()) / max(by.std(), 1e-9)
        chance = 1 / (1 + np.exp(-2 * height))
        chance *= share * p / len(lacking) / chance.mean()
        spoiled[rng.random(len(data)) < chance, j] = np.nan
    return spoiled


def _learned(way: str, complete: Array, spoiled: Array, kinds: Mapping[str, str]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if way == "node-average":
            return node_average(spoiled, kinds)
        data = {"complete": complete, "iterative": imputed(spoiled, kinds)}.get(way, spoiled)
        missing = way if way in ("drop", "auto") else "error"
        return sp.fit(data, model="mixed", kinds=kinds, missing=missing, solver="order").cpdag


def imputed(spoiled: Array, kinds: Mapping[str, str]) -> Array:
    """Scikit-learn's IterativeImputer as it comes; codes and counts are rounded to what can occur."""
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer

    filled: Array = IterativeImputer(random_state=0).fit_transform(spoiled)
    for j, kind in enumerate(kinds.values()):
        if kind != "continuous":
            known = spoiled[~np.isnan(spoiled[:, j]), j]
            filled[:, j] = np.clip(np.round(filled[:, j]), known.min(), known.max())
    return filled


def node_average(spoiled: Array, kinds: Mapping[str, str], factor: float = _FACTOR) -> Any:
    """The order search on the node-average likelihood, each local score on the rows that know all of it."""
    options = TableOptions(kinds=dict(kinds), missing="auto", strict=False)
    prepared = Mixed().prepare(Source(spoiled, options, Watch()), 0)
    table = prepared.table
    assert table is not None
    score = NodeAverage(prepared.columns, table.values)
    cost = factor * 0.5 * len(spoiled) ** -0.45
    solution = LocalOrderSearch().solve(Problem(score, L0(cost)), Watch())  # type: ignore[arg-type]
    return sp.Dag((solution.adjacency != 0).astype(int), prepared.names)


class NodeAverage:
    """The average log-likelihood of a node over the rows in which it and its parents are known."""

    def __init__(self, columns: Sequence[Column], values: Array) -> None:
        self._columns, self._values, self.p = columns, values, len(columns)
        self._known = ~np.isnan(values)
        widths = np.array([column.basis.width for column in columns])
        self.edge_parameters = np.outer(widths, [column.outputs for column in columns])
        self._kept: dict[tuple[int, ...], float] = {}

    def local(self, node: int, parents: Sequence[int]) -> float:
        """The minimum over the parameters."""
        key = (node, *sorted(map(int, parents)))
        if key not in self._kept:
            rows = self._values[self._known[:, key].all(axis=1)][:, key]
            columns = [self._columns[k] for k in key]
            spread = 0.5 * float(np.log(rows[:, 0].var())) if columns[0].family.has_units else 0.0
            self._kept[key] = RegressionScore(columns, rows).local(0, range(1, len(key))) + spread
        return self._kept[key]


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per treatment, the mechanisms apart."""
    lines = []
    for way in WAYS:
        mine = [row for row in rows if row["missing"] == way]
        apart = [[row["shd"] for row in mine if row["mechanism"] == one] for one in MECHANISMS]
        lines.append([way, *map(mean_and_error, apart), mean([row["seconds"] for row in mine], 2)])
    return markdown(("missing", *(f"SHD, missing {one}" for one in MECHANISMS), "CPU seconds"), lines)
