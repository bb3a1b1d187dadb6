"""Layout by springs: neighbours at about the same distance, arrows pointing down, lines in any direction.

Stress majorisation (Gansner, Koren & North 2004) on the distances in the graph, in turns with moves that put
tails above heads; then boxes are pushed apart. For classes most of whose edges have no direction: a layered
drawing of one member would put one end above the other.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components, shortest_path

from sparsest.plot.coordinates import Array
from sparsest.plot.layers import Pattern
from sparsest.plot.layout import Edge, Layout, Spacing

Ints = npt.NDArray[np.intp]

_ROUNDS = 120
_PUSHES, _CLEARINGS = 400, 120
_GROWING, _GROWTH = 12, 1.06
_CLEAR = 0.5  # of a box and the room around it, between its centre and a line that passes


def sprung(pattern: Pattern, widths: Array, tall: Array, spacing: Spacing) -> Layout:
    """Layout of a graph in which [i, j] and [j, i] mean an edge without a direction."""
    joined = pattern | pattern.T
    _, parts = connected_components(joined, directed=False)
    groups = [np.flatnonzero(parts == k) for k in range(parts.max() + 1)]
    groups.sort(key=len, reverse=True)
    placed = [_part(pattern[np.ix_(g, g)], widths[g], tall[g], spacing) for g in groups]
    centres = _shelved(groups, placed, widths, tall, spacing)
    low = (centres - np.column_stack([widths, tall]) / 2).min(axis=0)
    high = (centres + np.column_stack([widths, tall]) / 2).max(axis=0)
    centres = centres - low
    curves = {edge: _straight(centres, edge, widths, tall) for edge in _edges(pattern)}
    return Layout(centres, {}, tuple((high - low).tolist()), curves)


def _edges(pattern: Pattern) -> list[Edge]:
    return [(i, j) for i, j in np.argwhere(pattern).tolist() if i < j or not pattern[j, i]]


def _part(pattern: Pattern, widths: Array, tall: Array, spacing: Spacing) -> Array:
    """A connected part around the origin."""
    p = len(pattern)
    if p == 1:
        return np.zeros((1, 2))
    joined = pattern | pattern.T
    far = shortest_path(joined, directed=False, unweighted=True)
    length = 0.75 * float(widths.mean()) + spacing.box + spacing.row
    arrows = np.argwhere(pattern & ~pattern.T)
    down = float(tall.mean()) + spacing.row
    x = _stressed(far * length, arrows, down)
    return _clear(x, np.argwhere(np.triu(joined)), widths + spacing.box, tall + spacing.box)


def _stressed(far: Array, arrows: Ints, down: float) -> Array:
    p = len(far)
    weight = 1 / np.maximum(far, 1e-9) ** 2
    np.fill_diagonal(weight, 0)
    laplacian = np.diag(weight.sum(axis=1)) - weight
    inverse = np.linalg.inv(laplacian + 1 / p)
    x = _spectral(far)
    for _ in range(_ROUNDS):
        apart = np.linalg.norm(x[:, None] - x, axis=2)
        pull = -weight * far / np.maximum(apart, 1e-9)
        np.fill_diagonal(pull, 0)
        np.fill_diagonal(pull, -pull.sum(axis=1))
        x = inverse @ (pull @ x)
        x[:, 1] = _downwards(x[:, 1], arrows, down)
    return x


def _spectral(far: Array) -> Array:
    """Classical scaling: where the rounds start, the same for the same graph."""
    p = len(far)
    centred = far**2 - (far**2).mean(axis=0)
    centred = -(centred - centred.mean(axis=1, keepdims=True)) / 2
    values, vectors = np.linalg.eigh(centred)
    start = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 1e-6))
    start = start[:, ::-1] * np.where(start[:, ::-1].sum(axis=0) < 0, -1, 1)
    # Points that coincide would stay together: a small golden spiral tells them apart.
    turn = np.arange(p) * 2.399963
    spiral = np.column_stack([np.cos(turn), np.sin(turn)]) * np.sqrt(np.arange(p))[:, None]
    moved: Array = start + 1e-3 * far.max() * spiral / np.sqrt(p)
    return moved


def _downwards(y: Array, arrows: Ints, down: float) -> Array:
    """Heights with every tail above its head, both moved by half of what is missing."""
    if not len(arrows):
        return y
    tails, heads = arrows.T
    degree = np.maximum(np.bincount(np.concatenate([tails, heads]), minlength=len(y)), 1)
    for _ in range(20):
        lack = np.maximum(down - (y[tails] - y[heads]), 0)
        if lack.max() < 1e-3 * down:
            break
        move = np.bincount(tails, lack, len(y)) - np.bincount(heads, lack, len(y))
        y = y + 0.8 * move / degree
    return y


def _clear(x: Array, lines: Ints, widths: Array, tall: Array) -> Array:
    """Places near the given ones at which boxes do not overlap each other nor, if possible, a line."""
    best, fewest = x, math.inf
    for turn in range(_CLEARINGS):
        if turn % _GROWING == _GROWING - 1:  # there is too little room to clear all lines
            x = _GROWTH * x
        x = _apart(x, widths, tall)
        depth, across = _depths(x, lines, widths, tall)
        hit = int((depth != 0).any(axis=0).sum())
        if hit < fewest:
            best, fewest = x, hit
        if not hit:
            break
        # A box between two lines would be pushed to and fro: only the one that it is furthest into counts.
        furthest = np.argmax(np.abs(depth), axis=0)
        x = x + 0.9 * depth[furthest, np.arange(len(x))][:, None] * across[furthest]
    return best


def _depths(x: Array, lines: Ints, widths: Array, tall: Array) -> tuple[Array, Array]:
    """How far each box is on the line of each edge, with a sign, and the directions across the lines."""
    start, way = x[lines[:, 0]], x[lines[:, 1]] - x[lines[:, 0]]
    length = np.maximum(np.linalg.norm(way, axis=1), 1e-9)
    across = np.column_stack([-way[:, 1], way[:, 0]]) / length[:, None]
    from_start = x[None] - start[:, None]
    along = np.einsum("eki,ei->ek", from_start, way) / length[:, None] ** 2
    aside = np.einsum("eki,ei->ek", from_start, across)
    reach = _CLEAR * (np.abs(across[:, :1]) * widths + np.abs(across[:, 1:]) * tall)
    on = (along > 0.02) & (along < 0.98) & (np.abs(aside) < reach - 1e-6)
    on[np.arange(len(lines)), lines[:, 0]] = on[np.arange(len(lines)), lines[:, 1]] = False
    return np.where(on, np.where(aside >= 0, 1, -1) * (reach - np.abs(aside)), 0.0), across


def _apart(x: Array, widths: Array, tall: Array) -> Array:
    """Places at which no two boxes overlap, near the given ones; the same array if they do not."""
    one_before = np.arange(len(x))[:, None] > np.arange(len(x))
    for turn in range(_PUSHES):
        gap = x[:, None] - x
        over_x = (widths[:, None] + widths) / 2 - np.abs(gap[..., 0])
        over_y = (tall[:, None] + tall) / 2 - np.abs(gap[..., 1])
        hit = (over_x > 1e-6) & (over_y > 1e-6)
        np.fill_diagonal(hit, False)
        if not hit.any():
            return x
        sideways = over_x <= over_y
        side = np.where(gap == 0, np.where(one_before, 1, -1)[..., None], np.sign(gap))
        push_x = np.where(hit & sideways, side[..., 0] * over_x, 0).sum(axis=1)
        push_y = np.where(hit & ~sideways, side[..., 1] * over_y, 0).sum(axis=1)
        x = x * (1.02 if turn % 10 == 9 else 1.0) + 0.55 * np.column_stack([push_x, push_y])
    return _stretched(x, widths, tall)


def _stretched(x: Array, widths: Array, tall: Array) -> Array:
    """Stretch a layout until nothing overlaps, where pushing does not come to an end."""
    gap = np.abs(x[:, None] - x)
    np.fill_diagonal(gap[..., 0], np.inf)
    need_x = (widths[:, None] + widths) / 2 / np.maximum(gap[..., 0], 1e-3)
    need_y = (tall[:, None] + tall) / 2 / np.maximum(gap[..., 1], 1e-3)
    stretched: Array = x * max(1.0, float(np.minimum(need_x, need_y).max()))
    return stretched


def _shelved(groups: list[Ints], placed: list[Array], widths: Array, tall: Array, spacing: Spacing) -> Array:
    """Parts side by side on shelves, the largest first."""
    sizes = []
    for group, x in zip(groups, placed, strict=True):
        half = np.column_stack([widths[group], tall[group]]) / 2
        low, high = (x - half).min(axis=0), (x + half).max(axis=0)
        x -= low
        sizes.append(high - low)
    area = sum((w + spacing.row) * (h + spacing.row) for w, h in sizes)
    widest = max(max(w for w, _ in sizes), 1.3 * np.sqrt(area))
    centres = np.zeros((len(widths), 2))
    left = top = shelf = 0.0
    for group, x, (w, h) in zip(groups, placed, sizes, strict=True):
        if left and left + w > widest:
            left, top, shelf = 0.0, top - shelf - spacing.row, 0.0
        centres[group] = x + np.array([left, top - h])
        left += w + spacing.row
        shelf = max(shelf, h)
    return centres


def _straight(centres: Array, edge: Edge, widths: Array, tall: Array) -> Array:
    """The line between two boxes, from side to side."""
    (i, j), ends = edge, []
    for here, there in ((i, j), (j, i)):
        way = centres[there] - centres[here]
        reach = np.array([widths[here], tall[here]]) / 2
        share = min(reach / np.maximum(np.abs(way), 1e-9))
        ends.append(centres[here] + min(share, 0.49) * way)
    return np.array(ends)
