"""Coordinates of items whose order within rows is fixed (Sugiyama, Tagawa & Toda 1981, third step)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sparsest.plot.crossings import Ints

Array = npt.NDArray[np.float64]

_SWEEPS = 40
_STRAIGHT = 8.0  # extra weight for keeping the pieces of a long edge in line (Gansner et al. 1993)
_SLOPE = 0.16  # share of the longest sideways distance between two rows that is added to their gap


def columns(rows: list[Ints], gaps: list[Ints], room: Array, bend: npt.NDArray[np.bool_]) -> Array:
    """Horizontal coordinates that minimise the squared horizontal lengths of all pieces of edges.

    One row at a time, with the others fixed, the order kept and each item given its `room`: an isotonic
    least-squares problem, solved exactly. `bend` says which items are bends.
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
            x[row] = _spread(total[row] / weight[row], weight[row], room[row])
    return x


def heights(rows: list[Ints], gaps: list[Ints], x: Array, step: float) -> Array:
    """Vertical coordinates: rows at least `step` apart, and more where edges run far sideways."""
    y = np.zeros(len(x))
    level = 0.0
    for r, row in enumerate(rows):
        if r:
            sideways = np.abs(x[gaps[r - 1][:, 0]] - x[gaps[r - 1][:, 1]]).max()
            level -= step + min(_SLOPE * sideways, 1.5 * step)
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
