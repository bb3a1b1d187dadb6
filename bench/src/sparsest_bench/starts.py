"""The initialisation study: LogLL-NOTEARS from many random starts on small graphs (Section 6, Appendix E).

One task is a batch of starts for one graph and one δ, given as a multiple of δ₀, "the theoretical maximum".
The paper does not print its weights or its λ; ours are below and in the experiment. Each λ is the same for
every δ and below the limit λ₀(δ) = 2c₀/δ of the theorem for all of them. Nor does it say whether "each edge",
whose weight is random, is one of all pairs, of the joined pairs in both directions, or of the true graph.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest.graph import cpdag_shd, is_dag
from sparsest.theory import equivalence_class, minimal_class, theory_limits
from sparsest_bench.experiment import Experiment
from sparsest_bench.identity import starts_version
from sparsest_bench.starts_kernel import solve
from sparsest_bench.tasks import Outcome, Task

Array = NDArray[np.float64]

SLACK = 0.01  # Δ in δ₀ = τ/(1 + Δ)
_CLOSE = 0.05  # a distance that counts as convergence to a model

# Which entries of a start are random, all others being 0, given those of the truth that are not 0.
ENTRIES: dict[str, Callable[[NDArray[np.bool_]], NDArray[np.bool_]]] = {
    "all": np.ones_like,
    "skeleton": lambda edges: edges | edges.T,
    "edges": lambda edges: edges,
}

# Weights by edge and noise variances.
MODELS: dict[str, tuple[dict[tuple[int, int], float], tuple[float, ...]]] = {
    "fork": ({(0, 1): 1.2, (0, 2): -0.9}, (1.0, 0.6, 0.8)),
    "collider": ({(0, 1): 1.2, (2, 1): -0.9}, (1.0, 0.6, 0.8)),
    "diamond": ({(0, 1): 1.4, (0, 2): -1.4, (1, 3): -0.6, (2, 3): -1.0}, (1.5, 0.5, 0.5, 0.5)),
}


def model(structure: str) -> tuple[Array, Array]:
    """Weights and population covariance of a small graph."""
    edges, variances = MODELS[structure]
    weights = np.zeros((len(variances),) * 2)
    for edge, weight in edges.items():
        weights[edge] = weight
    paths = np.linalg.inv(np.eye(len(weights)) - weights)
    return weights, paths.T @ np.diag(variances) @ paths


def plan(experiment: Experiment) -> list[Task]:
    """One task per graph, δ, λ, kind of start and batch."""
    settings = experiment.settings
    batch, count = settings["batch"], settings["starts"]
    sizes = [batch] * (count // batch) + ([count % batch] if count % batch else [])
    return [
        Task(
            "starts",
            {
                "structure": structure,
                "delta": delta,
                "lam": lam,
                "model": repr(MODELS[structure]),
                "starts": size,
                "batch": number,
                "width": settings["width"],
                "version": starts_version(),
            }
            | ({} if entries == "all" else {"entries": entries}),
            implied={"entries": "all"} if entries == "all" else {},
        )
        for structure, delta, lam, entries in product(
            *(settings[factor] for factor in ("structures", "deltas", "lams", "entries"))
        )
        for number, size in enumerate(sizes)
    ]


def run(task: Task) -> Outcome:
    """Solve from every start of a batch and count the models they end at."""
    spec = task.spec
    weights, covariance = model(spec["structure"])
    limits = theory_limits(covariance)
    delta = spec["delta"] * limits.delta_0(SLACK)
    starts = random_starts(len(weights), spec["starts"], spec["width"], spec["batch"])
    starts *= ENTRIES[spec.get("entries", "all")](weights != 0)
    estimates, h = solve(covariance, spec["lam"], delta, starts)
    # Half the smallest weight of any model: anything smaller is an edge of none of them.
    shds = distances_between_classes(np.abs(estimates) > limits.tau / 2, weights != 0)
    minimal, every = (
        nearest(estimates, minimal_class(covariance).weights),
        nearest(estimates, equivalence_class(covariance).weights),
    )
    values, counts = np.unique(shds, return_counts=True)
    bins, heights = np.unique(np.round(minimal, 1), return_counts=True)
    return Outcome(
        "done",
        {
            "delta_0": limits.delta_0(SLACK),
            "tau": limits.tau,
            "c_0": limits.c_0,
            "shd_counts": {str(value): int(count) for value, count in zip(values, counts, strict=True)},
            "distance_counts": {f"{b:.1f}": int(count) for b, count in zip(bins, heights, strict=True)},
            "distance_sum": float(minimal.sum()),
            "sparsest": int((minimal < _CLOSE).sum()),
            "in_class": int((every < _CLOSE).sum()),
            "cyclic": int((h > 1e-6).sum()),
        },
    )


def random_starts(p: int, count: int, width: float, batch: int) -> Array:
    """Weights uniform on [−width, width], zero on the diagonal; the same for every δ."""
    starts: Array = np.random.default_rng([p, batch]).uniform(-width, width, size=(count, p, p))
    starts[:, np.eye(p, dtype=bool)] = 0.0
    return starts


def distances_between_classes(patterns: NDArray[np.bool_], truth: NDArray[np.bool_]) -> NDArray[np.int64]:
    """SHD between CPDAGs of each (S, p, p) pattern and the truth; −1 where a pattern has a cycle."""

    @cache
    def one(code: bytes) -> int:
        graph = np.frombuffer(code, dtype=bool).reshape(truth.shape)
        return cpdag_shd(graph.astype(int), truth.astype(int)) if is_dag(graph.astype(int)) else -1

    return np.array([one(graph.tobytes()) for graph in patterns], dtype=np.int64)


def nearest(estimates: Array, models: Array) -> Array:
    """The Frobenius distance of each (S, p, p) estimate to the nearest of some models."""
    gaps = estimates - models[:, None]
    closest: Array = np.sqrt((gaps**2).sum(axis=(2, 3))).min(axis=0)
    return closest


def gathered(rows: Any) -> list[dict[str, Any]]:
    """The batches of each graph, δ, λ and kind of start, added up."""
    groups: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        if row["status"] != "done":
            continue
        factors = {key: row[key] for key in ("structure", "delta", "lam")}
        factors["entries"] = row.get("entries") or "all"
        group = groups.setdefault(
            tuple(factors.values()),
            factors
            | {key: row[key] for key in ("delta_0", "tau", "c_0")}
            | {"starts": 0, "sparsest": 0, "in_class": 0, "cyclic": 0, "distance_sum": 0.0, "wall": 0.0}
            | {"shd_counts": {}, "distance_counts": {}},
        )
        for key in ("starts", "sparsest", "in_class", "cyclic", "distance_sum", "wall"):
            group[key] += row[key]
        for key in ("shd_counts", "distance_counts"):
            for value, count in row[key].items():
                group[key][value] = group[key].get(value, 0) + count
    return list(groups.values())
