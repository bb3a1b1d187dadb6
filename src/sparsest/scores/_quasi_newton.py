"""Newton's method for sums over many rows, with Hessians of a part of the rows.

A gradient takes one pass over the rows; a Hessian of k·M coefficients takes k·M times as long. So the Hessian
is computed on every s-th row, factored once, and corrected by what the steps reveal of the curvature (L-BFGS
with the factor in place of a multiple of the identity). Where steps gain too little, it is computed again, on
more rows; with few rows this is Newton's method itself. A start that is farther from the minimum than the
minimum of those rows is as a rule is replaced by that one first.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

Array = NDArray[np.float64]

_STEPS = 100  # at most so many; separated data take about thirty, others five to ten
_QUADRATIC = 1e-10  # below this decrement one more step is exact up to rounding
_SHORTEST = 1e-10  # a smaller fraction of a step counts as zero
_FEWEST = 2000  # rows of a Hessian
_PER_COEFFICIENT = 40  # rows of a Hessian for each coefficient
_SLOW = 0.3  # a step after which the decrement is a larger share of the last one calls for a new Hessian
_EXACT = 1e-3  # the same for a Hessian of all rows
_MORE = 4  # times as many rows for a Hessian that was too inexact
Pairs = list[tuple[Array, Array]]


class SumOverRows(Protocol):
    """A smooth convex function: a sum over rows, and a ridge."""

    @property
    def rows(self) -> int:
        """The number of rows."""

    def value_and_grad(self, point: Array) -> tuple[float, Array]:
        """Value and gradient."""

    def hessian(self, point: Array, stride: int) -> Array:
        """The Hessian from every `stride`-th row."""

    def part(self, stride: int) -> SumOverRows:
        """The same function from every `stride`-th row."""


def minimize(
    function: SumOverRows, start: Array, other: Array, worst: float, enough: float = _QUADRATIC
) -> tuple[Array, float]:
    """The minimiser and the minimum, from `start`, or from `other` if the start is no better than `worst`.

    A decrement below `enough` ends the search, after one more step, whose gain is foreseen.
    """
    point = start
    value, slope = function.value_and_grad(point)
    if not value < worst:
        point = other
        value, slope = function.value_and_grad(point)
    sample = max(_FEWEST, _PER_COEFFICIENT * len(point))
    factor, before = None, np.inf
    pairs: Pairs = []
    for _ in range(_STEPS):
        if factor is None:
            stride = max(1, function.rows // sample)
            factor, pairs = _factored(function.hessian(point, stride)), []
            fresh = True
        step = _step(factor, pairs, slope)
        decrement = float(slope @ step)
        if decrement < enough:
            return point - step, value - 0.5 * max(decrement, 0.0)
        expected = len(point) * stride / function.rows  # of the decrement at the minimum of these rows
        if fresh and stride > 1 and decrement > 2 * expected:
            nearer = minimize(function.part(stride), point, point, np.inf, 0.1 * expected)[0]
            after, slopes = function.value_and_grad(nearer)
            if after < value:
                point, value, slope, before = nearer, after, slopes, np.inf
                factor, pairs = _factored(function.hessian(point, stride)), []
                fresh = False
                continue
        fresh = False
        share = 1.0
        while True:
            trial = point - share * step
            after, slopes = function.value_and_grad(trial)
            if after <= value - 1e-4 * share * decrement:
                break
            share *= 0.5
            if share < _SHORTEST:  # rounding: no further improvement
                return point, value
        pairs.append((trial - point, slopes - slope))
        point, value, slope = trial, after, slopes
        if stride == 1:
            factor = factor if decrement < _EXACT * before else None
        elif decrement > _SLOW * before or share < 1:
            factor, sample = None, _MORE * sample
        before = decrement
    return point, value


def _factored(hessian: Array) -> tuple[Array, bool]:
    """A Cholesky factor, of the matrix made definite where rounding has it otherwise."""
    least = 1e-14 * float(hessian.diagonal().max())
    for _ in range(10):
        try:
            factor: tuple[Array, bool] = cho_factor(hessian, lower=True, check_finite=False)
        except np.linalg.LinAlgError:
            hessian = hessian + least * np.eye(len(hessian))
            least *= 100
        else:
            return factor
    return np.diag(np.sqrt(np.maximum(hessian.diagonal(), 1e-300))), True


def _step(factor: tuple[Array, bool], pairs: Pairs, slope: Array) -> Array:
    """The inverse Hessian times the gradient: the two loops of L-BFGS."""
    step, shares = slope.copy(), []
    for moved, turned in reversed(pairs):
        share = float(moved @ step) / float(moved @ turned)
        step -= share * turned
        shares.append(share)
    step = np.asarray(cho_solve(factor, step, check_finite=False))
    for (moved, turned), share in zip(pairs, reversed(shares), strict=True):
        step += (share - float(turned @ step) / float(moved @ turned)) * moved
    return step
