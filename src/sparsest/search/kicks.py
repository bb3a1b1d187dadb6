"""Kicks of an order: which nodes are moved, and where.

A few nodes moved anywhere leave most local minima, but not all: where a chain of causes is learned the wrong
way round, or a group of related nodes stands on the wrong side of another, no few nodes that are moved apart
find their way. So most kicks move nodes that the best graph joins: each to a place of its own, or all to one
place, in their order or in the opposite one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsest.problem import Mask

_APART, _RELATED = 3, 8  # nodes moved by a kick
_SMALLEST = 3  # block

Order = NDArray[np.int64]
Keys = NDArray[np.float64]


def kick(order: Order, joined: Mask, rng: np.random.Generator) -> tuple[Order, Keys]:
    """Nodes to be moved, and the keys of their places: node order[k] has key k.

    `joined` says which nodes the best graph joins, in either direction.
    """
    p, way = len(order), rng.integers(4)
    if way == 0:
        moved = rng.choice(p, size=min(_APART, p), replace=False)
        return moved, _anywhere(p, len(moved), rng)
    moved = _related(joined, _RELATED if way == 1 else int(rng.integers(_SMALLEST, _RELATED + 1)), rng)
    if way == 1:
        return moved, _anywhere(p, len(moved), rng)
    places = np.argsort(order)[moved]
    moved = moved[np.argsort(places if way == 2 else -places)]
    return moved, _anywhere(p, 1, rng) + np.linspace(0, 1e-3, len(moved))


def _anywhere(p: int, size: int, rng: np.random.Generator) -> Keys:
    keys: Keys = rng.uniform(-0.5, p - 0.5, size=size)
    return keys


def _related(joined: Mask, size: int, rng: np.random.Generator) -> Order:
    """Up to `size` nodes around a random one, each joined to another of them."""
    members: list[int] = []
    rim = [int(rng.integers(len(joined)))]
    while rim and len(members) < size:
        node = rim.pop(int(rng.integers(len(rim))))
        if node not in members:
            members.append(node)
            rim += np.flatnonzero(joined[node]).tolist()
    return np.array(members)
