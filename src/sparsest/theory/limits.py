"""How small is sufficiently small: the limits of Theorem 1, as numbers of a covariance.

Theorem 1: for small λ and δ the global minimisers of NLL + quasi-MCP are E_min(Θ), the sparsest models. Its
proof (Appendix B.1) shows that limits exist; here they are computed. Write c = λδ/2 for the cost per edge.

1. If λ/δ > κ, `κ = max_{i≠j} Σ_ii (Σ⁻¹)_jj`, quasi-MCP and ℓ0 with cost c have the same global minimisers.
   Along one coordinate the NLL is ½ log of a quadratic with second derivative 2Σ_ii that is nowhere below
   1/(Σ⁻¹)_jj, so its curvature is at most κ; the penalty's is −λ/δ on (0, δ). The sum is strictly concave
   there: no minimum lies inside, every entry of a minimiser is 0 or at least δ and pays c, as under ℓ0. And
   no entry ever pays more than c.
2. The ℓ0 minimisers are E_min(Θ) exactly when c < c₀. With L(m) the least NLL of a graph with m edges, a
   graph with m edges costs at least L(m) + c·m. E_min has s₀ edges and the least NLL of all, L(s₀): it wins
   against more edges always, and against fewer if `c < c₀ = min_{m<s₀} (L(m) − L(s₀)) / (s₀ − m)`.
3. At c = c₀, that is λ = 2c₀/δ, step 1 asks for δ < √(2c₀/κ). For such δ the minimisers are E_min(Θ) if λ is
   just below 2c₀/δ, and are not if it is just above.
4. If they are E_min(Θ) for one λ, so they are for every smaller one. The penalty is proportional to λ: a
   model that is charged less loses more NLL than λ times what it saves, hence also for a smaller λ; a model
   that is charged no less has no lower NLL.

So for `δ < √(2c₀/κ)` the theorem's limit is `λ₀(δ) = 2c₀/δ`, exactly. The proof in the paper asks for δ < τ,
the smallest nonzero |B_ij| over E(Θ), so that all of E(Θ) pays the full price. That is not needed: τ is often
far smaller, and the sparsest models have no entry below √(2c₀/κ) anyway.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsest._core.errors import OptionError
from sparsest.penalties.base import positive
from sparsest.theory._graphs_by_set import fewest_edges
from sparsest.theory.equivalence import TOLERANCE
from sparsest.theory.regressions import Regressions, definite_covariance, regressions, set_sizes

Array = NDArray[np.float64]

_MOST_COLUMNS = 15  # 2^15 · 15 · 15 numbers: 60 MB, a second or two


@dataclass(frozen=True)
class Limits:
    """The constants of Theorem 1. All but `edges` and differences of `losses` depend on units.

    Parameters
    ----------
    tau : float
        τ, the smallest nonzero |B_ij| over E(Θ); infinite where no column depends on another.
    kappa : float
        κ: if λ/δ is above it, quasi-MCP and the ℓ0 penalty of cost λδ/2 have the same global minimisers.
    losses : tuple of float
        L(0), ..., L(s₀), the least NLL of a graph with m edges.

    Examples
    --------
    >>> limits = theory_limits([[1.0, 0.5], [0.5, 1.0]])
    >>> limits.edges, round(limits.c_0, 4)
    (1, 0.1438)
    >>> round(limits.lambda_0(0.2), 4)
    1.4384
    """

    tau: float
    kappa: float
    losses: tuple[float, ...]

    @property
    def edges(self) -> int:
        """s₀: the number of edges of the sparsest models."""
        return len(self.losses) - 1

    @property
    def c_0(self) -> float:
        """c₀: below this cost per edge the ℓ0 minimisers are E_min(Θ); infinite where s₀ = 0."""
        s, L = self.edges, self.losses
        return min(((L[m] - L[s]) / (s - m) for m in range(s)), default=math.inf)

    @property
    def delta_max(self) -> float:
        """√(2c₀/κ): below this δ, λ₀(δ) is known exactly. No entry of a sparsest model is smaller."""
        return math.sqrt(2 * self.c_0 / self.kappa) if self.edges else math.inf

    def delta_0(self, slack: float) -> float:
        """δ₀ = τ/(1 + Δ), the limit on δ in the paper's proof, for a slack Δ > 0."""
        positive("delta_0", slack=slack)
        return self.tau / (1 + slack)

    def lambda_0(self, delta: float) -> float:
        """λ₀(δ) = 2c₀/δ: on the population, Theorem 1 holds for all λ below it and for none above."""
        positive("lambda_0", delta=delta)
        if delta >= self.delta_max:
            raise OptionError(
                f"lambda_0 is known for delta below {self.delta_max:.6g} only, but delta = {delta:.6g}"
            )
        return 2 * self.c_0 / delta


def theory_limits(covariance: ArrayLike, tolerance: float = TOLERANCE) -> Limits:
    """The limits of Theorem 1 for a population covariance: how small λ and δ must be.

    Parameters
    ----------
    covariance : (p, p) array
        A positive definite covariance of at most 15 columns.
    tolerance : float
        Partial correlations up to this size are zero, as in `equivalence_class`.

    Returns
    -------
    Limits
        τ, κ and L(m), and what follows from them.

    Examples
    --------
    >>> limits = theory_limits([[1.0, 0.5], [0.5, 1.0]])
    >>> limits.tau
    0.5
    >>> limits.delta_max > limits.delta_0(slack=0.1)
    True
    """
    matrix = definite_covariance(covariance, _MOST_COLUMNS, "the limits of Theorem 1")
    found = regressions(matrix, tolerance)
    products = np.outer(matrix.diagonal(), np.linalg.inv(matrix).diagonal())
    np.fill_diagonal(products, 0.0)
    losses = _least_losses(found, fewest_edges(found))
    return Limits(found.smallest, float(products.max()), tuple(losses.tolist()))


def _least_losses(found: Regressions, most: int) -> Array:
    """L(0), ..., L(most): the program of the exact search, with the number of edges as an index."""
    p, sizes, local = found.p, set_sizes(found.p), _least_local(found)
    best = np.full((2**p, most + 1), np.inf)
    best[0, 0] = 0.0
    for size in range(1, p + 1):
        for node in range(p):
            sets = np.flatnonzero((sizes == size) & (np.arange(2**p) >> node & 1 == 1))
            before, least = best[sets & ~(1 << node)], best[sets]
            for count in range(min(size, most + 1)):
                with_parents = before[:, : most + 1 - count] + local[sets, node, count, None]
                np.minimum(least[:, count:], with_parents, out=least[:, count:])
            best[sets] = least
    return best[-1]


def _least_local(found: Regressions) -> Array:
    """For a set T, a node j of T and a number k: the least NLL of j with k parents in T."""
    p = found.p
    local = np.full((2**p, p, p), np.inf)
    for node in range(p):
        sets = np.flatnonzero(np.arange(2**p) >> node & 1)
        local[sets, node, set_sizes(p)[sets] - 1] = 0.5 * np.log(found.variances[sets, node])
    for bit in range(p):  # a set may do what the set without one of its nodes can do
        halves = local.reshape(2 ** (p - bit - 1), 2, 2**bit, p, p)
        np.minimum(halves[:, 1], halves[:, 0], out=halves[:, 1])
    return local
