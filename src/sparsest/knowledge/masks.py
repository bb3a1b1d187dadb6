"""Background knowledge about the columns of one table, as the matrices that solvers obey."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError

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

    def limit_at_least(self, limit: int, asked: int | None, names: Sequence[str]) -> int:
        """Limit on the number of parents, raised to the number that is required.

        Parameters
        ----------
        limit : int
            The limit to raise.
        asked : int or None
            The limit that the user asked for; None if there is none.
        names : sequence of str
            Column names, for the error message.

        Returns
        -------
        int
            At least `limit` and at least the number of required parents of every node.

        Raises
        ------
        OptionError
            If a node has more required parents than the user's limit allows.
        """
        counts = self.required.sum(axis=0)
        most = int(counts.max(initial=0))
        if asked is not None and most > asked:
            node = int(np.argmax(counts))
            causes = ", ".join(repr(names[k]) for k in np.flatnonzero(self.required[:, node]).tolist())
            raise OptionError(
                f"{names[node]!r} has {most} required parents ({causes}), but max_parents = {asked}: raise "
                "it, or require fewer edges"
            )
        return max(limit, most)

    def refuse_violation(self, graph: Mask, names: Sequence[str], solver: str) -> None:
        """Raise an error that names the edge if a graph contradicts the knowledge.

        Parameters
        ----------
        graph : (p, p) array of bool
            Adjacency matrix of a graph.
        names : sequence of str
            Column names, for the error message.
        solver : str
            Name of the solver that returned the graph.

        Raises
        ------
        OptionError
            If the graph has an edge that is not allowed or lacks one that is required.
        """
        for wrong, words in ((graph & ~self.allowed, "has"), (self.required & ~graph, "lacks")):
            if wrong.any():
                i, j = np.argwhere(wrong)[0]
                raise OptionError(
                    f"solver {solver!r} does not obey the knowledge: its graph {words} {names[i]!r} -> "
                    f"{names[j]!r}; a solver must keep to `problem.allowed` and `problem.required`"
                )
