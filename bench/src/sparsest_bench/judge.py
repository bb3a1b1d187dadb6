"""Evaluation of answers: the one place where methods are judged, all by the same metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import GraphError
from sparsest.data.moments.moments import Moments
from sparsest.graph import compare, cpdag_shd, cpdag_to_dag, dag_to_cpdag, is_dag, shd
from sparsest.penalties import L0
from sparsest.penalties.criteria import cost_per_edge
from sparsest.problem import Problem
from sparsest.rounding.by_score import gaussian_objective
from sparsest.scores import GaussianScore
from sparsest.simulate.designs import Array, Dataset

Matrix = NDArray[np.int64]

METRICS = {
    "shd": "SHD between CPDAGs: pairs whose mark differs",
    "shd_old": "SHD between CPDAGs as in causal-learn until 0.1.3.3: arrow against line is no difference",
    "shd_dag": "SHD between DAGs, where the answer is one",
    "edges": "edges of the answer",
    "precision": "share of the answer's adjacencies that are true; none for an empty graph",
    "recall": "share of the true adjacencies that were found",
    "f1": "harmonic mean of precision and recall",
    "objective": "Gaussian likelihood refitted on the graph + our cost per edge · edges",
    "aid": "parent adjustment identification distance (gadjid), normalised; where gadjid is installed",
    "true_objective": "the same for the true graph",
    "seconds": "wall seconds, warm",
    "cpu_seconds": "CPU seconds, warm",
    "memory_mb": "peak memory of the method's process so far, in megabytes",
}


class NoGraphError(Exception):
    """The answer is not the kind of graph that the method claims."""


def judge(dataset: Dataset, kind: str, answer: Any, gaussian: bool = True) -> dict[str, float | None]:
    """The metrics of an answer: "dag", "cpdag", "pdag" (a CPDAG except for conflicts), or "cpdags", a list.

    A list is judged by the mean: the paper judges Exact-search by the average over all of its graphs.
    """
    if kind == "weights":
        raise NoGraphError("weights are no graph: only measurements ask for them")
    if kind == "cpdags":
        return _mean([judge(dataset, "cpdag", one, gaussian) for one in answer])
    matrix = (np.array(answer) != 0).astype(np.int64)
    if kind == "dag" and not is_dag(matrix):
        raise NoGraphError("the graph has a cycle")
    row = _adjacencies(matrix, dataset.dag)
    member = _member(matrix, kind)
    row["shd"], row["shd_old"] = _distances(matrix, dataset.dag)
    row["shd_dag"] = shd(matrix, dataset.dag) if kind == "dag" else None
    row["objective"] = None if member is None or not gaussian else objective(dataset.X, member)
    row["true_objective"] = objective(dataset.X, dataset.dag) if gaussian else None
    row["aid"] = None if member is None else _adjustment_distance(matrix, dataset.dag, kind)
    return row


def objective(X: Array, dag: Matrix) -> float:
    """NLL refitted on the DAG + c · edges: the `objective` of our results."""
    n, p = X.shape
    score = GaussianScore(Moments.from_array(X).covariance)
    return gaussian_objective(Problem(score, L0(cost_per_edge("auto", n, p))), dag != 0)


def _adjacencies(matrix: Matrix, truth: Matrix) -> dict[str, float | None]:
    # Skeletons as DAGs: a PDAG need not stand for any class that could be compared.
    pairs = compare(*(np.triu(graph | graph.T, 1) for graph in (truth, matrix))).adjacencies
    return {
        "edges": pairs.correct + pairs.extra,
        "precision": pairs.precision,
        "recall": pairs.recall,
        "f1": pairs.f1,
    }


def _member(matrix: Matrix, kind: str) -> Matrix | None:
    """A DAG of the class; None for a PDAG that has none."""
    if kind == "dag":
        return matrix
    try:
        return np.asarray(cpdag_to_dag(matrix))
    except GraphError as error:
        if kind == "pdag":
            return None
        raise NoGraphError(f"not a CPDAG: {error}") from error


def _distances(matrix: Matrix, truth: Matrix) -> tuple[int, int]:
    try:
        return cpdag_shd(matrix, truth), cpdag_shd(matrix, truth, "causal-learn")
    except GraphError:  # arrows of a PDAG that form a cycle: mark by mark
        other = np.asarray(dag_to_cpdag(truth))
        differs, joined = matrix != other, (matrix | matrix.T) != (other | other.T)
        opposite = (matrix & ~matrix.T & 1) & (other & ~other.T & 1).T
        return tuple(int(np.triu(d | d.T).sum()) for d in (differs, joined | (opposite == 1)))  # type: ignore[return-value]


def _adjustment_distance(matrix: Matrix, truth: Matrix, kind: str) -> float | None:
    """Mistaken adjustment sets over all pairs (Henckel, Würtzen & Weichwald 2024), against the true DAG."""
    try:
        import gadjid
    except ImportError:
        return None
    # gadjid codes i -- j as one entry of 2 in a matrix whose rows point to columns.
    both = matrix & matrix.T
    coded = np.where(both == 1, 2 * np.triu(both), matrix).astype(np.int8)
    guess = coded if kind != "dag" else matrix.astype(np.int8)
    distance, _ = gadjid.parent_aid(truth.astype(np.int8), guess, edge_direction="from row to column")
    return float(distance)


def _mean(rows: Sequence[dict[str, float | None]]) -> dict[str, float | None]:
    means: dict[str, float | None] = {}
    for key in rows[0]:
        values = [value for row in rows if (value := row[key]) is not None]
        means[key] = float(np.mean(values)) if values else None
    return means
