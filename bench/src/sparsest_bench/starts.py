"""The initialisation study: LogLL-NOTEARS from many random starts on small graphs (Section 6, Appendix E).

One task is a batch of starts for one model, score and δ, given as a multiple of δ₀, "the theoretical
maximum". The paper does not print its weights or its λ; ours are in `starts_models.py` and in the experiment.
λ is the same for every model and δ and below the limit λ₀(δ) = 2c₀/δ of the theorem for all of them. Nor does
it say whether "each edge", whose weight is random, is one of all pairs, of the joined pairs in both
directions, or of the true graph, or whether the score has its term log |det(I − B)|, which is 0 on DAGs.
"""

from __future__ import annotations

from ast import literal_eval
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest.graph import cpdag_shd, is_dag
from sparsest.theory import equivalence_class, minimal_class, theory_limits
from sparsest_bench import starts_kernel, starts_scipy
from sparsest_bench.experiment import Experiment
from sparsest_bench.identity import starts_version
from sparsest_bench.starts_models import MODELS, Array, drawn, matrices
from sparsest_bench.tasks import Outcome, Task

SLACK = 0.01  # Δ in δ₀ = τ/(1 + Δ)
CLOSE = 0.05  # a distance that counts as convergence to a model
_CALLS = 10  # of the solver on one subproblem, which it may leave before its end

# Which entries of a start are random, all others being 0, given those of the truth that are not 0.
ENTRIES: dict[str, Callable[[NDArray[np.bool_]], NDArray[np.bool_]]] = {
    "all": np.ones_like,
    "skeleton": lambda edges: edges | edges.T,
    "edges": lambda edges: edges,
}
SOLVERS = {"OWL-QN": starts_kernel.solve, "L-BFGS-B": starts_scipy.solve}  # of the subproblems
SCORES = {"with determinant": True, "without determinant": False}
_DEFAULTS = {
    "entries": "all",
    "score": "with determinant",
    "solver": "OWL-QN",
}  # factors that were added later
_FACTORS = ("structure", "delta", "lam", "drawn", *_DEFAULTS)
_ADDED = (
    "starts",
    "sparsest",
    "in_class",
    "cyclic",
    "distance_sum",
    "first_shared",
    "last_shared",
    "wall",
)


def plan(experiment: Experiment) -> list[Task]:
    """One task per score, graph, δ, λ, kind of start, solver, model and batch."""
    settings = experiment.settings
    batch, count = settings["batch"], settings["starts"]
    sizes = [batch] * (count // batch) + ([count % batch] if count % batch else [])
    factors = ("scores", "structures", "deltas", "lams", "entries", "solvers")
    return [
        _task(
            {
                "structure": structure,
                "delta": delta,
                "lam": lam,
                **described,
                "starts": size,
                "batch": number,
                "width": settings["width"],
                "version": starts_version(),
            },
            {"entries": entries, "score": score, "solver": solver},
        )
        for score, structure, delta, lam, entries, solver in product(*(settings[name] for name in factors))
        for described in _models(structure, settings)
        for number, size in enumerate(sizes)
    ]


def _models(structure: str, settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The models of a graph as parts of a spec: the fixed one, or those that are drawn."""
    if settings["models"] == 0:
        yield {"model": repr(MODELS[structure])}
    for number in range(settings["first_model"], settings["first_model"] + settings["models"]):
        yield {"model": repr(drawn(structure, number)), "drawn": number}


def _task(spec: Mapping[str, Any], chosen: Mapping[str, str]) -> Task:
    usual = {name: level for name, level in chosen.items() if level == _DEFAULTS[name]}
    return Task("starts", {**spec, **{k: v for k, v in chosen.items() if k not in usual}}, implied=usual)


def run(task: Task) -> Outcome:
    """Solve from every start of a batch and count the models they end at."""
    spec = _DEFAULTS | dict(task.spec)
    weights, covariance = matrices(literal_eval(spec["model"]))
    limits = theory_limits(covariance)
    solve = partial(
        SOLVERS[spec["solver"]],
        covariance,
        spec["lam"],
        spec["delta"] * limits.delta_0(SLACK),
        determinant=SCORES[spec["score"]],
    )
    starts = _starts_of(spec, weights != 0)
    estimates, h = solve(starts)
    # Half the smallest weight of any model: anything smaller is an edge of none of them.
    shds = distances_between_classes(np.abs(estimates) > limits.tau / 2, weights != 0)
    row = {
        "delta_0": limits.delta_0(SLACK),
        "tau": limits.tau,
        "c_0": limits.c_0,
        "shd_counts": _counts(map(str, np.sort(shds))),
        **_distances(estimates, covariance),
        "cyclic": int((h > 1e-6).sum()),
    }
    if "drawn" in spec:
        row |= {"first_shared": most_alike(first_ends(solve, starts)), "last_shared": most_alike(estimates)}
    return Outcome("done", row)


def _starts_of(spec: Mapping[str, Any], edges: NDArray[np.bool_]) -> Array:
    stream = (spec["batch"], spec["drawn"]) if "drawn" in spec else (spec["batch"],)
    starts = random_starts(len(edges), spec["starts"], spec["width"], *stream)
    return starts * ENTRIES[spec["entries"]](edges)


def _distances(estimates: Array, covariance: Array) -> dict[str, Any]:
    """How far the estimates are from the sparsest models, and how many are at one, or at any model."""
    minimal = nearest(estimates, minimal_class(covariance).weights)
    every = nearest(estimates, equivalence_class(covariance).weights)
    return {
        "distance_counts": _counts(f"{distance:.1f}" for distance in np.sort(np.round(minimal, 1))),
        "distance_sum": float(minimal.sum()),
        "sparsest": int((minimal < CLOSE).sum()),
        "in_class": int((every < CLOSE).sum()),
    }


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(Counter(values))


def random_starts(p: int, count: int, width: float, *stream: int) -> Array:
    """Weights uniform on [−width, width], zero on the diagonal; the same for every δ."""
    starts: Array = np.random.default_rng([p, *stream]).uniform(-width, width, size=(count, p, p))
    starts[:, np.eye(p, dtype=bool)] = 0.0
    return starts


def first_ends(solve: Callable[..., tuple[Array, Array]], starts: Array) -> Array:
    """Where the first subproblem (ρ = 1, α = 0) leads from each start if it is solved to its end."""
    for _ in range(_CALLS):
        starts, _h = solve(starts, rounds=1)
    return starts


def most_alike(points: Array) -> int:
    """The largest number of (S, p, p) points that lie within `CLOSE` of one of them, taken in order."""
    left, most = points, 0
    while len(left) > most:
        near = nearest(left, left[:1]) < CLOSE
        most = max(most, int(near.sum()))
        left = left[~near]
    return most


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
    """The batches of each cell and model, added up; `drawn` is None for a fixed model."""
    groups: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        if row["status"] != "done":
            continue
        factors = {name: _DEFAULTS.get(name) if row.get(name) is None else row[name] for name in _FACTORS}
        group = groups.setdefault(
            tuple(factors.values()),
            factors
            | {key: row[key] for key in ("delta_0", "tau", "c_0")}
            | dict.fromkeys(_ADDED, 0)
            | {"shd_counts": {}, "distance_counts": {}},
        )
        for key in _ADDED:
            group[key] += row.get(key) or 0
        for key in ("shd_counts", "distance_counts"):
            for value, count in row[key].items():
                group[key][value] = group[key].get(value, 0) + count
    return list(groups.values())
