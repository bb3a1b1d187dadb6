"""Regressions of each column on its parents, each under its own likelihood.

Logistic and Poisson models, causal additive models and tables of mixed kinds share one score: a node is
regressed on the features of its parents under its own likelihood. Gaussian nodes need only the Gram matrix of
the features. The others are fitted by Newton's method (scores/glm.py), on counts where the parents take few
values and on rows where they do not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.correlation import correlation_of
from sparsest._core.progress import Stopped, Watch
from sparsest.scores import _glm_kernels
from sparsest.scores.equal_rows import Counts, without_copies
from sparsest.scores.families import Column
from sparsest.scores.features import Features
from sparsest.scores.gaussian import RESIDUAL_FLOOR
from sparsest.scores.glm import FLAT, CompiledResponse, Response
from sparsest.scores.gram import DEPENDENT, GramScore, features_of
from sparsest.scores.softmax import SoftmaxResponse

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_KEPT = 200_000  # maximum number of cached fits


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
        self._features = Features(self.columns, values, shares)
        self._impression = weighted_correlation(values, shares)
        self._scaled: dict[int, Array] = {}
        self._responses: dict[int, Response] = {}
        for j, column in enumerate(self.columns):
            response = column.family.response(values[:, j], shares, column.levels)
            if response is None:
                centred = values[:, j] - shares @ values[:, j]
                self._scaled[j] = centred / np.sqrt(shares @ centred**2)
            else:
                self._responses[j] = response
        self._outputs = np.concatenate([[0], np.cumsum(outputs)]).astype(np.int64)
        self._values = values
        self._products: GramScore | None = None
        # Coefficients of the last fit of each node, from which the next one starts.
        self._latest: dict[int, Array] = {}
        self._fits: dict[tuple[int, bytes], tuple[Array, float]] = {}
        self._locals: dict[tuple[int, bytes], float] = {}
        self._tables: dict[tuple[int, bytes, bytes], Array] = {}

    def ready(self, watch: Watch) -> bool:
        """Compile and compute what all fits need; False if it was time to stop first."""
        if self._products is None and self._compiled(watch) and self._features.made(watch):
            self._products = self._features.multiplied(self._scaled, watch)
        return self._products is not None

    def _compiled(self, watch: Watch) -> bool:
        """A search starts with the linear score, whatever the likelihoods."""
        own = not self._responses or watch.wait_for(_glm_kernels.compile_all)
        return own and watch.wait_for(GramScore.compiled)

    @property
    def _gram(self) -> GramScore:
        if self._products is None:
            self._products = self._features.multiplied(self._scaled, Watch())
        assert self._products is not None  # a new watch never stops
        return self._products

    @cached_property
    def _counts(self) -> Counts:
        return Counts(self._values)

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

    @property
    def merged_rows(self) -> int | None:
        """How many rows a fit of `over_subsets` goes through; None if some node takes a fit at a time."""
        compiled = all(isinstance(self._responses.get(j), CompiledResponse) for j in range(self.p))
        return len(self._values) if compiled and self._counts.cover(np.arange(self.p)) else None

    def over_subsets(self, node: int, others: Ints, subsets: Ints, watch: Watch) -> Array | None:
        """`local` given each subset of some nodes (bit k is `others[k]`); raises `Stopped` if it is time.

        None if it takes a fit at a time: the values of the others are many, or the response is not compiled.
        """
        response = self._responses.get(node)
        if not isinstance(response, CompiledResponse) or not self._counts.cover(others):
            return None
        key = (node, others.tobytes(), subsets.tobytes())
        values = self._tables.get(key)
        if values is None:
            if not watch.wait_for(_glm_kernels.compile_over_subsets):
                raise Stopped
            features = self._features
            values = self._tables[key] = self._counts.over_subsets(
                response, others, subsets, features.matrix, features.starts, watch.check
            )
        return values

    def at_once(self, node: int, parents: Sequence[int] | NDArray[np.intp]) -> float:
        """The same without compiled code, for a few scores when it is time to stop."""
        return self.fit(node, np.sort(np.asarray(parents, dtype=np.int64))).value

    def gains(self, node: int, parents: Sequence[int] | NDArray[np.intp]) -> tuple[Array, NDArray[np.bool_]]:
        """How much each other node would lower the local score as a parent, and which numbers are exact.

        The others come from score tests: accurate for small gains, and correctly ordered for large ones.
        """
        chosen = np.sort(np.asarray(parents, dtype=np.int64))
        if node in self._scaled:
            return self._gram.gains(node, chosen)
        beta, _ = self._newton(node, chosen)
        features, response = self._features, self._responses[node]
        rows = features.rows(chosen)
        if isinstance(response, SoftmaxResponse):
            gram, inside = self._gram.gram, features_of(features.starts, chosen)
            cross = np.column_stack([features.means, gram[:, inside]])
            gains = response.tests_by_gram(beta, rows, features.matrix, gram, cross, features.blocks)
        else:
            gains = response.score_tests(beta, rows, features.matrix, features.squares, features.blocks)
        gains[chosen] = gains[node] = -np.inf
        return gains, np.zeros(self.p, dtype=bool)

    def losses(self, node: int, parents: Sequence[int] | NDArray[np.intp]) -> Array:
        """Approximately how much removing each parent would raise the local score: Wald tests, (p,).

        0 where there is no estimate: for Gaussian nodes, whose scores are cheap.
        """
        chosen, losses = np.sort(np.asarray(parents, dtype=np.int64)), np.zeros(self.p)
        if node in self._scaled or not len(chosen):
            return losses
        beta, _ = self._newton(node, chosen)
        widths = np.diff(self._features.starts)[chosen]
        blocks = [slice(*ends) for ends in pairwise(np.cumsum([1, *widths]))]
        rows = self._features.rows(chosen)
        losses[chosen] = self._responses[node].wald_tests(beta, rows, blocks)
        return losses

    def fit(self, node: int, parents: Sequence[int] | NDArray[np.intp]) -> NodeFit:
        """Coefficients of `node` on its parents' features, in the order of the parents."""
        chosen = np.asarray(parents, dtype=np.int64)
        if node in self._scaled:
            gram, right = self._normal_equations(node, chosen)
            coefficients = np.linalg.lstsq(gram, right, rcond=DEPENDENT)[0]
            variance = max(1 - float(right @ coefficients), RESIDUAL_FLOOR)
            return NodeFit(np.zeros(1), coefficients[:, None], 0.5 * math.log(variance), variance)
        beta, value = self._fits.get((node, chosen.tobytes())) or self._fitted(
            node, chosen, compiled=self._products is not None
        )
        curvature = self._responses[node].least_curvature(beta, self._features.rows(chosen))
        return NodeFit(beta[0], beta[1:], value, np.nan, curvature < FLAT)

    def _normal_equations(self, node: int, parents: Ints) -> tuple[Array, Array]:
        """The Gram matrix of the parents' features, and their products with a Gaussian column."""
        if self._products is not None:
            inside = features_of(self._features.starts, parents)
            return self._products.gram[np.ix_(inside, inside)], self._products.products[node][inside]
        features = self._features.rows(parents)[:, 1:]
        weighted = self._weights[:, None] * features
        return features.T @ weighted, self._scaled[node] @ weighted

    @property
    def groups(self) -> NDArray[np.int64]:
        """The edge i·p + j of every parameter of ψ, −1 for intercepts."""
        sources = np.repeat(np.arange(self.p), np.diff(self._features.starts))
        targets = np.repeat(np.arange(self.p), np.diff(self._outputs))
        edges = sources[:, None] * self.p + targets
        return np.concatenate([edges.reshape(-1), np.full(len(targets), -1)])

    @property
    def start(self) -> Array:
        """ψ of the empty graph."""
        intercepts = np.zeros(self._outputs[-1])
        for node, response in self._responses.items():
            intercepts[self._outputs[node] : self._outputs[node + 1]] = response.start
        return np.concatenate([np.zeros(self._features.count * self._outputs[-1]), intercepts])

    def value_and_grad(self, psi: Array) -> tuple[float, Array]:
        """The sum of the negative log-likelihoods at ψ: coefficients (features, outputs), then intercepts."""
        coefficients, intercepts = self._parts(psi)
        slopes, pulls, value = np.zeros_like(coefficients), np.zeros_like(intercepts), 0.0
        if self._scaled:
            gaussian = self._outputs[list(self._scaled)]
            weights, gram = coefficients[:, gaussian], self._gram
            products = np.stack([gram.products[node] for node in self._scaled], axis=1)
            explained = gram.gram @ weights
            left = 1 + (weights * (explained - 2 * products)).sum(axis=0)
            inside = left > RESIDUAL_FLOOR
            left = np.maximum(left, RESIDUAL_FLOOR)
            value += 0.5 * float(np.log(left).sum())
            slopes[:, gaussian] = np.where(inside, (explained - products) / left, 0.0)
        if self._responses:
            others = np.concatenate([self._own(node) for node in self._responses])
            eta, begin = self._features.matrix @ coefficients[:, others] + intercepts[others], 0
            for response in self._responses.values():
                own = slice(begin, begin + response.outputs)
                least, eta[:, own] = response.value_and_pull(eta[:, own])
                value, begin = value + least, own.stop
            slopes[:, others], pulls[others] = self._features.matrix.T @ eta, eta.sum(axis=0)
        return value, np.concatenate([slopes.reshape(-1), pulls])

    def _own(self, node: int) -> Ints:
        """The outputs of a node."""
        return np.arange(self._outputs[node], self._outputs[node + 1])

    def adjacency(self, psi: Array) -> Array:
        """B(ψ): the coefficient of a standardised parent, or the norm of several."""
        if self._features.count == self.p and self._outputs[-1] == self.p:
            return self._parts(psi)[0]
        strengths: Array = np.sqrt(self.squares(psi))
        return strengths

    def squares(self, psi: Array) -> Array:
        """S(ψ): per edge, the sum of the squares of its parameters."""
        sums = np.add.reduceat(self._parts(psi)[0] ** 2, self._features.starts[:-1], axis=0)
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
        if node in self._scaled:
            return self._gram.local(node, parents)
        return self._newton(node, parents)[1]

    def _newton(self, node: int, parents: Ints) -> tuple[Array, float]:
        key = (node, parents.tobytes())
        found = self._fits.get(key)
        if found is None:
            if len(self._fits) > _KEPT:
                self._fits.clear()
            found = self._fits[key] = self._fitted(node, parents)
        return found

    def _fitted(self, node: int, parents: Ints, compiled: bool = True) -> tuple[Array, float]:
        """Coefficients, (1 + features, outputs), and the minimum, from the last fit of the node."""
        response, features = self._responses[node], self._features
        if not len(parents):
            return response.start[None], response.worst
        inside = features_of(features.starts, parents)
        places = np.concatenate([[0], 1 + inside])
        latest = self._latest.get(node)
        if latest is None:
            latest = np.zeros((1 + features.count, response.outputs))
            latest[0] = response.start
        beta, own = latest[places], (response.weights, response.sums)
        if not compiled:
            value = response.fit_in_numpy(features.rows(parents), *own, beta)
        elif self._counts.cover(parents):
            value = response.fit(*self._counts.added_up(parents, features.matrix, inside, *own), beta)
        else:
            value = response.fit(features.rows(parents), *own, beta)
        latest = np.zeros_like(latest)
        latest[places] = beta
        self._latest[node] = latest
        beta.flags.writeable = False  # it is cached and shared
        return beta, value


def weighted_correlation(values: Array, weights: Array) -> Array:
    """The correlation of columns whose rows have weights that sum to 1."""
    centred = values - weights @ values
    return correlation_of(centred.T @ (weights[:, None] * centred))
