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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from sparsest.scores import _glm_kernels as kernels
from sparsest.scores._quasi_newton import SumOverRows, minimize

Array = NDArray[np.float64]

#: The weight of |β|²/2 relative to the average negative log-likelihood.
RIDGE = 1e-8
#: A likelihood that curves less than this along some direction has its maximum at infinity.
FLAT = 100 * RIDGE
LOGISTIC, POISSON = kernels.LOGISTIC, kernels.POISSON

_LARGEST = 600.0  # close to where e^η overflows
_BLOCK = 4096  # rows that are multiplied at a time


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
    output, in NumPy; `CompiledResponse` has those of logistic and Poisson regression, `SoftmaxResponse` those
    of several outputs.
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

    def fit(self, rows: Array, weights: Array, sums: Array, beta: Array) -> float:
        """The minimum of a regression on rows that begin with 1; `beta` is the start and is overwritten.

        Weights and sums are those of this response, or those of its merged rows.
        """
        return self.fit_in_numpy(rows, weights, sums, beta)

    def fit_in_numpy(self, rows: Array, weights: Array, sums: Array, beta: Array) -> float:
        """As `fit`, without compiled code: for a few fits while there is no time to compile."""
        regression, other = self._regression(rows, weights, sums), self._intercepts(len(beta))
        found, value = minimize(regression, beta.T.reshape(-1), other.T.reshape(-1), self.worst)
        beta[:] = found.reshape(self.outputs, -1).T
        return value

    def _intercepts(self, k: int) -> Array:
        """The coefficients of the model without parents: where to start if another start is worse."""
        beta = np.zeros((k, self.outputs))
        beta[0] = self.start
        return beta

    def _regression(self, rows: Array, weights: Array, sums: Array) -> SumOverRows:
        return _OneOutput(replace(self, weights=weights, sums=sums), rows)

    def value_and_pull(self, eta: Array) -> tuple[float, Array]:
        """The average negative log-likelihood at η, (n, outputs), and its derivative with respect to η."""
        value = float(self.weights @ self.cumulant(eta)) - float((self.sums * eta).sum())
        return value, self.weights[:, None] * self.mean(eta) - self.sums

    def least_curvature(self, beta: Array, rows: Array) -> float:
        """The smallest eigenvalue of any output's Hessian: 0 if the data do not determine a coefficient."""
        spread = self.spread(self.mean(rows @ beta))
        curves = [rows.T @ ((self.weights * spread[:, a])[:, None] * rows) for a in range(self.outputs)]
        return min(float(np.linalg.eigvalsh(curve)[0]) for curve in curves)

    def score_tests(
        self, beta: Array, rows: Array, features: Array, squares: Squares, blocks: Sequence[slice]
    ) -> Array:
        """Rao's score tests: approximately how much each block of features would lower the minimum.

        `rows` are those of the fit `beta`. One product with all features gives all gradients at once.
        """
        curve = np.empty(len(rows))
        products = np.zeros((features.shape[1], 1 + rows.shape[1]))
        own = np.zeros((rows.shape[1], rows.shape[1]))
        for part in row_blocks(len(rows)):
            x, weights = rows[part], self.weights[part]
            mean = self.mean(x @ beta)
            curve[part] = weights * self.spread(mean)[:, 0]
            right = np.empty((len(x), products.shape[1]))
            right[:, 0] = self.sums[part, 0] - weights * mean[:, 0]
            np.multiply(curve[part, None], x, out=right[:, 1:])
            products += features[part].T @ right
            own += x.T @ right[:, 1:]
        pulls, cross = products[:, 0], products[:, 1:]
        explained = np.linalg.solve(own + RIDGE * np.eye(len(own)), cross.T).T
        left = squares.weighted(curve) - (cross * explained).sum(axis=1)
        singles: Array = 0.5 * pulls**2 / np.maximum(left, RIDGE)
        gains = singles[[block.start for block in blocks]]
        for place, block in enumerate(blocks):
            if block.stop - block.start > 1:
                own = features[:, block]
                information = own.T @ (curve[:, None] * own) - cross[block] @ explained[block].T
                gains[place] = quadratic(information, pulls[block])
        return gains

    def wald_tests(self, beta: Array, rows: Array, blocks: Sequence[slice]) -> Array:
        """Wald tests: approximately how much the minimum would rise without each block.

        For one output. `rows` are those of the fit `beta`; blocks are positions in `beta`.
        """
        curve = self.weights * self.spread(self.mean(rows @ beta))[:, 0]
        hessian = rows.T @ (curve[:, None] * rows) + RIDGE * np.eye(len(beta))
        inverse = np.linalg.inv(hessian)
        return np.array([quadratic(inverse[block, block], beta[block, 0], 0.0) for block in blocks])


@dataclass(frozen=True, eq=False)
class CompiledResponse(Response):
    """A logistic or Poisson response, with compiled loops."""

    link: int

    def cumulant(self, eta: Array) -> Array:
        """e^η, or log(1 + e^η)."""
        if self.link == POISSON:
            rates: Array = np.exp(np.minimum(eta[:, 0], _LARGEST))
            return rates
        return np.asarray(np.logaddexp(0, eta[:, 0]))

    def mean(self, eta: Array) -> Array:
        """Rates or probabilities."""
        return means(POISSON, eta) if self.link == POISSON else np.asarray(expit(eta))

    def spread(self, mean: Array) -> Array:
        """The rate, or p(1 − p)."""
        return mean if self.link == POISSON else mean * (1 - mean)

    def fit(self, rows: Array, weights: Array, sums: Array, beta: Array) -> float:
        """The minimum of a regression on rows that begin with 1; `beta` is the start and is overwritten."""
        return self._compiled(rows, weights, sums[:, 0], beta, self._intercepts(len(beta)), self.worst)

    def fit_through_origin(self, rows: Array, beta: Array, compiled: bool = True) -> float:
        """The minimum of a regression without an intercept; `beta` is the start and is overwritten."""
        # The value of the model without parents is not a bound here.
        if compiled:
            return self._compiled(rows, self.weights, self.sums[:, 0], beta, beta, np.inf)
        start = beta[:, 0].copy()
        beta[:, 0], value = minimize(self._regression(rows, self.weights, self.sums), start, start, np.inf)
        return value

    def _compiled(
        self, rows: Array, weights: Array, sums: Array, beta: Array, other: Array, worst: float
    ) -> float:
        work = kernels.memory(len(beta))
        work[0], work[1] = other[:, 0], beta[:, 0]
        value = kernels.newton(self.link, rows, weights, np.ascontiguousarray(sums), RIDGE, worst, work)
        beta[:, 0] = work[0]
        return value


class _OneOutput:
    """A regression with one output, as a function of its coefficients."""

    def __init__(self, response: Response, rows: Array):
        self._response, self._rows = response, rows
        self.rows = len(rows)

    def value_and_grad(self, point: Array) -> tuple[float, Array]:
        value, pull = self._response.value_and_pull((self._rows @ point)[:, None])
        return value + 0.5 * RIDGE * float(point @ point), self._rows.T @ pull[:, 0] + RIDGE * point

    def hessian(self, point: Array, stride: int) -> Array:
        rows, weights = self._rows[::stride], self._response.weights[::stride]
        spread = self._response.spread(self._response.mean((rows @ point)[:, None]))[:, 0]
        scale = self._response.weights.sum() / weights.sum()
        hessian: Array = rows.T @ ((scale * weights * spread)[:, None] * rows)
        return hessian + RIDGE * np.eye(len(point))

    def part(self, stride: int) -> _OneOutput:
        response = self._response
        scale = response.weights.sum() / response.weights[::stride].sum()
        weights, sums = scale * response.weights[::stride], scale * response.sums[::stride]
        return _OneOutput(replace(response, weights=weights, sums=sums), self._rows[::stride])


class Squares:
    """The squares of features: where a feature has two values, its square is a line of the feature."""

    def __init__(self, features: Array):
        self._features = features
        low, high = features.min(axis=0), features.max(axis=0)
        self._two = np.array([_has_two_values(column) for column in features.T])
        self._slope, self._offset = low + high, -low * high
        self._squares = None if self._two.all() else np.ascontiguousarray(features[:, ~self._two] ** 2)

    def weighted(self, weights: Array) -> Array:
        """The weighted sum of each feature's squares."""
        sums = self._slope * (weights @ self._features) + self._offset * weights.sum()
        if self._squares is not None:
            sums[~self._two] = weights @ self._squares
        return np.asarray(sums)


def _has_two_values(column: Array) -> bool:
    return len(np.unique(column[:100])) < 3 and bool(np.isin(column, (column.min(), column.max())).all())


def row_blocks(n: int) -> Iterator[slice]:
    """Blocks of rows that fit a processor's cache."""
    for begin in range(0, n, _BLOCK):
        yield slice(begin, min(begin + _BLOCK, n))


def quadratic(information: NDArray[Any], pull: Array, ridge: float = RIDGE) -> float:
    """½ pullᵀ (information + ridge)⁻¹ pull."""
    ridged = information + ridge * np.eye(len(information))
    return 0.5 * float(pull @ np.linalg.solve(ridged, pull))
