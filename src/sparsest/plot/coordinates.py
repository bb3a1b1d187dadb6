"""Coordinates of items whose order within rows is fixed (Sugiyama, Tagawa & Toda 1981, third step)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sparsest.plot.crossings import Ints

Array = npt.NDArray[np.float64]

_SWEEPS = 40
_STRAIGHT = 8.0  # extra weight for keeping the pieces of a long edge in line (Gansner et al. 1993)
_LEAST_PULL = 1e-3
_SLOPE = 0.16  # share of the longest sideways distance between two rows that is added to their gap


def columns(
    rows: list[Ints],
    gaps: list[Ints],
    room: Array,
    bend: npt.NDArray[np.bool_],
    beside: Mapping[int, Sequence[int]],
) -> Array:
    """Horizontal coordinates that minimise the squared horizontal lengths of all pieces of edges.

    One row at a time, with the others fixed, the order kept and each item given its `room`: an isotonic
    least-squares problem, solved exactly. `bend` says which items are bends. An item without edges to other
    rows goes to those that it is joined to in its own row, `beside`.
    """
    x = np.zeros(len(room))
    for row in rows:
        x[row] = _spread(np.zeros(len(row)), np.ones(len(row)), room[row])
    pulls = [_STRAIGHT ** (bend[gap].sum(axis=1) / 2) for gap in gaps]
    for sweep in range(_SWEEPS):
        for r in range(len(rows)) if sweep % 2 == 0 else reversed(range(len(rows))):
            weight, total = np.zeros(len(room)), np.zeros(len(room))
            for gap, (this, other) in ((r - 1, (1, 0)), (r, (0, 1))):
                if 0 <= gap < len(gaps):
                    here, there = gaps[gap][:, this], gaps[gap][:, other]
                    weight += np.bincount(here, pulls[gap], len(room))
                    total += np.bincount(here, pulls[gap] * x[there], len(room))
            row = rows[r]
            aside = [x[beside[item]].mean() if item in beside else x[item] for item in row.tolist()]
            wish = np.where(weight[row] > 0, total[row] / np.maximum(weight[row], _LEAST_PULL), aside)
            x[row] = _spread(wish, np.maximum(weight[row], _LEAST_PULL), room[row])
    return x


def heights(rows: list[Ints], gaps: list[Ints], x: Array, tall: Array, gap: float, above: Array) -> Array:
    """Vertical coordinates: rows of boxes at least `gap` apart, and more where edges run far sideways.

    `tall` has the height of each item, and `above` the room that each row needs above itself for arcs.
    """
    y = np.zeros(len(x))
    level = 0.0
    for r, row in enumerate(rows):
        if r:
            across = gaps[r - 1]
            sideways = np.abs(x[across[:, 0]] - x[across[:, 1]]).max(initial=0.0)
            step = gap + (tall[rows[r - 1]].max() + tall[row].max()) / 2
            level -= step + min(_SLOPE * sideways, 1.5 * step) + above[r]
        y[row] = level
    return y


def _spread(wish: Array, weight: Array, room: Array) -> Array:
    """Places closest to the desired ones (weighted least squares), in order and with room for each item.

    Pool adjacent violators: items that would overlap are merged into blocks, placed at their mean.
    """
    offset = np.cumsum(room) - room / 2
    blocks: list[list[float]] = []  # weight, mean, number of items
    for value, heavy in zip((wish - offset).tolist(), weight.tolist(), strict=True):
        block = [heavy, value, 1]
        while blocks and blocks[-1][1] >= block[1]:
            before = blocks.pop()
            both = before[0] + block[0]
            block = [both, (before[0] * before[1] + block[0] * block[1]) / both, before[2] + block[2]]
        blocks.append(block)
    return np.repeat([block[1] for block in blocks], [int(block[2]) for block in blocks]) + offset
