"""From soft weights to a DAG: break the cycles, then keep the edges that pay, and those that are required."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsest.graph import topological_order
from sparsest.graph.acyclicity import order_near, path_matrix
from sparsest.scores.gaussian import RESIDUAL_FLOOR, refit

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

# A solver stopped half-way may leave a complete graph: elimination starts from the strongest parents.
_MOST_CANDIDATES = 15


def strongest_dag(adjacency: Array, threshold: float = 0.0, required: Mask | None = None) -> Mask:
    """The edges with |weight| > threshold, strongest first, leaving out those that would close a cycle.

    Required edges come before all others, whatever their weight.
    """
    p = len(adjacency)
    strength = np.abs(adjacency)
    dag = np.zeros((p, p), dtype=bool) if required is None else required.copy()
    rows, columns = np.nonzero((strength > threshold) & ~dag)
    reaches = np.eye(p, dtype=bool)  # reaches[i, j]: there is a directed path from i to j
    if required is not None:
        reaches |= path_matrix(required)
    for edge in np.argsort(-strength[rows, columns], kind="stable"):
        source, target = rows[edge], columns[edge]
        if reaches[target, source]:
            continue
        dag[source, target] = True
        if not reaches[source, target]:
            reaches |= np.outer(reaches[:, source], reaches[target])
    return dag


def graph_by_score(
    covariance: Array,
    adjacency: Array,
    cost: float,
    limit: int,
    allowed: Mask,
    thorough: bool = True,
    required: Mask | None = None,
) -> tuple[Mask, float]:
    """The DAG that soft weights point to, and its objective: NLL refitted + cost · edges.

    Cycles are broken at their weakest edge. What is left says which edges to consider, and in which order
    the nodes come. Edges are eliminated from these, and from all allowed edges along that order; the better
    graph is kept. Where there is no time to be `thorough`, only the soft edges count, and not too many.
    Required edges are always among them; edges that are not allowed must have no weight.
    """
    scales = np.sqrt(covariance.diagonal())
    kept = strongest_dag(adjacency, required=required)
    acyclic = adjacency * kept
    order = topological_order(kept)
    forward = np.zeros(adjacency.shape, dtype=bool)
    forward[np.ix_(order, order)] = np.triu(np.ones(adjacency.shape, dtype=bool), 1)
    # Where there are too many to begin with, the soft edges come first, then those with much in common.
    importance = np.abs(covariance) / np.outer(scales, scales) + (acyclic != 0)
    along = (forward & allowed) * importance / scales[:, None] * scales
    candidates = (acyclic, along) if thorough else (acyclic,)
    most = len(covariance) if thorough else _MOST_CANDIDATES
    graphs = [prune(covariance, weights, cost, limit, most, required) for weights in candidates]
    objectives = [objective_of(covariance, graph, cost) for graph in graphs]
    best = int(np.argmin(objectives))
    return graphs[best], objectives[best]


def graph_along(
    covariance: Array, order: Sequence[int], cost: float, limit: int, allowed: Mask, required: Mask | None
) -> tuple[Mask, float]:
    """The edges that pay along an order of the nodes, or one near to it that required edges allow."""
    if required is not None:
        order = order_near(order, required)
    forward = np.zeros(covariance.shape)
    forward[np.ix_(order, order)] = np.triu(np.ones(covariance.shape), 1)
    graph = prune(covariance, forward * allowed, cost, limit, required=required)
    return graph, objective_of(covariance, graph, cost)


def objective_of(covariance: Array, graph: Mask, cost: float) -> float:
    """NLL refitted on a DAG + cost · edges."""
    return 0.5 * float(np.log(refit(covariance, graph)[1]).sum()) + cost * int(graph.sum())


def prune(
    covariance: Array,
    adjacency: Array,
    cost: float,
    limit: int,
    most: int = 10**6,
    required: Mask | None = None,
) -> Mask:
    """The edges of a weighted DAG that pay: backward elimination of parents, node by node, by the likelihood.

    Parents beyond `limit` go too, whatever they give. Of more than `most` the weakest are not considered.
    Required edges stay.
    """
    scales = np.sqrt(covariance.diagonal())
    correlation = covariance / np.outer(scales, scales)
    strength = np.abs(adjacency) * scales[:, None] / scales
    must = np.zeros(adjacency.shape, dtype=bool) if required is None else required
    strength[must] = np.inf
    dag = np.zeros(adjacency.shape, dtype=bool)
    for node in range(len(adjacency)):
        parents = np.flatnonzero((adjacency[:, node] != 0) | must[:, node])
        strongest = np.argsort(-strength[parents, node], kind="stable")
        parents = np.sort(parents[strongest[: max(most, int(must[:, node].sum()))]])
        dag[_eliminate(correlation, node, parents, cost, limit, must[parents, node]), node] = True
    return dag


def _eliminate(
    correlation: Array,
    node: int,
    parents: NDArray[np.intp],
    cost: float,
    limit: int,
    stays: NDArray[np.bool_],
) -> NDArray[np.intp]:
    """Drop the parent that gives least, again and again, while it gives less than it costs."""
    among = correlation[np.ix_(parents, parents)]
    # Without the floor, copies of one column would have no inverse; with it, the first of them to go costs 0.
    inverse = np.linalg.inv(among + RESIDUAL_FLOOR * np.eye(len(parents)))
    slopes = inverse @ correlation[parents, node]
    variance = max(1.0 - float(correlation[parents, node] @ slopes), RESIDUAL_FLOOR)
    while not stays.all():
        losses = slopes**2 / np.maximum(inverse.diagonal(), RESIDUAL_FLOOR)
        losses[stays] = np.inf
        least = int(np.argmin(losses))
        if len(parents) <= limit and 0.5 * np.log1p(losses[least] / variance) >= cost:
            break
        variance += float(losses[least])
        row = inverse[least]
        slopes = np.delete(slopes - row * (slopes[least] / row[least]), least)
        inverse = np.delete(np.delete(inverse - np.outer(row, row) / row[least], least, 0), least, 1)
        parents, stays = np.delete(parents, least), np.delete(stays, least)
    return parents
