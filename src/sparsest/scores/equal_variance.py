"""The Gaussian likelihood with one noise variance for all nodes, profiled out: the score of GOLEM-EV."""

import math

from sparsest._core.linalg import inverse_and_logdet
from sparsest.scores.base import Array, LinearModel


class EqualVarianceScore(LinearModel):
    """(p/2) log tr((I−B)ᵀ Σ̂ (I−B)) − log det(I−B) for a covariance Σ̂ (Ng, Ghassami & Zhang, 2020)."""

    def value_and_grad(self, psi: Array) -> tuple[float, Array] | None:
        """The value and its gradient −p Σ̂(I−B)/tr + (I−B)^{-T}; None where det(I−B) ≤ 0."""
        residual, product = self.residuals(psi)
        factored = inverse_and_logdet(residual)
        if factored is None:
            return None
        inverse, logdet = factored
        total = float((residual * product).sum())
        gradient = inverse.T - product * (self.p / total)
        return 0.5 * self.p * math.log(total) - logdet, gradient.reshape(-1)
