"""Regressions of each column on its parents, each under its own likelihood.

Logistic and Poisson models, causal additive models and tables of mixed kinds share one score: a node is
regressed on the features of its parents under its own likelihood. Gaussian nodes need only the Gram matrix of
the features. The others are fitted by Newton's method (scores/glm.py), on counts where the parents take few
values and on rows where they do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.correlation import correlation_of
from sparsest.scores import _gram_kernels
from sparsest.scores.equal_rows import Counts, without_copies
from sparsest.scores.families import Column
from sparsest.scores.gaussian import RESIDUAL_FLOOR
from sparsest.scores.glm import FLAT, Response

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_KEPT = 200_000  # maximum number of cached fits
_DEPENDENT = 1e-9  # a feature with a smaller share of variance not explained by others is dropped


@dataclass(frozen=True, eq=False)
class NodeFit:
    """A fitted node: `coefficients` of the parents' features, (k, outputs), and the local score.

    The response of a Gaussian node is standardised, and `variance` is its residual variance.
    """

    intercepts: Array
    coefficients: NDArray[Any]
    value: float
    variance: float
    undetermined: bool = False  # coefficients that only the ridge keeps finite: separated data


class RegressionScore:
    """Average negative log-likelihoods of columns given their parents, a `LocalScore` and a `Score`.

    For a Gaussian column it is ½ log of the unexplained share of its variance. Rows may have weights.
    """

    def __init__(self, columns: Sequence[Column], values: Array, weights: Array | None = None):
        shares = np.full(len(values), 1 / len(values)) if weights is None else weights / weights.sum()
        #: The number of rows; for weighted rows (Σw)²/Σw².
        self.n = float(1 / (shares**2).sum())
        self.columns = tuple(columns)
        self.p = len(self.columns)
        values, shares = without_copies(values, shares)
        self._weights = shares
        widths = np.array([column.basis.width for column in self.columns])
        outputs = np.array([column.outputs for column in self.columns])
        #: (p, p): the number of parameters of an edge i → j.
        self.edge_parameters: Ints = np.outer(widths, outputs)
        self._starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        features = [column.basis.features(values[:, j]) for j, column in enumerate(self.columns)]
        self._features = np.ascontiguousarray(np.column_stack(features))
        self._squares = self._features**2
        self._blocks = [slice(*map(int, ends)) for ends in pairwise(self._starts)]
        self._impression = weighted_correlation(values, shares)
        self._gram = np.ascontiguousarray(self._features.T @ (shares[:, None] * self._features))
        self._products: dict[int, Array] = {}
        self._responses: dict[int, Response] = {}
        for j, column in enumerate(self.columns):
            response = column.family.response(values[:, j], shares, column.levels)
            if response is None:
                centred = values[:, j] - shares @ values[:, j]
                scaled = centred / np.sqrt(shares @ centred**2)
                self._products[j] = self._features.T @ (shares * scaled)
            else:
                self._responses[j] = response
        self._outputs = np.concatenate([[0], np.cumsum(outputs)]).astype(np.int64)
        self._counts = Counts(values)
        # Coefficients of the last fit of each node, from which the next one starts.
        self._latest: dict[int, Array] = {}
        self._fits: dict[tuple[int, bytes], tuple[Array, float]] = {}
        self._locals: dict[tuple[int, bytes], float] = {}

    @property
    def is_gaussian(self) -> bool:
        """Whether all columns are Gaussian given their parents."""
        return not self._responses

    @property
    def correlation(self) -> Array:
        """The correlation of the columns as numbers, for a search to start from."""
        return self._impression.copy()

    def local(self, node: int, parents: Sequence[int] | NDArray[np.intp]) -> float:
        """The minimal average negative log-likelihood of `node` given these parents."""
        chosen = np.sort(np.asarray(parents, dtype=np.int64))
        key = (node, chosen.tobytes())
        value = self._locals.get(key)
        if value is None:
            value = self._locals[key] = self._least(node, chosen)
        return value

    def gains(self, node: int, parents: Sequence[int] | NDArray[np.intp]) -> tuple[Array, NDArray[np.bool_]]:
        """How much each other node would lower the local score as a parent, and which numbers are exact.

        The others come from score tests: accurate for small gains, and correctly ordered for large ones.
        """
        chosen = np.sort(np.asarray(parents, dtype=np.int64))
        gains, exact = np.full(self.p, -np.inf), np.ones(self.p, dtype=bool)
        outside = np.ones(self.p, dtype=bool)
        outside[chosen] = outside[node] = False
        candidates = np.flatnonzero(outside).astype(np.int64)
        if node in self._products:
            left = np.empty(len(candidates))
            own = _gram_kernels.residuals(
                self._gram, self._products[node], 1.0, self._starts, chosen, candidates, _DEPENDENT, left
            )
            gains[candidates] = _half_log(own) - 0.5 * np.log(np.maximum(left, RESIDUAL_FLOOR))
            return gains, exact
        beta, _ = self._newton(node, chosen)
        rows = self._rows(self._inside(chosen))
        tests = self._responses[node].score_tests(beta, rows, self._features, self._squares, self._blocks)
        gains[candidates], exact[:] = tests[candidates], False
        return gains, exact

    def losses(self, node: int, parents: Sequence[int] | NDArray[np.intp]) -> Array:
        """Approximately how much removing each parent would raise the local score: Wald tests, (p,).

        0 where there is no estimate: for Gaussian nodes, whose scores are cheap, and for several outputs.
        """
        chosen, losses = np.sort(np.asarray(parents, dtype=np.int64)), np.zeros(self.p)
        if node in self._products or self._responses[node].outputs > 1 or not len(chosen):
            return losses
        beta, _ = self._newton(node, chosen)
        blocks = list(pairwise(np.cumsum([1, *(self._starts[chosen + 1] - self._starts[chosen])])))
        rows = self._rows(self._inside(chosen))
        losses[chosen] = self._responses[node].wald_tests(beta, rows, [slice(*ends) for ends in blocks])
        return losses

    def fit(self, node: int, parents: Sequence[int] | NDArray[np.intp]) -> NodeFit:
        """Coefficients of `node` on its parents' features, in the order of the parents."""
        chosen = np.asarray(parents, dtype=np.int64)
        inside = self._inside(chosen)
        if node in self._products:
            right = self._products[node][inside]
            coefficients = np.linalg.lstsq(self._gram[np.ix_(inside, inside)], right, rcond=_DEPENDENT)[0]
            variance = max(1 - float(right @ coefficients), RESIDUAL_FLOOR)
            return NodeFit(np.zeros(1), coefficients[:, None], 0.5 * np.log(variance), variance)
        beta, value = self._newton(node, chosen)
        curvature = self._responses[node].least_curvature(beta, self._rows(inside))
        return NodeFit(beta[0], beta[1:], value, np.nan, curvature < FLAT)

    @property
    def groups(self) -> NDArray[np.int64]:
        """The edge i·p + j of every parameter of ψ, −1 for intercepts."""
        sources = np.repeat(np.arange(self.p), np.diff(self._starts))
        targets = np.repeat(np.arange(self.p), np.diff(self._outputs))
        edges = sources[:, None] * self.p + targets
        return np.concatenate([edges.reshape(-1), np.full(len(targets), -1)])

    @property
    def start(self) -> Array:
        """ψ of the empty graph."""
        intercepts = np.zeros(self._outputs[-1])
        for node, response in self._responses.items():
            intercepts[self._outputs[node] : self._outputs[node + 1]] = response.start
        return np.concatenate([np.zeros(len(self._gram) * self._outputs[-1]), intercepts])

    def value_and_grad(self, psi: Array) -> tuple[float, Array]:
        """The sum of the negative log-likelihoods at ψ: coefficients (features, outputs), then intercepts."""
        coefficients, intercepts = self._parts(psi)
        slopes, pulls, value = np.zeros_like(coefficients), np.zeros_like(intercepts), 0.0
        for node in range(self.p):
            own = slice(int(self._outputs[node]), int(self._outputs[node + 1]))
            if node in self._products:
                weights, product = coefficients[:, own.start], self._products[node]
                explained = self._gram @ weights
                left = max(1 + float(weights @ (explained - 2 * product)), RESIDUAL_FLOOR)
                value += 0.5 * float(np.log(left))
                slopes[:, own.start] = (explained - product) / left if left > RESIDUAL_FLOOR else 0.0
            else:
                eta = self._features @ coefficients[:, own] + intercepts[own]
                least, pull = self._responses[node].value_and_pull(eta)
                value += least
                slopes[:, own], pulls[own] = self._features.T @ pull, pull.sum(axis=0)
        return value, np.concatenate([slopes.reshape(-1), pulls])

    def adjacency(self, psi: Array) -> Array:
        """B(ψ): the coefficient of a standardised parent, or the norm of several."""
        if len(self._gram) == self.p and self._outputs[-1] == self.p:
            return self._parts(psi)[0]
        strengths: Array = np.sqrt(self.squares(psi))
        return strengths

    def squares(self, psi: Array) -> Array:
        """S(ψ): per edge, the sum of the squares of its parameters."""
        sums = np.add.reduceat(self._parts(psi)[0] ** 2, self._starts[:-1], axis=0)
        squares: Array = np.add.reduceat(sums, self._outputs[:-1], axis=1)
        return squares

    def squares_vjp(self, psi: Array, cotangent: Array) -> Array:
        """2 ψ_k · cotangent of the edge of k, 0 for intercepts."""
        slopes: Array = 2 * psi * np.append(cotangent.reshape(-1), 0.0)[self.groups]
        return slopes

    def _parts(self, psi: Array) -> tuple[Array, Array]:
        outputs = int(self._outputs[-1])
        return psi[:-outputs].reshape(-1, outputs), psi[-outputs:]

    def _least(self, node: int, parents: Ints) -> float:
        if node in self._products:
            left = _gram_kernels.residual(
                self._gram, self._products[node], 1.0, self._starts, parents, _DEPENDENT
            )
            return _half_log(left)
        return self._newton(node, parents)[1]

    def _newton(self, node: int, parents: Ints) -> tuple[Array, float]:
        key = (node, parents.tobytes())
        found = self._fits.get(key)
        if found is None:
            if len(self._fits) > _KEPT:
                self._fits.clear()
            found = self._fits[key] = self._fitted(node, parents)
        return found

    def _fitted(self, node: int, parents: Ints) -> tuple[Array, float]:
        response, inside = self._responses[node], self._inside(parents)
        if self._counts.cover(parents):
            rows, weights, sums = self._counts.added_up(
                parents, self._features, inside, response.weights, response.sums
            )
        else:
            rows = np.ascontiguousarray(self._rows(inside))
            weights, sums = response.weights, response.sums
        latest, places = self._latest.get(node), np.concatenate([[0], 1 + inside])
        if latest is None:
            latest = np.zeros((1 + self._features.shape[1], response.outputs))
            latest[0] = response.start
        beta = latest[places]
        value = response.fit(rows, weights, sums, beta)
        latest = np.zeros_like(latest)
        latest[places] = beta
        self._latest[node] = latest
        beta.flags.writeable = False  # it is cached and shared
        return beta, value

    def _rows(self, inside: Ints) -> Array:
        """The rows of a regression on some features, which begin with 1 for the intercept."""
        return np.column_stack([np.ones(len(self._features)), self._features[:, inside]])

    def _inside(self, parents: Ints) -> Ints:
        if not len(parents):
            return np.empty(0, dtype=np.int64)
        return np.concatenate([np.arange(self._starts[c], self._starts[c + 1]) for c in parents])


def weighted_correlation(values: Array, weights: Array) -> Array:
    """The correlation of columns whose rows have weights that sum to 1."""
    centred = values - weights @ values
    return correlation_of(centred.T @ (weights[:, None] * centred))


def _half_log(variance: float) -> float:
    return 0.5 * float(np.log(max(variance, RESIDUAL_FLOOR)))
