"""Generalised linear models of one node: logistic, Poisson and softmax regression by Newton's method.

`(1/n) Σ_i b(η_i) − t(y_i)ᵀη_i` with `η = intercept + Xβ`; for a binary response b(η) = log(1 + e^η), and this
is the logistic likelihood of appendix D, with an intercept. Terms without η, such as log y!, are dropped.

Where the parents separate the values of a response perfectly, the likelihood has no maximum: coefficients
run to infinity. `RIDGE` keeps them finite. It adds RIDGE/2 · |β|² to the average of a row, for features of
unit variance: coefficients that the data determine change by about 1e-7, separated ones end at |η| of 15.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest.scores import _glm_kernels as kernels
from sparsest.scores.families import Family

Array = NDArray[np.float64]

#: The weight of |β|²/2 against the average negative log-likelihood of a row.
RIDGE = 1e-8

_CODES = {
    Family.BERNOULLI: kernels.LOGISTIC,
    Family.MULTINOMIAL: kernels.LOGISTIC,
    Family.POISSON: kernels.POISSON,
}


@dataclass(frozen=True, eq=False)
class Response:
    """A response as Newton's method needs it: `sums[i] = weights[i] · t(y_i)`, one column an output."""

    family: int
    weights: Array
    sums: Array
    start: Array  # the intercepts of the model without parents
    worst: float  # the value of that model

    @classmethod
    def of(cls, family: Family, values: Array, weights: Array, levels: int) -> Response:
        """For values whose rows have weights that add up to 1."""
        if family is Family.MULTINOMIAL:
            statistic = (values[:, None] == np.arange(1, levels)).astype(float)
        else:
            statistic = values[:, None]
        sums = np.ascontiguousarray(weights[:, None] * statistic)
        means = sums.sum(axis=0)
        counted = family is Family.POISSON
        rest = 1.0 if counted else 1 - means.sum()
        start = np.log(means / rest)
        worst = float((means[0] if counted else -np.log(rest)) - means @ start)
        return cls(_CODES[family], weights, sums, start, worst)

    @property
    def outputs(self) -> int:
        """The number of linear predictors."""
        return int(self.sums.shape[1])

    def fit(self, rows: Array, weights: Array, sums: Array, beta: Array) -> float:
        """The least value of a regression on rows, which begin with 1; `beta` is where to start, and to end.

        Weights and sums are those of this response, or of its rows added up.
        """
        return kernels.newton(self.family, rows, weights, sums, RIDGE, self.start, self.worst, beta)


def means(family: int, eta: Array) -> Array:
    """The mean of t(y) at the linear predictors η, (n, outputs)."""
    if family == kernels.POISSON:
        return np.exp(np.minimum(eta, 600.0))
    top = np.maximum(eta.max(axis=1, keepdims=True), 0)
    powers = np.exp(eta - top)
    shares: Array = powers / (np.exp(-top) + powers.sum(axis=1, keepdims=True))
    return shares


def value_and_pull(response: Response, eta: Array) -> tuple[float, Array]:
    """The average negative log-likelihood at η, (n, outputs), and its derivative by η."""
    if response.family == kernels.POISSON:
        cumulant = np.exp(np.minimum(eta[:, 0], 600.0))
    else:
        top = np.maximum(eta.max(axis=1), 0)
        cumulant = top + np.log(np.exp(-top) + np.exp(eta - top[:, None]).sum(axis=1))
    value = float(response.weights @ cumulant) - float((response.sums * eta).sum())
    return value, response.weights[:, None] * means(response.family, eta) - response.sums


def least_curvature(response: Response, beta: Array, features: Array) -> float:
    """The least eigenvalue of the Hessian, of one output at a time: 0 where the data do not determine it."""
    rows = np.column_stack([np.ones(len(features)), features])
    mean = means(response.family, rows @ beta)
    spread = mean if response.family == kernels.POISSON else mean * (1 - mean)
    curves = [rows.T @ ((response.weights * spread[:, a])[:, None] * rows) for a in range(response.outputs)]
    return min(float(np.linalg.eigvalsh(curve)[0]) for curve in curves)


def score_tests(
    response: Response, beta: Array, inside: Array, features: Array, squares: Array, blocks: Sequence[slice]
) -> Array:
    """Rao's score tests: about how much each block of features would lower the least value.

    `inside` are the features of the fit `beta`, `squares` those of all features. One product with all
    features gives all gradients at once. For several outputs the curvature is taken as the same in every row.
    """
    rows = np.column_stack([np.ones(len(inside)), inside])
    mean = means(response.family, rows @ beta)
    pulls = features.T @ (response.sums - response.weights[:, None] * mean)
    weighted = response.weights[:, None] * mean
    if response.outputs > 1:
        curve, between = response.weights, np.diag(weighted.sum(axis=0)) - mean.T @ weighted
    else:
        curve = weighted[:, 0] if response.family == kernels.POISSON else weighted[:, 0] * (1 - mean[:, 0])
        between = np.ones((1, 1))
    curved = curve[:, None] * rows
    cross = features.T @ curved
    own = rows.T @ curved
    explained = np.linalg.solve(own + RIDGE * np.eye(len(own)), cross.T).T
    if response.outputs == 1 and len(blocks) == features.shape[1]:  # one feature each: all at once
        information = curve @ squares - (cross * explained).sum(axis=1)
        tests: Array = 0.5 * pulls[:, 0] ** 2 / np.maximum(information, RIDGE)
        return tests
    gains = np.empty(len(blocks))
    for place, block in enumerate(blocks):
        part = features[:, block]
        information = part.T @ (curve[:, None] * part) - cross[block] @ explained[block].T
        gains[place] = _quadratic(np.kron(information, between), pulls[block].reshape(-1))
    return gains


def wald_tests(response: Response, beta: Array, inside: Array, blocks: Sequence[slice]) -> Array:
    """Wald's tests: about how much the least value would rise without each block of coefficients.

    For one output. `inside` are the features of the fit `beta`, blocks count from its intercept on.
    """
    rows = np.column_stack([np.ones(len(inside)), inside])
    mean = means(response.family, rows @ beta)[:, 0]
    curve = response.weights * (mean if response.family == kernels.POISSON else mean * (1 - mean))
    hessian = rows.T @ (curve[:, None] * rows) + RIDGE * np.eye(len(beta))
    spread = np.linalg.inv(hessian)
    return np.array([_quadratic(spread[block, block], beta[block, 0], 0.0) for block in blocks])


def _quadratic(information: NDArray[Any], pull: Array, ridge: float = RIDGE) -> float:
    ridged = information + ridge * np.eye(len(information))
    return 0.5 * float(pull @ np.linalg.solve(ridged, pull))
