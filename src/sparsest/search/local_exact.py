"""Exact search over any local score: fit all parent sets, then run the dynamic program over subsets.

The program of search/exact.py (Silander & Myllymäki, 2006) with a table filled by fits: p · 2^(p−1) of them.
The program itself is quick next to the fits, so it is in NumPy: there is nothing to compile.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Stopped, Watch
from sparsest._core.threads import for_each
from sparsest.graph._bits import row_masks
from sparsest.problem import Problem, Solution, Stage
from sparsest.rounding.grow_shrink import is_ready, local_score
from sparsest.scores import LocalScore
from sparsest.search.common import nothing_more
from sparsest.search.local_order import LocalOrderSearch

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

#: The most columns: 16 · 2^15 fits are about ten minutes.
MOST_NODES = 16
_TOGETHER = 64  # subsets from which it pays to compile the loop over them
_FAST = 500_000  # rows that all fits together go through in a fraction of a second


@dataclass(frozen=True)
class LocalExactSearch:
    """The global minimum over all DAGs, for any local score: every node is fitted on every set of parents.

    Parameters
    ----------
    seed : int
        Decides the order from which a first, quick answer is computed, in case time runs out.
    n_jobs : int
        The number of threads: several nodes are fitted at the same time. The answer does not depend on it.

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
    n_jobs: int = 1

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
        quick = self._quick(problem, score, watch)
        if watch.stop is not None:
            return quick
        began, filled = watch.seconds, 0
        table = np.full((p, 2 ** (p - 1)), math.inf)

        def fill(node: int) -> None:
            nonlocal filled
            fill_row(table[node], node, problem, score, watch)
            _inherit(table[node])
            filled += 1
            watch.report("exact search", filled, quick.objective)

        try:
            for_each(range(p), fill, self.n_jobs, watch.pass_on)
        except Stopped:
            return replace(quick, status=watch.stop or Status.TIME_LIMIT)
        best = _best_sinks(table)
        objective, adjacency = float(best[-1]), _read_off(table, best)
        seconds = watch.seconds - began
        stages = (*quick.stages, Stage("exact search", objective, 2**p, seconds))
        seconds += quick.seconds
        return Solution(adjacency, objective, Status.OPTIMAL, 2**p, seconds, stages, bound=objective)

    def _quick(self, problem: Problem, score: LocalScore, watch: Watch) -> Solution:
        """A first answer in case time runs out: next to nothing if that cannot be, as all fits are fast."""
        rows, subsets = getattr(score, "merged_rows", None), 2 ** (problem.p - 1)
        fast = rows is not None and subsets >= _TOGETHER and problem.p * subsets * rows <= _FAST
        if fast and is_ready(score, watch):
            return nothing_more(problem, score, watch, watch.seconds)
        start = tuple(int(node) for node in np.random.default_rng(self.seed).permutation(problem.p))
        search = LocalOrderSearch(self.seed, patience=0, start=start, n_jobs=self.n_jobs)
        return search.solve(problem, watch)


def fill_row(row: Array, node: int, problem: Problem, score: LocalScore, watch: Watch) -> None:
    """Fit a node on every admissible set of parents, score plus price; raises `Stopped` if it is time.

    The sets leave the node out: bit k of a place in the row is the k-th of the other nodes.
    """
    p, limit = problem.p, problem.max_parents
    others = np.delete(np.arange(p), node)
    allowed, required = row_masks(np.stack([problem.allowed, problem.required])[:, others, node])
    subsets = np.arange(len(row))
    inside = (subsets[:, None] >> np.arange(p - 1) & 1).astype(bool)
    usable = (subsets & ~allowed == 0) & (required & ~subsets == 0) & (inside.sum(axis=1) <= limit)
    prices = inside[usable] @ problem.prices[others, node]
    row[usable] = _locals(node, others, subsets[usable], inside[usable], score, watch) + prices


def _locals(
    node: int, others: Ints, subsets: Ints, inside: NDArray[np.bool_], score: LocalScore, watch: Watch
) -> Array:
    """The local scores given each subset: together if the score can do so, or one after the other."""
    together: Any = getattr(score, "over_subsets", None)
    if together is not None and len(subsets) >= _TOGETHER:
        found: Array | None = together(node, others, subsets, watch)
        if found is not None:
            return found
    values = np.empty(len(subsets))
    for place, chosen in enumerate(inside):
        watch.check()
        values[place] = score.local(node, others[chosen])
    return values


def _inherit(row: Array) -> None:
    """The least entry of any subset, in place of each entry."""
    for place in range(len(row).bit_length() - 1):
        pairs = row.reshape(-1, 2, 2**place)
        np.minimum(pairs[:, 1], pairs[:, 0], out=pairs[:, 1])


def _best_sinks(table: Array) -> Array:
    """The least score of every set of nodes: that of its best last node, and of the others without it."""
    p = len(table)
    sets = np.arange(2**p)
    sizes = np.array([int(one).bit_count() for one in sets])
    best = np.full(2**p, math.inf)
    best[0] = 0.0
    for size in range(1, p + 1):
        layer = sets[sizes == size]
        for node in range(p):
            ending = layer[layer >> node & 1 == 1]
            rest = ending ^ (1 << node)
            best[ending] = np.minimum(best[ending], best[rest] + table[node, _without(rest, node)])
    return best


def _read_off(table: Array, best: Array) -> Array:
    """The DAG of the least score of all nodes."""
    p, left = len(table), len(best) - 1
    dag = np.zeros((p, p))
    while left:
        inside = [node for node in range(p) if left >> node & 1]
        ends = [best[left ^ (1 << node)] + table[node, _without(left ^ (1 << node), node)] for node in inside]
        sink = inside[int(np.argmin(ends))]
        left ^= 1 << sink
        parents = left
        for other in range(p):  # what does not matter is left out
            fewer = parents & ~(1 << other)
            if table[sink, _without(fewer, sink)] <= table[sink, _without(parents, sink)]:
                parents = fewer
        dag[[other for other in range(p) if parents >> other & 1], sink] = 1.0
    return dag


def _without(sets, node: int):  # type: ignore[no-untyped-def]  # numbers or arrays of them
    """Sets as places in a node's row of the table, which leaves the node out."""
    return (sets & ((1 << node) - 1)) | (sets >> (node + 1) << node)
