"""Softmax regression: a categorical response on rows, with the products left to BLAS.

The coefficients of M outputs on k features are M·k numbers, output by output. Rows are taken in blocks that
fit a processor's cache, transposed so that sums over outputs run over contiguous memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparsest.scores._quasi_newton import SumOverRows
from sparsest.scores.glm import RIDGE, Array, Response, Squares, means, quadratic, row_blocks

LOGISTIC = 0
_SAMPLED = 8000  # rows that suffice for estimates of losses


@dataclass(frozen=True, eq=False)
class SoftmaxResponse(Response):
    """A categorical response: `sums` are the weighted indicators of the levels 1, 2, ..."""

    def cumulant(self, eta: Array) -> Array:
        """The logarithm of 1 + Σ e^η."""
        top = np.maximum(eta.max(axis=1), 0)
        logs: Array = top + np.log(np.exp(-top) + np.exp(eta - top[:, None]).sum(axis=1))
        return logs

    def mean(self, eta: Array) -> Array:
        """The probabilities of the levels 1, 2, ..."""
        return means(LOGISTIC, eta)

    def spread(self, mean: Array) -> Array:
        """p(1 − p)."""
        return mean * (1 - mean)

    def _regression(self, rows: Array, weights: Array, sums: Array) -> SumOverRows:
        return _Softmax(rows, weights, np.ascontiguousarray(sums.T))

    def score_tests(
        self,
        beta: Array,
        rows: Array,
        features: Array,
        squares: Squares,  # noqa: ARG002 (all rows have the same curvature)
        blocks: Sequence[slice],
    ) -> Array:
        """Rao's score tests, as if all rows had the same curvature, which makes it a Kronecker product."""
        curved = self.weights[:, None] * rows
        return self.tests_by_gram(
            beta, rows, features, features.T @ (self.weights[:, None] * features), features.T @ curved, blocks
        )

    def tests_by_gram(
        self, beta: Array, rows: Array, features: Array, gram: Array, cross: Array, blocks: Sequence[slice]
    ) -> Array:
        """The same from weighted products of all features with themselves and with `rows`."""
        outputs = self.outputs
        pulls, between = np.zeros((outputs, features.shape[1])), np.zeros((outputs, outputs))
        own = np.zeros((rows.shape[1], rows.shape[1]))
        for block in row_blocks(len(rows)):
            x, weights = rows[block], self.weights[block]
            mean = _means(beta.T @ x.T)[0]
            weighted = mean * weights
            pulls += (self.sums[block].T - weighted) @ features[block]
            between -= weighted @ mean.T
            between.flat[:: outputs + 1] += weighted.sum(axis=1)
            own += x.T @ (weights[:, None] * x)
        explained = np.linalg.solve(own + RIDGE * np.eye(len(own)), cross.T).T
        inverse = np.linalg.inv(between + RIDGE * np.eye(outputs))
        gains = np.empty(len(blocks))
        for place, block in enumerate(blocks):
            left = gram[block, block] - cross[block] @ explained[block].T
            left.flat[:: len(left) + 1] += RIDGE
            pull = pulls[:, block]
            gains[place] = 0.5 * float(np.sum(pull * (inverse @ np.linalg.solve(left, pull.T).T)))
        return gains

    def wald_tests(self, beta: Array, rows: Array, blocks: Sequence[slice]) -> Array:
        """Wald tests from the curvature of a part of the rows."""
        regression, k = _Softmax(rows, self.weights, self.sums.T), len(beta)
        hessian = regression.hessian(beta.T.reshape(-1), max(1, len(rows) // _SAMPLED))
        inverse = np.linalg.inv(hessian)
        losses = np.empty(len(blocks))
        for place, block in enumerate(blocks):
            own = (np.arange(self.outputs)[:, None] * k + np.arange(k)[block]).reshape(-1)
            losses[place] = quadratic(inverse[np.ix_(own, own)], beta[block].T.reshape(-1), 0.0)
        return losses


class _Softmax:
    """A softmax regression as a function of its coefficients, output by output."""

    def __init__(self, rows: Array, weights: Array, sums: Array):
        self._x, self._weights, self._sums = rows, weights, sums  # (M, n): output by output
        self.rows = len(rows)

    def part(self, stride: int) -> _Softmax:
        some = slice(None, None, stride)
        weights = self._weights[some]
        scale = self._weights.sum() / weights.sum()
        return _Softmax(np.ascontiguousarray(self._x[some]), scale * weights, scale * self._sums[:, some])

    def value_and_grad(self, point: Array) -> tuple[float, Array]:
        beta = point.reshape(len(self._sums), -1)
        value, slope = 0.5 * RIDGE * float(point @ point), RIDGE * beta
        for block in row_blocks(self.rows):
            x, weights, sums = self._x[block], self._weights[block], self._sums[:, block]
            eta = beta @ x.T
            value -= float(np.vdot(sums, eta))
            mean, logs = _means(eta)
            value += float(weights @ logs)
            mean *= weights
            mean -= sums
            slope = slope + mean @ x
        return value, slope.reshape(-1)

    def hessian(self, point: Array, stride: int) -> Array:
        outputs, k = len(self._sums), self._x.shape[1]
        beta, size = point.reshape(outputs, k), outputs * k
        hessian, diagonal = np.zeros((size, size)), np.zeros((size, k))
        rows, weights = self._x[::stride], self._weights[::stride]
        for block in row_blocks(len(rows)):
            x = np.ascontiguousarray(rows[block].T)
            mean = _means(beta @ x)[0]
            spread = (mean[:, None] * x).reshape(size, -1)
            weighted = spread * weights[block]
            hessian -= weighted @ spread.T
            diagonal += weighted @ x.T
        for a in range(outputs):
            own = slice(a * k, (a + 1) * k)
            hessian[own, own] += diagonal[own]
        hessian *= self._weights.sum() / weights.sum()
        hessian.flat[:: size + 1] += RIDGE
        return hessian


def _means(eta: Array) -> tuple[Array, Array]:
    """The probabilities at η, (M, n), which is overwritten, and the logarithm of 1 + Σ e^η."""
    top = np.maximum(eta.max(axis=0), 0)
    eta -= top
    np.exp(eta, out=eta)
    total = np.exp(-top)
    total += eta.sum(axis=0)
    eta /= total
    np.log(total, out=total)
    total += top
    return eta, total
