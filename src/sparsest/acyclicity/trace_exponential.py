"""The trace-exponential constraint of NOTEARS (Zheng, Aragam, Ravikumar & Xing, 2018)."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm

from sparsest.acyclicity.base import LARGEST, Array


@dataclass(frozen=True)
class TraceExponential:
    """h(S) = tr(e^S) − p, a weighted count of the closed walks.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.acyclicity import TraceExponential
    >>> dag = np.array([[0.0, 1.0], [0.0, 0.0]])
    >>> value, gradient = TraceExponential().value_and_grad(dag)
    >>> abs(round(value, 12))
    0.0
    """

    def value_and_grad(self, squares: Array) -> tuple[float, Array] | None:
        """Value of h and its gradient (e^S)ᵀ.

        Parameters
        ----------
        squares : (p, p) array
            The matrix S.

        Returns
        -------
        (float, (p, p) array) or None
            Value and gradient; None if e^S overflows.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            exponential = expm(squares)
        value = float(exponential.trace()) - len(squares)
        return (value, exponential.T) if value < LARGEST else None
