"""What a drawing shows of each edge: direction, strength, and comparison with the truth."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sparsest._core.errors import GraphError
from sparsest.graph._reading import read_two
from sparsest.graph.types import Cpdag, Dag

if TYPE_CHECKING:
    from sparsest.confidence import Confidence

Array = npt.NDArray[np.float64]


class Verdict(enum.Enum):
    """How an edge compares with the truth."""

    RIGHT = "as in the truth"
    WRONG = "differs from the truth"
    MISSING = "only in the truth"


@dataclass(frozen=True)
class DrawnEdge:
    """Edge to draw: tail -> head, or tail -- head if it is undirected.

    `effect` is None if no weights are known, and its sign means nothing unless `signed`: categories have
    several effects. `verdict` is None if there is no truth to compare with, and `share`, how often the edge
    comes again with this mark, if nothing was resampled.
    """

    tail: int
    head: int
    directed: bool
    effect: float | None = None
    verdict: Verdict | None = None
    share: float | None = None
    signed: bool = True

    @property
    def doubtful(self) -> bool:
        """Whether less than half of the resamples have it."""
        return self.share is not None and self.share < 0.5


def edges_of(
    graph: Dag | Cpdag,
    effects: Array | None = None,
    truth: Dag | Cpdag | None = None,
    confidence: Confidence | None = None,
    signed: npt.NDArray[np.bool_] | None = None,
) -> list[DrawnEdge]:
    """Edges of a graph, followed by those that only the truth has.

    An edge is right if the truth (for a CPDAG, the CPDAG of the truth) joins the two nodes in the same way.
    """
    if effects is not None and effects.shape != (len(graph), len(graph)):
        raise GraphError(
            f"weights of shape {effects.shape} for {len(graph)} nodes: give one row and one column per node"
        )
    if isinstance(graph, Cpdag) and isinstance(truth, Dag):
        truth = truth.to_cpdag()
    here, there, _ = read_two(graph, graph if truth is None else truth)
    found = []
    for i, j in _pairs(here):
        effect = None if effects is None else float(effects[i, j] or effects[j, i])
        with_sign = signed is None or bool(signed[(i, j) if effects is None or effects[i, j] else (j, i)])
        same = here[i, j] == there[i, j] and here[j, i] == there[j, i]
        verdict = None if truth is None else Verdict.RIGHT if same else Verdict.WRONG
        mark = "--" if here[j, i] else "->"
        share = None if confidence is None else confidence.share(i, j, mark)
        found.append(DrawnEdge(i, j, not here[j, i], effect, verdict, share, with_sign))
    missing = there & ~(here | here.T)
    return found + [DrawnEdge(i, j, not missing[j, i], verdict=Verdict.MISSING) for i, j in _pairs(missing)]


def _pairs(pattern: npt.NDArray[np.bool_]) -> Sequence[tuple[int, int]]:
    """Pair (i, j) for each i -> j, and one for each i -- j."""
    return [(i, j) for i, j in np.argwhere(pattern).tolist() if i < j or not pattern[j, i]]
