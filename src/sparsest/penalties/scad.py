"""SCAD, the smoothly clipped absolute deviation (Fan & Li, 2001; Appendix C.5)."""

from dataclasses import dataclass

import numpy as np

from sparsest._core.errors import OptionError
from sparsest.penalties.base import Array, positive


@dataclass(frozen=True)
class SCAD:
    """SCAD: λ|t| up to λ, a parabola up to aλ, ``λ²(a + 1)/2`` beyond.

    Parameters
    ----------
    lam : float
        λ, the slope at zero, positive.
    a : float
        Where the penalty levels off, in units of λ; greater than 2.

    Examples
    --------
    >>> import numpy as np
    >>> SCAD(lam=1, a=3).value(np.array([0.5, 1.0, 3.0, 9.0]))
    array([0.5, 1. , 2. , 2. ])
    """

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
        return self.lam * np.abs(t) + self.remainder(t)[0]

    def remainder(self, t: Array) -> tuple[Array, Array]:
        """The smooth part, ``p(t) − λ|t|``.

        Parameters
        ----------
        t : array
            Weights.

        Returns
        -------
        value : array
            0 up to λ, −(|t| − λ)²/2(a − 1) up to aλ, and a straight line beyond.
        derivative : array
            Its derivative.
        """
        over = np.clip(np.abs(t) - self.lam, 0.0, (self.a - 1) * self.lam)
        beyond = np.maximum(np.abs(t) - self.a * self.lam, 0.0)
        return -(over**2) / (2 * (self.a - 1)) - self.lam * beyond, -np.sign(t) * over / (self.a - 1)
