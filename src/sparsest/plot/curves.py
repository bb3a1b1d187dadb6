"""Edges as curves that are smooth through their bends, with heads if they are arrows."""

from __future__ import annotations

import numpy as np

from sparsest.plot.coordinates import Array

_POINTS = 16  # points between two bends
_STEEPEST = 0.8  # largest sideways slope at a bend, next to which there are boxes


def smooth(route: Array) -> Array:
    """Curve through the points of a route that runs from top to bottom; a straight line stays straight.

    x is a piecewise cubic in y that is monotone wherever the points are (Fritsch & Butland 1984), so that the
    curve does not overshoot and touch neighbouring boxes.
    """
    if len(route) == 2:
        return route
    x, y = route.T
    steps = np.diff(y)
    slopes = np.diff(x) / steps
    bends = np.clip(_harmonic(slopes[:-1], slopes[1:]), -_STEEPEST, _STEEPEST)
    tangents = np.concatenate([slopes[:1], bends, slopes[-1:]])
    t = np.linspace(0.0, 1.0, _POINTS, endpoint=False)[:, None]
    left = (1 + 2 * t) * (1 - t) ** 2 * x[:-1] + t * (1 - t) ** 2 * steps * tangents[:-1]
    right = t**2 * (3 - 2 * t) * x[1:] + t**2 * (t - 1) * steps * tangents[1:]
    curve = np.stack([left + right, y[:-1] + t * steps], axis=-1)
    return np.concatenate([curve.transpose(1, 0, 2).reshape(-1, 2), route[-1:]])


def _harmonic(a: Array, b: Array) -> Array:
    """Harmonic mean of two slopes of the same sign, otherwise 0."""
    same = a * b > 0
    return np.where(same, 2 * a * b / np.where(same, a + b, 1.0), 0.0)


def arrow(curve: Array, length: float, width: float) -> tuple[Array, Array]:
    """Curve shortened to the base of its head, and the head: a triangle with its tip at the curve's end."""
    tip = curve[-1]
    far = np.linalg.norm(curve - tip, axis=1)
    length = min(length, 0.9 * float(far[0]))
    last = int(np.flatnonzero(far >= length)[-1])
    share = (far[last] - length) / (far[last] - far[last + 1])
    base = curve[last] + share * (curve[last + 1] - curve[last])
    along = (tip - base) / np.linalg.norm(tip - base)
    across = np.array([-along[1], along[0]]) * width / 2
    # The line ends inside the head so that no gap is visible.
    line = np.concatenate([curve[: last + 1], (base + 0.2 * (tip - base))[None]])
    return line, np.array([tip, base + across, base - across])


def point_at(curve: Array, way: float) -> Array:
    """The point of a curve at a share of its length."""
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1))])
    wanted = way * lengths[-1]
    return np.array([np.interp(wanted, lengths, curve[:, side]) for side in (0, 1)])


def arc(start: Array, end: Array, height: float) -> Array:
    """Curve from one point to another that rises to `height` between them."""
    t = np.linspace(0.0, 1.0, 2 * _POINTS)[:, None]
    peak = height + (height - (start[1] + end[1]) / 2) / 3  # a Bézier curve stays below its control points
    lean = 0.12 * (end[0] - start[0])
    first, second = np.array([start[0] + lean, peak]), np.array([end[0] - lean, peak])
    curve: Array = (
        (1 - t) ** 3 * start + 3 * t * (1 - t) ** 2 * first + 3 * t**2 * (1 - t) * second + t**3 * end
    )
    return curve
