"""Generalised linear models of one node: logistic, Poisson and softmax regression by Newton's method.

The average negative log-likelihood is `(1/n) Σ_i b(η_i) − t(y_i)ᵀη_i` with `η = intercept + Xβ`. For a binary
response b(η) = log(1 + e^η), the logistic likelihood of Appendix D with an intercept. Terms without η, such
as log y!, are dropped.

Where the parents separate the values of a response perfectly, the likelihood has no maximum: coefficients run
to infinity. `RIDGE` keeps them finite. It adds RIDGE/2 · |β|² to the average over the rows, for features of
unit variance: coefficients that the data determine change by about 1e-7, separated ones end at |η| near 15.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest.scores import _glm_kernels as kernels

Array = NDArray[np.float64]

#: The weight of |β|²/2 against the average negative log-likelihood.
RIDGE = 1e-8
#: A likelihood that curves less than this along some direction has its maximum at infinity.
FLAT = 100 * RIDGE
LOGISTIC, POISSON = kernels.LOGISTIC, kernels.POISSON


def means(link: int, eta: Array) -> Array:
    """The mean of t(y) at the linear predictors η, (n, outputs)."""
    if link == POISSON:
        return np.exp(np.minimum(eta, 600.0))
    top = np.maximum(eta.max(axis=1, keepdims=True), 0)
    powers = np.exp(eta - top)
    shares: Array = powers / (np.exp(-top) + powers.sum(axis=1, keepdims=True))
    return shares


@dataclass(frozen=True, eq=False)
class Response:
    """A response as Newton's method needs it: `sums[i] = weights[i] · t(y_i)`, one column per output."""

    link: int
    weights: Array
    sums: Array
    start: Array  # the intercepts of the model without parents
    worst: float  # the value of that model

    @classmethod
    def of(cls, link: int, statistic: Array, weights: Array) -> Response:
        """The response with sufficient statistic t(y), (n, outputs), and row weights that sum to 1."""
        sums = np.ascontiguousarray(weights[:, None] * statistic)
        mean = sums.sum(axis=0)
        rest = 1.0 if link == POISSON else 1 - mean.sum()
        start = np.log(mean / rest)
        worst = float((mean[0] if link == POISSON else -np.log(rest)) - mean @ start)
        return cls(link, weights, sums, start, worst)

    @property
    def outputs(self) -> int:
        """The number of linear predictors."""
        return int(self.sums.shape[1])

    def fit(self, rows: Array, weights: Array, sums: Array, beta: Array) -> float:
        """The least value of a regression on rows that begin with 1; `beta` holds the start, then the end.

        Weights and sums are those of this response, or of its rows added up.
        """
        return kernels.newton(self.link, rows, weights, sums, RIDGE, self.start, self.worst, beta)

    def fit_through_origin(self, rows: Array, beta: Array) -> float:
        """The least value of a regression without an intercept; `beta` holds the start, then the end."""
        value = kernels.newton(
            self.link, rows, self.weights, self.sums, RIDGE, self.start, np.inf, beta
        )  # the model without parents is no bound here
        return float(value)

    def mean(self, eta: Array) -> Array:
        """The mean of t(y) at the linear predictors η, (n, outputs)."""
        return means(self.link, eta)

    def spread(self, mean: Array) -> Array:
        """The conditional variance of each output at its mean."""
        return mean if self.link == POISSON else mean * (1 - mean)

    def value_and_pull(self, eta: Array) -> tuple[float, Array]:
        """The average negative log-likelihood at η, (n, outputs), and its derivative with respect to η."""
        if self.link == POISSON:
            cumulant = np.exp(np.minimum(eta[:, 0], 600.0))
        else:
            top = np.maximum(eta.max(axis=1), 0)
            cumulant = top + np.log(np.exp(-top) + np.exp(eta - top[:, None]).sum(axis=1))
        value = float(self.weights @ cumulant) - float((self.sums * eta).sum())
        return value, self.weights[:, None] * self.mean(eta) - self.sums

    def least_curvature(self, beta: Array, features: Array) -> float:
        """The least eigenvalue of the Hessian of any single output: 0 where the data do not determine it."""
        rows = np.column_stack([np.ones(len(features)), features])
        spread = self.spread(self.mean(rows @ beta))
        curves = [rows.T @ ((self.weights * spread[:, a])[:, None] * rows) for a in range(self.outputs)]
        return min(float(np.linalg.eigvalsh(curve)[0]) for curve in curves)

    def score_tests(
        self, beta: Array, inside: Array, features: Array, squares: Array, blocks: Sequence[slice]
    ) -> Array:
        """Rao's score tests: approximately how much each block of features would lower the least value.

        `inside` are the features of the fit `beta`, `squares` the squares of all features. One product with
        all features gives all gradients at once. With several outputs the curvature is taken to be the same
        in every row.
        """
        rows = np.column_stack([np.ones(len(inside)), inside])
        mean = self.mean(rows @ beta)
        pulls = features.T @ (self.sums - self.weights[:, None] * mean)
        weighted = self.weights[:, None] * mean
        if self.outputs > 1:
            curve, between = self.weights, np.diag(weighted.sum(axis=0)) - mean.T @ weighted
        else:
            curve = weighted[:, 0] if self.link == POISSON else weighted[:, 0] * (1 - mean[:, 0])
            between = np.ones((1, 1))
        curved = curve[:, None] * rows
        cross = features.T @ curved
        own = rows.T @ curved
        explained = np.linalg.solve(own + RIDGE * np.eye(len(own)), cross.T).T
        if self.outputs == 1 and len(blocks) == features.shape[1]:  # one feature each: all at once
            information = curve @ squares - (cross * explained).sum(axis=1)
            tests: Array = 0.5 * pulls[:, 0] ** 2 / np.maximum(information, RIDGE)
            return tests
        gains = np.empty(len(blocks))
        for place, block in enumerate(blocks):
            part = features[:, block]
            information = part.T @ (curve[:, None] * part) - cross[block] @ explained[block].T
            gains[place] = _quadratic(np.kron(information, between), pulls[block].reshape(-1))
        return gains

    def wald_tests(self, beta: Array, inside: Array, blocks: Sequence[slice]) -> Array:
        """Wald's tests: approximately how much the least value would rise without each block.

        For one output. `inside` are the features of the fit `beta`; blocks count from its intercept on.
        """
        rows = np.column_stack([np.ones(len(inside)), inside])
        curve = self.weights * self.spread(self.mean(rows @ beta)[:, 0])
        hessian = rows.T @ (curve[:, None] * rows) + RIDGE * np.eye(len(beta))
        inverse = np.linalg.inv(hessian)
        return np.array([_quadratic(inverse[block, block], beta[block, 0], 0.0) for block in blocks])


def _quadratic(information: NDArray[Any], pull: Array, ridge: float = RIDGE) -> float:
    ridged = information + ridge * np.eye(len(information))
    return 0.5 * float(pull @ np.linalg.solve(ridged, pull))
