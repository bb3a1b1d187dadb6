"""Exact search: the DAG of least NLL + c · edges, by dynamic programming over subsets of nodes.

Silander & Myllymäki (2006): an optimal DAG has a sink; the sink takes its best parents among the other nodes,
and the rest is again an optimal DAG. That is 2^p subsets instead of the paper's p! permutations. The local
scores are differences of log-determinants, one for each set, or, where columns are nearly collinear and that
would be inaccurate, come from regressions updated along the subset lattice. A set of parents with an edge
that is ruled out, or without one that is required, has an infinite score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sparsest._core.correlation import correlation_of
from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Watch
from sparsest._core.words import duration
from sparsest.graph import cpdag_to_dag, dag_to_cpdag
from sparsest.graph._bits import row_masks
from sparsest.problem import SAME_OBJECTIVE, Mask, Problem, Solution, Stage
from sparsest.rounding.by_score import gaussian_objective, graph_along
from sparsest.search import _exact_kernels as kernels
from sparsest.search.common import gaussian_covariance
from sparsest.search.order import OrderSearch

_AT_ONCE = 1 << 16  # subsets per call of a kernel, and
_LINE = 1 << 20  # entries of a row per call: some milliseconds
_LOW_BITS = 11  # all regressions on subsets that differ in this many bits are computed in one call
_CLEAR = 1e-6  # a column with less than this share of its variance left by the others is nearly collinear
_MEMORY = 4 * 2**30  # bytes the tables may take


@dataclass(frozen=True)
class ExactSearch:
    """The global minimum, for Gaussian scores. Time and memory more than double with every node.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest._core.progress import Watch
    >>> from sparsest.penalties import L0
    >>> from sparsest.problem import Problem
    >>> from sparsest.scores import GaussianScore
    >>> correlation = np.array([[1.0, 0.0, 0.6], [0.0, 1.0, 0.6], [0.6, 0.6, 1.0]])
    >>> problem = Problem(GaussianScore(correlation), L0(0.05))
    >>> found = ExactSearch().solve(problem, Watch())
    >>> found.adjacency.astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 0, 0]])
    >>> found.status
    <Status.OPTIMAL: 'optimal'>
    """

    standardizes = True
    returns_dag = True

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """The minimum; or, if the watch says stop first, the best graph so far.

        For few columns that is a quick guess, for many the answer of one chain of the order search.
        """
        p, _ = problem.p, problem.single_cost("ExactSearch")  # refused before any work is done
        if memory_needed(p) > _MEMORY:
            raise OptionError(
                f"exact search over {p} columns needs {memory_needed(p) / 2**30:.3g} GiB of memory (at most "
                f"{_MEMORY // 2**30} GiB are used) and {duration(seconds_needed(p))}: select fewer "
                "columns or use solver='order'"
            )
        found = _searched(problem, watch) if seconds_needed(p) >= 1 else None
        if not watch.wait_for(kernels.compile_all):
            return _stopped(found or _quick(problem, watch), watch)
        began, stage = watch.seconds, f"exact search, {duration(seconds_needed(p))}"
        program = _Program(problem)
        for done, part in enumerate(program.parts()):
            if watch.stop is not None:
                return _stopped(found or _quick(problem, watch), watch)
            part()
            watch.report(stage, done, found.objective if found else np.nan)
        minimum, seconds = program.minimum, watch.seconds - began
        adjacency = _member(problem, program.dag(), minimum).astype(float)
        stages = (*(found.stages if found else ()), Stage("exact search", minimum, 2**p, seconds))
        return Solution(adjacency, minimum, Status.OPTIMAL, 2**p, sum(s.seconds for s in stages), stages)


def _stopped(solution: Solution, watch: Watch) -> Solution:
    return replace(solution, status=watch.stop or Status.TIME_LIMIT)


def _quick(problem: Problem, watch: Watch) -> Solution:
    """A quick guess: columns that others explain well come last, and edges that do not pay are pruned."""
    began, covariance = watch.seconds, gaussian_covariance(problem, "ExactSearch")
    precision = np.linalg.pinv(correlation_of(covariance), hermitian=True)
    order = np.argsort(precision.diagonal(), kind="stable").tolist()
    dag, objective = graph_along(problem, order)
    seconds = watch.seconds - began
    stages = (Stage("sorted and pruned", objective, 1, seconds),)
    return Solution(dag.astype(float), objective, Status.CONVERGED, 1, seconds, stages)


def _searched(problem: Problem, watch: Watch) -> Solution:
    found = OrderSearch(chains=1).solve(problem, watch)
    return replace(found, stages=(Stage("order search", found.objective, found.steps, found.seconds),))


def _member(problem: Problem, dag: Mask, least: float) -> Mask:
    """The same member of the DAG's class every time, so that neither rounding nor units decide.

    Only where all members are allowed, and this one is as good: where columns are collinear, some are not.
    """
    if problem.constrained:
        return dag
    member = np.asarray(cpdag_to_dag(dag_to_cpdag(dag.astype(int)))) != 0
    as_good = gaussian_objective(problem, member) <= least + SAME_OBJECTIVE
    return member if as_good and member.sum(axis=0).max(initial=0) <= problem.max_parents else dag


class _Program:
    """The tables of one dynamic program, and its computation in parts of a fraction of a second each."""

    def __init__(self, problem: Problem):
        self._p = problem.p
        self._covariance = np.ascontiguousarray(gaussian_covariance(problem, "ExactSearch"))
        self._cost, self._limit = problem.cost, problem.max_parents
        self._forbidden = row_masks(~problem.allowed.T)
        self._required = row_masks(problem.required.T)
        self._scores = np.zeros(2**self._p) if is_clear(self._covariance) else np.empty(0)
        self._table = np.empty((self._p, 2 ** (self._p - 1)))
        self._best = np.full(2**self._p, np.inf)
        self._best[0] = 0.0

    def parts(self) -> Iterator[Callable[[], None]]:
        p, row = self._p, 2 ** (self._p - 1)
        if len(self._scores):
            for span in _spans(2**p, _AT_ONCE):
                yield partial(kernels.joint_scores, self._scores, self._covariance, *span)
        else:
            low = min(p, _LOW_BITS)
            for high in range(0, 2**p, 2**low):
                yield partial(kernels.conditional_scores, self._table, self._covariance, high, low)
        for node in range(p):
            given = (self._scores, node, self._cost, self._limit, self._forbidden[node], self._required[node])
            for span in _spans(row, _LINE):
                yield partial(kernels.best_near_parents, self._table[node], *given, *span)
            for span in _spans(kernels.NEAR, max(1, kernels.NEAR * _LINE // row)):
                yield partial(kernels.best_far_subsets, self._table[node], *span)
        for span in _spans(2**p, _AT_ONCE):
            yield partial(kernels.best_sinks, self._table, self._best, *span)

    @property
    def minimum(self) -> float:
        return float(self._best[-1])

    def dag(self) -> Mask:
        return kernels.read_off(self._table, self._best)


def is_clear(covariance: NDArray[np.float64]) -> bool:
    """Whether no column is nearly a linear combination of others."""
    try:
        precision = np.linalg.inv(correlation_of(covariance))
    except np.linalg.LinAlgError:
        return False
    return bool((precision.diagonal() > 0).all() and (precision.diagonal() < 1 / _CLEAR).all())


def _spans(count: int, most: int) -> list[tuple[int, int]]:
    """Spans (first, last) of at most `most` that cover `count`."""
    return [(first, min(first + most, count)) for first in range(0, count, most)]


def seconds_needed(p: int) -> float:
    """Roughly the seconds an exact search over p nodes takes: 0.2 were measured for 20 on one core."""
    return 0.2 * 2.0 ** (p - 20) * (p / 20) ** 2


def memory_needed(p: int) -> int:
    """Bytes of the tables of an exact search over p nodes."""
    return p * 2 ** (p - 1) * 8 + 2**p * 16
