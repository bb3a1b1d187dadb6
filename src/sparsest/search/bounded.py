"""Branch and bound over orders: proves a good graph to be the best, or how far above the best it may be.

A node is taken away from the end of the order, then another, and so on: breadth first over the sets of nodes
taken away, each with the least it can have cost. What is left of the nodes can cost no less than their
log-determinant plus the prices of their pairs (`pair_prices.py`). A set that cannot lead to a better graph
than the one known is dropped. Where what is left falls into parts that never share an edge, one part is taken
away first, so that the sets of different parts are not multiplied.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsest._core.progress import Watch
from sparsest.graph._bits import row_masks
from sparsest.penalties import L0
from sparsest.problem import SAME_OBJECTIVE, Array, Mask, Problem
from sparsest.rounding.by_score import gaussian_objective
from sparsest.scores import GaussianScore
from sparsest.search import _bounded_kernels as kernels
from sparsest.search.common import gaussian_covariance
from sparsest.search.dynamic_program import is_clear
from sparsest.search.pair_prices import pair_prices

#: Columns with less than this share of their variance left by others are too collinear to be bounded.
CLEAR = 1e-5
#: The most columns: a set is the bits of one signed integer.
MOST_COLUMNS = 62

_AT_ONCE = 1 << 12  # states per call of a kernel
_SORTED = 1 << 17  # states sorted together: those with many nodes in common follow each other
_WORK = 100_000  # per call of a kernel, about 0.1 s
_PLACES = 1 << 22  # places of a table moved per call of a kernel


@dataclass(frozen=True)
class Proof:
    """What is known of the least objective.

    Parameters
    ----------
    bound : float
        No DAG has a lower objective.
    complete : bool
        Whether the bound is the least objective.
    dag : (p, p) array of bool
        The best graph known.
    states : int
        How many sets of nodes were visited.
    because : str
        Why the search ended early, if it did: "time", "memory" or "dense".
    """

    bound: float
    complete: bool
    dag: Mask
    states: int
    because: str = ""


def can_bound(problem: Problem) -> bool:
    """Whether there are bounds for a problem: at most 62 columns, none of them collinear with others."""
    covariance = gaussian_covariance(problem, "branch and bound")
    return problem.p <= MOST_COLUMNS and problem.cost > 0 and is_clear(covariance, CLEAR)


class OrderLattice:
    """The sets of nodes taken away from the end of the order, layer by layer.

    Parameters
    ----------
    problem : Problem
        One that `can_bound`.
    dag : (p, p) array of bool
        A good graph; the search is for a better one.
    objective : float
        Its objective.
    watch : Watch
        Polled while the bound is prepared, too.
    """

    def __init__(self, problem: Problem, dag: Mask, objective: float, watch: Watch):
        covariance = np.ascontiguousarray(gaussian_covariance(problem, "branch and bound"))
        precision = np.ascontiguousarray(np.linalg.inv(covariance))
        prices = pair_prices(covariance, problem.cost, dag, watch)
        self._p, self._dag, self._objective = problem.p, dag, objective
        self._base = 0.5 * float(np.linalg.slogdet(covariance)[1]) + prices.sum() / 2
        self._asked = precision, covariance, _masks(problem.required.T), problem.cost, problem.max_parents
        variances = covariance.diagonal()
        threshold = 1 - np.exp(-2 * problem.cost)
        correlated = (covariance**2 >= threshold * np.outer(variances, variances)) | problem.required
        known = _masks(problem.required), _masks(correlated | correlated.T), _masks(prices > 0), prices
        self._known = known
        self._info = np.zeros(4, dtype=np.int64)
        roots = np.full((self._p + 1) * self._p, -1, dtype=np.int64)
        ways = np.full((len(roots), self._p + 1, 2), -1, dtype=np.int32)
        self._forest = np.zeros((1 << 13, 5), dtype=np.int64), np.zeros(1 << 13), roots, ways
        kernels.plant(self._forest, _masks(~problem.allowed.T), self._asked, self._info)
        self._layers: list[tuple[NDArray[np.int64], NDArray[np.int8]]] = []
        self._excesses = np.zeros(1)
        self._table = _empty_table(0)
        self.states = 0

    @property
    def bound(self) -> float:
        """No DAG has a lower objective, as far as is known by now."""
        return min(self._base + float(self._excesses.min(initial=np.inf)), self._objective)

    @property
    def memory(self) -> int:
        """Bytes in use."""
        layers = sum(array.nbytes for layer in self._layers for array in layer)
        return layers + sum(array.nbytes for array in (*self._table, *self._forest, self._excesses))

    def search(self, watch: Watch, memory: int) -> Proof:
        """Visit all sets that may lead to a better graph, until time or memory run out."""
        taken = np.zeros(1, dtype=np.int64)
        if self._info[kernels.REASON] == kernels.TOO_DENSE:
            return self.none_yet("dense")
        for layer in range(self._p):
            stage = f"exact search by branch and bound, {layer} of {self._p} columns placed"
            self._table, self._info[kernels.IN_TABLE] = _empty_table(10), 0
            for first in range(0, len(taken), _SORTED):
                piece = slice(first, first + _SORTED)
                order = np.argsort(taken[piece])
                states = taken[piece][order], self._excesses[piece][order]
                if why := self._expand(states, self._p - layer, watch, memory):
                    return self.none_yet(why)
                watch.report(stage, self.states + first, self._objective)
            taken = self._next_layer()
            if len(taken) == 0:
                return Proof(self._objective, True, self._dag, self.states)
        return Proof(self._base + float(self._excesses[0]), True, self._found(), self.states)

    def none_yet(self, why: str) -> Proof:
        """What is known so far, and why it is not more."""
        return Proof(self.bound, False, self._dag, self.states, why)

    def _expand(self, states: tuple[NDArray[np.int64], Array], left: int, watch: Watch, memory: int) -> str:
        """Enter the successors of some states; why that ended early, or nothing."""
        room, done, info = self._objective - self._base - SAME_OBJECTIVE, 0, self._info
        while done < len(states[0]):
            if watch.stop is not None:
                return "time"
            last = min(done + _AT_ONCE, len(states[0]))
            while info[kernels.IN_TABLE] + (last - done) * left > 0.7 * len(self._table[0]):
                if self.memory + 2 * sum(array.nbytes for array in self._table) > memory:
                    return "memory"
                self.widen()
            done = kernels.expand(
                states, done, last, self._table, self._forest, self._asked, self._known, room,
                _WORK, info,
            )  # fmt: skip
            if info[kernels.REASON] == kernels.TOO_DENSE:
                return "dense"
            if info[kernels.REASON] == kernels.NO_ROOM:
                if self.memory + 2 * self._forest[0].nbytes > memory:
                    return "memory"
                self._more_trees()
        return ""

    def widen(self) -> None:
        """A table of twice the size."""
        wider = _empty_table(len(self._table[0]).bit_length())
        self._info[kernels.IN_TABLE] = 0
        for first in range(0, len(self._table[0]), _PLACES):
            last = min(first + _PLACES, len(self._table[0]))
            kernels.enter(wider, self._table, first, last, self._info)
        self._table = wider

    def _next_layer(self) -> NDArray[np.int64]:
        """The sets in the table, which is emptied."""
        there = np.flatnonzero(self._table[0])
        taken, lasts = self._table[0][there], self._table[2][there]
        self._excesses = self._table[1][there]
        self._table = _empty_table(0)
        self._layers.append((taken, lasts))
        self.states += len(taken)
        return taken

    def _found(self) -> Mask:
        """The graph behind the last layer."""
        dag = np.zeros((self._p, self._p), dtype=bool)
        gone = (1 << self._p) - 1
        for taken, lasts in reversed(self._layers):
            node = int(lasts[np.flatnonzero(taken == gone)[0]])
            gone &= ~(1 << node)
            parents = kernels.parents_of(self._forest, node, gone, self._asked, self._info)
            dag[:, node] = (parents >> np.arange(self._p)) & 1
        return dag

    def _more_trees(self) -> None:
        tree, scores, roots, ways = self._forest
        self._forest = np.tile(tree, (2, 1)), np.tile(scores, 2), roots, ways

    def parts(self) -> NDArray[np.int64]:
        """A label for every node: no edge between nodes of different labels is ever worth its cost."""
        labels = np.arange(self._p)
        while not kernels.parts_of(self._known[1], self._forest, self._asked, labels, self._info):
            self._more_trees()
        return labels


def _masks(pattern: Mask) -> NDArray[np.int64]:
    return np.array(row_masks(pattern), dtype=np.int64)


def _empty_table(bits: int) -> tuple[NDArray[np.int64], Array, NDArray[np.int8]]:
    return np.zeros(1 << bits, dtype=np.int64), np.empty(1 << bits), np.empty(1 << bits, dtype=np.int8)


def compile_all() -> None:
    """Compile, or load from the cache, everything that a search calls: prove a chain of three nodes."""
    correlation = np.array([[1.0, 0.8, 0.6], [0.8, 1.0, 0.7], [0.6, 0.7, 1.0]])
    problem = Problem(GaussianScore(correlation), L0(0.01))
    for dag in (np.zeros((3, 3), dtype=bool), np.triu(np.ones((3, 3), dtype=bool), 1)):
        lattice = OrderLattice(problem, dag, gaussian_objective(problem, dag), Watch())
        lattice.parts()
        lattice.search(Watch(), 1 << 30)
        lattice.widen()
