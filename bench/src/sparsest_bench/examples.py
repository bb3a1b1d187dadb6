"""The examples of the paper as computations: the penalty (Section 4), counterexamples (C.3), bias (C.4).

The printed Ω₁ of the two-node example and the printed Σ⁰ and B₁ of the three-node example do not follow from
(B⁰, Ω⁰). The rows here are computed from (B⁰, Ω⁰), and the printed numbers are given beside them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest.graph import is_dag
from sparsest.penalties import L1, MCP, SCAD, Penalty, QuasiMCP
from sparsest.scores.gaussian import refit
from sparsest.theory import minimal_class
from sparsest_bench.experiment import Experiment
from sparsest_bench.identity import examples_version
from sparsest_bench.tasks import Outcome, Task

Array = NDArray[np.float64]
Rows = list[dict[str, Any]]


def plan(experiment: Experiment) -> list[Task]:
    """One task per example."""
    return [
        Task("example", {"example": name, "version": examples_version()})
        for name in experiment.settings["examples"]
    ]


def run(task: Task) -> Outcome:
    """Compute one example."""
    return Outcome("done", {"rows": EXAMPLES[task.spec["example"]]()})


def population(weights: Array, variances: Array) -> Array:
    """Σ = (I − B)^-T Ω (I − B)^-1."""
    paths = np.linalg.inv(np.eye(len(weights)) - weights)
    covariance: Array = paths.T @ np.diag(variances) @ paths
    return covariance


def least_squares(covariance: Array, weights: Array) -> float:
    """E‖X − BᵀX‖²."""
    residual = np.eye(len(weights)) - weights
    return float(np.trace(residual.T @ covariance @ residual))


def least_squares_minimiser(covariance: Array) -> Array:
    """The global minimiser of E‖X − BᵀX‖² over DAGs: all DAGs are tried; ties go to the fewest edges."""
    fits = (refit(covariance, dag)[0] for dag in _all_dags(len(covariance)))
    return min(fits, key=lambda B: (round(least_squares(covariance, B), 9), np.count_nonzero(B)))


def _quasi_mcp() -> Rows:
    t = np.linspace(-2.5, 2.5, 501)
    curves: dict[str, Penalty] = {
        "quasi-MCP(2, 1)": QuasiMCP(2, 1),
        "MCP(2, 0.5)": MCP(2, 0.5),
        "SCAD(1, 3)": SCAD(1, 3),
        "L1(1)": L1(1),
    }
    return [
        {"curve": name, "t": t.tolist(), "value": penalty.value(t).tolist()}
        for name, penalty in curves.items()
    ]


def _two_nodes() -> Rows:
    truth, variances = np.array([[0.0, -0.5], [0.0, 0.0]]), np.array([1.0, 0.25])
    covariance = population(truth, variances)
    reverse, omega = refit(covariance, np.array([[False, False], [True, False]]))
    return [
        _compared("least squares of B0", least_squares(covariance, truth), "5/4"),
        _compared("least squares of B1", least_squares(covariance, reverse), "1"),
        _compared("B1[2,1]", reverse[1, 0], "-1"),
        _compared("Omega1[1,1]", omega[0], "1"),
        _compared("Omega1[2,2]", omega[1], "1"),
        _compared("models in E_min", len(minimal_class(covariance)), "2"),
    ]


def _three_nodes() -> Rows:
    truth = np.array([[0, 0, -0.3], [0, 0, -2.0], [0, 0, 0]])
    covariance = population(truth, np.array([7.0, 3.0, 2.0]))
    chosen = least_squares_minimiser(covariance)
    minimal = minimal_class(covariance)
    return [
        _compared("Sigma0[1,3]", covariance[0, 2], "-2"),
        _compared("Sigma0[2,3]", covariance[1, 2], "-5"),
        _compared("Sigma0[3,3]", covariance[2, 2], "10"),
        _compared("B1[2,1]", chosen[1, 0], "-1.197"),
        _compared("B1[2,3]", chosen[1, 2], "-1.589"),
        _compared("B1[3,1]", chosen[2, 0], "-0.7532"),
        _compared("edges of B1", np.count_nonzero(chosen), "3"),
        _compared("least squares of B0", least_squares(covariance, truth), ""),
        _compared("least squares of B1", least_squares(covariance, chosen), ""),
        _compared("models in E_min", len(minimal), ""),
        _compared("edges of E_min", int(minimal.edges[0]), "2"),
    ]


def _cancellation() -> Rows:
    """1 → 2 → 3 ← 1, the effects of 1 on 3 cancelling: the collider 1 → 2 ← 3 is sparser than the truth."""
    truth = np.array([[0, 1.0, -1.0], [0, 0, 1.0], [0, 0, 0]])
    covariance = population(truth, np.ones(3))
    minimal = minimal_class(covariance)
    collider = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0]], dtype=bool)
    return [
        _compared("covariance of 1 and 3", covariance[0, 2], ""),
        _compared("edges of the truth", np.count_nonzero(truth), ""),
        _compared("edges of E_min", int(minimal.edges[0]), ""),
        _compared("models in E_min", len(minimal), ""),
        _compared("1 → 2 ← 3 is in E_min", int(any((dag == collider).all() for dag in minimal.dags)), ""),
    ]


def _l1_bias() -> Rows:
    """Appendix C.4: the minimiser of log((1 − a)² + σ²) + penalty(a), σ² = 1/4; without a penalty it is 1."""
    a, rows = np.linspace(0, 2, 200_001), []
    for lam in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5):
        nll = np.log((1 - a) ** 2 + 0.25)
        for name, penalty in (("l1", L1(lam)), ("quasi-MCP", QuasiMCP(lam, 0.4))):
            rows.append(
                {
                    "penalty": name,
                    "lam": lam,
                    "estimate": round(float(a[np.argmin(nll + penalty.value(a))]), 5),
                }
            )
    return rows


def _compared(quantity: str, value: Any, printed: str) -> dict[str, Any]:
    return {"quantity": quantity, "computed": f"{float(value):.6g}", "printed": printed}


def _all_dags(p: int) -> Iterator[NDArray[np.bool_]]:
    pairs = [(i, j) for i in range(p) for j in range(p) if i != j]
    for chosen in itertools.product((False, True), repeat=len(pairs)):
        dag = np.zeros((p, p), dtype=bool)
        for pair, edge in zip(pairs, chosen, strict=True):
            dag[pair] = edge
        if is_dag(dag.astype(int)):
            yield dag


EXAMPLES: dict[str, Callable[[], Rows]] = {
    "quasi-mcp": _quasi_mcp,
    "two-nodes": _two_nodes,
    "three-nodes": _three_nodes,
    "cancellation": _cancellation,
    "l1-bias": _l1_bias,
}
