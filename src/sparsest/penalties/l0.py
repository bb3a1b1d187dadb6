"""The ℓ0 penalty: every edge costs c, whatever its weight. It is what the discrete searches minimise."""

from dataclasses import dataclass

import numpy as np

from sparsest.penalties.base import Array, positive


@dataclass(frozen=True)
class L0:
    """The ℓ0 penalty c · [t ≠ 0].

    Parameters
    ----------
    cost : float
        The cost per edge c, positive.

    Examples
    --------
    >>> import numpy as np
    >>> L0(0.5).value(np.array([0.0, 0.1, -3.0]))
    array([0. , 0.5, 0.5])
    """

    cost: float

    def __post_init__(self) -> None:
        positive("L0", cost=self.cost)

    def value(self, t: Array) -> Array:
        """The cost where t is not zero, else 0."""
        return np.where(t != 0, self.cost, 0.0)
