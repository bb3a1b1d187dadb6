"""Total effects of linear Gaussian models in closed form, and how exact they are given the graph.

The likelihood of a DAG is that of all members of its class, and so is the covariance that the fitted class
implies. From that covariance the effect of x on y is the coefficient of x in the regression of y on x and the
parents of x. Every other valid adjustment set gives the same number, which is not so for the covariance of
the sample.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from sparsest.scores.gaussian import refit

Array = NDArray[np.float64]
Pattern = NDArray[np.bool_]


def implied_covariance(weights: Array, variances: Array) -> Array:
    """The covariance of a linear model: (I − B)⁻ᵀ Ω (I − B)⁻¹."""
    total = np.asarray(np.linalg.inv(np.eye(len(weights)) - weights), dtype=np.float64)
    covariance: Array = total.T @ (variances[:, None] * total)
    return (covariance + covariance.T) / 2


def effects_on_all(covariance: Array, cause: int, parents: Sequence[int]) -> Array:
    """(p,): the coefficient of a cause in the regression of each column on it and its parents; 0 for those.

    Examples
    --------
    >>> import numpy as np
    >>> covariance = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> effects_on_all(covariance, 0, []).tolist()
    [1.0, 0.5]
    """
    given = [cause, *parents]
    unit = np.zeros(len(given))
    unit[0] = 1.0
    scales = np.sqrt(covariance.diagonal()[given])
    inner = covariance[np.ix_(given, given)] / np.outer(scales, scales)
    solved = np.linalg.lstsq(inner, unit / scales, rcond=1e-12)[0] / scales
    effects: Array = solved @ covariance[given]
    effects[list(parents)] = 0.0
    return effects


def joint_effects(weights: Array, causes: Sequence[int], outcome: int) -> Array:
    """(k,): the effect of each cause on the outcome while the other causes are held fixed.

    They are the weights of paths: a path that passes through another cause is cut there.
    """
    cut = weights.copy()
    cut[:, list(causes)] = 0.0
    unit = np.zeros(len(weights))
    unit[outcome] = 1.0
    total = np.asarray(np.linalg.solve(np.eye(len(weights)) - cut, unit), dtype=np.float64)
    return total[list(causes)]


def variance_given_graph(
    covariance: Array, dag: Pattern, causes: Sequence[int], outcome: int, steps: Array | None = None
) -> float:
    """Variance, times n, of the maximum-likelihood estimate of the summed effect of all causes.

    By the delta method: the coefficients of different nodes are asymptotically independent, those of node j
    have covariance ω_j (Σ_parents)⁻¹ / n, and the effect changes with weight i → j as much as i responds to
    the causes times the effect of j on the outcome.
    """
    weights, variances = refit(covariance, dag)
    weights[:, list(causes)] = 0.0
    inverse = np.linalg.inv(np.eye(len(dag)) - weights)
    sizes = np.ones(len(causes)) if steps is None else steps
    responses, onward = sizes @ inverse[list(causes)], inverse[:, outcome]
    total = 0.0
    for j in np.flatnonzero((onward != 0) & dag.any(axis=0)):
        parents = np.flatnonzero(dag[:, j])
        if j in causes or not responses[parents].any():
            continue
        inner = covariance[np.ix_(parents, parents)]
        part = responses[parents] @ np.linalg.lstsq(inner, responses[parents], rcond=None)[0]
        total += float(variances[j] * onward[j] ** 2 * part)
    return total


def regression_interval(
    covariance: Array, n: float, cause: int, outcome: int, given: Sequence[int], level: float
) -> tuple[float, float]:
    """The classical interval of the coefficient of a cause, from the covariance of the sample."""
    inside = [cause, *given]
    scales = np.sqrt(covariance.diagonal())
    correlation = covariance / np.outer(scales, scales)
    inverse = np.linalg.pinv(correlation[np.ix_(inside, inside)], rcond=1e-12, hermitian=True)
    across = correlation[inside, outcome]
    coefficient = float(inverse[0] @ across)
    residual = max(1.0 - float(across @ inverse @ across), 0.0)
    freedom = max(n - len(inside) - 1, 1.0)
    unit = scales[outcome] / scales[cause]
    half = float(stdtrit(freedom, 0.5 + level / 2)) * np.sqrt(residual * inverse[0, 0] / freedom)
    return (coefficient - half) * unit, (coefficient + half) * unit


def joint_regression_interval(
    covariance: Array,
    n: float,
    causes: Sequence[int],
    outcome: int,
    parents: Sequence[Sequence[int]],
    level: float,
    steps: Array,
) -> tuple[float, float]:
    """The interval of a joint intervention from the covariance of the sample, given only the causes' parents.

    The total effect of a cause is the sum over all causes of what it does to them times what they do around
    the others (Nandy, Maathuis & Richardson, 2017), and total effects are coefficients of regressions. The
    variance is that of the sum of their influences, each a product of two linear combinations of the columns.
    """
    scales = np.sqrt(covariance.diagonal())
    correlation = covariance / np.outer(scales, scales)
    k, p = len(causes), len(covariance)
    totals, levers, rests = np.eye(k), np.zeros((k, p)), np.zeros((k, k + 1, p))
    onward = np.zeros(k)
    for i, (cause, given) in enumerate(zip(causes, parents, strict=True)):
        inside = [cause, *given]
        inverse = np.linalg.pinv(correlation[np.ix_(inside, inside)], rcond=1e-12, hermitian=True)
        levers[i, inside] = inverse[0]
        for j, target in enumerate((*causes, outcome)):
            if target == cause or target in given:  # nothing is estimated
                continue
            slopes = inverse @ correlation[inside, target]
            rests[i, j, target], rests[i, j, inside] = 1.0, -slopes
            if j < k:
                totals[i, j] = slopes[0]
            else:
                onward[i] = slopes[0]
    sizes = steps / scales[list(causes)]
    pull = np.linalg.lstsq(totals.T, sizes, rcond=1e-9)[0]
    around = np.linalg.lstsq(totals, onward, rcond=1e-9)[0]
    rest = rests[:, k] - np.einsum("j,ijc->ic", around, rests[:, :k])
    both = np.vstack([levers, rest])
    shared = both @ correlation @ both.T
    spread = shared[:k, :k] * shared[k:, k:] + shared[:k, k:] * shared[:k, k:].T
    freedom = max(n - max(map(len, parents)) - k - 1, 1.0)
    value, error = float(sizes @ around), np.sqrt(max(float(pull @ spread @ pull), 0.0) / freedom)
    half = float(stdtrit(freedom, 0.5 + level / 2)) * error
    return (value - half) * scales[outcome], (value + half) * scales[outcome]
