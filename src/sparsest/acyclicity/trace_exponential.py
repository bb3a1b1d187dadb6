"""The trace-exponential constraint of NOTEARS (Zheng, Aragam, Ravikumar & Xing, 2018)."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm

from sparsest.acyclicity.base import LARGEST, Array


@dataclass(frozen=True)
class TraceExponential:
    """h(S) = tr(e^S) − p: the weighted number of closed walks.

    Examples
    --------
    >>> import numpy as np
    >>> h, gradient = TraceExponential().value_and_grad(np.array([[0.0, 1.0], [0.0, 0.0]]))
    >>> h
    0.0
    """

    def value_and_grad(self, squares: Array) -> tuple[float, Array] | None:
        """The value h(S) and its gradient (e^S)ᵀ; None where e^S overflows."""
        with np.errstate(over="ignore", invalid="ignore"):
            exponential = expm(squares)
        value = float(exponential.trace()) - len(squares)
        return (value, exponential.T) if value < LARGEST else None
