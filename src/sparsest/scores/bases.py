"""What a column contributes as a parent: its features, centred, so that intercepts stay out of the way.

One number for a column that enters linearly, an indicator a level for a categorical one, a spline for an
additive model (scores/additive.py). Features are computed from the user's numbers, so a basis also serves
new rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Basis(Protocol):
    """Features of one column."""

    @property
    def width(self) -> int:
        """How many features there are: the parameters of an edge to a node with one output."""

    def features(self, column: Array) -> Array:
        """(n, width) for the numbers of a column."""

    def state(self) -> dict[str, Any]:
        """The basis as plain numbers and lists, with its `kind`."""


@dataclass(frozen=True)
class Linear:
    """The column itself, less its mean, in units of its standard deviation."""

    centre: float
    scale: float

    kind: ClassVar[str] = "linear"
    width: ClassVar[int] = 1

    @classmethod
    def of(cls, column: Array, weights: Array) -> Linear:
        """For a column whose rows have weights that add up to 1."""
        centre = float(weights @ column)
        return cls(centre, float(np.sqrt(weights @ (column - centre) ** 2)))

    def features(self, column: Array) -> Array:
        """One feature."""
        return ((column - self.centre) / self.scale)[:, None]

    def state(self) -> dict[str, Any]:
        """Centre and scale."""
        return {"kind": self.kind, "centre": self.centre, "scale": self.scale}


@dataclass(frozen=True)
class Levels:
    """Indicators of the levels 1, 2, ... of a categorical column, less their shares; level 0 is the rest."""

    shares: tuple[float, ...]

    kind: ClassVar[str] = "levels"

    @classmethod
    def of(cls, column: Array, weights: Array, levels: int) -> Levels:
        """For a column of codes whose rows have weights that add up to 1."""
        return cls(tuple(float(weights @ (column == level)) for level in range(1, levels)))

    @property
    def width(self) -> int:
        """One less than the levels."""
        return len(self.shares)

    def features(self, column: Array) -> Array:
        """An indicator a level."""
        indicators = column[:, None] == np.arange(1, self.width + 1)
        features: Array = indicators - np.array(self.shares)
        return features

    def state(self) -> dict[str, Any]:
        """The shares."""
        return {"kind": self.kind, "shares": list(self.shares)}
