"""Which starts of the order search pay off: the best objective after equal time.

All strategies minimise the same score on the same standardised data, one thread, for the same number of
seconds; the time a start takes to compute counts. The table says how far above the best objective that any of
them, or a descent from the true order, found on the same data each one ended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import sparsest as sp
from sparsest._core.allowed import between, integer, list_of, quoted_text
from sparsest._core.progress import Watch
from sparsest.penalties import L0
from sparsest.penalties.criteria import cost_per_edge
from sparsest.problem import Problem
from sparsest.rounding import strongest_dag
from sparsest.scores import GaussianScore
from sparsest.search import OrderSearch
from sparsest.solvers import CentralPath, Homotopy
from sparsest_bench.measures.common import Row, simulated
from sparsest_bench.tables import markdown

FOREVER = 10**6
LOOSE = CentralPath(((100.0, 1.0), (10.0, 1.0), (1.0, 1.0), (0.1, 0.9), (0.01, 0.8), (0.001, 0.7)))
SETTINGS = {
    "p": list_of(integer(2)),
    "graphs": list_of(quoted_text),
    "seeds": integer(1),
    "budget": between(0),
}
Start = tuple[int, ...] | Literal["explained", "random"]


def problem(correlation: NDArray[np.float64], n: int) -> Problem:
    """The default problem of a correlation matrix."""
    return Problem(GaussianScore(correlation), L0(cost_per_edge("auto", n, len(correlation))))


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table; `budget` seconds each instead of max(1, p/40)."""
    return [
        {"graph": graph, "p": p, "seed": seed, "budget": settings.get("budget", max(1.0, p / 40))}
        for p, graph in product(settings["p"], settings["graphs"])
        for seed in range(settings["seeds"])
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """One row per strategy."""
    _solve(problem(np.eye(3), 100), OrderSearch(), None)  # compiles
    budget = spec["budget"]
    simulation = simulated(spec["graph"], spec["p"], 1000, np.random.default_rng(spec["seed"]))
    asked = problem(sp.Moments.from_array(simulation.data).correlation(), 1000)
    truth = tuple(sp.graph.topological_order(simulation.dag.to_numpy()))
    known = _solve(asked, OrderSearch(patience=0, chains=1, start=truth), None)
    ended = {name: run(asked, budget) for name, run in STRATEGIES.items()}
    best = min(known, *ended.values())
    ended = {"(descent from the true order)": known, **ended}
    return {"rows": [{"strategy": name, "gap": value - best} for name, value in ended.items()]}


def _solve(asked: Problem, search: OrderSearch, watch: Watch | None) -> float:
    return search.solve(asked, watch or Watch()).objective


def _one_descent(asked: Problem, budget: float) -> float:
    return _solve(asked, OrderSearch(patience=0, chains=1, start="random"), Watch(budget))


def _random_restarts(asked: Problem, budget: float) -> float:
    return _solve(asked, OrderSearch(patience=0, chains=FOREVER // asked.p, start="random"), Watch(budget))


def _perturbed(start: Callable[[Problem, Watch], Start]) -> Callable[[Problem, float], float]:
    def run(asked: Problem, budget: float) -> float:
        watch = Watch(budget)
        search = OrderSearch(patience=FOREVER, chains=1, start=start(asked, watch))
        return _solve(asked, search, watch)

    return run


def _differentiable(asked: Problem, watch: Watch) -> Start:
    found = Homotopy("start", LOOSE, None, rounds=3).solve(asked, watch)
    return tuple(
        sp.graph.topological_order(
            strongest_dag(found.adjacency, required=np.zeros(found.adjacency.shape, dtype=bool))
        )
    )


STRATEGIES: dict[str, Callable[[Problem, float], float]] = {
    "one random descent": _one_descent,
    "random restarts": _random_restarts,
    "random start, perturbations": _perturbed(lambda *_: "random"),
    "sorted by explained variance, perturbations": _perturbed(lambda *_: "explained"),
    "differentiable start, perturbations": _perturbed(_differentiable),
}


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Mean gap of each design and strategy."""
    strategies = list(dict.fromkeys(row["strategy"] for row in rows))
    designs = list(dict.fromkeys((row["graph"], row["p"], row["budget"]) for row in rows))
    lines = []
    for graph, p, seconds in designs:
        gaps = {
            name: [
                row["gap"] for row in rows if (row["graph"], row["p"], row["strategy"]) == (graph, p, name)
            ]
            for name in strategies
        }
        lines.append([graph, str(p), f"{seconds:g}", *(f"{np.mean(gaps[name]):.4f}" for name in strategies)])
    return markdown(["graph", "p", "seconds", *strategies], lines)
