"""The DAGs of a Markov equivalence class, one at a time.

Each connected undirected part of the CPDAG has one source in every member. The source orients all edges
except those inside smaller parts, which are free of each other (He, Jia & Yu, 2015, "Counting and exploring
sizes of Markov equivalence classes of directed acyclic graphs"). So a member is a sequence of sources, and
going through the sequences gives each member once. The stack is explicit: a class may be as deep as it has
nodes. Where knowledge has made arrows (an MPDAG), sources that would turn one of them round are passed over.
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
    """Each DAG of the class of a DAG, CPDAG or MPDAG, once, always in the same order.

    The next member is made when it is asked for. Dags for a graph object, int64 matrices for a matrix; each
    is new and the caller's own. `mec_size` says how many there are.
    """
    essential, names = class_of(graph)  # here, not in the generator: bad input is refused at the call
    members = _orientations(essential)
    if isinstance(graph, Graph):
        return (Dag._trusted(member, names) for member in members)
    return (member.astype(np.int64) for member in members)


def _orientations(essential: Pattern) -> Iterator[Pattern]:
    """Members as patterns. One array is reused: it holds until the next member is asked for."""
    arrows = essential & ~essential.T
    dag = arrows.copy()
    parts, lines = buckets(essential)
    # A task: the part to orient now, the sources to try, and the parts that wait, as a linked list.
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
    """Parts with edges to orient, in front of those that wait already."""
    for part in reversed(parts):
        if part & (part - 1):
            rest = (part, rest)
    return rest


def _orient(dag: Pattern, arrows: Pattern, lines: list[int], parts: list[int]) -> bool:
    """Arrows from earlier parts to later ones, unless they turn one of `arrows` round; whether they do not.

    They overwrite those of the source tried before.
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
