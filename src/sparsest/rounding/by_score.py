"""From soft weights to a DAG under a Gaussian score: keep the edges that pay for themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsest._core.correlation import correlation_of
from sparsest.graph import topological_order
from sparsest.graph.acyclicity import forward_mask, order_near
from sparsest.problem import Array, Mask, Problem
from sparsest.rounding.strongest import strongest_dag
from sparsest.scores.gaussian import RESIDUAL_FLOOR, refit

# A solver stopped half-way may leave a complete graph: elimination starts from the strongest parents
# of each node, and from fewer where there are many nodes.
_MOST_CANDIDATES, _IN_ALL = 15, 5000


def graph_by_score(problem: Problem, weights: Array, thorough: bool = True) -> tuple[Mask, float]:
    """The DAG that soft weights point to, and its objective, for Gaussian scores.

    Cycles are broken at their weakest edge. What is left says which edges to consider, and in which order the
    nodes come. Edges are eliminated from these, and from all allowed edges along that order; the better graph
    is kept.

    Parameters
    ----------
    problem : Problem
        Its score must be that of a covariance.
    weights : (p, p) array
        Soft weights; those of edges that are not allowed are ignored.
    thorough : bool
        With False, for lack of time, only the soft edges are considered, and not too many of them.

    Returns
    -------
    graph : (p, p) array of bool
        The DAG, with all required edges and no more than ``problem.max_parents`` parents per node.
    objective : float
        NLL refitted on the graph + cost · edges.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.penalties import L0
    >>> from sparsest.scores import GaussianScore
    >>> correlation = np.array([[1.0, 0.8, 0.0], [0.8, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> soft = np.array([[0.0, 0.8, 0.1], [0.3, 0.0, 0.0], [0.0, 0.1, 0.0]])
    >>> graph, objective = graph_by_score(Problem(GaussianScore(correlation), L0(0.1)), soft)
    >>> graph.astype(int)
    array([[0, 1, 0],
           [0, 0, 0],
           [0, 0, 0]])
    >>> round(objective, 4)
    -0.4108
    """
    covariance = problem.covariance_for("rounding by score")
    weights = weights * problem.allowed
    scales = np.sqrt(covariance.diagonal())
    kept = strongest_dag(weights, problem.required)
    acyclic = weights * kept
    # Where there are too many to begin with, the soft edges come first, then those with much in common.
    importance = np.abs(correlation_of(covariance)) + (acyclic != 0)
    forward = forward_mask(topological_order(kept)) & problem.allowed
    along = forward * importance / scales[:, None] * scales
    candidates = (acyclic, along) if thorough else (acyclic,)
    most = problem.p if thorough else min(_MOST_CANDIDATES, max(1, _IN_ALL // problem.p))
    graphs = [prune(problem, considered, most) for considered in candidates]
    objectives = [gaussian_objective(problem, graph) for graph in graphs]
    best = int(np.argmin(objectives))
    return graphs[best], objectives[best]


def graph_along(problem: Problem, order: Sequence[int]) -> tuple[Mask, float]:
    """The edges that pay along an order of the nodes, or the nearest order that required edges allow."""
    forward = forward_mask(order_near(order, problem.required)) & problem.allowed
    graph = prune(problem, forward.astype(float))
    return graph, gaussian_objective(problem, graph)


def gaussian_objective(problem: Problem, graph: Mask) -> float:
    """NLL refitted on a DAG + the price of its edges."""
    variances = refit(problem.covariance_for("a Gaussian objective"), graph)[1]
    return 0.5 * float(np.log(variances).sum()) + problem.price(graph)


def prune(problem: Problem, weights: Array, most: int | None = None) -> Mask:
    """The edges of a weighted DAG that pay: backward elimination of parents, node by node, by the likelihood.

    Parents beyond the problem's limit are removed too, whatever they contribute. Of more than `most` parents
    of a node the weakest are not considered. Required edges stay.
    """
    covariance, must = problem.covariance_for("rounding by score"), problem.required
    scales, correlation = np.sqrt(covariance.diagonal()), correlation_of(covariance)
    strength = np.abs(weights) * scales[:, None] / scales
    strength[must] = np.inf
    dag = np.zeros(weights.shape, dtype=bool)
    for node in range(problem.p):
        parents = np.flatnonzero((weights[:, node] != 0) | must[:, node])
        if most is not None:
            strongest = np.argsort(-strength[parents, node], kind="stable")
            parents = np.sort(parents[strongest[: max(most, int(must[:, node].sum()))]])
        prices, stays = problem.prices[parents, node], must[parents, node]
        kept = _eliminate(correlation, node, parents, prices, problem.max_parents, stays)
        dag[kept, node] = True
    return dag


def _eliminate(
    correlation: Array,
    node: int,
    parents: NDArray[np.intp],
    prices: Array,
    limit: int,
    stays: Mask,
) -> NDArray[np.intp]:
    """Drop the parent that is least worth its price, again and again, while it is not worth it."""
    among = correlation[np.ix_(parents, parents)]
    # Without the floor, copies of one column would have no inverse; with it, the first of them to go costs 0.
    inverse = np.linalg.inv(among + RESIDUAL_FLOOR * np.eye(len(parents)))
    slopes = inverse @ correlation[parents, node]
    variance = max(1.0 - float(correlation[parents, node] @ slopes), RESIDUAL_FLOOR)
    while not stays.all():
        losses = slopes**2 / np.maximum(inverse.diagonal(), RESIDUAL_FLOOR)
        worth = 0.5 * np.log1p(losses / variance) - prices
        worth[stays] = np.inf
        least = int(np.argmin(worth))
        if len(parents) <= limit and worth[least] >= 0:
            break
        variance += float(losses[least])
        row = inverse[least]
        slopes = np.delete(slopes - row * (slopes[least] / row[least]), least)
        inverse = np.delete(np.delete(inverse - np.outer(row, row) / row[least], least, 0), least, 1)
        parents, prices = np.delete(parents, least), np.delete(prices, least)
        stays = np.delete(stays, least)
    return parents
