"""The weight of every column with every set of parents: what the probability of a DAG is a product of.

The logarithm of a weight is −n · (local NLL + price of the edges), so that the probability of a DAG is
proportional to exp(−n · objective): the penalty is the logarithm of the prior. Each column's largest is 0.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sparsest._core.correlation import correlation_of
from sparsest._core.errors import OptionError
from sparsest._core.progress import Stopped, Watch
from sparsest.averaging import _subset_kernels as kernels
from sparsest.averaging.bge import log_marginals, posterior_scatter
from sparsest.graph._bits import row_masks
from sparsest.problem import Problem
from sparsest.rounding.grow_shrink import is_ready, local_score
from sparsest.scores import GaussianScore
from sparsest.search import _exact_kernels as regressions
from sparsest.search.dynamic_program import is_clear
from sparsest.search.local_exact import MOST_NODES, fill_row

Array = NDArray[np.float64]

BIC, BGE = "bic", "bge"  #: what a DAG is weighed by
#: The most columns with a Gaussian likelihood; other local scores take `MOST_NODES` of the exact search.
MOST_COLUMNS = 20
_AT_ONCE = 1 << 16  # subsets per call of a kernel
_LOW_BITS = 11  # all regressions on subsets that differ in this many bits are computed in one call


def refuse_too_many(problem: Problem) -> None:
    """Refuse problems whose tables would take too long to fill, before any work is done."""
    most = MOST_COLUMNS if isinstance(problem.score, GaussianScore) else MOST_NODES
    if problem.p > most:
        why = "" if most == MOST_COLUMNS else f", and of {most} where each is fitted on each set of parents"
        raise OptionError(
            f"the posterior is computed for tables of at most {MOST_COLUMNS} columns{why}, and there are "
            f"{problem.p}: select fewer with columns=[...], or see how often edges come again in "
            "resamples, with sparsest.confidence"
        )


def memory_needed(p: int) -> int:
    """Bytes of the tables over p columns: 0.32 GB for 20."""
    return (3 * p * 2 ** (p - 1) + 8 * 2**p) * 8


def family_weights(problem: Problem, n: float, watch: Watch, score: str = BIC) -> Array:
    """Log-weights of all sets of parents, a row for every column, the column's own bit squeezed out.

    Under `BGE` the marginal likelihood takes the place of the likelihood and of the BIC's cost of an edge.
    What the edges of the problem cost beyond that stays, as their prior.
    """
    p = problem.p
    table = np.full((p, 2 ** (p - 1)), math.inf)
    if isinstance(problem.score, GaussianScore):
        prices, limit = np.ascontiguousarray(problem.prices.T), problem.max_parents
        if score == BGE:
            prices = prices - math.log(n) / (2 * n)
            joint = _bge_scores(problem.score.covariance, n, watch)
        else:
            joint = _gaussian_scores(table, np.ascontiguousarray(problem.score.covariance), watch)
    else:
        prices, limit, joint = np.zeros((p, p)), p, np.empty(0)  # fits know what is ruled out, and prices
        _fit_all(table, problem, watch)
    forbidden, required = row_masks(~problem.allowed.T), row_masks(problem.required.T)
    for node in range(p):
        poll(watch, "weights", node)
        masks = (forbidden[node] & ~(1 << node), required[node])
        kernels.weigh(table[node], joint, node, float(n), prices[node], limit, *masks)
    return table


def poll(watch: Watch, stage: str, step: int) -> None:
    """Report a step, and stop where it is time to."""
    if watch.stop is not None:
        raise Stopped
    watch.report(f"posterior: {stage}", step, math.nan)


def _gaussian_scores(table: Array, covariance: Array, watch: Watch) -> Array:
    """Scores of all sets; where columns are nearly collinear, none, and those given each set in the table."""
    p = len(covariance)
    if is_clear(covariance):
        return _half_determinants(covariance, watch)
    low = min(p, _LOW_BITS)
    for high in range(0, 2**p, 2**low):
        poll(watch, "regressions", high)
        regressions.conditional_scores(table, covariance, high, low)
    return np.empty(0)


def _half_determinants(covariance: Array, watch: Watch) -> Array:
    """½ log of the determinant of the covariance of each set."""
    sets = 2 ** len(covariance)
    scores = np.zeros(sets)
    for first in range(0, sets, _AT_ONCE):
        poll(watch, "regressions", first)
        regressions.joint_scores(scores, covariance, first, min(first + _AT_ONCE, sets))
    return scores


def _bge_scores(covariance: Array, n: float, watch: Watch) -> Array:
    """What stands for n · likelihood under BGe, by sets; the prior makes collinear columns harmless."""
    scatter = posterior_scatter(correlation_of(covariance), n)
    return -log_marginals(_half_determinants(scatter, watch), len(covariance), n) / n


def _fit_all(table: Array, problem: Problem, watch: Watch) -> None:
    score = local_score(problem, "the posterior")
    if not is_ready(score, watch):
        raise Stopped
    for node, row in enumerate(table):
        poll(watch, "fits", node)
        fill_row(row, node, problem, score, watch)
