"""The protocols for scores."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Score(Protocol):
    """Protocol for differentiable scores of a flat parameter vector ψ, which induces the adjacency B(ψ).

    For linear models ψ is B itself, row by row.
    """

    @property
    def p(self) -> int:
        """The number of nodes."""

    def value_and_grad(self, psi: Array) -> tuple[float, Array] | None:
        """The score and its gradient; None outside its domain."""

    def adjacency(self, psi: Array) -> Array:
        """B(ψ), (p, p); entry (i, j) is the strength of i → j, signed for linear models."""

    def squares(self, psi: Array) -> Array:
        """S(ψ) = B(ψ)∘B(ψ): smooth even where B(ψ) is a norm that vanishes."""

    def squares_vjp(self, psi: Array, cotangent: Array) -> Array:
        """The gradient of `⟨cotangent, S(ψ)⟩` with respect to ψ."""


class LocalScore(Protocol):
    """Protocol for decomposable scores, sums over nodes given their parents: what discrete search needs.

    Further methods are optional and make searches faster: `gains(node, parents)`, approximately how much each
    other node would lower the local score as an additional parent, and which of these are exact;
    `losses(node, parents)`, approximately how much each parent contributes; `edge_parameters`, the number of
    parameters of each edge; `correlation` of the columns as numbers, to start the search from;
    `over_subsets(node, others, subsets, watch)`, the local scores given many subsets of `others` (bit k of a
    subset is the k-th of them), or None if each takes a fit by itself; `merged_rows`, how many rows each of
    these goes through, None if some node takes fits by themselves.

    Two let it stop in time: `ready(watch)`, called before anything else, compiles and computes what all
    scores need, and returns False if the watch says stop first; `at_once(node, parents)` is the local score
    with nothing compiled or prepared, for the few that are needed even then.
    """

    @property
    def p(self) -> int:
        """The number of nodes."""

    def local(self, node: int, parents: Sequence[int] | NDArray[np.intp]) -> float:
        """The best score of `node` with exactly these parents."""


class PlainWeights:
    """What scores have in common if ψ is B itself, row by row."""

    p: int

    def adjacency(self, psi: Array) -> Array:
        """B itself."""
        return psi.reshape(self.p, self.p)

    def squares(self, psi: Array) -> Array:
        """B∘B."""
        return self.adjacency(psi) ** 2

    def squares_vjp(self, psi: Array, cotangent: Array) -> Array:
        """2 B∘cotangent, flat."""
        return 2 * psi * cotangent.reshape(-1)


class LinearModel(PlainWeights):
    """What the scores of linear models of a covariance Σ̂ have in common."""

    def __init__(self, covariance: Array):
        self.covariance = covariance
        self.p = len(covariance)

    def residuals(self, psi: Array) -> tuple[Array, Array]:
        """I − B, and Σ̂(I − B)."""
        residual = np.eye(self.p) - self.adjacency(psi)
        return residual, self.covariance @ residual


def parameters_of(score: Score, graph: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The parameters of the edges of a graph, and those that belong to no edge, (m,)."""
    edges: NDArray[np.bool_] = graph.reshape(-1)
    groups = getattr(score, "groups", None)
    return edges if groups is None else np.append(edges, True)[groups]
