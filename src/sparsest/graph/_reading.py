"""One or two graphs, given as objects or matrices, as patterns over the same nodes."""

from __future__ import annotations

import numpy as np

from sparsest._core.errors import GraphError
from sparsest._core.words import default_names, listed
from sparsest.graph._matrix import Matrix, Pattern, edge_pattern, refuse_loops
from sparsest.graph.types import Cpdag, Dag, Graph


def read(graph: Dag | Cpdag | Matrix, *, weighted: bool = False) -> tuple[Pattern, tuple[str, ...]]:
    """Pattern without self-loops, and names (default names for a matrix)."""
    if isinstance(graph, Graph):
        return graph.pattern, graph.names
    pattern = edge_pattern(graph, weighted=weighted)
    names = default_names(len(pattern))
    refuse_loops(pattern, names)
    return pattern, names


def read_two(a: Dag | Cpdag | Matrix, b: Dag | Cpdag | Matrix) -> tuple[Pattern, Pattern, tuple[str, ...]]:
    """Two patterns in the node order of the first; graph objects are matched by name, else by position."""
    first, names = read(a)
    second, other = read(b)
    if len(names) != len(other):
        raise GraphError(
            f"graphs can only be compared over the same nodes: these have {len(names)} and {len(other)}"
        )
    if not isinstance(b, Graph):
        return first, second, names
    if not isinstance(a, Graph):
        return first, second, other
    if names != other:
        strangers = sorted(set(other) - set(names))
        if strangers:
            raise GraphError(
                f"graphs can only be compared over the same nodes: only the second has {listed(strangers)}"
            )
        place = {name: k for k, name in enumerate(other)}
        move = [place[name] for name in names]
        second = second[np.ix_(move, move)]
    return first, second, names
