"""Local scores of the Gaussian network: one column fitted by a small network of its parents (Appendix D).

The score of a column is `½ log(‖x − f(parents)‖² / n) + ½ ridge · (‖first layer‖² + ‖second layer‖²)`, on
standardised columns, minimised by the Levenberg–Marquardt method. On a DAG the sum over the columns is the
score of `scores/network_likelihood.py`; here the derivatives are written out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from sparsest.scores._levenberg_marquardt import LevenbergMarquardt, Single, products
from sparsest.scores.base import Array
from sparsest.scores.gaussian import RESIDUAL_FLOOR
from sparsest.scores.network_likelihood import EDGE_PARAMETERS

_KNOTS = (
    -1.5,
    -0.5,
    0.5,
    1.5,
)  # of the functions that approximate the effect of a new parent, in standard deviations
_ROUNDING = 1e-5  # exceeds the relative error of a sum of squares in 32 bits
_MUCH = 1e-2  # the gain of a new start if the previous one was stuck
Parents = tuple[int, ...]  # in increasing order


@dataclass(frozen=True)
class NetworkFit:
    """A fitted network: parents in increasing order, weights of both layers, and the score.

    `first` is (parents + 1, hidden), with the biases in the last row; `second` is (hidden + 1,), with the
    offset last. If the fit was abandoned as hopeless, `finished` is False, and the score is approximately a
    lower bound.
    """

    parents: tuple[int, ...]
    first: Array
    second: Array
    score: float
    finished: bool = True


class NetworkScore:
    """Network fits of single columns, cached: a `LocalScore` for discrete searches.

    `data` must have columns of mean 0 and variance 1.
    """

    def __init__(self, data: Array, hidden: int, ridge: float, seed: int = 0, max_steps: int = 60):
        self.data, self.n, self.p = data, len(data), data.shape[1]
        self.hidden, self.ridge, self.seed, self.max_steps = hidden, ridge, seed, max_steps
        #: (p, p): the number of parameters that an edge counts for.
        self.edge_parameters = np.full((self.p, self.p), float(EDGE_PARAMETERS))
        # By node, since several nodes may be fitted at the same time; then by parents.
        self._counts = [0] * self.p
        self._known: list[dict[Parents, NetworkFit]] = [{} for _ in range(self.p)]
        self._promised: list[dict[Parents, Array]] = [{} for _ in range(self.p)]
        self._attempts: list[dict[Parents, int]] = [{} for _ in range(self.p)]  # random restarts
        self._exact = np.ascontiguousarray(data.T)
        self._columns = self._exact.astype(np.float32)

    @property
    def fits(self) -> int:
        """The number of fits so far."""
        return sum(self._counts)

    def local(self, node: int, parents: Sequence[int] | NDArray[np.intp]) -> float:
        """The score of `node` with exactly these parents."""
        return self.fit(node, parents).score

    def fit(
        self,
        node: int,
        parents: Sequence[int] | NDArray[np.intp],
        near: NetworkFit | None = None,
        worth: float = np.inf,
    ) -> NetworkFit:
        """The network of `node`, started from a fit with similar parents, given or cached, or at random.

        A fit that will not get down to the score `worth` is abandoned. The first finished fit for a set of
        parents is cached, unless `improve` finds a better one.
        """
        inside = tuple(sorted(int(parent) for parent in parents))
        known = self._known[node].get(inside)
        if known is None:
            near = self._smaller(node, inside) if near is None else near
            known = self._descend(node, inside, self._start(node, inside, near), worth)
        elif not known.finished and known.score <= worth:
            known = self._descend(node, inside, (known.first, known.second), worth)
        self._known[node][inside] = known
        return known

    def variance(self, node: int, fit: NetworkFit) -> float:
        """The residual variance of `node`."""
        residual = self._exact[node] - fit.second[-1]
        if fit.parents:
            residual -= fit.second[:-1] @ expit(fit.first.T @ _inputs(self._exact, fit.parents))
        return max(float(residual @ residual) / self.n, RESIDUAL_FLOOR)

    def improve(self, fit: NetworkFit, node: int) -> NetworkFit:
        """The better of a fit and one from another random start; it is cached.

        If the new one is much better, other fits of the column are discarded: most of them started from the
        one that was stuck.
        """
        inside, attempts = fit.parents, self._attempts[node]
        attempts[inside] = attempts.get(inside, 0) + 1
        other = self._descend(node, inside, self._start(node, inside, None, attempts[inside]), np.inf)
        if other.score >= fit.score:
            return fit
        if other.score < fit.score - _MUCH:
            self._known[node], self._promised[node] = {}, {}
        self._known[node][inside] = other
        self._promised[node].pop(inside, None)
        return other

    def gains(self, node: int, parents: Sequence[int] | NDArray[np.intp]) -> tuple[Array, NDArray[np.bool_]]:
        """Approximately how much each other node would lower the local score as a parent; none is exact."""
        gains = self.promise(node, self.fit(node, parents))
        gains[[node, *(int(parent) for parent in parents)]] = -np.inf
        return gains, np.zeros(self.p, dtype=bool)

    def promise(self, node: int, fit: NetworkFit) -> Array:
        """A fast approximation of how much each column would lower the score as a parent, (p,).

        One linear step: the residual is regressed on a few functions of the new parent and its products with
        the slopes of the hidden units, in addition to the derivatives of the current network.
        """
        promised = self._promised[node]
        if fit.parents not in promised:
            candidates = np.setdiff1d(np.arange(self.p), [node, *fit.parents])
            gains = np.zeros(self.p)
            gains[candidates] = self._explained(node, fit, candidates)
            promised[fit.parents] = gains
        return promised[fit.parents].copy()

    def pair_promises(self, fits: Sequence[NetworkFit]) -> Iterator[tuple[int, Array]]:
        """For every column i, how much its product with column k would lower the score of column j, (p, p).

        `fits` are those of all columns. Two new parents may matter only jointly, which single gains miss.
        """
        residuals = np.stack([self._linearised(node, fit)[1] for node, fit in enumerate(fits)])
        residuals -= residuals.mean(axis=1, keepdims=True)
        left = np.maximum((residuals**2).sum(axis=1), RESIDUAL_FLOOR * self.n)
        for i in range(self.p):
            both = self._columns * self._columns[i]
            both -= both.mean(axis=1, keepdims=True)
            spread = np.maximum((both**2).sum(axis=1), RESIDUAL_FLOOR * self.n)
            shares = products(both, residuals) ** 2 / (spread[:, None] * left)
            yield i, -0.5 * np.log(np.maximum(1 - shares, 1e-6))

    @cached_property
    def _trials(self) -> Single:
        """Functions of each column that approximate its effect as a parent, (p, functions, n)."""
        functions = (expit(2.5 * (self._columns - knot)) for knot in _KNOTS)
        trials = np.stack([self._columns, *functions], axis=1)
        trials -= trials.mean(axis=2, keepdims=True)
        return trials

    def _explained(self, node: int, fit: NetworkFit, candidates: NDArray[np.intp]) -> Array:
        slopes, residual, weights = self._linearised(node, fit)
        total = max(float(products(residual, residual)), RESIDUAL_FLOOR * self.n)
        trials = self._trials[candidates]
        if fit.parents:  # the slopes of the biases are those of the units
            units = slopes[len(fit.parents) * self.hidden : (len(fit.parents) + 1) * self.hidden]
            units = units - units.mean(axis=1, keepdims=True)
            trials = np.concatenate([trials, self._columns[candidates, None] * units], axis=1)
        width = trials.shape[1]
        flat = trials.reshape(-1, self.n)
        system = products(slopes, slopes)
        system.flat[:: len(system) + 1] += total * weights + _ROUNDING * system.diagonal() + 1e-6 * self.n
        factor = cho_factor(system, lower=True, check_finite=False)
        across = products(slopes, flat)
        shared = cho_solve(factor, across, check_finite=False)
        toward = products(flat, residual) - shared.T @ products(slopes, residual)
        gains = np.zeros(len(candidates))
        for k, trial in enumerate(trials):
            own = slice(k * width, (k + 1) * width)
            square = products(trial, trial) - across[:, own].T @ shared[:, own]
            square.flat[:: width + 1] += 1e-3 * self.n
            explained = float(toward[own] @ np.linalg.solve(square, toward[own]))
            gains[k] = -0.5 * np.log(max(1 - explained / total, 1e-6))
        return gains

    def _start(
        self, node: int, parents: tuple[int, ...], near: NetworkFit | None, attempt: int = 0
    ) -> tuple[Array, Array]:
        """The weights of `near`, with small random ones for new parents; all random without `near`."""
        if not parents:
            return np.zeros((1, self.hidden)), np.zeros(self.hidden + 1)
        rng = np.random.default_rng([self.seed, attempt, node, *parents])
        if near is None or not near.parents:
            first = rng.normal(size=(len(parents) + 1, self.hidden))
            active = np.vstack([expit(first.T @ _inputs(self._exact, parents)), np.ones(self.n)])
            system = active @ active.T + 1e-3 * self.n * np.eye(self.hidden + 1)
            return first, np.linalg.solve(system, active @ self._exact[node])
        first = 0.3 * rng.normal(size=(len(parents) + 1, self.hidden))
        for row, parent in enumerate(parents):
            if parent in near.parents:
                first[row] = near.first[near.parents.index(parent)]
        first[-1] = near.first[-1]
        return first, near.second

    def _smaller(self, node: int, parents: tuple[int, ...]) -> NetworkFit | None:
        """The best cached fit with one parent fewer."""
        subsets = [parents[:k] + parents[k + 1 :] for k in range(len(parents))]
        known = [self._known[node][subset] for subset in subsets if subset in self._known[node]]
        return min(known, key=lambda fit: fit.score, default=None)

    def _linearised(self, node: int, fit: NetworkFit) -> tuple[Single, Single, Array]:
        """Slopes, residual and ℓ2 weights of a fit; for a column without parents, of its mean."""
        if not fit.parents:
            return np.ones((1, self.n), np.float32), self._columns[node], np.zeros(1)
        descent = self._descent(node, fit.parents)
        point = descent.at(np.concatenate([fit.first.reshape(-1), fit.second]))
        return descent.slopes(point), -point.residual, descent.weights

    def _descent(self, node: int, parents: tuple[int, ...]) -> LevenbergMarquardt:
        return LevenbergMarquardt(
            _inputs(self._columns, parents), self._columns[node], self.ridge, self.hidden
        )

    def _descend(self, node: int, parents: Parents, start: tuple[Array, Array], worth: float) -> NetworkFit:
        self._counts[node] += 1
        if not parents:
            offset = np.append(np.zeros(self.hidden), self._exact[node].mean())
            return self._scored(node, NetworkFit(parents, np.zeros((1, self.hidden)), offset, np.nan))
        psi, least = self._descent(node, parents).minimize(
            np.concatenate([start[0].reshape(-1), start[1]]), self.max_steps, worth
        )
        split = (len(parents) + 1) * self.hidden
        fit = NetworkFit(parents, psi[:split].reshape(-1, self.hidden), psi[split:], least, finished=False)
        return fit if least > -np.inf else self._scored(node, fit)

    def _scored(self, node: int, fit: NetworkFit) -> NetworkFit:
        """The finished fit, with its score computed in 64 bits."""
        decay = (fit.first[:-1] ** 2).sum() + (fit.second[:-1] ** 2).sum()
        score = 0.5 * float(np.log(self.variance(node, fit)) + self.ridge * decay)
        return replace(fit, score=score, finished=True)


def _inputs(columns: NDArray[Any], parents: tuple[int, ...]) -> NDArray[Any]:
    """The parents' columns, and ones."""
    return np.vstack([columns[list(parents)], np.ones((1, columns.shape[1]), columns.dtype)])
