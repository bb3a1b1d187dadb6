"""Graphs: DAGs, their Markov equivalence classes, and distances between them.

`matrix[i, j] == 1` means i -> j; in a CPDAG `[i, j] == [j, i] == 1` means i -- j. Functions accept a plain
matrix or a graph object and return the same type: int64 matrices for matrices, Dag and Cpdag for Dag and
Cpdag. Where an equivalence class is expected, a DAG stands for its class.

Examples
--------
>>> import sparsest as sp
>>> chain = sp.Dag([[0, 1, 0], [0, 0, 1], [0, 0, 0]], names=["a", "b", "c"])
>>> sp.graph.topological_order(chain)
['a', 'b', 'c']
>>> sp.graph.mec_size(chain)
3
"""

from sparsest.graph.acyclicity import find_cycle, is_dag, topological_order
from sparsest.graph.agreement import Agreement, Matches, compare
from sparsest.graph.background import refine
from sparsest.graph.cpdag import dag_to_cpdag
from sparsest.graph.distance import cpdag_shd, shd
from sparsest.graph.extension import cpdag_to_dag
from sparsest.graph.markov_equivalence import markov_equivalent
from sparsest.graph.meek import meek_closure
from sparsest.graph.members import mec_members
from sparsest.graph.reading import read
from sparsest.graph.recognition import is_cpdag
from sparsest.graph.size import mec_size
from sparsest.graph.types import Cpdag, Dag, Mpdag

__all__ = [
    "Agreement",
    "Cpdag",
    "Dag",
    "Matches",
    "Mpdag",
    "compare",
    "cpdag_shd",
    "cpdag_to_dag",
    "dag_to_cpdag",
    "find_cycle",
    "is_cpdag",
    "is_dag",
    "markov_equivalent",
    "mec_members",
    "mec_size",
    "meek_closure",
    "read",
    "refine",
    "shd",
    "topological_order",
]
