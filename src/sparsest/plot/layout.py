"""Layered layout: arrows point down, few of them cross, and none passes through a node.

Sugiyama, Tagawa & Toda (1981): nodes are put in rows; an edge that spans several rows gets a bend in each row
in between; rows are ordered so that few edges cross; x coordinates then bring neighbours close together.
Nodes joined by edges without a direction form a block: they stand side by side, none above another. All
lengths are in the unit of the caller.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from sparsest.plot.coordinates import Array, columns, heights
from sparsest.plot.crossings import Ints, untangle
from sparsest.plot.curves import arc
from sparsest.plot.layers import Pattern, assign_layers

Edge = tuple[int, int]


@dataclass(frozen=True)
class Spacing:
    """Minimum distances between boxes, around a bend and between rows.

    `port` is the distance between edges that leave or enter the same side of a box, if it is wide enough.
    """

    box: float
    bend: float
    row: float
    port: float
    arc: float = 0.2


@dataclass(frozen=True)
class Layout:
    """Coordinates of boxes and edges, with y upwards, between (0, 0) and `size`.

    `routes[i, j]` contains the points through which the edge from i to j passes, from the lower side of the
    box of i to the upper side of the box of j. Edges between boxes of the same row are in `curves`, whose
    points are joined by straight lines.
    """

    centres: Array
    routes: dict[Edge, Array]
    size: tuple[float, float]
    curves: dict[Edge, Array] = field(default_factory=dict)


def layered(
    dag: Pattern,
    blocks: Sequence[Sequence[int]],
    flat: Sequence[Edge],
    widths: Array,
    tall: Array,
    spacing: Spacing,
) -> Layout:
    """Layout of blocks of nodes, in an order in which edges of `dag` lead from earlier to later blocks.

    `flat` edges are within blocks. Nodes without any edges are placed in separate rows below the others.
    """
    p = len(dag)
    joined = dag | dag.T
    for i, j in flat:
        joined[i, j] = joined[j, i] = True
    alone: Pattern = joined.sum(axis=0) == 0
    web = _web(dag, [list(block) for block in blocks if not alone[block[0]]])
    rows = untangle(web.rows, web.gaps)
    rows = [_grouped(row, web.block, flat) for row in rows]
    room = np.full(web.count, spacing.bend)
    room[:p] = widths + spacing.box
    high = np.zeros(web.count)
    high[:p] = tall
    beside: dict[int, list[int]] = defaultdict(list)
    for i, j in flat:
        beside[i].append(j)
        beside[j].append(i)
    x = columns(rows, web.gaps, room, np.arange(web.count) >= p, beside)
    above = _room_for_arcs(rows, flat, spacing)
    y = heights(rows, web.gaps, x, high, spacing.row, above)
    lonely = np.flatnonzero(alone)
    if lonely.size:
        _add_rows(lonely, x, y, room[:p], high, spacing)
    return _placed(web, rows, flat, above, x, y, widths, high, room, spacing)


@dataclass(frozen=True)
class _Web:
    """Nodes and bends (numbered p, p + 1, ...) in rows, and the pieces of edges between adjacent rows."""

    count: int
    rows: list[Ints]
    gaps: list[Ints]
    chains: dict[Edge, list[int]]  #: ends of each edge and the bends between them
    block: dict[int, int]  #: of each node


def _web(dag: Pattern, blocks: list[list[int]]) -> _Web:
    """Nodes that have edges, in their rows, and a bend wherever an edge passes through a row."""
    block = {node: k for k, nodes in enumerate(blocks) for node in nodes}
    condensed = np.zeros((len(blocks), len(blocks)), dtype=bool)
    for tail, head in np.argwhere(dag).tolist():
        condensed[block[tail], block[head]] = True
    of_block = assign_layers(condensed, list(range(len(blocks))), [len(nodes) for nodes in blocks])
    layers = {node: of_block[k] for node, k in block.items()}
    depth = 1 + max(layers.values(), default=-1)
    rows: list[list[int]] = [[] for _ in range(depth)]
    gaps: list[list[Edge]] = [[] for _ in range(depth - 1)]
    chains = {}
    for node in block:
        rows[layers[node]].append(node)
    count = len(dag)
    for tail, head in np.argwhere(dag).tolist():
        passed = range(layers[tail] + 1, layers[head])
        chain = [tail, *range(count, count + len(passed)), head]
        count += len(passed)
        for row, bend in zip(passed, chain[1:-1], strict=True):
            rows[row].append(bend)
        for gap, piece in zip(gaps[layers[tail] :], pairwise(chain), strict=False):
            gap.append(piece)
        chains[tail, head] = chain
    pieces = [np.array(gap, dtype=np.int64).reshape(-1, 2) for gap in gaps]
    return _Web(count, [np.array(row) for row in rows], pieces, chains, block)


def _grouped(row: Ints, block: dict[int, int], flat: Sequence[Edge]) -> Ints:
    """A row in which the nodes of a block stand together, at their mean place, neighbours side by side."""
    place = {item: k for k, item in enumerate(row.tolist())}
    members = defaultdict(list)
    for item in row.tolist():
        members[block.get(item, -item - 1)].append(item)
    groups = sorted(members.values(), key=lambda items: float(np.mean([place[item] for item in items])))
    return np.array([item for group in groups for item in _in_line(group, flat, place)])


def _in_line(group: list[int], flat: Sequence[Edge], place: dict[int, int]) -> list[int]:
    """Nodes so that flat edges are short: by the Fiedler vector, the way round that fits their places."""
    if len(group) < 3:
        return group
    index = {item: k for k, item in enumerate(group)}
    laplacian = np.zeros((len(group), len(group)))
    for i, j in flat:
        if i in index and j in index:
            a, b = index[i], index[j]
            laplacian[[a, b], [b, a]] -= 1
            laplacian[[a, b], [a, b]] += 1
    along = np.linalg.eigh(laplacian)[1][:, 1]
    where = np.array([place[item] for item in group], dtype=float)
    if (along * (where - where.mean())).sum() < 0:
        along = -along
    return [group[k] for k in np.lexsort((where, np.round(along, 9)))]


def _room_for_arcs(rows: list[Ints], flat: Sequence[Edge], spacing: Spacing) -> Array:
    above = np.zeros(len(rows))
    for r, row in enumerate(rows):
        place = {item: k for k, item in enumerate(row.tolist())}
        spans = [abs(place[i] - place[j]) for i, j in flat if i in place and j in place]
        far = max(spans, default=1)
        above[r] = spacing.arc * math.sqrt(far) if far > 1 else 0.0
    return above


def _placed(
    web: _Web,
    rows: list[Ints],
    flat: Sequence[Edge],
    above: Array,
    x: Array,
    y: Array,
    widths: Array,
    tall: Array,
    room: Array,
    spacing: Spacing,
) -> Layout:
    p = len(widths)
    half = room / 2
    half[:p] = widths / 2
    left, right = (x - half).min(), (x + half).max()
    low = (y - tall / 2).min()
    tops = [y[row].max() + tall[row].max() / 2 + arcs for row, arcs in zip(rows, above, strict=True)]
    high = max([(y + tall / 2).max(), *tops])
    points = np.column_stack([x - left, y - low])
    routes = {edge: points[chain] for edge, chain in web.chains.items()}
    _dock(routes, widths, tall, spacing)
    curves: dict[Edge, Array] = {}
    for row, rise in zip(rows, above, strict=True):
        curves |= _within(row.tolist(), flat, points, widths, tall, float(rise))
    return Layout(points[:p], routes, (float(right - left), float(high - low)), curves)


def _within(
    row: list[int], flat: Sequence[Edge], points: Array, widths: Array, tall: Array, rise: float
) -> dict[Edge, Array]:
    """The edges between boxes of a row: straight between neighbours, over the boxes between others."""
    place = {item: k for k, item in enumerate(row)}
    top = points[row, 1].max() + tall[row].max() / 2
    inside = [(i, j) for i, j in flat if i in place and j in place]
    farthest = max((abs(place[i] - place[j]) for i, j in inside), default=1)
    curves = {}
    for i, j in inside:
        first, second = (i, j) if place[i] < place[j] else (j, i)
        far = place[second] - place[first]
        if far == 1:
            curve = _beside(points, first, second, widths)
        else:
            curve = _over(points, first, second, widths, tall, top + rise * math.sqrt(far / farthest))
        curves[i, j] = curve if first == i else curve[::-1]
    return curves


def _beside(points: Array, left: int, right: int, widths: Array) -> Array:
    return np.array([points[left] + [widths[left] / 2, 0], points[right] - [widths[right] / 2, 0]])


def _over(points: Array, left: int, right: int, widths: Array, tall: Array, height: float) -> Array:
    """An arc over the boxes between two boxes of a row."""
    start = points[left] + [0.22 * widths[left], tall[left] / 2]
    end = points[right] + [-0.22 * widths[right], tall[right] / 2]
    return arc(start, end, height)


def _add_rows(lonely: Ints, x: Array, y: Array, room: Array, tall: Array, spacing: Spacing) -> None:
    """Place the nodes without edges below the others, in rows of about the same width."""
    others = np.delete(np.arange(len(x)), lonely)
    step = float(tall[lonely].max()) + spacing.box
    width = max(np.ptp(x[others]) if others.size else 0.0, math.sqrt(room[lonely].sum() * step) * 1.5)
    middle = (x[others].min() + x[others].max()) / 2 if others.size else 0.0
    floor = (y[others] - tall[others] / 2).min() - spacing.row - step / 2 if others.size else 0.0
    row: list[int] = []
    rows = [row]
    for node in lonely.tolist():
        if row and room[[*row, node]].sum() > width:
            row = []
            rows.append(row)
        row.append(node)
    for depth, row in enumerate(rows):
        ends = np.cumsum(room[row])
        x[row] = middle - ends[-1] / 2 + ends - room[row] / 2
        y[row] = floor - depth * step


def _dock(routes: dict[Edge, Array], widths: Array, tall: Array, spacing: Spacing) -> None:
    """Move the ends of routes from the centres to the sides of the boxes, next to each other."""
    for end, beside, side in ((0, 1, -1), (1, -2, 1)):
        meeting = defaultdict(list)
        for edge, route in routes.items():
            meeting[edge[end]].append((route[beside, 0], edge))
        for node, neighbours in meeting.items():
            step = min(spacing.port, 0.75 * widths[node] / len(neighbours))
            for k, (_, edge) in enumerate(sorted(neighbours)):
                offset = (k - (len(neighbours) - 1) / 2) * step
                routes[edge][-end] += offset, side * tall[node] / 2
