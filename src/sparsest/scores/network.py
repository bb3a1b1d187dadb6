"""Local scores of the Gaussian network: one column fitted by a small network of its parents (Appendix D).

The score of a column is `½ log(‖x − f(parents)‖² / n) + ½ ridge · (‖first layer‖² + ‖second layer‖²)`, on
columns of mean 0 and variance 1, minimised by the method of Levenberg and Marquardt: with tens of parameters
and hundreds of rows its second-order steps reach in twenty iterations what gradients reach in a thousand.
On a DAG the sum over the columns is the score of `models/mlp.py`; the derivatives here are written out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dposv
from scipy.special import expit

from sparsest.models import MLP
from sparsest.scores.base import Array

_KNOTS = (-1.5, -0.5, 0.5, 1.5)  # of the functions by which a new parent is tried, in standard deviations
_LEAST_VARIANCE = 1e-10  # of a residual, as in the Gaussian score


@dataclass(frozen=True)
class NetworkFit:
    """A fitted network: parents in increasing order, weights of both layers, and the score.

    `first` is (parents + 1, hidden), the last row the biases; `second` is (hidden + 1,), the last the offset.
    """

    parents: tuple[int, ...]
    first: Array
    second: Array
    score: float


class NetworkScore:
    """Network fits of single columns, remembered; `local` is what discrete search needs.

    `data` must have columns of mean 0 and variance 1.
    """

    def __init__(self, data: Array, hidden: int, ridge: float, seed: int = 0, max_steps: int = 60):
        self.data, self.n, self.p = data, len(data), data.shape[1]
        self.hidden, self.ridge, self.seed, self.max_steps = hidden, ridge, seed, max_steps
        self.fits = 0  # how many were made
        #: (p, p): what an edge counts for, as in `models.MLP`.
        self.edge_parameters = np.full((self.p, self.p), float(MLP.edge_parameters))
        self._known: dict[tuple[int, tuple[int, ...]], NetworkFit] = {}
        self._columns = np.ascontiguousarray(data.T)
        functions = (expit(2.5 * (self._columns - knot)) for knot in _KNOTS)
        self._trials = np.stack([self._columns, *functions], axis=1)  # (p, functions, n)
        self._trials -= self._trials.mean(axis=2, keepdims=True)

    def local(self, node: int, parents: Sequence[int] | NDArray[np.intp]) -> float:
        """The score of `node` with exactly these parents."""
        return self.fit(node, parents).score

    def fit(
        self, node: int, parents: Sequence[int] | NDArray[np.intp], near: NetworkFit | None = None
    ) -> NetworkFit:
        """The network of `node`: from a fit with almost the same parents, given or remembered, or afresh.

        The first answer for a set of parents is kept, unless `improve` finds a better one.
        """
        key = (node, tuple(sorted(int(parent) for parent in parents)))
        if key not in self._known:
            near = self._smaller(*key) if near is None else near
            self._known[key] = self._descend(node, key[1], self._start(node, key[1], near))
        return self._known[key]

    def variance(self, node: int, fit: NetworkFit) -> float:
        """What is left of the variance of `node`."""
        _, residual, _ = self._linearised(node, fit)
        return max(float(residual @ residual) / self.n, _LEAST_VARIANCE)

    def improve(self, fit: NetworkFit, node: int, attempt: int) -> NetworkFit:
        """The better of a fit and of one from another random start, which is remembered."""
        start = self._start(node, fit.parents, None, attempt)
        other = self._descend(node, fit.parents, start)
        best = min(fit, other, key=lambda one: one.score)
        self._known[node, fit.parents] = best
        return best

    def gains(self, node: int, parents: Sequence[int] | NDArray[np.intp]) -> tuple[Array, NDArray[np.bool_]]:
        """By how much every other node, as one more parent, lowers the local score: estimates, none exact."""
        gains = self.promise(node, self.fit(node, parents))
        gains[[node, *(int(parent) for parent in parents)]] = -np.inf
        return gains, np.zeros(self.p, dtype=bool)

    def promise(self, node: int, fit: NetworkFit) -> Array:
        """How much each column would lower the score as one more parent, roughly and quickly, (p,).

        One linear step: the residual is explained by a few functions of the new parent and by its products
        with the slopes of the hidden units, besides all that the network can do already.
        """
        candidates = np.setdiff1d(np.arange(self.p), [node, *fit.parents])
        gains = np.zeros(self.p)
        if not len(candidates):
            return gains
        slopes, residual, weights = self._linearised(node, fit)
        total = float(residual @ residual)
        trials = self._trials[candidates]
        if fit.parents:  # the slopes of the biases are those of the units
            units = slopes[len(fit.parents) * self.hidden : (len(fit.parents) + 1) * self.hidden]
            units = units - units.mean(axis=1, keepdims=True)
            trials = np.concatenate([trials, self._columns[candidates, None] * units], axis=1)
        width = trials.shape[1]
        trials = trials.reshape(-1, self.n)
        system = slopes @ slopes.T
        system.flat[:: len(system) + 1] += total * weights + 1e-6 * self.n
        factor = cho_factor(system, lower=True, check_finite=False)
        across = slopes @ trials.T
        shared = cho_solve(factor, across, check_finite=False)
        toward = trials @ residual - shared.T @ (slopes @ residual)
        for k, candidate in enumerate(candidates):
            own = slice(k * width, (k + 1) * width)
            square = trials[own] @ trials[own].T - across[:, own].T @ shared[:, own]
            square.flat[:: width + 1] += 1e-3 * self.n
            explained = float(toward[own] @ np.linalg.solve(square, toward[own]))
            gains[candidate] = -0.5 * np.log(max(1 - explained / total, 1e-6))
        return gains

    def _start(
        self, node: int, parents: tuple[int, ...], near: NetworkFit | None, attempt: int = 0
    ) -> tuple[Array, Array]:
        """Weights of parents already known, small ones for new parents; all random where none is known."""
        rng = np.random.default_rng([self.seed, attempt, node, *parents])
        if near is None or not near.parents:
            first = rng.normal(size=(len(parents) + 1, self.hidden))
            active = np.vstack([expit(first.T @ self._inputs(parents)), np.ones(self.n)])
            system = active @ active.T + 1e-3 * self.n * np.eye(self.hidden + 1)
            return first, np.linalg.solve(system, active @ self._columns[node])
        first = 0.3 * rng.normal(size=(len(parents) + 1, self.hidden))
        for row, parent in enumerate(parents):
            if parent in near.parents:
                first[row] = near.first[near.parents.index(parent)]
        first[-1] = near.first[-1]
        return first, near.second

    def _smaller(self, node: int, parents: tuple[int, ...]) -> NetworkFit | None:
        """The best remembered fit with one parent less."""
        subsets = [(node, parents[:k] + parents[k + 1 :]) for k in range(len(parents))]
        known = [self._known[key] for key in subsets if key in self._known]
        return min(known, key=lambda fit: fit.score, default=None)

    def _inputs(self, parents: tuple[int, ...]) -> Array:
        return np.vstack([self._columns[list(parents)], np.ones(self.n)])

    def _linearised(self, node: int, fit: NetworkFit) -> tuple[Array, Array, Array]:
        """Slopes, residual and ℓ2 weights of a fit; for a column without parents, of its mean."""
        if not fit.parents:
            return np.ones((1, self.n)), self._columns[node], np.zeros(1)
        descent = _Descent(self._inputs(fit.parents), self._columns[node], self.ridge, self.hidden)
        point = descent.at(np.concatenate([fit.first.reshape(-1), fit.second]))
        return descent.slopes(point), -point.residual, descent.weights

    def _descend(self, node: int, parents: tuple[int, ...], start: tuple[Array, Array]) -> NetworkFit:
        self.fits += 1
        target = self._columns[node]
        if not parents:
            score = 0.5 * float(np.log(max(target.var(), _LEAST_VARIANCE)))
            empty = np.zeros((1, self.hidden)), np.append(np.zeros(self.hidden), target.mean())
            return NetworkFit(parents, *empty, score)
        descent = _Descent(self._inputs(parents), target, self.ridge, self.hidden)
        psi, score = descent.minimize(np.concatenate([start[0].reshape(-1), start[1]]), self.max_steps)
        split = (len(parents) + 1) * self.hidden
        return NetworkFit(parents, psi[:split].reshape(-1, self.hidden), psi[split:], score)


@dataclass(frozen=True)
class _Point:
    psi: Array
    value: float
    active: Array  # (hidden, n)
    residual: Array
    total: float  # the sum of squared residuals


class _Descent:
    """Levenberg–Marquardt for one network: `½ log(‖r‖²/n) + ½ Σ weights · ψ²`.

    The rows of the data lie along the last axis of all arrays.
    """

    def __init__(self, inputs: Array, target: Array, ridge: float, hidden: int):
        self._inputs, self._target, self._hidden = inputs, target, hidden
        self._split = len(inputs) * hidden
        self.weights = np.full(self._split + hidden + 1, ridge)
        self.weights[self._split - hidden : self._split] = 0.0  # biases
        self.weights[-1] = 0.0  # the offset
        self._floor = _LEAST_VARIANCE * len(target)
        self._slopes = np.empty((len(self.weights), len(target)))
        self._slopes[-1] = 1.0

    def at(self, psi: Array) -> _Point:
        first = psi[: self._split].reshape(-1, self._hidden)
        active = first.T @ self._inputs
        expit(active, out=active)
        residual = psi[self._split : -1] @ active
        residual += psi[-1]
        residual -= self._target
        total = max(float(residual @ residual), self._floor)
        value = 0.5 * float(np.log(total / len(residual)) + self.weights @ psi**2)
        return _Point(psi, value, active, residual, total)

    def slopes(self, point: _Point) -> Array:
        """The derivatives of the residuals, (parameters, n); the next call writes over them."""
        moved = 1 - point.active
        moved *= point.active
        moved *= point.psi[self._split : -1, None]
        blocks = self._slopes[: self._split].reshape(len(self._inputs), self._hidden, -1)
        np.multiply(moved, self._inputs[:, None], out=blocks)
        self._slopes[self._split : -1] = point.active
        return self._slopes

    def minimize(self, psi: Array, max_steps: int) -> tuple[Array, float]:
        """Steps until three together gain less than 1e-4."""
        point, damping, recent = self.at(psi), 1e-2, [np.inf, np.inf]
        for _ in range(max_steps):
            slopes = self.slopes(point)
            system = slopes @ slopes.T
            system /= point.total
            slope = slopes @ point.residual / point.total + self.weights * point.psi
            found, damping = self._step(point, system, slope, damping)
            if found is None:
                break
            recent.append(point.value)
            point = found
            if recent.pop(0) - point.value < 1e-4:
                break
        return point.psi, point.value

    def _step(
        self, point: _Point, system: Array, slope: Array, damping: float
    ) -> tuple[_Point | None, float]:
        """A step downhill, more cautious until it is one, and the damping for the next."""
        for _ in range(8):
            damped = system.copy()
            damped.flat[:: len(damped) + 1] += self.weights + damping
            _, step, failed = dposv(damped.T, slope, lower=True, overwrite_a=True)
            if failed:
                damping *= 10
                continue
            found = self.at(point.psi - step)
            if found.value < point.value:
                return found, max(damping / 4, 1e-8)
            damping *= 5
        return None, damping
