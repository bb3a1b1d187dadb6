"""The score over orders: what growing and shrinking the parents of every node makes of an order.

The kernels (`_order_kernels.py`) do the work; this is their memory, and the slices in which they are called.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.progress import Watch
from sparsest.graph.acyclicity import order_near, topological_order
from sparsest.problem import SAME_OBJECTIVE, Array, Mask
from sparsest.search import _order_kernels as kernels
from sparsest.search import _order_memory as memory
from sparsest.search import _parent_kernels as parents

Order = NDArray[np.int64]
Arrays = tuple[NDArray[Any], ...]

_SLICE = 0.05  # seconds a kernel may run before the watch is asked
_ROOM = 32  # a path has room for less steps at first; doubled where that is not enough
_PLACES = 1 << 14  # in a tree at first; doubled where they are not enough
_EACH = 100  # places for each node, and
_NUMBERS = 1 << 22  # numbers in a tree, from which on it is cut down instead of made larger, but
_MOST_NUMBERS = 1 << 27  # numbers, a gigabyte, at most
_REFINED = 20_000  # nodes times columns refined in one call of the kernel
_ELIMINATED = 150  # places in an order, the first, where parents are sought by elimination too
_AT_ONCE = 20  # nodes eliminated in one call of the kernel
_RIDGE = 0.1  # on correlations: shares of explained variance also where rows are few


def compile_all() -> None:
    """Compile, or load from the cache, what a search will call."""
    problem = (
        np.eye(2),
        ~np.eye(2, dtype=bool),
        memory.required_parents(np.zeros((2, 2), dtype=bool)),
        1.0,
        1,
    )
    given = problem, memory.empty_tree(2, 4), memory.empty_growth(problem[0], 2)
    order, state = np.arange(2), memory.empty_state(2)
    kernels.score_order(*given, order, state)
    kernels.rearrange(*given, order, state, order.copy(), order.copy(), memory.empty_queue(2))
    kernels.insert_nodes(*given, order, state, memory.queue_of(order), 2)
    kernels.shrink_order(*given, order, state, 0, 2, np.empty(2), np.zeros((2, 2), dtype=bool))
    parents.compile_all()


@dataclass
class ScoredOrder:
    """An order, and what the kernels know of it while the tree of that `age` lasts."""

    order: Order
    state: Arrays
    age: int

    @property
    def objective(self) -> float:
        """NLL + c · edges, with parents by growing and shrinking."""
        return float(self.state[0].sum())


class OrderObjective:
    """NLL + c · edges as a function of the order of the nodes."""

    def __init__(
        self,
        covariance: Array,
        allowed: Mask,
        required: Mask,
        cost: float,
        limit: int,
    ):
        self.p = len(covariance)
        self._required = required
        needed = memory.required_parents(required)
        self._given = np.ascontiguousarray(covariance), np.ascontiguousarray(allowed), needed, cost, limit
        self._of_thread = threading.local()

    @property
    def _grown(self) -> _Tree:
        """What growing has met so far in this thread. It saves time, and changes no answer."""
        if not hasattr(self._of_thread, "tree"):
            self._of_thread.tree = _Tree(self._given)
        tree: _Tree = self._of_thread.tree
        return tree

    def by_explained_share(self) -> Order:
        """The nodes that the others explain best come last: effects, more often than not (R²-sortability)."""
        covariance = self._given[0]
        scales = np.sqrt(covariance.diagonal())
        correlation = covariance / np.outer(scales, scales)
        unexplained = 1 / np.linalg.inv(correlation + _RIDGE * np.eye(self.p)).diagonal()
        return np.argsort(-np.round(unexplained, 9), kind="stable")  # ties are not left to rounding

    def scored(self, order: Order) -> ScoredOrder:
        """An order, changed only as far as required edges make it, and its state."""
        order = self._obeying(order).copy()
        state = self._state_of(order)
        return ScoredOrder(order, state, self._grown.age)

    def copy(self, scored: ScoredOrder) -> ScoredOrder:
        """A copy."""
        self._refresh(scored)
        return ScoredOrder(scored.order.copy(), tuple(array.copy() for array in scored.state), scored.age)

    def descend(self, scored: ScoredOrder, watch: Watch) -> None:
        """Insert all nodes where they are best until nobody gains, or time is up."""
        before, self._grown.batch = np.inf, 1  # the last may have been faster, among places that it knew
        while scored.objective < before - SAME_OBJECTIVE and watch.stop is None:
            before = scored.objective
            self._settle(scored, memory.queue_of(scored.order), watch)

    def kick(self, scored: ScoredOrder, moved: Order, keys: NDArray[np.float64], watch: Watch) -> int:
        """Move some nodes to the places that `keys` say, and let those whom that touches find their best.

        Returns how often one was inserted.
        """
        sorting = np.empty(self.p)
        sorting[scored.order] = np.arange(self.p)
        sorting[moved] = keys
        wanted = np.argsort(sorting, kind="stable")
        if self._required.any():
            wanted = moved = self._obeying(wanted)
        queue = memory.empty_queue(self.p)
        while why := kernels.rearrange(*self._grown.given, scored.order, scored.state, wanted, moved, queue):
            self._grown.make_room(why)
            self._refresh(scored)
        return self._settle(scored, queue, watch)

    def _settle(self, scored: ScoredOrder, queue: Arrays, watch: Watch) -> int:
        """Give the waiting nodes their best places until nobody waits, or time is up; how many insertions."""
        grown, inserted = self._grown, 0
        while queue[2][1] > 0 and watch.stop is None:
            began = time.perf_counter()
            done, why = kernels.insert_nodes(*grown.given, scored.order, scored.state, queue, grown.batch)
            seconds = max(time.perf_counter() - began, 1e-6)
            most = min(4 * grown.batch, self.p)
            grown.batch = int(np.clip(max(done, 1) * _SLICE / seconds, 1, most))
            grown.in_use = grown.in_use or done > 0
            inserted += done
            if why != kernels.WALKED:
                grown.make_room(why)
                self._refresh(scored)
        return inserted

    def _refresh(self, scored: ScoredOrder) -> None:
        if scored.age != self._grown.age:
            scored.state, scored.age = self._state_of(scored.order), self._grown.age

    def _obeying(self, order: Order) -> Order:
        """An order, changed only as far as required edges make it."""
        if not self._required.any():
            return order
        return np.array(order_near(order.tolist(), self._required), dtype=np.int64)

    def finished(self, order: Order, watch: Watch) -> tuple[float, NDArray[np.bool_]]:
        """(objective, DAG) of an order with the best parents that growing and eliminating find.

        A DAG has other orders too, in which its nodes may choose among others: as long as that pays.
        """
        objective, dag = self._completed(order, watch)
        while watch.stop is None:
            again, other = self._completed(np.array(topological_order(dag), dtype=np.int64), watch)
            if not again < objective - SAME_OBJECTIVE:
                break
            objective, dag = again, other
        return objective, dag

    def _completed(self, order: Order, watch: Watch) -> tuple[float, NDArray[np.bool_]]:
        scores, dag = self._refined(order, self._state_of(order), watch)
        soon = order[:_ELIMINATED]
        swept, inside = self._given[0][np.ix_(soon, soon)], np.zeros(len(soon), dtype=bool)
        for first in range(0, len(soon), _AT_ONCE):
            span = (first, min(first + _AT_ONCE, len(soon)))
            if watch.stop is None:
                parents.eliminate_order(self._given, order, swept, inside, *span, scores, dag)
        return float(scores.sum()), dag

    def _refined(
        self, order: Order, state: Arrays, watch: Watch
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """(scores, DAG) of an order with its parents refined by exchanges, as far as time allows."""
        scores, dag = np.empty(self.p), np.zeros((self.p, self.p), dtype=bool)
        step = max(1, _REFINED // self.p)
        for first in range(0, self.p, step):
            last = min(first + step, self.p)
            kernels.shrink_order(*self._grown.given, order, state, first, last, scores, dag)
            if watch.stop is None:
                parents.exchange_order(self._given, order, first, last, scores, dag)
        return scores, dag

    def _state_of(self, order: Order) -> Arrays:
        """The state of an order."""
        state = memory.empty_state(self.p)
        while why := kernels.score_order(*self._grown.given, order, state):
            self._grown.make_room(why)
        return state


class _Tree:
    """The memory of the kernels for the paths that growing takes, as large as they need it."""

    def __init__(self, problem: tuple[Any, ...]):
        self._problem = problem
        p = len(problem[0])
        self._tree = memory.empty_tree(p, max(2 * p, _PLACES))
        self._growth = memory.empty_growth(problem[0], min(p, _ROOM))
        self.batch = 1  # insertions that one slice had time for
        self.in_use = False  # whether a node has found its place since the tree was empty
        self.age = 0  # how often it was emptied

    @property
    def given(self) -> tuple[tuple[Any, ...], Arrays, tuple[Any, ...]]:
        """What every kernel is given first."""
        return self._problem, self._tree, self._growth

    def make_room(self, why: int) -> None:
        """Make room for longer paths or more places. States are void when the `age` is another after it.

        A tree that no node could use since the last time is too small, and made larger in any case.
        """
        if why == kernels.LONG_PATH:
            self._growth = memory.empty_growth(self._problem[0], 2 * len(self._growth[0]))
        elif self.in_use and self._full_grown:
            memory.empty(self._tree)
            self.in_use, self.batch = False, 1
            self.age += 1
        else:
            self._tree = memory.larger_tree(self._tree)

    @property
    def _full_grown(self) -> bool:
        places, numbers = len(self._tree[0]), self._tree[0].size
        enough = numbers >= _NUMBERS and places >= _EACH * len(self._problem[0])
        return enough or numbers >= _MOST_NUMBERS
