"""causal-learn: BOSS (Andrews et al. 2023), GRaSP (Lam et al. 2022), GES, PC and exact search by A*.

Its score of a node with parents P is −n/2 · (1 + log ω) − λ (|P| + 1) log n, higher is better. Over −n, and
without what is the same for every graph, the scores of all nodes add up to ½ Σ log ω + (λ log n / n) · edges:
our objective, at a cost per edge of λ log n / n. So

- λ = ½, its default in GES, is BIC's log(n) / 2n;
- λ = 2, its default in BOSS and GRaSP, is four times that;
- λ = ½ + log p / log n is our default, (log n + 2 log p) / 2n: the methods "@ours".

BOSS and GRaSP shuffle by Python's global generator and take no seed: it is set to 0 before each fit. The
paper prints α = 0.5 for PC, which is read as 0.05.
"""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np

REQUIREMENTS = ["causal-learn==0.1.4.8"]
TAIL, ARROW = -1, 1  # causal-learn's endpoints: graph[i, j] is the mark at i of the edge between i and j

METHODS: dict[str, dict[str, Any]] = {
    "boss": {"search": "boss"},
    "boss@ours": {"search": "boss", "at_our_cost": True},
    "grasp": {"search": "grasp"},
    "grasp@ours": {"search": "grasp", "at_our_cost": True},
    "cl-ges": {"search": "ges"},
    "cl-ges@ours": {"search": "ges", "at_our_cost": True},
    "cl-exact": {"search": "exact"},
    "pc": {"search": "pc"},
}
# Colour, marker and line of each method in figures.
LINE_STYLES = {
    "boss": ("#117733", "*", "-"),
    "boss@ours": ("#117733", "*", "--"),
    "grasp": ("#999933", "X", "-"),
    "grasp@ours": ("#999933", "X", "--"),
    "cl-ges": ("#44AA99", "d", "--"),
    "cl-ges@ours": ("#44AA99", "d", ":"),
    "pc": ("#009E73", "P", "-"),
}


def fit(arrays: dict[str, Any], search: str, at_our_cost: bool = False) -> tuple[str, Any]:
    """A search at its own defaults, or with edges that cost what they cost us."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    X = arrays["X"]
    options = {"parameters": {"lambda_value": our_lambda(*X.shape)}} if at_our_cost else {}
    if search == "boss":
        from causallearn.search.PermutationBased.BOSS import boss  # type: ignore[import-not-found]

        return "cpdag", to_matrix(boss(X, verbose=False, **options).graph)
    if search == "grasp":
        from causallearn.search.PermutationBased.GRaSP import grasp  # type: ignore[import-not-found]

        return "cpdag", to_matrix(grasp(X, verbose=False, **options).graph)
    if search == "ges":
        from causallearn.search.ScoreBased.GES import ges  # type: ignore[import-not-found]

        return "cpdag", to_matrix(ges(X, score_func="local_score_BIC_from_cov", **options)["G"].graph)
    if search == "exact":
        from causallearn.search.ScoreBased.ExactSearch import bic_exact_search  # type: ignore[import-not-found]

        return "dag", bic_exact_search(X, search_method="astar")[0] != 0
    from causallearn.search.ConstraintBased.PC import pc  # type: ignore[import-not-found]

    return "pdag", to_matrix(pc(X, alpha=0.05, indep_test="fisherz", show_progress=False).G.graph)


def our_lambda(n: int, p: int) -> float:
    """The λ at which an edge costs (log n + 2 log p) / 2n."""
    return 0.5 + math.log(p) / math.log(n)


def to_matrix(graph: Any) -> Any:
    """causal-learn's coding to ours: i -> j is a tail at i and an arrow at j, i -- j is two tails."""
    marks = np.asarray(graph)
    if ((marks == ARROW) & (marks.T == ARROW)).any() or not np.isin(marks, (TAIL, 0, ARROW)).all():
        raise ValueError("the graph has edges that no CPDAG has")
    return marks == TAIL
