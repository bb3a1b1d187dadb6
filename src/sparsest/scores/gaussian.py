"""The Gaussian likelihood with the noise variances Ω profiled out (Appendix C.1): the paper's score.

`ℓ(B) = ½ Σ_j log ω_j − log det(I − B)` with `ω_j = [(I−B)ᵀ Σ̂ (I−B)]_jj`; constants are dropped.
On a DAG the determinant is 1 and ℓ is a sum of local scores ½ log ω_j. So a score without it has the same
minimisers over DAGs, and differs in how a path gets there.

If Σ̂ is singular, the likelihood is unbounded. It is kept finite by one rule throughout the package: a
residual variance counts as at least `RESIDUAL_FLOOR` times the variance of its column.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dtrtrs

from sparsest._core.correlation import SINGULAR
from sparsest._core.linalg import inverse_and_logdet
from sparsest.scores.base import Array, LinearModel

#: The smallest share of a column's variance that may remain unexplained.
RESIDUAL_FLOOR = 1e-10


class _ProfiledVariances(LinearModel):
    """What Gaussian scores with profiled variances have in common: the floor of a residual variance."""

    def __init__(self, covariance: Array):
        super().__init__(covariance)
        self._floor = RESIDUAL_FLOOR * covariance.diagonal()

    def log_variances(self, residual: Array, product: Array) -> tuple[float, Array]:
        """½ Σ_j log ω_j, and Σ̂(I−B) diag(1/ω); residual variances at their floor have no slope."""
        omega = (residual * product).sum(axis=0)
        floored = np.maximum(omega, self._floor)
        slope = product * (np.where(omega > self._floor, 1.0, 0.0) / floored)
        return 0.5 * float(np.log(floored).sum()), slope


class GaussianScore(_ProfiledVariances):
    """The Gaussian negative log-likelihood of a covariance, with the noise variances profiled out."""

    def value_and_grad(self, psi: Array) -> tuple[float, Array] | None:
        """ℓ(B) and its gradient −Σ̂(I−B) diag(1/ω) + (I−B)^{-T}; None where det(I−B) ≤ 0."""
        residual, product = self.residuals(psi)
        factored = inverse_and_logdet(residual)
        if factored is None:
            return None
        inverse, logdet = factored
        value, slope = self.log_variances(residual, product)
        return value - logdet, (inverse.T - slope).reshape(-1)

    def local(self, node: int, parents: Sequence[int] | NDArray[np.intp]) -> float:
        """½ log ω of `node` regressed on `parents`."""
        _, variance = regress(self.covariance, node, parents)
        return 0.5 * float(np.log(variance))


class GaussianWithoutDeterminant(_ProfiledVariances):
    """½ Σ_j log ω_j of a covariance: the Gaussian likelihood without its term −log det(I − B).

    It is defined for every B, and equals the likelihood where B is acyclic. Over all matrices its minimum
    regresses each column on all others.

    Examples
    --------
    >>> import numpy as np
    >>> covariance = np.array([[1.0, 0.8], [0.8, 1.0]])
    >>> both_ways = np.array([0.0, 0.8, 0.8, 0.0])
    >>> value, gradient = GaussianWithoutDeterminant(covariance).value_and_grad(both_ways)
    >>> round(value, 3), bool(np.abs(gradient[1:3]).max() < 1e-12)
    (-1.022, True)
    """

    def value_and_grad(self, psi: Array) -> tuple[float, Array]:
        """½ Σ_j log ω_j and its gradient −Σ̂(I−B) diag(1/ω)."""
        value, slope = self.log_variances(*self.residuals(psi))
        return value, -slope.reshape(-1)


def regress(covariance: Array, node: int, parents: Sequence[int] | NDArray[np.intp]) -> tuple[Array, float]:
    """Coefficients and residual variance of the least-squares regression of a column on others.

    Collinear parents share their coefficient (the minimum-norm solution, on unit variances).
    """
    if len(parents) == 0:
        return np.empty(0), float(covariance[node, node])
    columns = np.append(np.asarray(parents, dtype=np.intp), node)
    chosen = covariance[columns[:, None], columns]
    scales = np.sqrt(chosen.diagonal())
    correlation = chosen / scales / scales[:, None]
    units = scales[-1] / scales[:-1]
    try:
        factor = np.linalg.cholesky(correlation)
    except np.linalg.LinAlgError:
        factor = np.zeros_like(correlation)
    if (factor.diagonal() ** 2 > RESIDUAL_FLOOR).all():
        coefficients, _ = dtrtrs(factor[:-1, :-1], factor[-1, :-1], lower=1, trans=1)
        return coefficients * units, float((factor[-1, -1] * scales[-1]) ** 2)
    coefficients = np.linalg.lstsq(correlation[:-1, :-1], correlation[:-1, -1], rcond=SINGULAR)[0]
    share = max(1.0 - float(correlation[:-1, -1] @ coefficients), RESIDUAL_FLOOR)
    return coefficients * units, share * float(scales[-1] ** 2)


def refit(covariance: Array, dag: NDArray[np.bool_]) -> tuple[Array, Array]:
    """The maximum-likelihood weights and noise variances of a DAG: one regression per node."""
    p = len(covariance)
    weights = np.zeros((p, p))
    variances = np.empty(p)
    for node in range(p):
        parents = np.flatnonzero(dag[:, node])
        weights[parents, node], variances[node] = regress(covariance, node, parents)
    return weights, variances
