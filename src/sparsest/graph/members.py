"""The DAGs of a Markov equivalence class, one at a time.

Each connected undirected part of the CPDAG has one source in every member. The source orients all edges
except those inside smaller parts, which are independent of each other (He, Jia & Yu, 2015, "Counting and
exploring sizes of Markov equivalence classes of directed acyclic graphs"). A member is therefore a sequence
of sources, and enumerating the sequences gives each member once. The stack is explicit because a class can be
as deep as it has nodes. In an MPDAG, sources that would reverse an arrow from knowledge are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import overload

import numpy as np

from sparsest.graph._bits import bits
from sparsest.graph._matrix import IntMatrix, Matrix, Pattern
from sparsest.graph.chordal import buckets, roots_first
from sparsest.graph.recognition import class_of
from sparsest.graph.types import Cpdag, Dag, Graph


@overload
def mec_members(graph: Dag | Cpdag) -> Iterator[Dag]: ...
@overload
def mec_members(graph: Matrix) -> Iterator[IntMatrix]: ...
def mec_members(graph: Dag | Cpdag | Matrix) -> Iterator[Dag] | Iterator[IntMatrix]:
    """Iterator over the DAGs of a Markov equivalence class, always in the same order.

    Members are generated on demand; `mec_size` counts them without enumeration.

    Parameters
    ----------
    graph : Dag, Cpdag, Mpdag or (p, p) matrix
        An equivalence class; a DAG stands for its class. Of an Mpdag, only the members that agree with its
        arrows are generated.

    Yields
    ------
    Dag or (p, p) array of int64
        A Dag for a graph object, a new matrix for a matrix.

    Examples
    --------
    >>> import sparsest as sp
    >>> for dag in sp.graph.mec_members(sp.Cpdag([[0, 1], [1, 0]])):
    ...     print(dag)
    Dag(2 nodes, 1 edge: x0 -> x1)
    Dag(2 nodes, 1 edge: x1 -> x0)
    """
    essential, names = class_of(graph)  # here, not in the generator, so that bad input raises at the call
    members = _orientations(essential)
    if isinstance(graph, Graph):
        return (Dag._trusted(member, names) for member in members)
    return (member.astype(np.int64) for member in members)


def _orientations(essential: Pattern) -> Iterator[Pattern]:
    """Members as patterns; the same array is reused for each."""
    arrows = essential & ~essential.T
    dag = arrows.copy()
    parts, lines = buckets(essential)
    # A task: the part to orient now, the sources to try, and the waiting parts as a linked list.
    stack = [_task(_waiting(parts, None))]
    while stack:
        part, sources, waiting = stack[-1]
        if not part:
            yield dag
            stack.pop()
            continue
        source = next(sources, None)
        if source is None:
            stack.pop()
            continue
        smaller = roots_first(lines, part, source)
        if _orient(dag, arrows, lines, smaller):
            stack.append(_task(_waiting(smaller, waiting)))


_Waiting = tuple[int, "_Waiting"] | None


def _task(waiting: _Waiting) -> tuple[int, Iterator[int], _Waiting]:
    if waiting is None:
        return 0, iter(()), None
    part, rest = waiting
    return part, bits(part), rest


def _waiting(parts: list[int], rest: _Waiting) -> _Waiting:
    """Parts that have edges to orient, put in front of those already waiting."""
    for part in reversed(parts):
        if part & (part - 1):
            rest = (part, rest)
    return rest


def _orient(dag: Pattern, arrows: Pattern, lines: list[int], parts: list[int]) -> bool:
    """Orient edges from earlier to later parts unless that reverses one of `arrows`; whether it was done.

    This overwrites the orientation by the source tried before.
    """
    tails: list[int] = []
    heads: list[int] = []
    earlier = 0
    for part in parts:
        for head in bits(part):
            before = list(bits(lines[head] & earlier))
            tails += before
            heads += [head] * len(before)
        earlier |= part
    if arrows[heads, tails].any():
        return False
    dag[tails, heads] = True
    dag[heads, tails] = False
    return True
