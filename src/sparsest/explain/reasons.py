"""Why an arrow of a class points the way it does: a collider, a rule of Meek's, or knowledge.

All members of a class have the same colliders with unconnected parents (v-structures); what follows from them
follows by Meek's rules (see `graph/meek.py`). Here the rules are applied one by one, and each arrow remembers
the one that gave it its direction, so that the chain of reasons is never circular.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsest.graph.types import Cpdag, Dag

Pattern = NDArray[np.bool_]
Arrow = tuple[int, int]


@dataclass(frozen=True)
class Reason:
    """Why `tail -> head` is so in every graph of the class that agrees with the knowledge.

    `rule` is "v-structure", "meek-1" to "meek-4", or "knowledge"; `witnesses` are the other nodes it takes.
    """

    tail: str
    head: str
    rule: str
    witnesses: tuple[str, ...] = ()

    def __str__(self) -> str:
        a, b, others = self.tail, self.head, self.witnesses
        why = {
            "v-structure": "{a} -> {b} <- {0} is a collider: {a} and {0} are not adjacent, and every graph "
            "that explains the data as well has the same colliders",
            "meek-1": "{0} -> {a}, and {0} and {b} are not adjacent: {b} -> {a} would make {a} a collider "
            "between them, which the data speak against",
            "meek-2": "{a} -> {0} -> {b}: the other direction would close a cycle",
            "meek-3": "{0} -> {b} <- {1} is a collider, and {a} is joined to both: {b} -> {a} would close a "
            "cycle or make {a} a collider too",
            "meek-4": "{0} -> {1} -> {b}, and {a} is joined to both: {b} -> {a} would close a cycle or make "
            "a collider that the data speak against",
            "knowledge": "the knowledge given to fit, not the data, decides it",
        }[self.rule]
        return f"{a} -> {b}: {why.format(*others, a=a, b=b)}"


def reasons_for(arrow: Arrow, dag: Dag, marks: Cpdag, known: Pattern | None = None) -> list[Reason]:
    """Why an arrow is directed in `marks`, the class of the DAG perhaps refined by knowledge.

    The first reason is the arrow's own; the others are those of the arrows it rests on. Empty for a line.
    `known[i, j]` is True where knowledge itself says that an edge between the two is i -> j.
    """
    derived = _derive(dag, marks, known)
    told: list[Arrow] = []
    waiting = [arrow]
    while waiting:
        current = waiting.pop(0)
        if current in derived and current not in told:
            told.append(current)
            waiting += derived[current].needs
    names = dag.names
    return [
        Reason(names[a], names[b], derived[a, b].rule, tuple(names[k] for k in derived[a, b].witnesses))
        for a, b in told
    ]


@dataclass(frozen=True)
class _Step:
    rule: str
    witnesses: tuple[int, ...] = ()
    needs: tuple[Arrow, ...] = ()


def _derive(dag: Dag, marks: Cpdag, known: Pattern | None) -> dict[Arrow, _Step]:
    """How each arrow of the class comes about, in an order in which each rests on earlier ones only."""
    pattern, final = dag.pattern, marks.pattern
    near = pattern | pattern.T
    steps: dict[Arrow, _Step] = {}
    for head in range(len(dag)):
        parents = np.flatnonzero(pattern[:, head])
        for tail in map(int, parents):
            apart = [int(k) for k in parents if k != tail and not near[k, tail]]
            if apart:
                steps[tail, head] = _Step("v-structure", (apart[0],))
    directed = {(int(a), int(b)) for a, b in np.argwhere(final & ~final.T)}
    _close(steps, near, directed)
    left = sorted(directed - steps.keys(), key=lambda arrow: (known is None or not known[arrow], arrow))
    for arrow in left:
        if arrow not in steps:  # one at a time: much of the rest follows
            steps[arrow] = _Step("knowledge")
            _close(steps, near, directed)
    return steps


def _close(steps: dict[Arrow, _Step], near: Pattern, directed: set[Arrow]) -> None:
    """Apply the rules until nothing more follows; the fourth, the least plain, where no other one does."""
    arrows = np.zeros_like(near)
    for tail, head in steps:
        arrows[tail, head] = True
    rules = [_plain_rule, _fourth_rule]
    while rules:
        news = False
        for tail, head in sorted(directed - steps.keys()):
            step = rules[0](tail, head, near, arrows)
            if step is not None:
                steps[tail, head] = step
                arrows[tail, head] = news = True
        rules = [_plain_rule, _fourth_rule] if news else rules[1:]


def _plain_rule(x: int, y: int, near: Pattern, arrows: Pattern) -> _Step | None:
    """The first of Meek's rules 1 to 3 that turns x -- y into x -> y, given the arrows so far."""
    lines = near & ~arrows & ~arrows.T
    apart = ~near[y].copy()
    apart[[x, y]] = False
    for w in map(int, np.flatnonzero(arrows[:, x] & apart)):
        return _Step("meek-1", (w,), ((w, x),))
    for z in map(int, np.flatnonzero(arrows[x] & arrows[:, y])):
        return _Step("meek-2", (z,), ((x, z), (z, y)))
    middle = np.flatnonzero(lines[x] & arrows[:, y])
    for k, z in enumerate(map(int, middle)):
        for other in map(int, middle[k + 1 :]):
            if not near[z, other]:
                return _Step("meek-3", (z, other), ((z, y), (other, y)))
    return None


def _fourth_rule(x: int, y: int, near: Pattern, arrows: Pattern) -> _Step | None:
    """The same for rule 4, which is needed once arrows come from knowledge."""
    lines = near & ~arrows & ~arrows.T
    apart = ~near[y]
    for z in map(int, np.flatnonzero(near[x] & arrows[:, y])):
        for w in map(int, np.flatnonzero(lines[x] & arrows[:, z] & apart)):
            return _Step("meek-4", (w, z), ((w, z), (z, y)))
    return None
