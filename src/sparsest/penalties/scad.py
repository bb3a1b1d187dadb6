"""SCAD, the smoothly clipped absolute deviation (Fan & Li, 2001; Appendix C.5)."""

from dataclasses import dataclass

import numpy as np

from sparsest._core.errors import OptionError
from sparsest.penalties.base import Array, positive


@dataclass(frozen=True)
class SCAD:
    """SCAD: λ|t| up to λ, a parabola up to aλ, `λ²(a + 1)/2` beyond. Needs a > 2."""

    lam: float
    a: float = 3.7

    def __post_init__(self) -> None:
        positive("SCAD", lam=self.lam, a=self.a)
        if self.a <= 2:
            raise OptionError(f"SCAD needs a > 2, but a = {self.a!r}")

    @property
    def slope(self) -> float:
        """λ."""
        return self.lam

    @property
    def cost(self) -> float:
        """The cost per edge, λ²(a + 1)/2."""
        return self.lam**2 * (self.a + 1) / 2

    def value(self, t: Array) -> Array:
        """p(t), entry by entry."""
        return self.lam * np.abs(t) + self.remainder(t)[0]

    def derivative(self, t: Array) -> Array:
        """λ up to λ, then falling linearly to 0 at aλ; with the sign of t."""
        falling = (self.a * self.lam - np.abs(t)) / (self.a - 1)
        return np.sign(t) * np.clip(falling, 0.0, self.lam)

    def remainder(self, t: Array) -> tuple[Array, Array]:
        """−(|t| − λ)²/2(a − 1) between λ and aλ, a straight line beyond."""
        over = np.clip(np.abs(t) - self.lam, 0.0, (self.a - 1) * self.lam)
        beyond = np.maximum(np.abs(t) - self.a * self.lam, 0.0)
        return -(over**2) / (2 * (self.a - 1)) - self.lam * beyond, -np.sign(t) * over / (self.a - 1)

    def prox(self, t: Array, step: float) -> Array:
        """The best of the stationary points of the three pieces, each kept on its piece."""
        size = np.abs(t)
        lam, a = self.lam, self.a
        inner = np.clip(size - step * lam, 0.0, lam)
        curvature = 1 - step / (a - 1)  # of the middle piece; not positive: its ends are the candidates
        middle = (
            np.clip((size - step * a * lam / (a - 1)) / curvature, lam, a * lam) if curvature > 0 else inner
        )
        candidates = np.stack([inner, middle, np.maximum(size, a * lam)])
        best = np.argmin(0.5 * (candidates - size) ** 2 + step * self.value(candidates), axis=0)
        chosen: Array = np.take_along_axis(candidates, best[None], axis=0)[0]
        return np.sign(t) * chosen
