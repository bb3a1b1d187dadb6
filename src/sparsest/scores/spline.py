"""Causal additive models: x_j = Σ_i f_ij(x_i) + noise, every f_ij a spline (Bühlmann, Peters & Ernest, 2014).

Each column is expanded into a few features once. Local scores then need only the Gram matrix of all features,
so their cost does not depend on the number of rows (scores/regression.py does the regressions).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Features per column and degrees of freedom per edge; fewer if a column has few distinct values.
DEGREES = 6
_SMALLEST = 1e-10  # directions of a basis with a smaller share of its largest variance are rounding errors


@dataclass(frozen=True, eq=False)
class Spline:
    """A natural cubic spline: cubic between knots at quantiles, linear beyond the outermost ones.

    `transform` makes the features uncorrelated with unit variance on the rows of the table, so that
    regressions on them are well conditioned.
    """

    centre: float
    scale: float
    knots: Array
    means: Array
    transform: Array

    kind: ClassVar[str] = "spline"

    @classmethod
    def of(cls, column: Array, weights: Array, degrees: int = DEGREES) -> Spline:
        """The basis for a column, with row weights that sum to 1."""
        centre = float(weights @ column)
        scale = float(np.sqrt(weights @ (column - centre) ** 2))
        standard = (column - centre) / scale
        knots = _knots(standard, degrees + 1)
        raw = _natural(standard, knots)
        means = weights @ raw
        spread = np.sqrt(weights @ (raw - means) ** 2)
        scaled = (raw - means) / spread
        values, vectors = np.linalg.eigh(scaled.T @ (weights[:, None] * scaled))
        kept = values > _SMALLEST * values[-1]
        transform = (vectors[:, kept] / np.sqrt(values[kept])) / spread[:, None]
        return cls(centre, scale, knots, means, transform)

    @property
    def width(self) -> int:
        """The degrees of freedom."""
        return int(self.transform.shape[1])

    def features(self, column: Array) -> Array:
        """(n, width)."""
        raw = _natural((column - self.centre) / self.scale, self.knots)
        features: Array = (raw - self.means) @ self.transform
        return features

    def spread(self, part: Array) -> float:
        """The sum of squares: the features are uncorrelated with variance 1."""
        return float((part**2).sum())

    def state(self) -> dict[str, Any]:
        """The numbers behind the basis."""
        return {
            "kind": self.kind,
            "centre": self.centre,
            "scale": self.scale,
            "knots": self.knots.tolist(),
            "means": self.means.tolist(),
            "transform": self.transform.tolist(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Spline:
        """The basis that `state` was taken from."""
        arrays = (np.array(state[name]) for name in ("knots", "means", "transform"))
        return cls(state["centre"], state["scale"], *arrays)


def _knots(column: Array, count: int) -> Array:
    """Knots at evenly spaced quantiles, slightly inside the range; fewer if values are repeated."""
    outer = min(0.02, 5 / len(column))
    knots = np.unique(np.quantile(column, np.linspace(outer, 1 - outer, count)))
    return knots if len(knots) > 1 else np.unique(column)[[0, -1]]


def _natural(x: Array, knots: Array) -> Array:
    """A line and one cubic per inner knot, linear beyond the last (Hastie, Tibshirani & Friedman, 5.2.1)."""
    if len(knots) < 3:
        return x[:, None]
    first, last = knots[:-1], knots[-1]
    beyond = np.maximum(x[:, None] - knots, 0)
    cubes = beyond * beyond * beyond  # a power would take ten times as long
    slopes = (cubes[:, :-1] - cubes[:, -1:]) / (last - first)
    return np.column_stack([x, slopes[:, :-1] - slopes[:, -1:]])
