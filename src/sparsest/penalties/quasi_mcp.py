"""quasi-MCP, the paper's penalty (Equation 8): quadratic up to δ, flat beyond, an edge counter; and MCP."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsest.penalties.base import Array, positive


@dataclass(frozen=True)
class QuasiMCP:
    """quasi-MCP: `λ(|t| − t²/2δ)` for `|t| < δ` and `λδ/2` from δ on."""

    lam: float
    delta: float

    def __post_init__(self) -> None:
        positive("QuasiMCP", lam=self.lam, delta=self.delta)

    @property
    def slope(self) -> float:
        """λ."""
        return self.lam

    @property
    def cost(self) -> float:
        """The cost per edge, c = λδ/2."""
        return self.lam * self.delta / 2

    def value(self, t: Array) -> Array:
        """p(t), entry by entry."""
        size = np.minimum(np.abs(t), self.delta)
        return self.lam * (size - size**2 / (2 * self.delta))

    def derivative(self, t: Array) -> Array:
        """λ(1 − |t|/δ) sign(t) inside, 0 outside."""
        return self.lam * np.sign(t) * np.maximum(1 - np.abs(t) / self.delta, 0.0)

    def remainder(self, t: Array) -> tuple[Array, Array]:
        """−λt²/2δ inside and λδ/2 − λ|t| outside, with derivative −λ · clip(t/δ, −1, 1)."""
        size = np.abs(t)
        inside = np.minimum(size, self.delta)
        value = -self.lam * (inside**2 / (2 * self.delta) + (size - inside))
        return value, -self.lam * np.clip(t / self.delta, -1.0, 1.0)

    def prox(self, t: Array, step: float) -> Array:
        """Firm thresholding; hard thresholding at √(step · λδ) once `step ≥ δ/λ`.

        From that step on the objective is concave on (0, δ): its minimum is at 0 or at t itself.
        """
        size = np.abs(t)
        if step * self.lam >= self.delta:
            return np.where(size**2 > step * self.lam * self.delta, t, 0.0)
        shrunk = np.maximum(size - step * self.lam, 0.0) / (1 - step * self.lam / self.delta)
        return np.where(size >= self.delta, t, np.sign(t) * shrunk)

    def shrunk(self, factor: float) -> QuasiMCP:
        """The penalty with λ and δ multiplied by `factor`: the next round of Algorithm 1."""
        return QuasiMCP(self.lam * factor, self.delta * factor)


class MCP(QuasiMCP):
    """The minimax concave penalty (Zhang, 2010): quasi-MCP with δ = aλ (Appendix C.5)."""

    def __init__(self, lam: float, a: float):
        positive("MCP", lam=lam, a=a)
        super().__init__(lam, a * lam)

    @property
    def a(self) -> float:
        """δ/λ: where the penalty levels off, in units of λ."""
        return self.delta / self.lam

    def __repr__(self) -> str:
        return f"MCP(lam={self.lam}, a={self.a:g})"
