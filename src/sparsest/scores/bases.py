"""The features of a column as a parent, centred so that they do not affect intercepts.

A column that enters linearly has one feature, a categorical one an indicator per level but the first, and a
column of an additive model a spline basis (scores/spline.py). Features are computed from the user's numbers,
so a basis applies to new rows too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Basis(Protocol):
    """Features of one column; `kind` names the class in saved files, and `from_state` restores one."""

    kind: ClassVar[str]

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Basis:
        """The basis that `state` was taken from."""

    @property
    def width(self) -> int:
        """The number of features: the number of parameters of an edge to a node with one output."""

    def features(self, column: Array) -> Array:
        """The features of a column of numbers, (n, width)."""

    def spread(self, part: Array) -> float:
        """The variance of `features @ part`, summed over the outputs, on the rows the basis was made for."""

    def state(self) -> dict[str, Any]:
        """The basis as plain numbers and lists, with its `kind`."""


@dataclass(frozen=True)
class Linear:
    """The standardised column."""

    centre: float
    scale: float

    kind: ClassVar[str] = "linear"
    width: ClassVar[int] = 1

    @classmethod
    def of(cls, column: Array, weights: Array) -> Linear:
        """The basis for a column, with row weights that sum to 1."""
        centre = float(weights @ column)
        return cls(centre, float(np.sqrt(weights @ (column - centre) ** 2)))

    def features(self, column: Array) -> Array:
        """One feature."""
        return ((column - self.centre) / self.scale)[:, None]

    def spread(self, part: Array) -> float:
        """The sum of squares: the feature has variance 1."""
        return float((part**2).sum())

    def state(self) -> dict[str, Any]:
        """Centre and scale."""
        return {"kind": self.kind, "centre": self.centre, "scale": self.scale}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Linear:
        """The basis that `state` was taken from."""
        return cls(state["centre"], state["scale"])


@dataclass(frozen=True)
class Levels:
    """Centred indicators of the levels 1, 2, ... of a categorical column; level 0 is the reference."""

    shares: tuple[float, ...]

    kind: ClassVar[str] = "levels"

    @classmethod
    def of(cls, column: Array, weights: Array, levels: int) -> Levels:
        """The basis for a column of codes, with row weights that sum to 1."""
        return cls(tuple(float(weights @ (column == level)) for level in range(1, levels)))

    @property
    def width(self) -> int:
        """The number of levels minus 1."""
        return len(self.shares)

    def features(self, column: Array) -> Array:
        """One indicator per level but the first."""
        indicators = column[:, None] == np.arange(1, self.width + 1)
        features: Array = indicators - np.array(self.shares)
        return features

    def spread(self, part: Array) -> float:
        """From the covariance of the indicators."""
        shares = np.array(self.shares)
        covariance = np.diag(shares) - np.outer(shares, shares)
        return float((part * (covariance @ part)).sum())

    def state(self) -> dict[str, Any]:
        """The shares."""
        return {"kind": self.kind, "shares": list(self.shares)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Levels:
        """The basis that `state` was taken from."""
        return cls(tuple(state["shares"]))
