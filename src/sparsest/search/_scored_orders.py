"""The objective as a function of the order of the nodes, with parents by growing and shrinking.

The kernels (`_order_kernels.py`) do the work; this module owns their memory and calls them in short slices.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.correlation import correlation_of
from sparsest._core.progress import Watch
from sparsest.graph.acyclicity import order_near, topological_order
from sparsest.problem import SAME_OBJECTIVE, Array, Mask
from sparsest.search import _order_kernels as kernels
from sparsest.search import _order_memory as memory
from sparsest.search import _parent_kernels as parents
from sparsest.search.common import with_moved

Order = NDArray[np.int64]
Arrays = tuple[NDArray[Any], ...]

_SLICE = 0.05  # seconds a kernel may run before the watch is polled
_ROOM = 32  # initial room for the steps of a path; doubled when used up
_PLACES = 1 << 14  # initial room for places in a tree; doubled when used up
# A tree with this many places per node, and this many numbers in all, is emptied instead of enlarged.
_PER_NODE, _NUMBERS = 100, 1 << 22
_MOST_NUMBERS = 1 << 27  # in any case: a gigabyte
_REFINED = 20_000  # nodes times columns refined in one call of the kernel
_ELIMINATED = 150  # the first places of an order, where elimination looks for parents too
_AT_ONCE = 20  # nodes eliminated in one call of the kernel
_NOBODY = np.empty(0, dtype=np.int64)
_RIDGE = 0.1  # on correlations: makes shares of explained variance usable even with few rows


def compile_all() -> None:
    """Compile, or load from the cache, everything that a search calls."""
    objective = OrderObjective(np.eye(2), ~np.eye(2, dtype=bool), np.zeros((2, 2), dtype=bool), 1.0, 1, 0.5)
    objective.scored(np.arange(2))
    parents.compile_all()


@dataclass
class ScoredOrder:
    """An order with the state that the kernels keep of it, valid while the tree has the same `age`."""

    order: Order
    state: Arrays
    age: int

    @property
    def objective(self) -> float:
        """NLL + c · edges, with parents by growing and shrinking."""
        return float(self.state[0].sum())


class OrderObjective:
    """NLL + c · edges as a function of the order of the nodes.

    Growing continues while a step pays at least the share `generosity` of its cost.
    """

    def __init__(
        self,
        covariance: Array,
        allowed: Mask,
        required: Mask,
        cost: float,
        limit: int,
        generosity: float,
    ):
        self.p = len(covariance)
        self._required = required
        self._given = (
            np.ascontiguousarray(covariance),
            np.ascontiguousarray(allowed),
            memory.required_parents(required),
            cost,
            limit,
            generosity,
        )
        self._of_thread = threading.local()

    @property
    def _grown(self) -> _Tree:
        """What growing has visited so far in this thread. It saves time and does not change the answer."""
        if not hasattr(self._of_thread, "tree"):
            self._of_thread.tree = _Tree(self._given)
        tree: _Tree = self._of_thread.tree
        return tree

    def by_explained_share(self) -> Order:
        """Nodes best explained by the others come last: more often than not effects (R²-sortability)."""
        correlation = correlation_of(self._given[0])
        unexplained = 1 / np.linalg.inv(correlation + _RIDGE * np.eye(self.p)).diagonal()
        return np.argsort(-np.round(unexplained, 9), kind="stable")  # ties are not left to rounding

    def scored(self, order: Order) -> ScoredOrder:
        """An order, changed only as far as required edges demand, with its state."""
        scored = ScoredOrder(self._obeying(order).copy(), (), -1)
        self._refresh(scored)
        return scored

    def copy(self, scored: ScoredOrder) -> ScoredOrder:
        """A copy."""
        self._refresh(scored)
        return ScoredOrder(scored.order.copy(), tuple(array.copy() for array in scored.state), scored.age)

    def joined(self, scored: ScoredOrder) -> Mask:
        """Which nodes the DAG of an order joins, in either direction."""
        self._refresh(scored)
        dag = self._grown.parents(scored)
        return dag | dag.T

    def descend(self, scored: ScoredOrder, watch: Watch) -> None:
        """Move nodes to their best places until no move helps, or time is up."""
        before, self._grown.batch = np.inf, 1  # an earlier descent may have been faster, among places it knew
        while scored.objective < before - SAME_OBJECTIVE and watch.stop is None:
            before = scored.objective
            self._settle(scored, memory.queue_of(scored.order), watch)

    def kick(self, scored: ScoredOrder, moved: Order, keys: NDArray[np.float64], watch: Watch) -> int:
        """Move some nodes to the places given by `keys`, and let the nodes affected find their best places.

        Returns the number of insertions tried.
        """
        wanted = with_moved(scored.order, moved, keys)
        if self._required.any():
            wanted = moved = self._obeying(wanted)
        queue = memory.empty_queue(self.p)
        while why := self._grown.move(scored, wanted, moved, queue, 0)[1]:
            self._grown.make_room(why)
            self._refresh(scored)
        return self._settle(scored, queue, watch)

    def _settle(self, scored: ScoredOrder, queue: Arrays, watch: Watch) -> int:
        """Insert the queued nodes at their best places until the queue is empty or time is up; how many."""
        grown, inserted = self._grown, 0
        while queue[2][1] > 0 and watch.stop is None:
            began = time.perf_counter()
            done, why = grown.move(scored, _NOBODY, _NOBODY, queue, grown.batch)
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
        """Give an order its state, unless it has one of the present tree."""
        while scored.age != self._grown.age:
            age, scored.state = self._grown.age, memory.empty_state(self.p)
            queue, order = memory.empty_queue(self.p), scored.order
            if why := self._grown.move(scored, order.copy(), order.copy(), queue, 0)[1]:
                self._grown.make_room(why)
            else:
                scored.age = age

    def _obeying(self, order: Order) -> Order:
        """An order, changed only as far as required edges demand."""
        if not self._required.any():
            return order
        return np.array(order_near(order.tolist(), self._required), dtype=np.int64)

    def finished(self, order: Order, watch: Watch) -> tuple[float, NDArray[np.bool_]]:
        """(objective, DAG) of an order with the best parents that growing and eliminating find.

        A DAG has other topological orders, in which nodes have other candidates: tried while it pays.
        """
        objective, dag = self._completed(order, watch)
        while watch.stop is None:
            again, other = self._completed(np.array(topological_order(dag), dtype=np.int64), watch)
            if not again < objective - SAME_OBJECTIVE:
                break
            objective, dag = again, other
        return objective, dag

    def _completed(self, order: Order, watch: Watch) -> tuple[float, NDArray[np.bool_]]:
        """(objective, DAG) of an order with its parents improved, as far as time allows."""
        grown = self.scored(order)
        scores, dag = grown.state[0], self._grown.parents(grown)
        step = max(1, _REFINED // self.p)
        for first in range(0, self.p, step):
            if watch.stop is None:
                parents.exchange_order(self._given, order, first, min(first + step, self.p), scores, dag)
        soon = order[:_ELIMINATED]
        swept, inside = self._given[0][np.ix_(soon, soon)], np.zeros(len(soon), dtype=bool)
        for first in range(0, len(soon), _AT_ONCE):
            span = (first, min(first + _AT_ONCE, len(soon)))
            if watch.stop is None:
                parents.eliminate_order(self._given, order, swept, inside, *span, scores, dag)
        return float(scores.sum()), dag


class _Tree:
    """The memory of the kernels for the paths that growing takes, enlarged as needed."""

    def __init__(self, problem: tuple[Any, ...]):
        self._problem = problem
        p = len(problem[0])
        self._tree = memory.empty_tree(p, max(2 * p, _PLACES))
        self._growth = memory.empty_growth(problem[0], min(p, _ROOM))
        self._scratch = memory.scratch(p, min(p, _ROOM))
        self.batch = 1  # insertions per slice
        self.in_use = False  # whether a node has been inserted since the tree was empty
        self.age = 0  # how often it was emptied

    def move(
        self, scored: ScoredOrder, wanted: Order, moved: Order, queue: Arrays, most: int
    ) -> tuple[int, int]:
        """Turn an order into the wanted one, and insert up to `most` nodes: (how many, why no more)."""
        given = self._problem, self._tree, self._growth, scored.order, scored.state
        done, why = kernels.move(*given, wanted, moved, queue, most, self._scratch)
        return max(done, 0), why

    def parents(self, scored: ScoredOrder) -> NDArray[np.bool_]:
        """The DAG of an order, as growing and shrinking choose it."""
        return memory.kept(self._tree, scored.state[1], len(scored.order))

    def make_room(self, why: int) -> None:
        """Make room for longer paths or more places. States are void if the `age` has changed afterwards.

        A tree too small for even one insertion since it was emptied is enlarged in any case.
        """
        if why == kernels.LONG_PATH:
            room = 2 * len(self._growth[0])
            self._growth = memory.empty_growth(self._problem[0], room)
            self._scratch = memory.scratch(len(self._problem[0]), room)
        elif self.in_use and self._full_grown:
            memory.empty(self._tree)
            self.in_use, self.batch = False, 1
            self.age += 1
        else:
            self._tree = memory.larger_tree(self._tree)

    @property
    def _full_grown(self) -> bool:
        places, numbers = len(self._tree[0]), self._tree[0].size
        enough = numbers >= _NUMBERS and places >= _PER_NODE * len(self._problem[0])
        return enough or numbers >= _MOST_NUMBERS
