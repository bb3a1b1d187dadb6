"""Continuous columns: a mean plus Gaussian noise, each column with its own variance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sparsest.data.columns.kinds import Kind
from sparsest.scores.bases import Basis, Linear
from sparsest.scores.families.base import Array
from sparsest.scores.spline import Spline


class GaussianFamily:
    """Gaussian noise; predictors are in standard deviations of the column."""

    name = "gaussian"
    kinds = (Kind.CONTINUOUS, Kind.ORDINAL)
    bases = (Linear, Spline)
    has_units = True

    def outputs(self, levels: int) -> int:  # noqa: ARG002
        """One."""
        return 1

    def levels(self, values: Array) -> int:  # noqa: ARG002
        """None: 0."""
        return 0

    def basis(self, values: Array, weights: Array, spline: int = 0) -> Basis:
        """A spline, or the column itself."""
        return Spline.of(values, weights, spline) if spline > 1 else Linear.of(values, weights)

    def refuse(self, model: str, name: str, values: Array, levels: Sequence[str] | None) -> None:
        """Every number is accepted."""

    def response(self, values: Array, weights: Array, levels: int) -> None:  # noqa: ARG002
        """Fitted by least squares, which needs only the Gram matrix of the features."""
        return

    def mean(self, predictors: Array, basis: Basis) -> Array:
        """The mean in the units of the column."""
        centre, scale = centre_and_scale(basis)
        mean: Array = centre + scale * predictors[:, 0]
        return mean

    def variance(self, mean: Array) -> None:  # noqa: ARG002
        """A separate parameter."""
        return

    def log_likelihood(self, given: Array, mean: Array, variance: float) -> Array:
        """The normal log-density."""
        density: Array = -0.5 * (np.log(2 * np.pi * variance) + (given - mean) ** 2 / variance)
        return density

    def draw(self, mean: Array, variance: float, rng: np.random.Generator, name: str) -> Array:  # noqa: ARG002
        """Normal values."""
        return mean + math.sqrt(variance) * rng.standard_normal(len(mean))


def centre_and_scale(basis: Basis) -> tuple[float, float]:
    """Mean and standard deviation of a Gaussian column."""
    assert isinstance(basis, (Linear, Spline))  # Gaussian columns have no other
    return basis.centre, basis.scale
