"""Background knowledge about the columns of one table, as the matrices that solvers obey."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


class Masks(NamedTuple):
    """Allowed and required edges as Boolean matrices; entry [i, j] refers to the edge i → j.

    Parameters
    ----------
    allowed : (p, p) array of bool
        Edges that a graph may have; the diagonal is False.
    required : (p, p) array of bool
        Edges that a graph must have.

    Examples
    --------
    >>> from sparsest.knowledge import Knowledge
    >>> masks = Knowledge(forbidden=["b -> a"]).masks(["a", "b"])
    >>> masks.allowed
    array([[False,  True],
           [False, False]])
    >>> int(masks.required.sum())
    0
    """

    allowed: Mask
    required: Mask

    @classmethod
    def unconstrained(cls, p: int) -> Masks:
        """Masks for p columns about which nothing is known.

        Parameters
        ----------
        p : int
            Number of columns.

        Returns
        -------
        Masks
            Every edge is allowed and none is required.
        """
        return cls(~np.eye(p, dtype=bool), np.zeros((p, p), dtype=bool))

    @property
    def say_nothing(self) -> bool:
        """Whether every edge is allowed and none is required."""
        return not self.required.any() and bool(self.allowed.sum() == self.allowed.size - len(self.allowed))

    def in_order(self, order: NDArray[np.intp]) -> Masks:
        """Masks of the same knowledge for reordered columns.

        Parameters
        ----------
        order : (p,) array of int
            Current position of each column in the new order.

        Returns
        -------
        Masks
            Entry [i, j] refers to the columns order[i] and order[j].
        """
        return Masks(self.allowed[np.ix_(order, order)], self.required[np.ix_(order, order)])
