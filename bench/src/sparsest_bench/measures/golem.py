"""Whether our GOLEM is GOLEM: its objective and its graphs beside those of gCastle's implementation.

Ours minimises by a quasi-Newton method, gCastle's by 100 000 steps of Adam, both at the published λ and both
with the equal-variance answer as the start of the unequal-variance one. The objective, likelihood + λ ‖B‖₁ +
5 h, is computed here for the weights of both. It has many local minima, so ours is also continued from
gCastle's weights: if those are a minimum, nothing is left to gain.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.allowed import between, integer, list_of, quoted_text
from sparsest._core.progress import Watch
from sparsest.data.moments.moments import Moments
from sparsest.graph import cpdag_shd, is_dag, shd
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.scores import GaussianScore
from sparsest.simulate.designs import DATA, Dataset, Design, simulate
from sparsest.solvers import METHODS, Method
from sparsest_bench.measures.common import Row, asked, mean
from sparsest_bench.process import FailedError
from sparsest_bench.tables import markdown

Array = NDArray[np.float64]
# (ours, gCastle's)
PAIRS = (("golem-ev", "gcastle-golem-ev"), ("golem-nv", "gcastle-golem-nv"))
SOFT = 5.0  # the published weight of h
THRESHOLD = 0.3
SEEDS_FROM = 970  # on which nothing was tuned
SETTINGS = {
    "p": list_of(integer(2)),
    "graphs": list_of(quoted_text),
    "n": integer(2),
    "seeds": integer(1),
    "time_limit": between(0.1),
}


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table."""
    fixed = {"n": settings.get("n", 1000), "time_limit": settings.get("time_limit", 1800.0)}
    seeds = range(SEEDS_FROM, SEEDS_FROM + settings["seeds"])
    return [
        fixed | {"p": p, "graph": graph, "data": data, "seed": seed}
        for seed, p, graph, data in product(seeds, settings["p"], settings["graphs"], DATA)
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """A row for equal and one for unequal variances, or why there is none."""
    dataset = simulate(Design(spec["graph"], spec["p"], spec["n"], data=spec["data"]), spec["seed"])
    try:
        return {"rows": list(_compared(dataset, spec["time_limit"])), "failure": None}
    except FailedError as failure:
        return {"failure": str(failure)}


def _compared(dataset: Dataset, time_limit: float) -> Iterator[Row]:
    problem = Problem(GaussianScore(Moments.from_array(dataset.X).covariance), L0(0.01))
    start = np.zeros((problem.p, problem.p))
    for name, peer in PAIRS:
        method = METHODS[name]
        if not isinstance(method, Method):
            raise AssertionError("GOLEM is a score, a penalty and a path")
        reply = asked(peer, {"X": dataset.X, "start": start}, time_limit)
        start = theirs = np.array(reply["answer"])
        continued = method.solve(problem, Watch(), start=theirs).adjacency  # first, for it may compile
        began = time.perf_counter()
        ours = method.solve(problem, Watch()).adjacency
        seconds = time.perf_counter() - began
        graphs = graph_of(ours), graph_of(theirs)
        yield {
            "method": name,
            "ours": objective(method, problem, ours),
            "theirs": objective(method, problem, theirs),
            "continued": objective(method, problem, continued),
            "apart": shd(*graphs),
            "shd": cpdag_shd(graphs[0], dataset.dag),
            "their_shd": cpdag_shd(graphs[1], dataset.dag),
            "seconds": seconds,
            "their_seconds": reply["seconds"],
        }


def objective(method: Method, problem: Problem, weights: Array) -> float:
    """Likelihood + λ ‖B‖₁ + 5 (tr e^{B∘B} − p); infinite where det(I − B) ≤ 0."""
    from scipy.linalg import expm

    scored = method.score(problem.covariance_for(method.name)).value_and_grad(weights.reshape(-1))
    h = float(np.trace(expm(weights * weights))) - len(weights)
    likelihood = np.inf if scored is None else scored[0]
    return float(likelihood + method.penalty.value(weights).sum() + SOFT * h)


def graph_of(weights: Array) -> NDArray[np.int64]:
    """The graph as published: weights above 0.3, then the smallest removed until no cycle is left."""
    strength = np.where(np.abs(weights) > THRESHOLD, np.abs(weights), 0.0)
    while not is_dag((strength > 0).astype(int)):
        strength[strength == strength[strength > 0].min()] = 0.0
    return (strength > 0).astype(np.int64)


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per table and method."""
    header = (
        "graph", "p", "data", "seed", "method", "objective", "gCastle's", "gCastle's, continued",
        "SHD between them", "SHD", "gCastle's SHD",
    )  # fmt: skip
    lines = [
        [
            *(str(row[key]) for key in ("graph", "p", "data", "seed", "method")),
            *(mean([row[key]], 4) for key in ("ours", "theirs", "continued")),
            *(mean([row[key]], 0) for key in ("apart", "shd", "their_shd")),
        ]
        for row in rows
        if row.get("failure") is None
    ]
    return markdown(header, lines)
