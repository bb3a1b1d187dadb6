"""Rounding: from soft weights to a DAG.

Three ways to decide which edges pay, depending on the score, and one that looks at their strength alone:

- `graph_by_score` for Gaussian scores;
- `graph_by_parents` for scores with local scores;
- `graph_by_refit` for scores that can only be differentiated as a whole;
- `strongest_dag`, `soft_graph`, `graph_by_threshold` by strength.
"""

from sparsest.rounding.by_parents import graph_by_parents
from sparsest.rounding.by_refit import FittedGraph, graph_by_refit, refit_on, soft_graph
from sparsest.rounding.by_score import graph_by_score
from sparsest.rounding.strongest import graph_by_threshold, strongest_dag

__all__ = [
    "FittedGraph",
    "graph_by_parents",
    "graph_by_refit",
    "graph_by_score",
    "graph_by_threshold",
    "refit_on",
    "soft_graph",
    "strongest_dag",
]
