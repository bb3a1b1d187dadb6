"""The ℓ0 penalty: every edge costs c, whatever its weight. What the discrete searches minimise."""

from dataclasses import dataclass

import numpy as np

from sparsest.penalties.base import Array, positive


@dataclass(frozen=True)
class L0:
    """The ℓ0 penalty c · [t ≠ 0]."""

    cost: float

    def __post_init__(self) -> None:
        positive("L0", cost=self.cost)

    def value(self, t: Array) -> Array:
        """C where t is not zero."""
        return np.where(t != 0, self.cost, 0.0)

    def prox(self, t: Array, step: float) -> Array:
        """Hard thresholding at √(2 · step · c)."""
        return np.where(t**2 > 2 * step * self.cost, t, 0.0)
