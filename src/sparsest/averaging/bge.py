"""The BGe score: the marginal likelihood of Gaussian DAGs under a normal-Wishart prior.

Geiger & Heckerman (2002), as corrected by Kuipers, Moffa & Heckerman (2014). Columns are standardised, so
that units do not matter, and the prior mean is that of the rows. The prior mean weighs as much as one row
(α_μ = 1), and there are as few degrees of freedom as give the covariance a mean (α_w = p + 2).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sparsest.averaging.set_sizes import set_sizes

Array = NDArray[np.float64]

_MEAN_ROWS = 1.0  # α_μ: the rows that the prior mean is worth


def _freedom(p: int) -> float:
    return p + _MEAN_ROWS + 1  # α_w


def _scale(p: int) -> float:
    """The prior's parametric matrix is the identity times this (t in the paper of 2014)."""
    return _MEAN_ROWS * (_freedom(p) - p - 1) / (_MEAN_ROWS + 1)


def posterior_scatter(correlation: Array, n: float) -> Array:
    """The parametric matrix of the posterior: that of the prior plus the sums of squares of the rows."""
    return np.asarray(_scale(len(correlation)) * np.eye(len(correlation)) + n * correlation)


def log_marginals(half_determinants: Array, p: int, n: float) -> Array:
    """The log marginal likelihood of the columns of each set, all joined, by the bits of the set.

    The score of a column given its parents is the difference between the set with and without it.

    Parameters
    ----------
    half_determinants : (2^p,) array
        ½ log of the determinant of `posterior_scatter` for each set.
    p : int
        The number of columns.
    n : float
        The number of rows.
    """
    sizes = set_sizes(np.arange(2**p))
    constants = np.array([_constant(size, p, n) for size in range(p + 1)])
    marginals = constants[sizes] - (n + _freedom(p) - p + sizes) * half_determinants
    return np.asarray(marginals)


def _constant(size: int, p: int, n: float) -> float:
    from scipy.special import multigammaln

    if size == 0:
        return 0.0
    prior = _freedom(p) - p + size
    return float(
        size / 2 * math.log(_MEAN_ROWS / (n + _MEAN_ROWS))
        + multigammaln((n + prior) / 2, size)
        - multigammaln(prior / 2, size)
        - size * n / 2 * math.log(math.pi)
        + prior / 2 * size * math.log(_scale(p))
    )
