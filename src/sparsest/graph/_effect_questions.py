"""Questions about effects that every graph answers, by name; other modules own the answers.

Causes and outcomes may be one node or several. A question about a class is a question about all its members.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from sparsest.graph.types import Graph


class EffectQuestions:
    """Identification, adjustment sets and possible parents."""

    __slots__ = ()

    def may_affect(
        self, cause: str | int | Iterable[str | int], outcome: str | int | Iterable[str | int]
    ) -> bool:
        """Whether a member has a directed path from a cause to an outcome; if not, the effect is 0.

        Parameters
        ----------
        cause, outcome : str, int or iterable of these
            Nodes, by name or position.

        Returns
        -------
        bool
            False if the total effect is 0 in every member.
        """
        from sparsest.graph.identification import may_affect

        return may_affect(cast("Graph", self), cause, outcome)

    def identified(
        self, cause: str | int | Iterable[str | int], outcome: str | int | Iterable[str | int]
    ) -> bool:
        """Whether the total effect is the same in every member (Perković, 2020); in a DAG, always.

        Parameters
        ----------
        cause, outcome : str, int or iterable of these
            Nodes, by name or position. Several causes stand for a joint intervention.

        Returns
        -------
        bool
            True if no possibly causal path from cause to outcome starts with an undirected edge.
        """
        from sparsest.graph.identification import identified

        return identified(cast("Graph", self), cause, outcome)

    def unidentified_edge(
        self, cause: str | int | Iterable[str | int], outcome: str | int | Iterable[str | int]
    ) -> tuple[str, str] | None:
        """An undirected edge because of which a total effect is not identified.

        Parameters
        ----------
        cause, outcome : str, int or iterable of these
            Nodes, by name or position.

        Returns
        -------
        tuple of str or None
            A cause and its neighbour, the start of a possibly causal path; None if the effect is identified.
        """
        from sparsest.graph.identification import unidentified_edge

        return unidentified_edge(cast("Graph", self), cause, outcome)

    def is_adjustment_set(
        self,
        cause: str | int | Iterable[str | int],
        outcome: str | int | Iterable[str | int],
        adjusting: str | int | Iterable[str | int] = (),
    ) -> bool:
        """Whether adjusting for some nodes gives the total effect in every member.

        This is the generalised adjustment criterion (Perković, Textor, Kalisch & Maathuis, 2018).

        Parameters
        ----------
        cause, outcome : str, int or iterable of these
            Nodes, by name or position.
        adjusting : str, int or iterable of these, optional
            Nodes to adjust for; none by default.

        Returns
        -------
        bool
            True if the set is valid; always False if the effect is not identified.
        """
        from sparsest.graph.adjustment import is_adjustment_set

        return is_adjustment_set(cast("Graph", self), cause, outcome, adjusting)

    def adjustment_sets(
        self,
        cause: str | int | Iterable[str | int],
        outcome: str | int | Iterable[str | int],
        most: int | None = 100,
    ) -> list[list[str]]:
        """Minimal adjustment sets: valid sets of which no proper subset is valid.

        Parameters
        ----------
        cause, outcome : str, int or iterable of these
            Nodes, by name or position.
        most : int or None
            Stop after so many sets; None lists all, which can be exponentially many.

        Returns
        -------
        list of list of str
            The sets, small ones first; an empty list if adjustment cannot give the effect.
        """
        from sparsest.graph.adjustment_sets import adjustment_sets

        return adjustment_sets(cast("Graph", self), cause, outcome, most)

    def optimal_adjustment_set(
        self, cause: str | int | Iterable[str | int], outcome: str | int | Iterable[str | int]
    ) -> list[str]:
        """The valid adjustment set of smallest variance (Henckel, Perković & Maathuis, 2022).

        Parameters
        ----------
        cause, outcome : str, int or iterable of these
            Nodes, by name or position.

        Returns
        -------
        list of str
            Names of the nodes to adjust for.

        Raises
        ------
        GraphError
            If the effect is not identified, is 0 in every member, or cannot be obtained by adjustment; the
            message says which.
        """
        from sparsest.graph.adjustment import optimal_adjustment_set

        return optimal_adjustment_set(cast("Graph", self), cause, outcome)

    def parent_adjustment(
        self, cause: str | int | Iterable[str | int], outcome: str | int | Iterable[str | int]
    ) -> list[str]:
        """The parents of the cause, as an adjustment set.

        Parameters
        ----------
        cause, outcome : str, int or iterable of these
            Nodes, by name or position.

        Returns
        -------
        list of str
            Names of the parents. For a single cause they are valid if the effect is identified.

        Raises
        ------
        GraphError
            If the effect is not identified, the outcome is a parent of the cause, or the parents of several
            causes are not a valid set.
        """
        from sparsest.graph.adjustment import parent_adjustment

        return parent_adjustment(cast("Graph", self), cause, outcome)

    def possible_parent_sets(self, node: str | int) -> list[list[str]]:
        """The sets of parents that a node has in the members; in a DAG, one.

        Parameters
        ----------
        node : str or int
            Name or position of a node.

        Returns
        -------
        list of list of str
            Complete sets of parents, each once, small ones first.
        """
        from sparsest.graph.parent_sets import possible_parent_sets

        return possible_parent_sets(cast("Graph", self), node)
