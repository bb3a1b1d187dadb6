"""Dynamic programming over subsets of nodes: the DAG of least NLL + c · edges of a Gaussian score.

Silander & Myllymäki (2006): an optimal DAG has a sink; the sink takes its best parents among the other nodes,
and the rest is again an optimal DAG. That is 2^p subsets instead of the paper's p! permutations. The local
scores are differences of log-determinants, one for each set, or, where columns are nearly collinear and that
would be inaccurate, come from regressions updated along the subset lattice. A set of parents with an edge
that is ruled out, or without one that is required, has an infinite score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sparsest._core.correlation import correlation_of
from sparsest.graph._bits import row_masks
from sparsest.problem import Mask, Problem
from sparsest.search import _exact_kernels as kernels
from sparsest.search.common import gaussian_covariance

_AT_ONCE = 1 << 16  # subsets per call of a kernel, and
_LINE = 1 << 20  # entries of a row per call: some milliseconds
_LOW_BITS = 11  # all regressions on subsets that differ in this many bits are computed in one call
_CLEAR = 1e-6  # a column with less than this share of its variance left by the others is nearly collinear


class SubsetProgram:
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
        """The computation, in order."""
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
        """The least objective, once all parts are computed."""
        return float(self._best[-1])

    def dag(self) -> Mask:
        """A DAG that has it."""
        return kernels.read_off(self._table, self._best)


def is_clear(covariance: NDArray[np.float64], share: float = _CLEAR) -> bool:
    """Whether no column is nearly a linear combination of others, up to this share of its variance."""
    try:
        precision = np.linalg.inv(correlation_of(covariance))
    except np.linalg.LinAlgError:
        return False
    return bool((precision.diagonal() > 0).all() and (precision.diagonal() < 1 / share).all())


def _spans(count: int, most: int) -> list[tuple[int, int]]:
    """Spans (first, last) of at most `most` that cover `count`."""
    return [(first, min(first + most, count)) for first in range(0, count, most)]


def seconds_needed(p: int) -> float:
    """Roughly the seconds a dynamic program over p nodes takes: 0.2 were measured for 20 on one core."""
    return 0.2 * 2.0 ** (p - 20) * (p / 20) ** 2


def memory_needed(p: int) -> int:
    """Bytes of the tables of a dynamic program over p nodes."""
    return p * 2 ** (p - 1) * 8 + 2**p * 16
