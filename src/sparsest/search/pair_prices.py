"""The least price of pairs of nodes: how much any DAG pays for them, whatever the order.

The negative log-likelihood of a DAG is at least ½ log det Σ, that of the complete graph. A node has an
excess: c for each of its parents, and the information about it that the other nodes before it have beyond
the parents. A price for each pair, paid by the later of its two nodes, is part of a lower bound if no node
ever pays more than its excess, whatever comes before it. These constraints are linear in the prices, and few
of them matter; the largest sum of prices is a small linear program.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sparsest._core.progress import Watch
from sparsest.problem import Mask
from sparsest.search import _pair_price_kernels as kernels

Array = NDArray[np.float64]

_MOST_NEIGHBOURS = 7  # of a node: its constraints are exponential in their number, and
_MOST_STRANGERS = 120_000  # sets of other nodes are looked at for each set of them, in about 0.1 s
_SAFE = 1e-6  # prices are lowered by this share of the cost: a linear program is solved up to 1e-7


def pair_prices(covariance: Array, cost: float, near: Mask, watch: Watch) -> Array:
    """Prices of pairs of nodes, (p, p) and symmetric, that sum to a lower bound on the excess of any DAG.

    Parameters
    ----------
    covariance : (p, p) array
        Without collinear columns.
    cost : float
        The cost per edge.
    near : (p, p) array of bool
        The pairs to price: those of the edges of a good graph.
    watch : Watch
        If it says stop, the prices are zero.

    Examples
    --------
    >>> import numpy as np
    >>> correlation = np.array([[1.0, 0.8, 0.0], [0.8, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> pair_prices(correlation, 0.1, correlation > 0.5, Watch()).round(4)
    array([[0. , 0.1, 0. ],
           [0.1, 0. , 0. ],
           [0. , 0. , 0. ]])
    """
    near = _few_neighbours(covariance, near | near.T)
    first, second = np.nonzero(np.triu(near, 1))
    prices = np.zeros(near.shape)
    if len(first) == 0 or not cost > 0:
        return prices
    places = np.full(near.shape, -1)
    places[first, second] = places[second, first] = np.arange(len(first))
    rows: list[NDArray[np.int64]] = []
    most: list[float] = []
    for node in range(len(near)):
        neighbours = np.flatnonzero(near[node])
        least = _least_excess(covariance, cost, node, neighbours, watch)
        if least is None:
            return prices
        for subset in np.flatnonzero(least < cost * _sizes(len(neighbours))).tolist():
            rows.append(places[node, neighbours[(subset >> np.arange(len(neighbours))) & 1 == 1]])
            most.append(max(least[subset] / cost, 0.0))
    shares = _largest(len(first), rows, most)
    prices[first, second] = prices[second, first] = cost * np.maximum(shares - _SAFE, 0.0)
    return prices


def _few_neighbours(covariance: Array, near: Mask) -> Mask:
    """The pairs with the largest partial correlations, so that no node has too many."""
    near = near & ~np.eye(len(near), dtype=bool)
    precision = np.linalg.inv(covariance)
    strength = np.abs(precision) / np.sqrt(np.outer(precision.diagonal(), precision.diagonal()))
    most = most_neighbours(len(near))
    for node in np.argsort(-near.sum(axis=0), kind="stable"):
        neighbours = np.flatnonzero(near[node])
        weakest = neighbours[np.argsort(-strength[node, neighbours], kind="stable")[most:]]
        near[node, weakest] = near[weakest, node] = False
    return near


def most_neighbours(p: int) -> int:
    """How many priced pairs a node may have among p nodes."""
    most = 1
    while most < _MOST_NEIGHBOURS and _sets(p - most - 2, most) <= _MOST_STRANGERS:
        most += 1
    return most


def _sets(nodes: int, largest: int) -> int:
    return sum(math.comb(max(nodes, 0), size) for size in range(largest + 1))


def _least_excess(
    covariance: Array, cost: float, node: int, neighbours: NDArray[np.intp], watch: Watch
) -> Array | None:
    """The least excess of a node after each set of neighbours, infinite where it is no constraint."""
    known = np.isin(np.arange(len(covariance)), [node, *neighbours])
    order = np.concatenate([[node], neighbours, np.flatnonzero(~known)])
    among = np.ascontiguousarray(covariance[np.ix_(order, order)])
    least = np.full(1 << len(neighbours), np.inf)
    for parents in range(len(least) - 1):
        if watch.stop is not None:
            return None
        kernels.least_excess(among, len(neighbours), cost, least, parents)
    return least


def _sizes(bits: int) -> NDArray[np.int64]:
    return np.array([subset.bit_count() for subset in range(1 << bits)])


def _largest(count: int, rows: list[NDArray[np.int64]], most: list[float]) -> Array:
    """The largest sum of numbers between 0 and 1 with limits on the sums of some of them."""
    if not rows:
        return np.ones(count)
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    starts = np.cumsum([0, *map(len, rows)])
    limits = csr_array((np.ones(starts[-1]), np.concatenate(rows), starts), shape=(len(rows), count))
    found = linprog(-np.ones(count), A_ub=limits, b_ub=most, bounds=(0, 1), method="highs")
    return np.zeros(count) if found.x is None else found.x
