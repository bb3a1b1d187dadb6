"""Random DAGs and edge weights (appendix D)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest.graph.types import Dag
from sparsest.simulate.arguments import checked_count, checked_range, require_generator


def random_dag(p: int, k: float, kind: Literal["ER", "SF"], rng: np.random.Generator) -> Dag:
    """A random DAG with p nodes and about k·p edges; the order of its nodes is random too.

    - "ER" (Erdős–Rényi): each pair is joined independently with probability 2k / (p − 1), so k·p edges are
      expected. Where that is 1 or more the graph is complete: p = 5, k = 2 always is.
    - "SF" (scale-free): each new node points to k different older ones (to all, while there are fewer),
      chosen with probability proportional to one plus their number of parents, so that hubs collect parents
      (directed preferential attachment with exponent β = 1, as in the simulations of NOTEARS and DAGMA). It
      has k·p − k(k + 1)/2 edges.
    """
    require_generator(rng)
    p = checked_count(p, "p, the number of nodes,")
    if kind == "ER":
        edges = _erdos_renyi(p, k, rng)
    elif kind == "SF":
        edges = _scale_free(p, checked_count(k, "k, the number of edges of a new node,"), rng)
    else:
        raise OptionError(f"kind must be 'ER' or 'SF', got {kind!r}")
    labels = rng.permutation(p)
    return Dag(edges[np.ix_(labels, labels)])


def _erdos_renyi(p: int, k: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    if not isinstance(k, int | float | np.integer | np.floating) or not (0 <= k < math.inf):
        raise OptionError(f"k, the number of edges per node, must be a number from 0 on, got {k!r}")
    probability = 2 * k / max(p - 1, 1)
    return np.triu(rng.random((p, p)) < probability, 1)


def _scale_free(p: int, k: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    edges = np.zeros((p, p), dtype=bool)
    appeal = np.ones(p)  # one plus the number of parents
    for new in range(1, p):
        if new <= k:
            older = np.arange(new)
        else:
            older = rng.choice(new, size=k, replace=False, p=appeal[:new] / appeal[:new].sum())
        edges[new, older] = True
        appeal[older] += 1
    return edges


def random_weights(
    dag: Dag | NDArray[Any] | Sequence[Sequence[float]],
    rng: np.random.Generator,
    ranges: Sequence[Iterable[float]] = ((-1.5, -0.5), (0.5, 1.5)),
) -> NDArray[np.float64]:
    """A weight for each edge, uniform on the union of `ranges`; exactly 0 where there is no edge."""
    require_generator(rng)
    pattern = Dag(dag).to_numpy() == 1
    bounds = np.array([checked_range(bounds, "a range of weights") for bounds in ranges]).reshape(-1, 2)
    if not len(bounds) or not bounds.any(axis=1).all():
        raise OptionError(f"ranges must hold at least one range, and none that is 0 alone, got {ranges!r}")
    low, length = bounds[:, 0], bounds[:, 1] - bounds[:, 0]
    # Ranges that are single points have no length to be weighed by: then each is as likely.
    share = length / length.sum() if length.any() else np.full(len(length), 1 / len(length))
    count = int(pattern.sum())
    chosen = rng.choice(len(bounds), size=count, p=share)
    weights = np.zeros(pattern.shape)
    weights[pattern] = low[chosen] + length[chosen] * rng.random(count)
    return weights
