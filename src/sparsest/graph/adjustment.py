"""Adjustment sets: for which nodes to adjust so that a regression gives a total effect.

A set is valid relative to causes X and outcomes Y in a DAG exactly if it contains no descendant of a node
on a causal path that leaves X for good (the forbidden nodes), and d-separates X from Y once the first edges
of these paths are removed (the proper back-door graph): van der Zander, Liśkiewicz & Textor (2019), after
Shpitser, VanderWeele & Robins (2010). The generalised criterion for classes (Perković, Textor, Kalisch &
Maathuis, 2018; Perković, Kalisch & Maathuis, 2017, for knowledge) also asks that the effect be identified.
It is then the same function of the distribution in every member, so that a set is valid in all members or
in none, and any one answers.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from sparsest._core.errors import GraphError
from sparsest._core.words import agreeing, listed
from sparsest.graph._asked import Nodes, cause_and_outcome, named, positions, refuse_overlap
from sparsest.graph._links import Links, flagged, reach
from sparsest.graph.identification import open_edge
from sparsest.graph.separation import separated
from sparsest.graph.types import Graph


class BackDoor(NamedTuple):
    """What decides on adjustment sets in a DAG."""

    causal: set[
        int
    ]  # nodes on the causal paths that leave the causes for good; the causes are not among them
    forbidden: set[int]  # these nodes and their descendants
    links: Links  # the proper back-door graph


def back_door(links: Links, causes: Collection[int], outcomes: Collection[int]) -> BackDoor:
    """Causal and forbidden nodes, and the proper back-door graph, of a DAG."""
    after = [child for x in causes for child in links.children[x]]
    forward = reach(after, [links.children], causes)
    backward = reach(outcomes, [links.parents], causes)
    causal = {k for k in flagged(forward) if backward[k]}
    forbidden = set(flagged(reach(causal, [links.children])))
    first = [(x, v) for x in causes for v in links.children[x] if v in causal]
    return BackDoor(causal, forbidden, links.without(first))


def valid(
    door: BackDoor, causes: Collection[int], outcomes: Collection[int], adjusting: Collection[int]
) -> bool:
    """Whether a set is a valid adjustment set in a DAG."""
    return door.forbidden.isdisjoint(adjusting) and separated(door.links, causes, outcomes, adjusting)


def is_adjustment_set(graph: Graph, cause: Nodes, outcome: Nodes, adjusting: Nodes = ()) -> bool:
    """Whether adjusting for some nodes gives the total effect, in every member."""
    causes, outcomes = cause_and_outcome(graph, cause, outcome)
    chosen = positions(graph, adjusting, "adjusting", empty=True)
    refuse_overlap(graph, ("cause", causes), ("outcome", outcomes), ("adjusting", chosen))
    if open_edge(graph, causes, outcomes) is not None:
        return False
    return valid(back_door(graph._member_links, causes, outcomes), causes, outcomes, chosen)


def optimal_adjustment_set(graph: Graph, cause: Nodes, outcome: Nodes) -> list[str]:
    """The valid adjustment set of smallest asymptotic variance (Henckel, Perković & Maathuis, 2022).

    The parents of the nodes on causal paths, without forbidden nodes and causes.
    """
    causes, outcomes = cause_and_outcome(graph, cause, outcome)
    door = _door(graph, causes, outcomes)
    _refuse_unaffected(graph, causes, outcomes, door)
    parents = {k for node in door.causal for k in graph._member_links.parents[node]}
    return _checked(graph, causes, outcomes, door, parents - door.forbidden - set(causes))


def parent_adjustment(graph: Graph, cause: Nodes, outcome: Nodes) -> list[str]:
    """The parents of the causes, if they are a valid adjustment set.

    One member has no other parents of a single cause, so that they are valid if any set is.
    """
    causes, outcomes = cause_and_outcome(graph, cause, outcome)
    door = _door(graph, causes, outcomes)
    parents = {k for x in causes for k in graph._links.parents[x]} - set(causes)
    backwards = named(graph, parents.intersection(outcomes))
    if backwards:
        raise GraphError(
            f"{listed(backwards)} {agreeing(backwards, 'is a cause', 'are causes')} of "
            f"{listed(named(graph, causes))}, not the other way round: there is no effect to adjust"
        )
    return _checked(graph, causes, outcomes, door, parents)


def _door(graph: Graph, causes: list[int], outcomes: list[int]) -> BackDoor:
    edge = open_edge(graph, causes, outcomes)
    if edge is not None:
        x, v = (graph.names[k] for k in edge)
        raise GraphError(
            f"{_effect(graph, causes, outcomes)} is not the same in every member of the class: {x} -- {v} "
            "has no direction, and may start a causal path; orient it by knowledge, or ask for each member"
        )
    return back_door(graph._member_links, causes, outcomes)


def _refuse_unaffected(graph: Graph, causes: list[int], outcomes: list[int], door: BackDoor) -> None:
    untouched = named(graph, set(outcomes) - door.causal)
    if untouched:
        raise GraphError(
            f"no member has a directed path from {listed(named(graph, causes))} to {listed(untouched)}: that "
            "effect is 0, and no adjustment set is needed"
        )


def _checked(
    graph: Graph, causes: list[int], outcomes: list[int], door: BackDoor, chosen: Collection[int]
) -> list[str]:
    if not valid(door, causes, outcomes, chosen):
        raise GraphError(
            f"{_effect(graph, causes, outcomes)} cannot be obtained by adjustment: no set blocks every other "
            "path without a node that the causes affect; ask for one cause at a time"
        )
    return named(graph, chosen)


def _effect(graph: Graph, causes: list[int], outcomes: list[int]) -> str:
    return f"the effect of {listed(named(graph, causes))} on {listed(named(graph, outcomes))}"
