"""The Levenberg–Marquardt method for a network with one hidden layer and one output.

It minimises `½ log(‖r‖²/n) + ½ Σ weights · ψ²`, where r are the residuals and ψ the weights of both layers.
With tens of parameters and hundreds of rows, its second-order steps reach in twenty iterations what gradient
descent reaches in a thousand. Rows of data are along the last axis of all arrays. These have 32 bits, which
halves the time: rounding errors are far below the tolerance. Sums over many rows, the weights and the linear
systems have 64 bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv

from sparsest.scores.base import Array
from sparsest.scores.gaussian import RESIDUAL_FLOOR

_ENOUGH = 1e-4  # stop once three steps gain less
_HOPE = 4.0  # further steps gain at most this many times the last three
_MOST_TRIES = 8  # per step, each with more damping
_BLOCK = 4096  # rows whose products are summed in 32 bits
Single = NDArray[np.float32]


def products(some: Single, others: Single) -> Array:
    """`some @ others.T`, (..., n) each: 32-bit sums over blocks of rows, added up in 64 bits."""
    sums: Array = (some[..., :_BLOCK] @ others[..., :_BLOCK].T).astype(float)
    for start in range(_BLOCK, some.shape[-1], _BLOCK):
        block = slice(start, start + _BLOCK)
        sums += some[..., block] @ others[..., block].T
    return sums


@dataclass(frozen=True)
class _Point:
    psi: Array
    value: float
    active: Single  # (hidden, n)
    residual: Single
    total: float  # the sum of squared residuals


class LevenbergMarquardt:
    """One network with `inputs` (inputs, n), the last of them ones, `target` (n,) and `hidden` units.

    ψ holds the weights of the first layer, input by input, those of the second, and its offset. The biases,
    which are the weights of the last input, and the offset are not regularised.
    """

    def __init__(self, inputs: Single, target: Single, ridge: float, hidden: int):
        self._inputs, self._target, self._hidden = inputs, target, hidden
        self._split = len(inputs) * hidden
        self.weights = np.full(self._split + hidden + 1, ridge)
        self.weights[self._split - hidden : self._split] = 0.0
        self.weights[-1] = 0.0
        self._floor = RESIDUAL_FLOOR * len(target)
        self._slopes = np.empty((len(self.weights), len(target)), np.float32)
        self._slopes[-1] = 1.0

    def at(self, psi: Array) -> _Point:
        single = psi.astype(np.float32)
        active = -single[: self._split].reshape(-1, self._hidden).T @ self._inputs
        with np.errstate(over="ignore"):
            np.exp(active, out=active)
        active += 1
        np.reciprocal(active, out=active)
        residual = single[self._split : -1] @ active
        residual += single[-1]
        residual -= self._target
        total = max(float(products(residual, residual)), self._floor)
        value = 0.5 * float(np.log(total / len(residual)) + self.weights @ psi**2)
        return _Point(psi, value, active, residual, total)

    def slopes(self, point: _Point) -> Single:
        """The derivatives of the residuals, (parameters, n); the next call overwrites them."""
        moved = 1 - point.active
        moved *= point.active
        moved *= point.psi[self._split : -1, None].astype(np.float32)
        blocks = self._slopes[: self._split].reshape(len(self._inputs), self._hidden, -1)
        np.multiply(moved, self._inputs[:, None], out=blocks)
        self._slopes[self._split : -1] = point.active
        return self._slopes

    def minimize(self, psi: Array, max_steps: int, worth: float = np.inf) -> tuple[Array, float]:
        """Iterate until three steps together gain too little, or too little to get down to `worth`.

        Returns ψ and, in the second case, the lowest value that continuing might lead to, otherwise −∞.
        """
        point, damping, before = self.at(psi), 1e-2, [np.inf, np.inf]
        for _ in range(max_steps):
            slopes = self.slopes(point)
            system = products(slopes, slopes) / point.total
            slope = products(slopes, point.residual) / point.total + self.weights * point.psi
            found, damping = self._step(point, system, slope, damping)
            if found is None:
                break
            before.append(point.value)
            point = found
            gained = before.pop(0) - point.value
            if gained < _ENOUGH:
                break
            if point.value - _HOPE * gained > worth:
                return point.psi, point.value - _HOPE * gained
        return point.psi, -np.inf

    def _step(
        self, point: _Point, system: Array, slope: Array, damping: float
    ) -> tuple[_Point | None, float]:
        """A step that lowers the value, with as much damping as that takes, and the damping for the next."""
        for _ in range(_MOST_TRIES):
            damped = system.copy()
            damped.flat[:: len(damped) + 1] += self.weights + damping
            _, step, failed = dposv(damped.T, slope, lower=True, overwrite_a=True)
            if failed:
                damping *= 10
                continue
            found = self.at(point.psi - step)
            gained = point.value - found.value
            if gained > 0:
                foreseen = 0.5 * float(step @ (slope + damping * step))
                trust = 0.25 if gained > 0.75 * foreseen else 1.0 if gained > 0.25 * foreseen else 2.0
                return found, max(damping * trust, 1e-8)
            damping *= 5
        return None, damping
