"""Questions about paths that every graph answers, by name: each method delegates to the module that owns it.

Where several nodes are allowed, one name or position may stand alone. Names come back in the order of
`names`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from sparsest.graph.types import Graph


class PathQuestions:
    """Separation, ancestors, descendants and Markov blankets."""

    __slots__ = ()

    def d_separated(
        self,
        a: str | int | Iterable[str | int],
        b: str | int | Iterable[str | int],
        given: str | int | Iterable[str | int] = (),
    ) -> bool:
        """Whether some nodes d-separate others: implied conditional independence.

        All members of a class have the same d-separations, so that a class answers like any of them.

        Parameters
        ----------
        a, b : str, int or iterable of these
            Nodes, by name or position.
        given : str, int or iterable of these, optional
            Nodes that are conditioned on; none by default.

        Returns
        -------
        bool
            True if `given` blocks every path between a node of a and a node of b.

        Raises
        ------
        GraphError
            If there is no such node, a or b is empty, or a node is named twice.
        """
        from sparsest.graph.separation import d_separated

        return d_separated(cast("Graph", self), a, b, given)

    def ancestors(self, node: str | int | Iterable[str | int]) -> list[str]:
        """Ancestors by arrows: nodes with a path of arrows to a node.

        In a class they are ancestors in every member, but a node can be one in every member without a path
        of arrows, by another undirected path in each.

        Parameters
        ----------
        node : str, int or iterable of these
            Name or position of a node, or several.

        Returns
        -------
        list of str
            Names of the ancestors, without the nodes asked about.
        """
        from sparsest.graph.ancestry import ancestors

        return ancestors(cast("Graph", self), node)

    def descendants(self, node: str | int | Iterable[str | int]) -> list[str]:
        """Descendants by arrows: nodes with a path of arrows from a node.

        In a class they are descendants in every member, but a node can be one in every member without a path
        of arrows, by another undirected path in each.

        Parameters
        ----------
        node : str, int or iterable of these
            Name or position of a node, or several.

        Returns
        -------
        list of str
            Names of the descendants, without the nodes asked about.
        """
        from sparsest.graph.ancestry import descendants

        return descendants(cast("Graph", self), node)

    def possible_ancestors(self, node: str | int | Iterable[str | int]) -> list[str]:
        """Ancestors of a node in at least one member; in a DAG, its ancestors.

        Parameters
        ----------
        node : str, int or iterable of these
            Name or position of a node, or several.

        Returns
        -------
        list of str
            Names of the possible ancestors, without the nodes asked about.
        """
        from sparsest.graph.ancestry import possible_ancestors

        return possible_ancestors(cast("Graph", self), node)

    def possible_descendants(self, node: str | int | Iterable[str | int]) -> list[str]:
        """Descendants of a node in at least one member; in a DAG, its descendants.

        Parameters
        ----------
        node : str, int or iterable of these
            Name or position of a node, or several.

        Returns
        -------
        list of str
            Names of the possible descendants, without the nodes asked about.
        """
        from sparsest.graph.ancestry import possible_descendants

        return possible_descendants(cast("Graph", self), node)

    def markov_blanket(self, node: str | int) -> list[str]:
        """Markov blanket of a node: parents, children and the children's other parents.

        Given these, the node is independent of all others. All members of a class agree on it.

        Parameters
        ----------
        node : str or int
            Name or position of a node.

        Returns
        -------
        list of str
            Names of the nodes in the blanket.
        """
        from sparsest.graph.markov_blanket import markov_blanket

        return markov_blanket(cast("Graph", self), node)
