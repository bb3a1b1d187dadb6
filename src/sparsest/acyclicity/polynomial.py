"""The polynomial constraint of DAG-GNN (Yu, Chen, Gao & Yu, 2019)."""

from dataclasses import dataclass

import numpy as np

from sparsest.acyclicity.base import LARGEST, Array


@dataclass(frozen=True)
class Polynomial:
    """h(S) = tr((I + S/p)^p) − p, a weighted count of the closed walks of up to p steps.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.acyclicity import Polynomial
    >>> dag = np.array([[0.0, 1.0], [0.0, 0.0]])
    >>> value, gradient = Polynomial().value_and_grad(dag)
    >>> abs(round(value, 12))
    0.0
    """

    def value_and_grad(self, squares: Array) -> tuple[float, Array] | None:
        """Value of h and its gradient ((I + S/p)^(p−1))ᵀ.

        Parameters
        ----------
        squares : (p, p) array
            The matrix S.

        Returns
        -------
        (float, (p, p) array) or None
            Value and gradient; None if the power overflows.
        """
        p = len(squares)
        base = np.eye(p) + squares / p
        with np.errstate(over="ignore", invalid="ignore"):
            power = np.linalg.matrix_power(base, p - 1)
            value = float((power * base.T).sum()) - p
        return (value, power.T) if value < LARGEST else None
