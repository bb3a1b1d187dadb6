"""The ℓ1 penalty: λ|t|. It counts edges badly and biases the coefficients (Appendix C.4)."""

import math
from dataclasses import dataclass

import numpy as np

from sparsest.penalties.base import Array, positive


@dataclass(frozen=True)
class L1:
    """The ℓ1 penalty λ|t|.

    It has no cost per edge, so discrete searches refuse it; it is the penalty of NOTEARS, GOLEM and DAGMA.

    Parameters
    ----------
    lam : float
        λ, positive.

    Examples
    --------
    >>> import numpy as np
    >>> L1(0.5).value(np.array([0.0, 0.1, -3.0]))
    array([0.  , 0.05, 1.5 ])
    """

    lam: float

    def __post_init__(self) -> None:
        positive("L1", lam=self.lam)

    @property
    def slope(self) -> float:
        """λ."""
        return self.lam

    @property
    def cost(self) -> float:
        """Infinite: the penalty of an edge grows with its coefficient."""
        return math.inf

    def value(self, t: Array) -> Array:
        """The penalty λ|t|.

        Parameters
        ----------
        t : array
            Weights.

        Returns
        -------
        array
            λ|t|, entry by entry.
        """
        return self.lam * np.abs(t)

    def remainder(self, t: Array) -> tuple[Array, Array]:
        """The smooth part, which is zero.

        Parameters
        ----------
        t : array
            Weights.

        Returns
        -------
        value, derivative : array
            Zeros.
        """
        zero = np.zeros_like(t)
        return zero, zero
