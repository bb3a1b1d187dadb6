"""Counts: the logarithm of the mean is linear in the parents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import gammaln, xlogy

from sparsest._core.errors import DataError
from sparsest.data.columns.kinds import Kind
from sparsest.scores.bases import Basis, Linear
from sparsest.scores.families.base import Array
from sparsest.scores.glm import POISSON, Response, means
from sparsest.scores.responses import response_of

_LARGEST_RATE = 1e15  # larger rates are implausible for counts


class PoissonFamily:
    """Counts with a log-linear rate."""

    name = "poisson"
    kinds = (Kind.COUNT,)
    bases = (Linear,)
    has_units = False

    def outputs(self, levels: int) -> int:  # noqa: ARG002
        """One."""
        return 1

    def levels(self, values: Array) -> int:  # noqa: ARG002
        """None: 0."""
        return 0

    def basis(self, values: Array, weights: Array, spline: int = 0) -> Basis:  # noqa: ARG002
        """The column itself."""
        return Linear.of(values, weights)

    def refuse(self, model: str, name: str, values: Array, levels: Sequence[str] | None) -> None:  # noqa: ARG002
        """Refuse negative and fractional values."""
        wrong = (values < 0) | (values != np.floor(values))
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise DataError(
                f"model {model!r} needs counts, non-negative whole numbers, and column {name!r} has "
                f"{values[row]:.6g} in row {row} (counting from 0): use model='mixed' with "
                f"kinds={{{name!r}: 'continuous'}}, or leave it out"
            )

    def response(self, values: Array, weights: Array, levels: int) -> Response:  # noqa: ARG002
        """The counts themselves."""
        return response_of(POISSON, values[:, None], weights)

    def mean(self, predictors: Array, basis: Basis) -> Array:  # noqa: ARG002
        """The rate."""
        return means(POISSON, predictors)[:, 0]

    def variance(self, mean: Array) -> Array:
        """The rate."""
        return mean

    def log_likelihood(self, given: Array, mean: Array, variance: float) -> Array:  # noqa: ARG002
        """The logarithm of the probability of the count."""
        with np.errstate(divide="ignore"):
            poisson: Array = xlogy(given, mean) - mean - gammaln(given + 1)
        return poisson

    def draw(self, mean: Array, variance: float, rng: np.random.Generator, name: str) -> Array:  # noqa: ARG002
        """Poisson counts."""
        if mean.max(initial=0) > _LARGEST_RATE:
            raise DataError(
                f"the fitted rate of the count {name!r} exceeds {_LARGEST_RATE:g} in a sample: its parents "
                "take values far from those in the fitted data"
            )
        return rng.poisson(mean).astype(float)
