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
_STRIPS = 32  # strips of sets: some milliseconds
_NEAR, _HIGH = 12, 3  # the lowest nodes, which differ in a strip, and the highest, the same in a block
_LOW_BITS = 11  # all regressions on subsets that differ in this many bits are computed in one call
_CLEAR = 1e-6  # a column with less than this share of its variance left by the others is nearly collinear


class SubsetProgram:
    """The tables of one dynamic program, and its computation in parts of a fraction of a second each."""

    def __init__(self, problem: Problem):
        self._p, self._shape = problem.p, _shape(problem.p)
        self._covariance = np.ascontiguousarray(gaussian_covariance(problem, "ExactSearch"))
        clear = is_clear(self._covariance)
        given = (0, 0) if clear else (self._p, 2 ** (self._p - 1))
        sizes = np.zeros(1)
        for _ in range(self._shape[1]):
            sizes = np.concatenate([sizes, sizes + 1])  # of all sets of the lowest nodes
        self._asked = (
            np.zeros(2**self._p if clear else 0),
            np.empty(given),
            float(problem.cost),
            problem.cost * sizes,
            np.array(row_masks(~problem.allowed.T), dtype=np.int64),
            np.array(row_masks(problem.required.T), dtype=np.int64),
            int(problem.max_parents),
        )
        self._table = np.empty(_entries(self._shape))
        self._best = np.full(2**self._p, np.inf)
        self._best[0] = 0.0

    def parts(self) -> Iterator[Callable[[], None]]:
        """The computation, in order."""
        scores, given, *_ = self._asked
        if len(scores):
            for span in _spans(2**self._p, _AT_ONCE):
                yield partial(kernels.joint_scores, scores, self._covariance, *span)
        else:
            low = min(self._p, _LOW_BITS)
            for high in range(0, 2**self._p, 2**low):
                yield partial(kernels.conditional_scores, given, self._covariance, high, low)
        for span in _spans(2 ** (self._p - self._shape[1]), _STRIPS):
            yield partial(kernels.best_dags, self._best, self._table, self._shape, self._asked, *span)

    @property
    def minimum(self) -> float:
        """The least objective, once all parts are computed."""
        return float(self._best[-1])

    def dag(self) -> Mask:
        """A DAG that has it, read off from its last node to its first."""
        dag = np.zeros((self._p, self._p), dtype=bool)
        subset = 2**self._p - 1
        while subset:
            sink, parents = kernels.last_of(subset, self._best, self._asked)
            if sink < 0:
                raise ValueError("no DAG has a finite score")
            dag[:, sink] = (parents >> np.arange(self._p)) & 1
            subset &= ~(1 << sink)
        return dag


def compilation(problem: Problem) -> Callable[[], None]:
    """What compiles the kernels that a problem needs, or loads them."""
    return partial(kernels.compile_all, is_clear(gaussian_covariance(problem, "ExactSearch")))


def _shape(p: int) -> tuple[int, int, int]:
    """The nodes, how many of them are the lowest, and how many are in the middle."""
    near, high = min(p, _NEAR), min(_HIGH, max(0, p - 17))
    return p, near, p - near - high


def _entries(shape: tuple[int, int, int]) -> int:
    """The size of the table of best parents."""
    p, near, middle = shape
    return (2 * p - near - middle) * 2 ** (near + middle - 1)


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
    """Roughly the seconds a dynamic program over p nodes takes: 0.05 were measured for 20 on one core."""
    return 0.05 * 2.0 ** (p - 20) * (p / 20) ** 2


def memory_needed(p: int, clear: bool = True) -> int:
    """Bytes of the tables of a dynamic program over p nodes; with collinear columns there is one more."""
    return 8 * (_entries(_shape(p)) + 2**p + (2**p if clear else p * 2 ** (p - 1)))
