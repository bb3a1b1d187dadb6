"""Probabilities over all DAGs: of marks of the class, of edges and of ancestors, with the sampling error."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsest._core.progress import Stopped, Watch
from sparsest._core.streams import POSTERIOR, generator
from sparsest.averaging import _source_kernels as source_kernels
from sparsest.averaging import _subset_kernels as kernels
from sparsest.averaging.described import Described, compel, described
from sparsest.averaging.every_dag import MOST_LISTED, every_dag, log_weights
from sparsest.averaging.family_weights import BIC, family_weights, poll
from sparsest.averaging.subset_program import SubsetProgram
from sparsest.problem import Problem
from sparsest.search import _exact_kernels as regressions

Array = NDArray[np.float64]
Bits = NDArray[np.int64]

_AT_ONCE = 4096  # graphs described in one go
_LOST = 1e-15  # graphs that have no more than this probability together are left out


class Averages(NamedTuple):
    """Probabilities over all DAGs, under a uniform prior over DAGs but for `order_edge`.

    Attributes
    ----------
    arrow, undirected : (p, p) array
        That the class has i → j, and i – j.
    edge, ancestor : (p, p) array
        That the DAG has i → j, and a directed path from i to j.
    order_edge : (p, p) array
        That the DAG has i → j under the order-modular prior, exactly.
    error : (p, p) array
        The Monte Carlo standard error of `arrow`; 0 where all DAGs were listed.
    graphs : int
        How many DAGs were listed or drawn.
    """

    arrow: Array
    undirected: Array
    edge: Array
    ancestor: Array
    order_edge: Array
    error: Array
    graphs: int


def averages(problem: Problem, n: float, samples: int, seed: int, watch: Watch, score: str = BIC) -> Averages:
    """Probabilities of marks, edges and ancestors: from all DAGs on few columns, else from samples.

    Parameters
    ----------
    problem : Problem
        A score with local scores, the cost of an edge, and what is known.
    n : float
        The number of rows.
    samples, seed : int
        How many to draw, and the seed.
    watch : Watch
        Polled between steps of a fraction of a second.
    score : {"bic", "bge"}
        What a DAG is weighed by.

    Raises
    ------
    Stopped
        If it is time to stop before all is done.
    """
    listed = problem.p <= MOST_LISTED
    if not watch.wait_for(partial(_compile, listed)):
        raise Stopped
    weights = family_weights(problem, n, watch, score)
    program = SubsetProgram(weights, watch)
    order_edge = program.edge_probabilities()
    if listed:
        return from_list(problem, weights, order_edge, watch)
    drawn = program.sources().draw(samples, generator(seed, POSTERIOR))
    return from_samples(problem, drawn, order_edge, watch)


def _compile(listed: bool) -> None:
    kernels.compile_all()
    for clear in (True, False):
        regressions.compile_scores(clear)
    if not listed:
        source_kernels.compile_all()
    none = np.zeros((1, 2), dtype=np.int64)
    compel(none, none.copy())


def from_list(problem: Problem, weights: Array, order_edge: Array, watch: Watch) -> Averages:
    """The averages over all DAGs of few columns, with the log-weights of their sets of parents."""
    every = every_dag(problem.p)
    logs = log_weights(every, weights)
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    counted = shares > _LOST / len(every)
    means = _sums(problem, every[counted], shares[counted], watch)
    return Averages(*_bounded(means), order_edge, np.zeros_like(order_edge), len(every))


def from_samples(problem: Problem, drawn: Bits, order_edge: Array, watch: Watch) -> Averages:
    """The averages over independent draws, with the error of a mean.

    The standard error is never below 1 / (number of draws): what was never drawn may be as probable as that.
    """
    graphs, times = np.unique(drawn, axis=0, return_counts=True)
    means = _sums(problem, graphs, times / len(drawn), watch)
    variance = means[0] * (1 - means[0]) / len(drawn)
    error = np.sqrt(np.maximum(variance, len(drawn) ** -2.0)) * ~np.eye(problem.p, dtype=bool)
    return Averages(*_bounded(means), order_edge, error, len(drawn))


def _sums(problem: Problem, graphs: Bits, shares: Array, watch: Watch) -> Array:
    """Sums over graphs of what each looks like, [what, i, j], weighted by their shares."""
    total = np.zeros((len(Described._fields), problem.p, problem.p))
    for first in range(0, len(graphs), _AT_ONCE):
        poll(watch, "graphs", first)
        span = slice(first, first + _AT_ONCE)
        for what, masks in enumerate(described(problem, graphs[span], watch)):
            total[what] += np.tensordot(shares[span], masks, axes=1)
    return total


def _bounded(means: Array) -> tuple[Array, Array, Array, Array]:
    """The same without what rounding leaves beyond 1."""
    arrow, undirected, edge, ancestor = np.minimum(means, 1.0)
    return arrow, undirected, edge, ancestor
