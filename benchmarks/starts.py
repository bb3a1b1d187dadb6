"""Which starts of the order search pay: the best objective after equal time.

    python -m benchmarks.starts

All strategies minimise the same score on the same standardised data, one thread, for the same number of
seconds; the time a start takes to compute counts. The table says how far above the best objective that any of
them, or a descent from the true order, has seen on the same data each one ended.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

if __name__ == "__main__" and not __package__:  # python benchmarks/starts.py
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from sparsest.bench.tables import markdown

import sparsest as sp
from benchmarks import report
from benchmarks.datasets import simulated
from benchmarks.report import RESULTS, Row
from sparsest._core.progress import Watch
from sparsest.penalties import L0
from sparsest.penalties.criteria import cost_per_edge
from sparsest.problem import Problem
from sparsest.rounding.by_score import strongest_dag
from sparsest.scores import GaussianScore
from sparsest.search import OrderSearch
from sparsest.solvers import CentralPath, Homotopy

FOREVER = 10**6
LOOSE = CentralPath(((100.0, 1.0), (10.0, 1.0), (1.0, 1.0), (0.1, 0.9), (0.01, 0.8), (0.001, 0.7)))
Start = tuple[int, ...] | Literal["explained", "random"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run every strategy on every dataset and store the table."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.starts")
    parser.add_argument("--p", type=int, nargs="+", default=[20, 50, 100, 200, 500, 1000])
    parser.add_argument("--graphs", nargs="+", default=["ER2", "ER4"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args(given)
    command = shlex.join(["python", "-m", "benchmarks.starts", *given])
    environment = report.environment()
    rows: list[Row] = []
    _solve(problem(np.eye(3), 100), OrderSearch(), None)  # compiles
    for p in options.p:
        for graph in options.graphs:
            for seed in range(options.seeds):
                rows += compare(graph, p, seed)
                print(rows[-1], file=sys.stderr)
        report.store(options.results, "starts", command, environment, rows, summary(rows))
    print(summary(rows))
    return 0


def problem(correlation: NDArray[np.float64], n: int) -> Problem:
    """The default problem of a correlation matrix."""
    return Problem(GaussianScore(correlation), L0(cost_per_edge("auto", n, len(correlation))))


def compare(graph: str, p: int, seed: int) -> list[Row]:
    """One row a strategy."""
    simulation = simulated(graph, p, 1000, np.random.default_rng(seed))
    asked = problem(sp.Moments.from_array(simulation.data).correlation(), 1000)
    truth = tuple(sp.graph.topological_order(simulation.dag.to_numpy()))
    budget = max(1.0, p / 40)
    known = _solve(asked, OrderSearch(patience=0, chains=1, start=truth), None)
    ended = {name: run(asked, budget) for name, run in STRATEGIES.items()}
    best = min(known, *ended.values())
    return [
        {"graph": graph, "p": p, "seed": seed, "seconds": budget, "strategy": name, "gap": value - best}
        for name, value in {"(descent from the true order)": known, **ended}.items()
    ]


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
    return tuple(sp.graph.topological_order(strongest_dag(found.adjacency)))


STRATEGIES: dict[str, Callable[[Problem, float], float]] = {
    "one random descent": _one_descent,
    "random restarts": _random_restarts,
    "random start, perturbations": _perturbed(lambda *_: "random"),
    "sorted by explained variance, perturbations": _perturbed(lambda *_: "explained"),
    "differentiable start, perturbations": _perturbed(_differentiable),
}


def summary(rows: Sequence[Row]) -> str:
    """Mean gap a design and strategy."""
    strategies = list(dict.fromkeys(row["strategy"] for row in rows))
    designs = list(dict.fromkeys((row["graph"], row["p"], row["seconds"]) for row in rows))
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


if __name__ == "__main__":
    raise SystemExit(main())
