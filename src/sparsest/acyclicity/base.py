"""Protocol for acyclicity constraints."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


#: Values of h beyond this are treated as outside the domain: their squares would overflow.
LARGEST = 1e100


class Constraint(Protocol):
    """Function h of nonnegative matrices with h(S) ≥ 0, and h(S) = 0 exactly if the graph of S is acyclic.

    All known constraints depend on the weights only through their squares S = B∘B. The argument is S, not B,
    because the squares are smooth even where B is a norm of parameters that vanish.
    """

    def value_and_grad(self, squares: Array) -> tuple[float, Array] | None:
        """Value of h and its gradient with respect to S.

        Parameters
        ----------
        squares : (p, p) array
            The matrix S.

        Returns
        -------
        (float, (p, p) array) or None
            Value and gradient; None outside the domain of h.
        """
