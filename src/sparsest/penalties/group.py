"""Penalties on the norms of groups of parameters: one edge may own many (Section 5, B(ψ) of a network)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsest.penalties.base import Array, SoftPenalty


@dataclass(frozen=True, eq=False)
class Grouped:
    """`Σ_g p(‖ψ_g‖)` for a penalty p: whole groups become zero together.

    `groups[i]` is the number of the group of parameter i, counted from 0; −1 leaves it unpenalised.
    """

    penalty: SoftPenalty
    groups: NDArray[np.int64]

    def norms(self, psi: Array) -> Array:
        """‖ψ_g‖, one a group."""
        inside = self.groups >= 0
        return np.sqrt(np.bincount(self.groups[inside], weights=psi[inside] ** 2))

    def value(self, psi: Array) -> float:
        """The sum over the groups."""
        return float(self.penalty.value(self.norms(psi)).sum())

    def gradient(self, psi: Array) -> Array:
        """The gradient with respect to ψ; 0 on groups that are zero."""
        norms = self.norms(psi)
        factors = self.penalty.derivative(norms) / np.where(norms > 0, norms, 1.0)
        return psi * self._spread(factors)

    def prox(self, psi: Array, step: float) -> Array:
        """Each group shrunk to the prox of its norm; parameters without a group stay as they are."""
        norms = self.norms(psi)
        factors = self.penalty.prox(norms, step) / np.where(norms > 0, norms, 1.0)
        return np.where(self.groups >= 0, psi * self._spread(factors), psi)

    def _spread(self, per_group: Array) -> Array:
        return np.where(self.groups >= 0, np.append(per_group, 0.0)[self.groups], 0.0)
