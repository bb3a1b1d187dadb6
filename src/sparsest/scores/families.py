"""What each column of a model is: its likelihood as a response, its features as a parent."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsest.scores.bases import Basis, Levels, Linear
from sparsest.scores.spline import Spline

Array = NDArray[np.float64]


class Family(enum.StrEnum):
    """The likelihood of a column given its parents."""

    GAUSSIAN = "gaussian"  #: a mean plus noise of its own variance
    BERNOULLI = "bernoulli"  #: logistic regression, values 0 and 1
    POISSON = "poisson"  #: counts, the logarithm of the mean is linear
    MULTINOMIAL = "multinomial"  #: softmax regression, codes 0, 1, 2, ...


@dataclass(frozen=True, eq=False)
class Column:
    """A column's name, its likelihood, and what it contributes as a parent.

    `levels` is the number of values of a binary or categorical column; 0 for numbers and counts.
    """

    name: str
    family: Family
    basis: Basis
    levels: int = 0

    @property
    def outputs(self) -> int:
        """How many linear predictors the likelihood has: one, or one less than the levels."""
        return max(1, self.levels - 1)


def column(name: str, values: Array, family: Family, weights: Array, spline: int = 0) -> Column:
    """A column of a table; `weights` of the rows add up to 1; `spline` degrees of freedom, 0 for a line."""
    if family is Family.MULTINOMIAL:
        levels = int(values.max()) + 1
        return Column(name, family, Levels.of(values, weights, levels), levels)
    levels = 2 if family is Family.BERNOULLI else 0
    if spline > 1 and family is Family.GAUSSIAN:
        return Column(name, family, Spline.of(values, weights, spline), levels)
    return Column(name, family, Linear.of(values, weights), levels)
