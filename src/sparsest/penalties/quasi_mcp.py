"""quasi-MCP, the paper's penalty (Equation 10): quadratic up to δ, flat beyond, an edge counter; and MCP."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsest.penalties.base import Array, positive


@dataclass(frozen=True)
class QuasiMCP:
    """quasi-MCP, the paper's penalty: ``λ(|t| − t²/2δ)`` for ``|t| < δ`` and ``λδ/2`` from δ on.

    Every coefficient of at least δ in absolute value costs the same, so the penalty counts edges without
    biasing large coefficients.

    Parameters
    ----------
    lam : float
        λ, the slope at zero, positive.
    delta : float
        δ, where the penalty levels off, positive.

    Examples
    --------
    >>> import numpy as np
    >>> penalty = QuasiMCP(lam=2, delta=1)
    >>> penalty.value(np.array([0.0, 0.5, 1.0, 7.0]))
    array([0.  , 0.75, 1.  , 1.  ])
    >>> penalty.cost
    1.0
    """

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
        """The penalty p(t).

        Parameters
        ----------
        t : array
            Weights.

        Returns
        -------
        array
            p(t), entry by entry.
        """
        size = np.minimum(np.abs(t), self.delta)
        return self.lam * (size - size**2 / (2 * self.delta))

    def remainder(self, t: Array) -> tuple[Array, Array]:
        """The smooth part, ``p(t) − λ|t|``.

        Parameters
        ----------
        t : array
            Weights.

        Returns
        -------
        value : array
            −λt²/2δ for |t| < δ, and λδ/2 − λ|t| from δ on.
        derivative : array
            −λ · clip(t/δ, −1, 1).
        """
        size = np.abs(t)
        inside = np.minimum(size, self.delta)
        value = -self.lam * (inside**2 / (2 * self.delta) + (size - inside))
        return value, -self.lam * np.clip(t / self.delta, -1.0, 1.0)

    def shrunk(self, factor: float) -> QuasiMCP:
        """The penalty with smaller λ and δ, for the next round of Algorithm 1.

        Parameters
        ----------
        factor : float
            The number by which λ and δ are multiplied.

        Returns
        -------
        QuasiMCP
        """
        return QuasiMCP(self.lam * factor, self.delta * factor)


class MCP(QuasiMCP):
    """The minimax concave penalty (Zhang, 2010): quasi-MCP with δ = aλ (Appendix C.5).

    Parameters
    ----------
    lam : float
        λ, the slope at zero, positive.
    a : float
        Where the penalty levels off, in units of λ, positive.

    Examples
    --------
    >>> MCP(lam=0.5, a=4).delta
    2.0
    >>> MCP(lam=0.5, a=4).cost
    0.5
    """

    def __init__(self, lam: float, a: float):
        positive("MCP", lam=lam, a=a)
        super().__init__(lam, a * lam)

    @property
    def a(self) -> float:
        """δ/λ: where the penalty levels off, in units of λ."""
        return self.delta / self.lam

    def __repr__(self) -> str:
        return f"MCP(lam={self.lam}, a={self.a:g})"
