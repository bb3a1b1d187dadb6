"""Order of the items within rows so that few edges cross (Sugiyama, Tagawa & Toda 1981, second step).

`rows` contains the items of each row from left to right; `gaps[r]` contains the edges between rows r and
r + 1 as pairs (item above, item below).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

_MOST_SWEEPS = 24
_FEW_ITEMS = 3000  # more are swapped once a sweep: swaps take most of the time
_PATIENCE = 6  # sweeps without improvement before stopping
_ITEMS_SWEPT = 100_000  # about one second; graphs with thousands of bends get fewer sweeps


def untangle(rows: list[Ints], gaps: list[Ints]) -> list[Ints]:
    """Best order found by barycentre sweeps down and up, each followed by swaps of neighbours."""
    best, fewest, since = rows, count_crossings(rows, gaps), 0
    items = sum(map(len, rows))
    for sweep in range(min(_MOST_SWEEPS, 2 + _ITEMS_SWEPT // (items + 1))):
        if fewest == 0 or since == _PATIENCE:
            break
        rows = _swapped(_swept(rows, gaps, down=sweep % 2 == 0), gaps)
        crossings = count_crossings(rows, gaps)
        since += 1
        if crossings < fewest:
            best, fewest, since = rows, crossings, 0
    return best


def count_crossings(rows: list[Ints], gaps: list[Ints]) -> int:
    """Number of pairs of edges that cross."""
    place = _places(rows)
    total = 0
    for gap in gaps:
        above, below = place[gap[:, 0]], place[gap[:, 1]]
        ends = below[np.lexsort((below, above))]
        total += int(np.triu(ends[:, None] > ends, 1).sum())
    return total


def _places(rows: list[Ints]) -> Ints:
    """Place of each item in its row."""
    place = np.zeros(1 + max(map(max, rows), default=-1), dtype=np.int64)
    for row in rows:
        place[row] = np.arange(len(row))
    return place


def _swept(rows: list[Ints], gaps: list[Ints], *, down: bool) -> list[Ints]:
    """Rows sorted by the mean place of each item's neighbours in the previous row, if it has any."""
    rows = list(rows)
    place = _places(rows).astype(float)
    for r in range(1, len(rows)) if down else range(len(rows) - 2, -1, -1):
        fixed, free = gaps[r - 1].T if down else gaps[r].T[::-1]
        degree = np.bincount(free, minlength=len(place))
        total = np.bincount(free, weights=place[fixed], minlength=len(place))
        row = rows[r]
        # Rows differ in length, so places are compared on the scale of the row being sorted.
        scale = len(row) / len(rows[r - 1 if down else r + 1])
        wish = np.where(degree[row] > 0, total[row] / np.maximum(degree[row], 1) * scale, place[row])
        rows[r] = row[np.argsort(wish, kind="stable")]
        place[rows[r]] = np.arange(len(row))
    return rows


def _swapped(rows: list[Ints], gaps: list[Ints]) -> list[Ints]:
    """Rows with neighbours swapped as long as this removes crossings."""
    place = _places(rows).tolist()
    above: list[list[int]] = [[] for _ in place]
    below: list[list[int]] = [[] for _ in place]
    for up, low in np.concatenate(gaps).tolist():
        below[up].append(low)
        above[low].append(up)
    orders = [row.tolist() for row in rows]
    for _ in range(8 if len(place) < _FEW_ITEMS else 1):
        saved = 0
        for order in orders:
            for k in range(len(order) - 1):
                left, right = order[k], order[k + 1]
                gain = sum(_saved(side[left], side[right], place) for side in (above, below))
                if gain > 0:
                    order[k], order[k + 1] = right, left
                    place[left], place[right] = k + 1, k
                    saved += gain
        if not saved:
            break
    return [np.array(order) for order in orders]


def _saved(left: list[int], right: list[int], place: list[int]) -> int:
    """Net number of crossings between the edges of two neighbours that a swap would remove."""
    gain = 0
    for a in left:
        for b in right:
            gain += (place[a] > place[b]) - (place[a] < place[b])
    return gain
