"""The edges of a result with their marks and weights, and edges as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from sparsest._core.words import clipped

if TYPE_CHECKING:
    from sparsest.result import Result

_MOST_LETTERS = 40
_SIGNS = {"->": "→", "<-": "←", "--": "–"}


class WeightedEdge(NamedTuple):
    """An edge of the DAG with its weight; `mark` is "->" if the class implies its direction, else "--".

    `place` is its position (i, j) in the matrix of weights.
    """

    source: str
    mark: str
    target: str
    weight: float
    place: tuple[int, int]


def weighted_edges(result: Result) -> Iterator[WeightedEdge]:
    """The edges of the learned DAG."""
    position = {name: k for k, name in enumerate(result.names)}
    directed = set(result.cpdag.directed_edges)
    for source, target in result.dag.edges:
        place = position[source], position[target]
        mark = "->" if (source, target) in directed else "--"
        yield WeightedEdge(source, mark, target, float(result.weights[place]), place)


def edge_text(a: str, mark: str, b: str, *, ascii: bool) -> str:  # noqa: A002
    """An edge as text, such as `a → b`, or `a -> b` if `ascii`; long names are shortened."""
    first, second = (clipped(name, _MOST_LETTERS, "..." if ascii else "…") for name in (a, b))
    return f"{first} {mark if ascii else _SIGNS[mark]} {second}"
