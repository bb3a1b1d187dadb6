"""A column of a regression model: its likelihood as a response and its features as a parent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sparsest.data.columns.kinds import Kind
from sparsest.scores.bases import Basis
from sparsest.scores.glm import Response

Array = NDArray[np.float64]


class Family(Protocol):
    """Protocol for the likelihood of a column given its parents."""

    @property
    def name(self) -> str:
        """The name that identifies it in saved files."""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of columns to which `model="mixed"` gives it."""

    @property
    def bases(self) -> tuple[type[Basis], ...]:
        """The classes of features that such columns may have."""

    @property
    def has_units(self) -> bool:
        """Whether the column may come in other units: its predictors are then in standard deviations."""

    def outputs(self, levels: int) -> int:
        """The number of linear predictors."""

    def levels(self, values: Array) -> int:
        """The number of values of a binary or categorical column; 0 for numbers and counts."""

    def basis(self, values: Array, weights: Array, spline: int = 0) -> Basis:
        """The features of such a column as a parent; row weights sum to 1.

        `spline` is the number of degrees of freedom of a spline, or 0 for a linear effect.
        """

    def refuse(self, model: str, name: str, values: Array, levels: Sequence[str] | None) -> None:
        """Raise a DataError that names the column if its values are impossible under this likelihood."""

    def response(self, values: Array, weights: Array, levels: int) -> Response | None:
        """The column as the response of a regression; None if it is fitted by least squares."""

    def mean(self, predictors: Array, basis: Basis) -> Array:
        """The conditional mean at the linear predictors, (n,), or (n, levels) probabilities."""

    def variance(self, mean: Array) -> Array | None:
        """The conditional variance of each row given its mean; None if it is a separate parameter."""

    def log_likelihood(self, given: Array, mean: Array, variance: float) -> Array:
        """The log-likelihood of each value at its conditional mean."""

    def draw(self, mean: Array, variance: float, rng: np.random.Generator, name: str) -> Array:
        """One random value for each conditional mean; `name` is the column, for messages."""


@dataclass(frozen=True, eq=False)
class Column:
    """The name of a column, its likelihood, and its features as a parent.

    `levels` is the number of values of a binary or categorical column; 0 for numbers and counts.
    """

    name: str
    family: Family
    basis: Basis
    levels: int = 0

    @classmethod
    def of(cls, name: str, values: Array, family: Family, weights: Array, spline: int = 0) -> Column:
        """A column of a table, with row weights that sum to 1."""
        return cls(name, family, family.basis(values, weights, spline), family.levels(values))

    @property
    def outputs(self) -> int:
        """The number of linear predictors of its likelihood."""
        return self.family.outputs(self.levels)
