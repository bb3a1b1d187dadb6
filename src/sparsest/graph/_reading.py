"""Graph objects or plain matrices, one or two of them, as patterns over the same nodes."""

from __future__ import annotations

import numpy as np

from sparsest._core.errors import GraphError
from sparsest._core.words import default_names, listed
from sparsest.graph._matrix import Matrix, Pattern, edge_pattern, refuse_loops
from sparsest.graph.types import Cpdag, Dag, Graph


def read(graph: Dag | Cpdag | Matrix, *, weighted: bool = False) -> tuple[Pattern, tuple[str, ...]]:
    """Pattern without loops, and names (the default ones for a matrix)."""
    if isinstance(graph, Graph):
        return graph.pattern, graph.names
    pattern = edge_pattern(graph, weighted=weighted)
    names = default_names(len(pattern))
    refuse_loops(pattern, names)
    return pattern, names


def read_two(a: Dag | Cpdag | Matrix, b: Dag | Cpdag | Matrix) -> tuple[Pattern, Pattern, tuple[str, ...]]:
    """Two patterns in the order of the first. Two graph objects are matched by name, else by position."""
    first, names = read(a)
    second, other = read(b)
    if len(names) != len(other):
        raise GraphError(
            f"two graphs can be compared over the same nodes only: these have {len(names)} and {len(other)}"
        )
    if not isinstance(b, Graph):
        return first, second, names
    if not isinstance(a, Graph):
        return first, second, other
    if names != other:
        strangers = sorted(set(other) - set(names))
        if strangers:
            raise GraphError(
                f"two graphs can be compared over the same nodes only: just the second has {listed(strangers)}"
            )
        place = {name: k for k, name in enumerate(other)}
        move = [place[name] for name in names]
        second = second[np.ix_(move, move)]
    return first, second, names
