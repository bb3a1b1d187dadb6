"""The protocol for acyclicity constraints."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


#: Values of h beyond this count as outside the domain: their squares would overflow.
LARGEST = 1e100


class Constraint(Protocol):
    """Protocol for acyclicity constraints: h(S) ≥ 0, and h(S) = 0 exactly where the graph of S has no cycle.

    All known constraints depend on the weights only through their squares S = B∘B. The squares are smooth
    even where B is a norm of parameters that vanish, so S, not B, is the argument.
    """

    def value_and_grad(self, squares: Array) -> tuple[float, Array] | None:
        """The value h(S) and its gradient with respect to S; None outside the domain of h."""
