"""What a picture says about each edge: its mark, its strength, and how it compares with the truth."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparsest._core.errors import GraphError
from sparsest.graph._reading import read_two
from sparsest.graph.types import Cpdag, Dag

Array = npt.NDArray[np.float64]


class Verdict(enum.Enum):
    """How an edge compares with the truth."""

    RIGHT = "as in the truth"
    WRONG = "differs from the truth"
    MISSING = "only in the truth"


@dataclass(frozen=True)
class DrawnEdge:
    """An edge to draw: tail -> head, or tail -- head where it is not directed.

    `effect` is signed; None where no weights are known. `verdict` is None where there is no truth.
    """

    tail: int
    head: int
    directed: bool
    effect: float | None = None
    verdict: Verdict | None = None


def edges_of(
    graph: Dag | Cpdag, effects: Array | None = None, truth: Dag | Cpdag | None = None
) -> list[DrawnEdge]:
    """The edges of a graph, then those that only the truth has.

    Of a CPDAG, an edge is right if the truth's CPDAG has it with the same mark, of a DAG, if the truth does.
    """
    if effects is not None and effects.shape != (len(graph), len(graph)):
        raise GraphError(
            f"weights of shape {effects.shape} for {len(graph)} nodes: give one row and column a node"
        )
    if isinstance(graph, Cpdag) and isinstance(truth, Dag):
        truth = truth.to_cpdag()
    here, there, _ = read_two(graph, graph if truth is None else truth)
    found = []
    for i, j in _pairs(here):
        effect = None if effects is None else float(effects[i, j] or effects[j, i])
        same = here[i, j] == there[i, j] and here[j, i] == there[j, i]
        verdict = None if truth is None else Verdict.RIGHT if same else Verdict.WRONG
        found.append(DrawnEdge(i, j, not here[j, i], effect, verdict))
    missing = there & ~(here | here.T)
    return found + [DrawnEdge(i, j, not missing[j, i], verdict=Verdict.MISSING) for i, j in _pairs(missing)]


def _pairs(pattern: npt.NDArray[np.bool_]) -> Sequence[tuple[int, int]]:
    """(i, j) for each i -> j, and once for each i -- j."""
    return [(i, j) for i, j in np.argwhere(pattern).tolist() if i < j or not pattern[j, i]]
