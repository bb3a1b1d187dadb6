"""Order search: the DAG of least score by local search over orders of the nodes.

Given an order, each node takes its parents from the nodes before it by grow–shrink. The search moves one
node at a time to its best place in the order until no move helps (insertion moves, as in BOSS: Andrews et
al., 2023). It minimises NLL + c · edges, the same score as the exact search.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsest.problem import Problem
from sparsest.progress import Status, Watch
from sparsest.search import _order_kernels as kernels
from sparsest.search.common import gaussian_covariance, parent_limit
from sparsest.solution import Solution, Stage

_SLICE = 0.05  # seconds a kernel may run before the watch is asked
_STREAM = 0x0DE5  # keeps our random numbers apart from those of others with the same seed
_ROOM = 32  # parents a path has room for at first; doubled where it is not enough


@dataclass(frozen=True)
class OrderSearch:
    """One descent from a random order (`seed`), or from a given `start`."""

    max_parents: int | None = None
    seed: int = 0
    start: tuple[int, ...] | None = None

    standardizes = True
    returns_dag = True

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """Descend to an order that no insertion improves."""
        covariance, cost = gaussian_covariance(problem, "OrderSearch"), problem.cost
        began, p = watch.seconds, problem.p
        if not watch.wait_for(kernels.compile_all):
            empty = np.zeros((p, p))
            nll = 0.5 * float(np.log(covariance.diagonal()).sum())
            return Solution(empty, nll, watch.stop or Status.TIME_LIMIT, 0, watch.seconds - began)
        descent = _Descent(
            covariance, problem.allowed, cost, parent_limit(self.max_parents, p), self._first(p)
        )
        steps, moved, reason = 0, 1, None
        while moved and reason is None:
            moved, reason = descent.sweep(watch)
            steps += moved
            watch.report("order search", steps, descent.objective)
        dag, seconds = descent.dag().astype(float), watch.seconds - began
        stage = Stage("order search", descent.objective, steps, seconds)
        return Solution(dag, descent.objective, reason or Status.CONVERGED, steps, seconds, (stage,))

    def _first(self, p: int) -> NDArray[np.int64]:
        if self.start is not None:
            return np.array(self.start, dtype=np.int64)
        # Whoever simulated the data may have used the same seed, and a permutation as its first draw.
        return np.random.default_rng([self.seed, _STREAM]).permutation(p)


class _Descent:
    """An order with, for every node, its score and path given the nodes before it."""

    def __init__(
        self,
        covariance: NDArray[np.float64],
        allowed: NDArray[np.bool_],
        cost: float,
        limit: int,
        order: NDArray[np.int64],
    ):
        self._given = (np.ascontiguousarray(covariance), np.ascontiguousarray(allowed), cost, limit)
        self.order = order.copy()
        self._room = max(1, min(limit, _ROOM))
        self._batch = 1
        self.dag()

    @property
    def objective(self) -> float:
        return float(self._state[0].sum())

    def dag(self) -> NDArray[np.bool_]:
        """The DAG of the order; brings the state up to date, with as much room as the paths need."""
        while True:
            self._state = kernels.empty_state(len(self.order), self._room)
            dag, fits = kernels.score_order(*self._given, self.order, self._state)
            if fits:
                return dag
            self._room = min(2 * self._room, self._given[3])

    def sweep(self, watch: Watch) -> tuple[int, Status | None]:
        """Give every node its best place once; how many moved, and why it stopped half-way if it did."""
        moved, nodes, done = 0, self.order.copy(), 0
        while done < len(nodes):
            if (reason := watch.stop) is not None:
                return moved, reason
            began = time.perf_counter()
            batch = nodes[done : done + self._batch]
            changed, fits = kernels.insert_nodes(*self._given, self.order, self._state, batch)
            moved += changed
            done += len(batch)
            if not fits:
                self._room = min(2 * self._room, self._given[3])
                self.dag()
                moved += 1  # the batch was cut short: sweep again
            seconds = time.perf_counter() - began
            self._batch = int(np.clip(self._batch * _SLICE / max(seconds, 1e-6), 1, 4 * self._batch))
        return moved, None
