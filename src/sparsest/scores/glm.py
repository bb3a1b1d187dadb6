"""Generalised linear models of one node: logistic, Poisson and softmax regression by Newton's method.

The average negative log-likelihood is `(1/n) Σ_i b(η_i) − t(y_i)ᵀη_i` with `η = intercept + Xβ`. For a binary
response b(η) = log(1 + e^η), the logistic likelihood of Appendix D with an intercept. Terms without η, such
as log y!, are dropped.

If the parents separate the values of a response perfectly, the likelihood has no maximum: coefficients
diverge. `RIDGE` keeps them finite. It adds RIDGE/2 · |β|² to the average over the rows, for features of unit
variance: coefficients that the data determine change by about 1e-7, separated ones end at |η| near 15.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest.scores import _glm_kernels as kernels

Array = NDArray[np.float64]

#: The weight of |β|²/2 relative to the average negative log-likelihood.
RIDGE = 1e-8
#: A likelihood that curves less than this along some direction has its maximum at infinity.
FLAT = 100 * RIDGE
LOGISTIC, POISSON = kernels.LOGISTIC, kernels.POISSON

_LARGEST = 600.0  # close to where e^η overflows
_STEPS = 60  # maximum number of Newton steps
_QUADRATIC = 1e-13  # a step that improves the value by less is the last
_SHORTEST = 1e-12  # shorter steps count as zero


def means(link: int, eta: Array) -> Array:
    """The mean of t(y) at the linear predictors η, (n, outputs)."""
    if link == POISSON:
        return np.exp(np.minimum(eta, _LARGEST))
    top = np.maximum(eta.max(axis=1, keepdims=True), 0)
    powers = np.exp(eta - top)
    shares: Array = powers / (np.exp(-top) + powers.sum(axis=1, keepdims=True))
    return shares


@dataclass(frozen=True, eq=False)
class Response(ABC):
    """A response with a canonical exponential family: `sums[i] = weights[i] · t(y_i)`, one column per output.

    A family defines b(η), its derivative and its curvature; the rest follows. The fits here are for one
    output, in NumPy; `CompiledResponse` has those of logistic, softmax and Poisson regression.
    """

    weights: Array
    sums: Array
    start: Array  # the intercepts of the model without parents
    worst: float  # the value of that model

    @abstractmethod
    def cumulant(self, eta: Array) -> Array:
        """b(η), (n,)."""

    @abstractmethod
    def mean(self, eta: Array) -> Array:
        """The mean of t(y) at the linear predictors η, (n, outputs): the derivative of b."""

    @abstractmethod
    def spread(self, mean: Array) -> Array:
        """The conditional variance of each output at its mean: the curvature of b."""

    @property
    def outputs(self) -> int:
        """The number of linear predictors."""
        return int(self.sums.shape[1])

    def curve(self, mean: Array) -> Array:
        """The weight of each row times the variance of its one output, (n,)."""
        curve: Array = self.weights * self.spread(mean)[:, 0]
        return curve

    def fit(self, rows: Array, weights: Array, sums: Array, beta: Array) -> float:
        """The minimum of a regression on rows that begin with 1; `beta` is the start and is overwritten.

        Weights and sums are those of this response, or those of its merged rows.
        """
        added_up = replace(self, weights=weights, sums=sums)
        value = added_up._ridged(rows, beta)
        for _ in range(_STEPS):
            step = added_up._newton_step(rows, beta)
            lower = added_up._ridged(rows, beta - step)
            while lower > value and np.abs(step).max() > _SHORTEST:
                step /= 2
                lower = added_up._ridged(rows, beta - step)
            if lower >= value - _QUADRATIC:
                break
            beta[:] = beta - step
            value = lower
        return added_up.value_and_pull(rows @ beta)[0]

    def value_and_pull(self, eta: Array) -> tuple[float, Array]:
        """The average negative log-likelihood at η, (n, outputs), and its derivative with respect to η."""
        value = float(self.weights @ self.cumulant(eta)) - float((self.sums * eta).sum())
        return value, self.weights[:, None] * self.mean(eta) - self.sums

    def _ridged(self, rows: Array, beta: Array) -> float:
        return self.value_and_pull(rows @ beta)[0] + 0.5 * RIDGE * float((beta**2).sum())

    def _newton_step(self, rows: Array, beta: Array) -> Array:
        eta = rows @ beta
        gradient = rows.T @ self.value_and_pull(eta)[1] + RIDGE * beta
        hessian = rows.T @ (self.curve(self.mean(eta))[:, None] * rows) + RIDGE * np.eye(len(beta))
        return np.asarray(np.linalg.solve(hessian, gradient), dtype=np.float64)

    def least_curvature(self, beta: Array, rows: Array) -> float:
        """The smallest eigenvalue of any output's Hessian: 0 if the data do not determine a coefficient."""
        spread = self.spread(self.mean(rows @ beta))
        curves = [rows.T @ ((self.weights * spread[:, a])[:, None] * rows) for a in range(self.outputs)]
        return min(float(np.linalg.eigvalsh(curve)[0]) for curve in curves)

    def score_tests(
        self, beta: Array, rows: Array, features: Array, squares: Array, blocks: Sequence[slice]
    ) -> Array:
        """Rao's score tests: approximately how much each block of features would lower the minimum.

        `rows` are those of the fit `beta`, `squares` the squares of all features. One product with all
        features gives all gradients at once. With several outputs the curvature is assumed to be the same in
        every row.
        """
        mean = self.mean(rows @ beta)
        pulls = features.T @ (self.sums - self.weights[:, None] * mean)
        weighted = self.weights[:, None] * mean
        if self.outputs > 1:
            curve, between = self.weights, np.diag(weighted.sum(axis=0)) - mean.T @ weighted
        else:
            curve, between = self.curve(mean), np.ones((1, 1))
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

    def wald_tests(self, beta: Array, rows: Array, blocks: Sequence[slice]) -> Array:
        """Wald tests: approximately how much the minimum would rise without each block.

        For one output. `rows` are those of the fit `beta`; blocks are positions in `beta`.
        """
        curve = self.weights * self.spread(self.mean(rows @ beta))[:, 0]
        hessian = rows.T @ (curve[:, None] * rows) + RIDGE * np.eye(len(beta))
        inverse = np.linalg.inv(hessian)
        return np.array([_quadratic(inverse[block, block], beta[block, 0], 0.0) for block in blocks])


@dataclass(frozen=True, eq=False)
class CompiledResponse(Response):
    """A logistic, softmax or Poisson response, with compiled loops."""

    link: int

    @classmethod
    def of(cls, link: int, statistic: Array, weights: Array) -> CompiledResponse:
        """The response with sufficient statistic t(y), (n, outputs), and row weights that sum to 1."""
        sums = np.ascontiguousarray(weights[:, None] * statistic)
        mean = sums.sum(axis=0)
        rest = 1.0 if link == POISSON else 1 - mean.sum()
        start = np.log(mean / rest)
        worst = float((mean[0] if link == POISSON else -np.log(rest)) - mean @ start)
        return cls(weights, sums, start, worst, link)

    def cumulant(self, eta: Array) -> Array:
        """e^η, or the logarithm of 1 + Σ e^η."""
        if self.link == POISSON:
            rates: Array = np.exp(np.minimum(eta[:, 0], _LARGEST))
            return rates
        top = np.maximum(eta.max(axis=1), 0)
        logs: Array = top + np.log(np.exp(-top) + np.exp(eta - top[:, None]).sum(axis=1))
        return logs

    def mean(self, eta: Array) -> Array:
        """Rates or probabilities."""
        return means(self.link, eta)

    def spread(self, mean: Array) -> Array:
        """The rate, or p(1 − p)."""
        return mean if self.link == POISSON else mean * (1 - mean)

    def curve(self, mean: Array) -> Array:
        """The weight of each row times the variance of its one output, (n,)."""
        weighted: Array = self.weights * mean[:, 0]
        return weighted if self.link == POISSON else weighted * (1 - mean[:, 0])

    def fit(self, rows: Array, weights: Array, sums: Array, beta: Array) -> float:
        """The minimum of a regression on rows that begin with 1; `beta` is the start and is overwritten."""
        return kernels.newton(self.link, rows, weights, sums, RIDGE, self.start, self.worst, beta)

    def fit_through_origin(self, rows: Array, beta: Array) -> float:
        """The minimum of a regression without an intercept; `beta` is the start and is overwritten."""
        # The value of the model without parents is not a bound here.
        value = kernels.newton(self.link, rows, self.weights, self.sums, RIDGE, self.start, np.inf, beta)
        return float(value)


def _quadratic(information: NDArray[Any], pull: Array, ridge: float = RIDGE) -> float:
    ridged = information + ridge * np.eye(len(information))
    return 0.5 * float(pull @ np.linalg.solve(ridged, pull))
