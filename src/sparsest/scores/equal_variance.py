"""The Gaussian likelihood with one noise variance for all nodes, profiled out: the score of GOLEM-EV."""

import math

import numpy as np

from sparsest._linalg import inverse_and_logdet
from sparsest.scores.base import Array, LinearModel


class EqualVarianceScore(LinearModel):
    """(p/2) log tr((I−B)ᵀ Σ̂ (I−B)) − log det(I−B) for a covariance Σ̂ (Ng, Ghassami & Zhang, 2020)."""

    def __init__(self, covariance: Array):
        super().__init__(len(covariance))
        self.covariance = covariance

    def value_and_grad(self, psi: Array) -> tuple[float, Array] | None:
        """The value and its gradient −p Σ̂(I−B)/tr + (I−B)^{-T}; None where det(I−B) ≤ 0."""
        residual = np.eye(self.p) - self.adjacency(psi)
        factored = inverse_and_logdet(residual)
        if factored is None:
            return None
        inverse, logdet = factored
        product = self.covariance @ residual
        total = float((residual * product).sum())
        gradient = inverse.T - product * (self.p / total)
        return 0.5 * self.p * math.log(total) - logdet, gradient.reshape(-1)
