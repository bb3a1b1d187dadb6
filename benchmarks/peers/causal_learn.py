"""causal-learn: the order searches BOSS (Andrews et al. 2023) and GRaSP (Lam et al. 2022), GES, and PC.

Its score of a node with parents P is −n/2 · (1 + log ω) − λ (|P| + 1) log n, higher is better. Over −n, and
without what is the same for every graph, the scores of all nodes add up to ½ Σ log ω + (λ log n / n) · edges:
our objective, at a cost per edge of λ log n / n. So

- λ = ½, its default in GES, is BIC's log(n) / 2n;
- λ = 2, its default in BOSS and GRaSP, is four times that;
- λ = ½ + log p / log n is our default, (log n + 2 log p) / 2n: the methods "@ours".

BOSS and GRaSP shuffle by Python's global generator and take no seed: it is set to 0 before each fit.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.worker import serve

REQUIREMENTS = ["causal-learn==0.1.4.8"]
TAIL, ARROW = -1, 1  # causal-learn's endpoints: graph[i, j] is the mark at i of the edge between i and j


def boss(X: Any, **options: Any) -> tuple[str, Any]:
    """BOSS: a descent over orders, from that of the columns."""
    from causallearn.search.PermutationBased.BOSS import boss  # type: ignore[import-not-found]

    return "cpdag", boss(X, verbose=False, **options)


def grasp(X: Any, **options: Any) -> tuple[str, Any]:
    """GRaSP: a depth-first search over orders, from a random one."""
    from causallearn.search.PermutationBased.GRaSP import grasp  # type: ignore[import-not-found]

    return "cpdag", grasp(X, verbose=False, **options)


def ges(X: Any, **options: Any) -> tuple[str, Any]:
    """GES in two phases, forward and backward."""
    from causallearn.search.ScoreBased.GES import ges  # type: ignore[import-not-found]

    return "cpdag", ges(X, score_func="local_score_BIC_from_cov", **options)["G"]


def pc(X: Any) -> tuple[str, Any]:
    """PC with Fisher's z at level 0.05; its arrows may contradict one another, so that no DAG has them."""
    from causallearn.search.ConstraintBased.PC import pc  # type: ignore[import-not-found]

    return "pdag", pc(X, alpha=0.05, indep_test="fisherz", show_progress=False).G


METHODS: dict[str, dict[str, Any]] = {
    "boss": {"search": boss},
    "boss@ours": {"search": boss, "at_our_cost": True},
    "grasp": {"search": grasp},
    "grasp@ours": {"search": grasp, "at_our_cost": True},
    "cl-ges": {"search": ges},
    "cl-ges@ours": {"search": ges, "at_our_cost": True},
    "pc": {"search": pc},
}


def fit(X: Any, search: Callable[..., tuple[str, Any]], at_our_cost: bool = False) -> tuple[str, Any]:
    """A search at its own defaults, or with edges that cost what they cost us."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    options = {"parameters": {"lambda_value": our_lambda(*X.shape)}} if at_our_cost else {}
    kind, found = search(X, **options)
    return kind, to_matrix(found.graph)


def our_lambda(n: int, p: int) -> float:
    """The λ at which an edge costs (log n + 2 log p) / 2n."""
    return 0.5 + math.log(p) / math.log(n)


def to_matrix(graph: Any) -> Any:
    """causal-learn's coding to ours: i -> j is a tail at i and an arrow at j, i -- j is two tails."""
    marks = np.asarray(graph)
    if ((marks == ARROW) & (marks.T == ARROW)).any() or not np.isin(marks, (TAIL, 0, ARROW)).all():
        raise ValueError("the graph has edges that no CPDAG has")
    return marks == TAIL


if __name__ == "__main__":
    serve(fit, METHODS)
