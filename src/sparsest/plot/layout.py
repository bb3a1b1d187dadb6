"""Layered layout of a DAG: arrows point down, few of them cross, and none passes through a node.

Sugiyama, Tagawa & Toda (1981): nodes are put in rows; an edge that spans several rows gets a bend in each row
in between; rows are ordered so that few edges cross; x coordinates then bring neighbours close together. All
lengths are in the unit of the caller.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sparsest.plot.coordinates import Array, columns, heights
from sparsest.plot.crossings import Ints, untangle
from sparsest.plot.layers import Pattern, assign_layers


@dataclass(frozen=True)
class Spacing:
    """Height of a box, and minimum distances between boxes, around a bend and between rows.

    `port` is the distance between edges that leave or enter the same side of a box, if it is wide enough.
    """

    height: float
    box: float
    bend: float
    row: float
    port: float


@dataclass(frozen=True)
class Layout:
    """Coordinates of boxes and edges, with y upwards, between (0, 0) and `size`.

    `routes[i, j]` contains the points through which the edge i -> j passes, from the lower side of the box of
    i to the upper side of the box of j.
    """

    centres: Array
    routes: dict[tuple[int, int], Array]
    size: tuple[float, float]


def layered(dag: Pattern, order: list[int], widths: Array, spacing: Spacing) -> Layout:
    """Layout of a DAG with a topological `order` and boxes of the given widths.

    Nodes without edges are placed in separate rows below the others.
    """
    p = len(dag)
    alone = (dag | dag.T).sum(axis=0) == 0
    web = _web(dag, [node for node in order if not alone[node]])
    rows = untangle(web.rows, web.gaps)
    room = np.full(web.count, spacing.bend)
    room[:p] = widths + spacing.box
    x = columns(rows, web.gaps, room, np.arange(web.count) >= p)
    y = heights(rows, web.gaps, x, spacing.height + spacing.row)
    lonely = np.flatnonzero(alone)
    if lonely.size:
        _add_rows(lonely, x, y, room[:p], spacing)
    half = room / 2
    half[:p] = widths / 2
    left, right = (x - half).min(), (x + half).max()
    low, high = y.min() - spacing.height / 2, y.max() + spacing.height / 2
    points = np.column_stack([x - left, y - low])
    routes = {edge: points[chain] for edge, chain in web.chains.items()}
    _dock(routes, widths, spacing)
    return Layout(points[:p], routes, (float(right - left), float(high - low)))


@dataclass(frozen=True)
class _Web:
    """Nodes and bends (numbered p, p + 1, ...) in rows, and the pieces of edges between adjacent rows."""

    count: int
    rows: list[Ints]
    gaps: list[Ints]
    chains: dict[tuple[int, int], list[int]]  #: ends of each edge and the bends between them


def _web(dag: Pattern, joined: list[int]) -> _Web:
    """Nodes that have edges, in their rows, and a bend wherever an edge passes through a row."""
    layers = assign_layers(dag, joined)
    depth = 1 + max(layers.values(), default=-1)
    rows: list[list[int]] = [[] for _ in range(depth)]
    gaps: list[list[tuple[int, int]]] = [[] for _ in range(depth - 1)]
    chains = {}
    for node in joined:
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
    return _Web(count, [np.array(row) for row in rows], [np.array(gap) for gap in gaps], chains)


def _add_rows(lonely: Ints, x: Array, y: Array, room: Array, spacing: Spacing) -> None:
    """Place the nodes without edges below the others, in rows of about the same width."""
    others = np.delete(np.arange(len(x)), lonely)
    step = spacing.height + spacing.box
    width = max(np.ptp(x[others]) if others.size else 0.0, math.sqrt(room[lonely].sum() * step) * 1.5)
    middle = (x[others].min() + x[others].max()) / 2 if others.size else 0.0
    floor = y[others].min() - spacing.height - spacing.row if others.size else 0.0
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


def _dock(routes: dict[tuple[int, int], Array], widths: Array, spacing: Spacing) -> None:
    """Move the ends of routes from the centres to the sides of the boxes, next to each other."""
    for end, beside, side in ((0, 1, -1), (1, -2, 1)):
        meeting = defaultdict(list)
        for edge, route in routes.items():
            meeting[edge[end]].append((route[beside, 0], edge))
        for node, neighbours in meeting.items():
            step = min(spacing.port, 0.75 * widths[node] / len(neighbours))
            for k, (_, edge) in enumerate(sorted(neighbours)):
                offset = (k - (len(neighbours) - 1) / 2) * step
                routes[edge][-end] += offset, side * spacing.height / 2
