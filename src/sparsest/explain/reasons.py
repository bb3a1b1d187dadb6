"""Why an arrow of a class has its direction: a collider, one of Meek's rules, or knowledge.

All members of a class have the same colliders with non-adjacent parents (v-structures); all other directions
follow by Meek's rules (see `graph/meek.py`). Here the rules are applied one at a time, and each arrow records
the rule that directed it, so that the chain of reasons is never circular.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsest._core.words import printable
from sparsest.graph.types import Cpdag, Dag

Pattern = NDArray[np.bool_]
Arrow = tuple[int, int]


@dataclass(frozen=True)
class Reason:
    """Why `tail -> head` holds in every graph of the class that agrees with the knowledge.

    `rule` is "v-structure", "meek-1" to "meek-4", or "knowledge"; `witnesses` are the other nodes involved.
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
            "between them, which contradicts the data",
            "meek-2": "{a} -> {0} -> {b}: the other direction would close a cycle",
            "meek-3": "{0} -> {b} <- {1} is a collider, and {a} is joined to both: {b} -> {a} would close a "
            "cycle or make {a} a collider too",
            "meek-4": "{0} -> {1} -> {b}, and {a} is joined to both: {b} -> {a} would close a cycle or make "
            "a collider that contradicts the data",
            "knowledge": "this follows from the knowledge given to fit, not from the data",
        }[self.rule]
        return printable(f"{a} -> {b}: {why.format(*others, a=a, b=b)}")


def reasons_for(
    arrow: Arrow, dag: Dag, marks: Cpdag, known: Pattern, derived: Derivation | None = None
) -> list[Reason]:
    """Why an arrow is directed in `marks`, the class of the DAG, possibly refined by knowledge.

    The first reason is that of the arrow itself; the others are those of the arrows it depends on. Empty for
    an undirected edge. `known[i, j]` is True if knowledge says that an edge between the two must be i -> j.
    `derived` is the derivation of all arrows, where several are asked for.
    """
    derived = derivation(dag, marks, known) if derived is None else derived
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


Derivation = dict[Arrow, _Step]


def derivation(dag: Dag, marks: Cpdag, known: Pattern) -> Derivation:
    """How each arrow of the class is derived, in an order in which each depends only on earlier ones."""
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
    left = sorted(directed - steps.keys(), key=lambda arrow: (not known[arrow], arrow))
    for arrow in left:
        if arrow not in steps:  # one at a time, since others may follow from it
            steps[arrow] = _Step("knowledge")
            _close(steps, near, directed)
    return steps


def _close(steps: dict[Arrow, _Step], near: Pattern, directed: set[Arrow]) -> None:
    """Apply the rules until nothing more follows; the fourth, the least intuitive, comes last."""
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
    """The first of Meek's rules 1 to 3 that directs x -- y as x -> y, given the arrows so far."""
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
