"""What a score offers to solvers."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Score(Protocol):
    """A differentiable score over a flat parameter vector ψ, with the adjacency B(ψ) it induces.

    For linear models ψ is B itself, row by row.
    """

    @property
    def p(self) -> int:
        """The number of nodes."""

    def value_and_grad(self, psi: Array) -> tuple[float, Array] | None:
        """The score and its gradient; None outside the domain of the score."""

    def adjacency(self, psi: Array) -> Array:
        """B(ψ), (p, p); entry (i, j) is the strength of i → j, signed for linear models."""

    def squares(self, psi: Array) -> Array:
        """S(ψ) = B(ψ)∘B(ψ): smooth, also where B(ψ) is a norm that vanishes."""

    def squares_vjp(self, psi: Array, cotangent: Array) -> Array:
        """The gradient of `⟨cotangent, S(ψ)⟩` with respect to ψ."""


class LocalScore(Protocol):
    """A score that adds up over nodes once each node's parents are fixed: what discrete search needs.

    A score may offer more, and searches are faster for it: `gains(node, parents)`, roughly by how much every
    other node, as one more parent, would lower the local score, and which of these are exact;
    `losses(node, parents)`, roughly what each parent is worth; `edge_parameters`, how many parameters an edge
    has; `correlation` of the columns as numbers, for a first impression.
    """

    @property
    def p(self) -> int:
        """The number of nodes."""

    def local(self, node: int, parents: Sequence[int] | NDArray[np.intp]) -> float:
        """The best score of `node` with exactly these parents."""


class PlainWeights:
    """What scores share whose ψ is B itself, row by row."""

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
    """What the scores of linear models of a covariance Σ̂ share."""

    def __init__(self, covariance: Array):
        self.covariance = covariance
        self.p = len(covariance)

    def residuals(self, psi: Array) -> tuple[Array, Array]:
        """I − B, and Σ̂(I − B)."""
        residual = np.eye(self.p) - self.adjacency(psi)
        return residual, self.covariance @ residual
