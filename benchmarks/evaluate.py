"""What an answer is worth: the one place where methods are judged, all by the same measures."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.datasets import Dataset
from sparsest.data.moments import Moments
from sparsest.errors import GraphError
from sparsest.graph import cpdag_shd, cpdag_to_dag, dag_to_cpdag, is_dag
from sparsest.scores.gaussian import refit
from sparsest.select import cost_per_edge

TRUTH = "(true graph)"


def judged(dataset: Dataset, method: str, answer: dict[str, Any]) -> dict[str, Any]:
    """One row of the results: the design, the method, its time, and how good its graph is.

    - `shd`: pairs of nodes whose mark differs between the CPDAG of the answer and that of the truth.
    - `objective`: likelihood refitted on the graph + c · edges on the data that the method saw, c our default
      cost. A CPDAG is worth what any of its members is: the score is the same on the whole class.
    - `error`: why there is no graph, or none that is a DAG or a CPDAG.

    A "pdag" need not stand for any DAG: where it does not, it has an SHD, mark by mark, and no objective.
    """
    row: dict[str, Any] = {"edges": None, "shd": None, "objective": None, "error": answer.get("error")}
    if row["error"] is None:
        row |= judge(dataset, answer["kind"], np.array(answer["adjacency"]))
    times = {key: answer.get(key) for key in ("seconds", "cpu_seconds")}
    return dataset.design | {"method": method} | times | row


def truth(dataset: Dataset) -> dict[str, Any]:
    """The row of the graph that made the data: what a perfect search reaches or undercuts."""
    return judged(dataset, TRUTH, {"kind": "dag", "adjacency": dataset.dag})


def objective(X: NDArray[np.float64], dag: NDArray[np.int64]) -> float:
    """NLL refitted on the DAG + c · edges: the `objective` of our results."""
    moments = Moments.from_array(X)
    _, variances = refit(moments.covariance, dag != 0)
    cost = cost_per_edge("auto", moments.n, moments.p)
    return 0.5 * float(np.log(variances).sum()) + cost * int(dag.sum())


def judge(dataset: Dataset, kind: str, matrix: NDArray[np.int64]) -> dict[str, Any]:
    """Edges, SHD and objective of a graph, or why it has none."""
    edges = int(np.triu(matrix | matrix.T).sum())
    if kind == "dag" and not is_dag(matrix):
        return {"edges": edges, "error": "the graph has a cycle"}
    try:
        dag = matrix if kind == "dag" else cpdag_to_dag(matrix)
    except GraphError as error:
        if kind == "pdag":
            differs = matrix != dag_to_cpdag(dataset.dag)
            return {"edges": edges, "shd": int(np.triu(differs | differs.T).sum())}
        return {"edges": edges, "error": f"not a CPDAG: {error}"}
    return {"edges": edges, "shd": cpdag_shd(matrix, dataset.dag), "objective": objective(dataset.X, dag)}
