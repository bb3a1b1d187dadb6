"""The polynomial constraint of DAG-GNN (Yu, Chen, Gao & Yu, 2019)."""

from dataclasses import dataclass

import numpy as np

from sparsest.acyclicity.base import LARGEST, Array


@dataclass(frozen=True)
class Polynomial:
    """h(S) = tr((I + S/p)^p) − p: closed walks of up to p steps.

    Examples
    --------
    >>> import numpy as np
    >>> h, gradient = Polynomial().value_and_grad(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> h
    0.5
    """

    def value_and_grad(self, squares: Array) -> tuple[float, Array] | None:
        """The value h(S) and its gradient ((I + S/p)^(p−1))ᵀ; None where the power overflows."""
        p = len(squares)
        base = np.eye(p) + squares / p
        with np.errstate(over="ignore", invalid="ignore"):
            power = np.linalg.matrix_power(base, p - 1)
            value = float((power * base.T).sum()) - p
        return (value, power.T) if value < LARGEST else None
