"""Rules that choose the cost of an edge: errors of the graphs that they choose from the same paths.

"ebic" is what `penalty="auto"` stands for. Every rule sees the same path over costs, so that they differ in
the cost alone. The last designs are misspecified: the Gaussian model is wrong about their noise or their
effects, or causes are hidden.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import sparsest as sp
from sparsest._core.allowed import integer, one_of
from sparsest.simulate.designs import Design, simulate
from sparsest_bench.measures.common import Row, mean, mean_and_error
from sparsest_bench.networks import COLUMNS, network, source
from sparsest_bench.peer_homes import default_peers_folder, homes
from sparsest_bench.process import FailedError
from sparsest_bench.tables import markdown

SETTINGS = {
    "seeds": integer(1), "most_columns": integer(2), "first_seed": integer(0), "subsamples": integer(2),
    "designs": one_of(("simulated", "networks")),
}  # fmt: skip
RULES = ("ebic", "bic", "stars", "cv", "cv-1se")
_FIRST = 7000  # seeds from here on are reported; rules and their defaults were looked at on others
_FACTORS = ("graph", "p", "n", "weights", "model", "noise", "hidden")
# graph, columns, rows, weights, model, noise, hidden causes
DESIGNS = (
    ("ER1", 20, 200, "weak", "linear", "gaussian", 0),
    ("ER1", 20, 5000, "weak", "linear", "gaussian", 0),
    ("ER2", 10, 100, "weak", "linear", "gaussian", 0),
    ("ER2", 20, 1000, "strong", "linear", "gaussian", 0),
    ("SF2", 30, 200, "weak", "linear", "gaussian", 0),
    ("ER2", 50, 1000, "weak", "linear", "gaussian", 0),
    ("ER4", 20, 200, "weak", "linear", "gaussian", 0),
    ("ER4", 20, 5000, "weak", "linear", "gaussian", 0),
    ("ER1", 8, 1000, "strong", "logistic", "gaussian", 0),
    ("ER2", 20, 500, "weak", "linear", "exponential", 0),
    ("ER2", 20, 500, "strong", "additive", "gaussian", 0),
    ("ER2", 20, 500, "weak", "linear", "gaussian", 3),
)
# Networks of real structure with their own coefficients and noise.
NETWORKS = tuple(
    (name, COLUMNS[name], n, "own", "linear", "gaussian", 0)
    for name in ("ecoli70", "magic-niab")
    for n in (200, 1000)
)


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table."""
    first = settings.get("first_seed", _FIRST)
    fewer = {key: settings[key] for key in ("subsamples",) if key in settings}
    return [
        dict(zip(_FACTORS, design, strict=True)) | {"seed": first + seed} | fewer
        for design in (NETWORKS if settings.get("designs") == "networks" else DESIGNS)
        if design[1] <= settings.get("most_columns", design[1])
        for seed in range(settings["seeds"])
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """One row per rule."""
    dataset = _drawn(spec)
    began = time.process_time()
    # Additive tables are read as linear ones: that is what is wrong with the model.
    model = "auto" if spec["model"] == "logistic" else "gaussian"
    path = sp.path(dataset.X, model=model, subsamples=spec.get("subsamples", 20))
    seconds = time.process_time() - began
    best = min(int(sp.graph.cpdag_shd(dataset.dag, point.cpdag)) for point in path.points)
    rows = []
    for rule in RULES:
        point = path.choose(rule)
        pairs = sp.graph.compare(dataset.dag, point.cpdag).adjacencies
        rows.append(
            {
                "rule": rule, "cost": point.cost, "edges": point.edges,
                "shd": int(sp.graph.cpdag_shd(dataset.dag, point.cpdag)), "best": best,
                "precision": pairs.precision, "recall": pairs.recall, "cpu_seconds": seconds,
            }
        )  # fmt: skip
    return {"rows": rows}


def _drawn(spec: Mapping[str, Any]) -> Any:
    """The table, with the DAG behind it."""
    if spec["graph"] not in COLUMNS:
        return simulate(Design(**{factor: spec[factor] for factor in _FACTORS}), spec["seed"])
    package = source(spec["graph"])
    home = homes([package], default_peers_folder(), install=False, tell=lambda _: None)[package.peer]
    if home.missing:
        raise FailedError(home.missing)
    drawn = network(spec["graph"], home.python).draw(spec["n"], np.random.default_rng(spec["seed"]))
    return Named(drawn.data, np.asarray(drawn.dag.to_numpy()))


class Named(NamedTuple):
    """A table and its DAG under the names that designs have for them."""

    X: NDArray[np.float64]
    dag: NDArray[np.int64]


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Mean SHD of each design and rule, the best of the path beside them, and a line over all designs."""
    lines, ratios = [], []
    for design in dict.fromkeys(tuple(row[factor] for factor in _FACTORS) for row in rows):
        here = [row for row in rows if tuple(row[factor] for factor in _FACTORS) == design]
        by_rule = {rule: [row for row in here if row["rule"] == rule] for rule in RULES}
        means = [fmean(row["shd"] for row in by_rule[rule]) for rule in RULES]
        ratios.append([(value + 1) / (means[0] + 1) for value in means])
        first = by_rule[RULES[0]]
        lines.append(
            [
                *_words(design), str(len(first)),
                *(mean_and_error([row["shd"] for row in by_rule[rule]]) for rule in RULES),
                mean([row["best"] for row in first], 1), mean([row["cpu_seconds"] for row in first], 1),
            ]
        )  # fmt: skip
    overall = [f"{math.exp(fmean(map(math.log, column))):.2f}" for column in zip(*ratios, strict=True)]
    lines.append(["all, relative to ebic", *[""] * 5, *overall, "", ""])
    header = ["graph", "p", "n", "weights", "what is wrong", "tables", *_heads(), "best of the path", "CPU s"]
    return markdown(header, lines)


def _heads() -> list[str]:
    return ["ebic (auto)" if rule == "ebic" else rule for rule in RULES]


def _words(design: Sequence[Any]) -> list[str]:
    """A design in words: what the model is wrong about is one of them."""
    graph, p, n, weights, model, noise, hidden = design
    wrong = {"additive": "nonlinear", "logistic": "nothing (logistic)"}.get(model, "nothing")
    if noise != "gaussian":
        wrong = f"{noise} noise"
    if hidden:
        wrong = f"{hidden} hidden causes"
    return [graph, str(p), str(n), weights, wrong]
