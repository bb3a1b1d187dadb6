"""How far a number per node increases along the directed paths of a DAG."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

_TIE = 1e-9  # of the largest number: closer ones are equal


def alignment(dag: NDArray[np.bool_], criterion: ArrayLike) -> float | None:
    """The share of directed paths along which the criterion increases; None without paths.

    As in the papers, a pair of nodes counts once for each length that a path between them has.
    """
    values = np.asarray(criterion, dtype=np.float64)
    scale = np.abs(values).max(initial=0.0)
    gain = values[None, :] - values[:, None]
    increases = np.where(np.abs(gain) <= _TIE * scale, 0.5, (gain > 0).astype(np.float64))
    edges = dag.astype(np.float32)
    reach, paths, right = dag.copy(), 0, 0.0
    while reach.any():
        paths += int(reach.sum())
        right += float(increases[reach].sum())
        reach = reach.astype(np.float32) @ edges > 0
    return right / paths if paths and math.isfinite(right) else None
