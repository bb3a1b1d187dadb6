"""Exact search over any local score: fit all parent sets, then run the dynamic program over subsets.

The program of search/exact.py (Silander & Myllymäki, 2006) with a table filled by fits: p · 2^(p−1) of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Watch
from sparsest.graph._bits import row_masks
from sparsest.problem import Problem, Solution, Stage
from sparsest.rounding.grow_shrink import local_score
from sparsest.scores import LocalScore
from sparsest.search import _exact_kernels as kernels
from sparsest.search.local_order import LocalOrderSearch

#: The most columns: 16 · 2^15 fits are about ten minutes.
MOST_NODES = 16


@dataclass(frozen=True)
class LocalExactSearch:
    """The global minimum over all DAGs, for any local score: every node is fitted on every set of parents.

    Parameters
    ----------
    seed : int
        Decides the order from which a first, quick answer is computed, in case time runs out.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest._core.progress import Watch
    >>> from sparsest.penalties import L0
    >>> from sparsest.problem import Problem
    >>> from sparsest.scores import GaussianScore
    >>> correlation = np.array([[1.0, 0.0, 0.6], [0.0, 1.0, 0.6], [0.6, 0.6, 1.0]])
    >>> problem = Problem(GaussianScore(correlation), L0(0.05))
    >>> LocalExactSearch().solve(problem, Watch()).adjacency.astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """

    seed: int = 0

    standardizes = True
    returns_dag = True

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """The minimum; or, if the watch says stop first, the answer of one descent over orders."""
        p, score = problem.p, local_score(problem, "LocalExactSearch")
        if p > MOST_NODES:
            raise OptionError(
                f"exact search over {p} columns would fit {p} * 2^{p - 1} models of one column, and "
                f"{MOST_NODES} columns are the most it takes: select fewer columns or use solver='order'"
            )
        # Any order will do for a start: that of the Gaussian search would need its kernels compiled.
        start = tuple(int(node) for node in np.random.default_rng(self.seed).permutation(p))
        quick = LocalOrderSearch(self.seed, patience=0, start=start).solve(problem, watch)
        if not watch.wait_for(kernels.compile_all):
            return replace(quick, status=watch.stop or Status.TIME_LIMIT)
        began = watch.seconds
        table = np.full((p, 2 ** (p - 1)), math.inf)
        for node in range(p):
            if not fill_row(table[node], node, problem, score, watch):
                return replace(quick, status=watch.stop or Status.TIME_LIMIT)
            watch.report("exact search", node + 1, quick.objective)
            kernels.best_near_subsets(table[node], 0, len(table[node]))
            kernels.best_far_subsets(table[node], 0, kernels.NEAR)
        best = np.full(2**p, math.inf)
        best[0] = 0.0
        kernels.best_sinks(table, best, 0, 2**p)
        objective, adjacency = float(best[-1]), kernels.read_off(table, best).astype(float)
        seconds = watch.seconds - began
        stages = (*quick.stages, Stage("exact search", objective, 2**p, seconds))
        seconds += quick.seconds
        return Solution(adjacency, objective, Status.OPTIMAL, 2**p, seconds, stages, bound=objective)


def fill_row(row: NDArray[np.float64], node: int, problem: Problem, score: LocalScore, watch: Watch) -> bool:
    """Fit a node on every admissible set of parents, score plus price; False if the watch says stop.

    The sets leave the node out: bit k of a place in the row is the k-th of the other nodes.
    """
    p, limit = problem.p, problem.max_parents
    others = [k for k in range(p) if k != node]
    prices = problem.prices[others, node].tolist()
    allowed, required = row_masks(np.stack([problem.allowed, problem.required])[:, others, node])
    for subset in range(len(row)):
        if subset & ~allowed or required & ~subset or subset.bit_count() > limit:
            continue
        if watch.stop is not None:
            return False
        chosen = [place for place in range(p - 1) if subset >> place & 1]
        price = sum(prices[place] for place in chosen)
        row[subset] = score.local(node, [others[place] for place in chosen]) + price
    return True
