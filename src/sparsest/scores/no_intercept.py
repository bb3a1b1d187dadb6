"""Logistic and Poisson regressions without intercepts: η = Xβ, as Appendix D prints the logistic model.

A column without parents then has log-odds, or log-rate, 0. Parents are not centred, because their means would
act as an intercept. ψ is B itself, row by row.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.progress import Watch
from sparsest.scores import _glm_kernels
from sparsest.scores.base import PlainWeights
from sparsest.scores.equal_rows import without_copies
from sparsest.scores.families import Column
from sparsest.scores.glm import FLAT, CompiledResponse, Squares
from sparsest.scores.gram import GramScore
from sparsest.scores.regression import NodeFit, weighted_correlation

Array = NDArray[np.float64]
Parents = Sequence[int] | NDArray[np.intp]


class NoInterceptScore(PlainWeights):
    """Average negative log-likelihoods of binary columns or counts given their parents, without intercepts.

    A `LocalScore` and a `Score`. Parents, and so the entries of B, are in units of standard deviations. Rows
    may have weights.
    """

    def __init__(self, columns: Sequence[Column], values: Array, weights: Array | None = None):
        shares = np.full(len(values), 1 / len(values)) if weights is None else weights / weights.sum()
        self.p = len(columns)
        #: (p, p): the number of parameters of an edge i → j.
        self.edge_parameters = np.ones((self.p, self.p), dtype=np.int64)
        #: The edge i·p + j of every parameter of ψ.
        self.groups = np.arange(self.p**2)
        #: ψ of the empty graph.
        self.start = np.zeros(self.p**2)
        values, shares = without_copies(values, shares)
        features = [each.basis.features(values[:, j]) for j, each in enumerate(columns)]
        self._features = np.ascontiguousarray(np.column_stack(features))
        self._squares = Squares(self._features)
        self._blocks = [slice(j, j + 1) for j in range(self.p)]
        self._responses = [_response(each, values[:, j], shares) for j, each in enumerate(columns)]
        #: The correlation of the columns as numbers, for a search to start from.
        self.correlation: Array = weighted_correlation(self._features, shares)
        self._fits: dict[tuple[int, bytes], tuple[Array, float]] = {}

    def ready(self, watch: Watch) -> bool:
        """Compile what all fits need; False if it was time to stop first."""
        return watch.wait_for(_glm_kernels.compile_all) and watch.wait_for(GramScore.compiled)

    def local(self, node: int, parents: Parents) -> float:
        """The minimal average negative log-likelihood of `node` given these parents."""
        return self._newton(node, np.sort(np.asarray(parents, dtype=np.int64)))[1]

    def at_once(self, node: int, parents: Parents) -> float:
        """The same without compiled code, for a few scores when it is time to stop."""
        return self.fit(node, np.sort(np.asarray(parents, dtype=np.int64))).value

    def gains(self, node: int, parents: Parents) -> tuple[Array, NDArray[np.bool_]]:
        """Approximately how much each other node would lower the local score as a parent: score tests."""
        chosen = np.sort(np.asarray(parents, dtype=np.int64))
        beta, inside = self._newton(node, chosen)[0], self._features[:, chosen]
        gains = self._responses[node].score_tests(beta, inside, self._features, self._squares, self._blocks)
        gains[chosen] = gains[node] = -np.inf
        return gains, np.zeros(self.p, dtype=bool)

    def fit(self, node: int, parents: Parents) -> NodeFit:
        """Coefficients of `node` on its parents, in their order; the intercept is 0."""
        chosen = np.asarray(parents, dtype=np.int64)
        response, inside = self._responses[node], np.ascontiguousarray(self._features[:, chosen])
        beta, value = _fitted(response, inside, compiled=False)
        undetermined = len(chosen) > 0 and response.least_curvature(beta, inside) < FLAT
        return NodeFit(np.zeros(1), beta, value, np.nan, undetermined)

    def value_and_grad(self, psi: Array) -> tuple[float, Array]:
        """The sum of the negative log-likelihoods at B."""
        eta, value, pulls = self._features @ self.adjacency(psi), 0.0, np.empty_like(self._features)
        for node, response in enumerate(self._responses):
            least, pull = response.value_and_pull(eta[:, node : node + 1])
            value, pulls[:, node] = value + least, pull[:, 0]
        return value, (self._features.T @ pulls).reshape(-1)

    def _newton(self, node: int, chosen: NDArray[np.int64]) -> tuple[Array, float]:
        key = (node, chosen.tobytes())
        if key not in self._fits:
            self._fits[key] = _fitted(self._responses[node], np.ascontiguousarray(self._features[:, chosen]))
        return self._fits[key]


def _response(column: Column, values: Array, weights: Array) -> CompiledResponse:
    response = column.family.response(values, weights, column.levels)
    if not isinstance(response, CompiledResponse) or response.outputs > 1:
        raise OptionError(
            f"column {column.name!r}: only logistic and Poisson columns can do without an intercept"
        )
    return response


def _fitted(response: CompiledResponse, features: Array, compiled: bool = True) -> tuple[Array, float]:
    """Coefficients, (k, 1), and the minimum."""
    beta = np.zeros((features.shape[1], 1))
    if not len(beta):
        return beta, response.value_and_pull(np.zeros((len(features), 1)))[0]
    return beta, response.fit_through_origin(features, beta, compiled)
