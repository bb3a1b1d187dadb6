"""BOSS (Andrews et al. 2023), the order search of causal-learn, with its default BIC score.

Its default `lambda_value = 2` makes an edge cost 2 log(n) / n, four times BIC's log(n) / 2n.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from benchmarks.worker import serve

REQUIREMENTS = ["causal-learn==0.1.4.8"]
METHODS: dict[str, dict[str, Any]] = {"boss": {}}

TAIL, ARROW = -1, 1  # causal-learn's endpoints: graph[i, j] is the mark at i of the edge between i and j


def fit(X: Any) -> tuple[str, Any]:
    """The CPDAG of the best order found from the order of the columns."""
    from causallearn.search.PermutationBased.BOSS import boss  # type: ignore[import-not-found]

    # It visits the nodes in an order shuffled by the global generator, and takes no seed.
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    return "cpdag", to_matrix(boss(X, verbose=False).graph)


def to_matrix(graph: Any) -> Any:
    """causal-learn's coding to ours: i -> j is a tail at i and an arrow at j, i -- j is two tails."""
    marks = np.asarray(graph)
    if ((marks == ARROW) & (marks.T == ARROW)).any() or not np.isin(marks, (TAIL, 0, ARROW)).all():
        raise ValueError("the graph has edges that no CPDAG has")
    return marks == TAIL


if __name__ == "__main__":
    serve(fit, METHODS)
