"""Where an objective has kinks: at entries that are 0, or at whole groups of entries that are.

Both halves of OWL-QN's idea (Andrew & Gao, 2007) carry over from |ψ_i| to norms ‖ψ_g‖: the least subgradient
says whether a group at 0 should leave, and a step that would carry a group past 0 stops there. For groups of
one entry the two are the same.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Kinks(Protocol):
    """The part of an objective that is not smooth."""

    def value(self, psi: Array) -> float:
        """Its value."""

    def subgradient(self, psi: Array, gradient: Array) -> Array:
        """The least subgradient of the whole objective, given the gradient of its smooth part."""

    def uphill(self, psi: Array, gradient: Array) -> Array:
        """A subgradient of the whole objective, in which kinks at ψ itself count for nothing."""

    def curved(self, psi: Array, gradient: Array) -> Array:
        """The gradient of everything that is curved away from the kinks: its changes give the curvature."""

    def align(self, direction: Array, subgradient: Array) -> None:
        """Set the parts of a direction that have a kink and do not go downhill on their own to 0."""

    def facing(self, psi: Array, subgradient: Array) -> Array:
        """The side of its kink that each entry is on or is heading for; 0 where there is no kink."""

    def stop(self, candidate: Array, facing: Array) -> None:
        """Set what has passed its kink to 0."""


class Entries:
    """`Σ_i weights_i |ψ_i|`."""

    def __init__(self, weights: Array):
        self.weights = weights

    def value(self, psi: Array) -> float:
        """The weighted sum."""
        return float(self.weights @ np.abs(psi))

    def subgradient(self, psi: Array, gradient: Array) -> Array:
        """The subgradient of least norm: zero exactly at a stationary point."""
        at_zero = np.sign(gradient) * np.maximum(np.abs(gradient) - self.weights, 0.0)
        return np.where(psi == 0, at_zero, gradient + self.weights * np.sign(psi))

    def uphill(self, psi: Array, gradient: Array) -> Array:
        """The weights with the signs of ψ added."""
        return gradient + self.weights * np.sign(psi)

    def curved(self, psi: Array, gradient: Array) -> Array:  # noqa: ARG002
        """The gradient as it is: |ψ_i| is linear on either side."""
        return gradient

    def align(self, direction: Array, subgradient: Array) -> None:
        """Entry by entry."""
        direction[(self.weights > 0) & (direction * subgradient >= 0)] = 0.0

    def facing(self, psi: Array, subgradient: Array) -> Array:
        """One sign per entry."""
        orthant = np.where(psi == 0, -np.sign(subgradient), np.sign(psi))
        orthant[self.weights == 0] = 0.0  # nothing to stop at
        return orthant

    def stop(self, candidate: Array, facing: Array) -> None:
        """Entries that changed sides."""
        candidate[candidate * facing < 0] = 0.0


class Groups:
    """`Σ_g weights_g ‖ψ_g‖`; entry k belongs to group `groups[k]`, to none where that is −1."""

    def __init__(self, weights: Array, groups: NDArray[np.int64]):
        self.weights = weights
        self._groups = groups
        self._inside = np.flatnonzero((groups >= 0) & (np.append(weights, 0.0)[groups] > 0))
        self._of = groups[self._inside]

    def value(self, psi: Array) -> float:
        """The weighted sum of norms."""
        return float(self.weights @ np.sqrt(self._sums(psi, psi)))

    def subgradient(self, psi: Array, gradient: Array) -> Array:
        """At 0 a group's gradient is shortened by its weight; elsewhere the norm has a gradient."""
        return self._with_norms(psi, gradient, shorten=True)

    def uphill(self, psi: Array, gradient: Array) -> Array:
        """The gradients of the norms added, where there are any."""
        return self._with_norms(psi, gradient, shorten=False)

    def curved(self, psi: Array, gradient: Array) -> Array:
        """The norms included: they curve across their own direction."""
        return self.uphill(psi, gradient)

    def align(self, direction: Array, subgradient: Array) -> None:
        """Group by group: one that goes uphill stays."""
        uphill = self._sums(direction, subgradient) >= 0
        direction[self._inside[uphill[self._of]]] = 0.0

    def facing(self, psi: Array, subgradient: Array) -> Array:
        """One vector per group: where it is, or where it would go from 0."""
        away = self._sums(psi, psi) > 0
        facing = np.zeros_like(psi)
        facing[self._inside] = np.where(away[self._of], psi[self._inside], -subgradient[self._inside])
        return facing

    def stop(self, candidate: Array, facing: Array) -> None:
        """Groups that turned by more than a right angle."""
        passed = self._sums(candidate, facing) < 0
        candidate[self._inside[passed[self._of]]] = 0.0

    def _sums(self, left: Array, right: Array) -> Array:
        products = left[self._inside] * right[self._inside]
        sums = np.bincount(self._of, weights=products, minlength=len(self.weights))
        return sums.astype(np.float64, copy=False)

    def _with_norms(self, psi: Array, gradient: Array, shorten: bool) -> Array:
        norms = np.sqrt(self._sums(psi, psi))
        at_zero = norms == 0
        pull = (self.weights / np.where(at_zero, 1.0, norms))[self._of] * psi[self._inside]
        inside = gradient[self._inside] + pull
        if shorten:
            slopes = np.sqrt(self._sums(gradient, gradient))
            kept = np.maximum(1 - self.weights / np.where(slopes > 0, slopes, 1.0), 0.0)
            inside *= np.where(at_zero, kept, 1.0)[self._of]
        result = gradient.copy()
        result[self._inside] = inside
        return result
