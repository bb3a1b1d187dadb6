"""Coordinates for rows whose order is settled (Sugiyama, Tagawa & Toda 1981, third step)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sparsest.plot.crossings import Ints

Array = npt.NDArray[np.float64]

_SWEEPS = 40
_STRAIGHT = 8.0  # how much more the pieces of a long edge want to be in line (Gansner et al. 1993)
_SLOPE = 0.16  # how much of the longest sideways way between two rows is added to their distance


def columns(rows: list[Ints], gaps: list[Ints], room: Array, bend: npt.NDArray[np.bool_]) -> Array:
    """Sideways coordinates that minimise the squared sideways lengths of all pieces of edges.

    Row by row, with the others fixed, order kept and each item given its `room`: that is a least-squares fit
    under an order, solved exactly. `bend` says which items are bends.
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
    """Upward coordinates: rows at least `step` apart, and further where edges run far sideways."""
    y = np.zeros(len(x))
    level = 0.0
    for r, row in enumerate(rows):
        if r:
            sideways = np.abs(x[gaps[r - 1][:, 0]] - x[gaps[r - 1][:, 1]]).max()
            level -= step + min(_SLOPE * sideways, 1.5 * step)
        y[row] = level
    return y


def _spread(wish: Array, weight: Array, room: Array) -> Array:
    """Places nearest to the wished ones (weighted least squares), in order and with room for each.

    Pool adjacent violators: items that would overlap are joined to blocks, which stand at their mean wish.
    """
    offset = np.cumsum(room) - room / 2
    blocks: list[list[float]] = []  # weight, mean wish, number of items
    for value, heavy in zip((wish - offset).tolist(), weight.tolist(), strict=True):
        block = [heavy, value, 1]
        while blocks and blocks[-1][1] >= block[1]:
            before = blocks.pop()
            both = before[0] + block[0]
            block = [both, (before[0] * before[1] + block[0] * block[1]) / both, before[2] + block[2]]
        blocks.append(block)
    return np.repeat([block[1] for block in blocks], [int(block[2]) for block in blocks]) + offset
