"""Least squares, the score of NOTEARS and DAGMA: ½ tr((I−B)ᵀ Σ̂ (I−B)). It depends on units."""

from sparsest.scores.base import Array, LinearModel


class LeastSquares(LinearModel):
    """½ tr((I−B)ᵀ Σ̂ (I−B)) for a covariance Σ̂."""

    def value_and_grad(self, psi: Array) -> tuple[float, Array]:
        """The value and its gradient −Σ̂(I−B)."""
        residual, product = self.residuals(psi)
        return 0.5 * float((residual * product).sum()), -product.reshape(-1)
