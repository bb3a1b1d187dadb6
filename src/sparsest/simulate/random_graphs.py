"""Random DAGs and edge weights (Appendix D)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.validation import whole
from sparsest.graph.types import Dag
from sparsest.simulate.arguments import checked_range, require_generator


def random_dag(p: int, k: float, kind: Literal["ER", "SF"], rng: np.random.Generator) -> Dag:
    """Random DAG with p nodes and about k·p edges, the nodes in random order.

    Parameters
    ----------
    p : int
        Number of nodes.
    k : float
        Number of edges per node; a positive integer if `kind` is "SF".
    kind : {"ER", "SF"}
        "ER" (Erdős–Rényi) joins each pair independently with probability 2k / (p − 1), so that k·p edges are
        expected. If this is 1 or more, the graph is complete: p = 5 with k = 2 always is.
        "SF" (scale-free) adds the nodes one by one. Each new node points to k distinct older ones (to all of
        them while there are fewer), chosen with probability proportional to one plus their number of parents,
        so that hubs collect parents: directed preferential attachment with exponent β = 1, as in the
        simulations of NOTEARS and DAGMA. The graph has k·p − k(k + 1)/2 edges.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    Dag
        The random graph.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.simulate import random_dag
    >>> dag = random_dag(10, 2, "SF", np.random.default_rng(0))
    >>> len(dag), len(dag.edges)
    (10, 17)
    """
    require_generator(rng)
    p = whole("p, the number of nodes,", p, least=1)
    if kind == "ER":
        edges = _erdos_renyi(p, k, rng)
    elif kind == "SF":
        edges = _scale_free(p, whole("k, the number of edges of a new node,", k, least=1), rng)
    else:
        raise OptionError(f"kind must be 'ER' or 'SF', got {kind!r}")
    labels = rng.permutation(p)
    return Dag(edges[np.ix_(labels, labels)])


def _erdos_renyi(p: int, k: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    if not isinstance(k, int | float | np.integer | np.floating) or not (0 <= k < math.inf):
        raise OptionError(f"k, the number of edges per node, must be non-negative and finite, got {k!r}")
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
    """Random edge weights for a DAG, uniform on the union of some ranges.

    Parameters
    ----------
    dag : Dag or (p, p) matrix
        The graph.
    rng : numpy.random.Generator
        Source of randomness.
    ranges : sequence of (low, high), default ((-1.5, -0.5), (0.5, 1.5))
        The ranges.

    Returns
    -------
    (p, p) array of float
        Weights; exactly 0 where there is no edge.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.simulate import random_weights
    >>> random_weights([[0, 1], [0, 0]], np.random.default_rng(0), ranges=[(2, 2)])
    array([[0., 2.],
           [0., 0.]])
    """
    require_generator(rng)
    pattern = Dag(dag).to_numpy() == 1
    bounds = np.array([checked_range(bounds, "a range of weights") for bounds in ranges]).reshape(-1, 2)
    if not len(bounds) or not bounds.any(axis=1).all():
        raise OptionError(f"ranges must contain at least one range and not the range (0, 0), got {ranges!r}")
    low, length = bounds[:, 0], bounds[:, 1] - bounds[:, 0]
    # Ranges that are single points have no length to weight them by: they are equally likely.
    share = length / length.sum() if length.any() else np.full(len(length), 1 / len(length))
    count = int(pattern.sum())
    chosen = rng.choice(len(bounds), size=count, p=share)
    weights = np.zeros(pattern.shape)
    weights[pattern] = low[chosen] + length[chosen] * rng.random(count)
    return weights
