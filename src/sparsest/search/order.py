"""Order search: the DAG of least score by local search over orders of the nodes.

Given an order, each node takes its parents from the nodes before it by grow–shrink. A *descent* moves one
node at a time to its best place in the order until no move helps (insertion moves, as in BOSS: Andrews et
al., 2023). A *chain* then perturbs the best order and descends again, until that has failed often enough
(iterated local search). It all minimises NLL + c · edges, the same score as the exact search. Orders in
which an effect comes before a cause that is required of it are never visited.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sparsest.errors import OptionError
from sparsest.graph.acyclicity import order_near, topological_order
from sparsest.problem import Problem
from sparsest.progress import Status, Watch
from sparsest.search import _order_kernels as kernels
from sparsest.search import _parent_kernels as parents
from sparsest.search.common import gaussian_covariance, parent_limit, required_alone
from sparsest.solution import Solution, Stage

Order = NDArray[np.int64]
Arrays = tuple[NDArray[Any], ...]

_SLICE = 0.05  # seconds a kernel may run before the watch is asked
_STREAM = 0x0DE5  # keeps our random numbers apart from those of others with the same seed
_ROOM = 32  # a path has room for less steps at first; doubled where that is not enough
_PLACES = 1 << 14  # in a tree at first; doubled where they are not enough
_EACH = 100  # places for each node, and
_NUMBERS = 1 << 24  # numbers in a tree, from which on it is cut down instead of made larger, but
_MOST_NUMBERS = 1 << 27  # numbers, a gigabyte, at most
_REFINED = 20_000  # nodes times columns refined in one call of the kernel
_ELIMINATED = 150  # with more candidates than this, parents are not sought by elimination
_AT_ONCE = 20  # nodes eliminated in one call of the kernel
_AGREED = 16  # descents, over all chains, that end at the best: half the time of going on, and as good
_MANY = 200  # from so many nodes on there are two chains instead of four
_SORTED = 2000  # with more nodes than this, sorting them takes as long as it saves
_RIDGE = 0.1  # on correlations: shares of explained variance also where rows are few
_SHAKEN = 0.25  # the share of nodes that a perturbation moves
_TIE = 1e-9  # objectives closer than this are equal


@dataclass(frozen=True)
class OrderSearch:
    """Local search over orders: chains of a descent and restarts from perturbations of the best order.

    A chain ends after `patience` restarts in a row without improvement; 0 is one descent. By default that is
    1000/p, but from 2 to 20, and a chain ends as well when its share of 16 descents, at least four, has ended
    at its best. There are `chains` of them, by default four, and two from 200 nodes on. The first begins at
    `start`, an order; with "explained" (up to 2000 nodes) those come first that the others explain least.
    All others begin at random orders that `seed` decides. Chains are spread over `n_jobs` threads; the answer
    is the same for any number.
    """

    max_parents: int | None = None
    seed: int = 0
    patience: int | None = None
    chains: int | None = None
    n_jobs: int = 1
    start: tuple[int, ...] | Literal["explained", "random"] = "explained"

    standardizes = True
    returns_dag = True

    def __post_init__(self) -> None:
        for name, least in (("patience", 0), ("chains", 1), ("n_jobs", 1)):
            if (value := getattr(self, name)) is not None and value < least:
                raise OptionError(f"{name} must be at least {least}, but {name} = {value!r}")
        if self.start is None or (isinstance(self.start, str) and self.start not in ("explained", "random")):
            raise OptionError(f"start must be an order, 'explained' or 'random', but start = {self.start!r}")

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """The best order that the chains find."""
        covariance, cost, began = gaussian_covariance(problem, "OrderSearch"), problem.cost, watch.seconds
        if not isinstance(self.start, str) and sorted(self.start) != list(range(problem.p)):
            raise OptionError(
                f"start must name each of the {problem.p} nodes once, but start = {self.start!r}"
            )
        limit = parent_limit(self.max_parents, problem.p, problem.most_required)
        if not watch.wait_for(_compile):
            return required_alone(problem, watch.stop or Status.TIME_LIMIT, watch.seconds - began)
        columns = canonical_order(covariance)
        among = np.ix_(columns, columns)
        required = None if problem.required is None else problem.required[among]
        landscape = _Landscape(covariance[among], problem.allowed[among], required, cost, limit)
        chains = (4 if problem.p < _MANY else 2) if self.chains is None else self.chains
        with ThreadPoolExecutor(self.n_jobs) as threads:
            run = partial(self._chain, landscape, columns, watch, max(4, _AGREED // chains))
            running = [threads.submit(run, number) for number in range(chains)]
            while wait(running, timeout=0.05).not_done:
                pass  # a wait without end would keep Ctrl-C from the main thread
            done = [chain for future in running if (chain := future.result()) is not None]
        best = min(done, key=lambda chain: round(chain.at_last / _TIE))
        cut = len(done) < chains or any(chain.cut for chain in done)
        adjacency = np.empty((problem.p, problem.p))
        adjacency[among] = best.dag
        return Solution(
            adjacency=adjacency,
            objective=best.at_last,
            status=(watch.stop or Status.TIME_LIMIT) if cut else Status.CONVERGED,
            steps=sum(chain.descents for chain in done),
            seconds=watch.seconds - began,
            stages=_account(done),
            agreed=sum(chain.agreed for chain in done if chain.at_last < best.at_last + _TIE),
        )

    def _chain(
        self, landscape: _Landscape, columns: Order, watch: Watch, enough: int | None, number: int
    ) -> _Chain | None:
        if number > 0 and watch.stop is not None:
            return None
        rng = np.random.default_rng([self.seed, _STREAM, number])
        if number == 0 and not isinstance(self.start, str):
            order = np.argsort(columns)[np.array(self.start)]
        elif number == 0 and self.start == "explained" and landscape.p <= _SORTED:
            order = landscape.by_explained_share()
        else:
            order = rng.permutation(len(columns))
        patience: float = int(np.clip(1000 // landscape.p, 2, 20))
        if self.patience is not None:
            patience, enough = self.patience, None
        chain = _Chain(landscape, landscape.obeying(order), watch)
        return chain.restart(patience, enough, rng, number).finish()


class _Chain:
    """A descent, and restarts from perturbations of the best order so far.

    `objective` is that of the parents by growing, shrinking and exchanges, `at_last` that of the `dag`.
    """

    def __init__(self, landscape: _Landscape, order: Order, watch: Watch):
        self._landscape, self._watch = landscape, watch
        began = watch.seconds
        self.objective, self.order, self.cut = landscape.descend(order, watch)
        self.first = Stage("first descent", self.objective, 1, watch.seconds - began)
        self.descents = self.agreed = 1
        self.seconds_restarting = 0.0

    def restart(self, patience: float, enough: int | None, rng: np.random.Generator, number: int) -> _Chain:
        failures, began = 0, self._watch.seconds
        while failures < patience and (enough is None or self.agreed < enough) and not self.cut:
            shaken = self._landscape.obeying(_shaken(self.order, rng))
            objective, order, self.cut = self._landscape.descend(shaken, self._watch)
            self.descents += 1
            failures += 1
            if objective < self.objective - _TIE:
                failures, self.agreed = 0, 0
            if objective < self.objective + _TIE:  # an order as good is taken too: plateaus are crossed
                self.objective, self.order = min(objective, self.objective), order
                self.agreed += 1
            self._watch.report(f"order search, chain {number + 1}", self.descents, self.objective)
        self.seconds_restarting = self._watch.seconds - began
        return self

    def finish(self) -> _Chain:
        """Seek the best parents along the best order; what is best by growing alone need not be so then."""
        self.at_last, self.dag = self._landscape.finished(self.order, self._watch)
        return self


def _compile() -> None:
    kernels.compile_all()
    parents.compile_all()


def canonical_order(covariance: NDArray[np.float64]) -> Order:
    """An order of the columns that depends neither on their order in the table nor on their units.

    The search works in it, so that its random orders, and with them the answer, do not either.
    """
    scales = np.sqrt(covariance.diagonal())
    strength = (np.abs(covariance / np.outer(scales, scales)) ** 3).sum(axis=0)
    return np.argsort(strength, kind="stable")


def _shaken(order: Order, rng: np.random.Generator) -> Order:
    """The order with a share of its nodes put somewhere else at random."""
    p = len(order)
    count = min(p, max(2, round(_SHAKEN * p)))
    keys = np.empty(p)
    keys[order] = np.arange(p)
    keys[rng.choice(p, size=count, replace=False)] = rng.uniform(-0.5, p - 0.5, size=count)
    return np.argsort(keys, kind="stable")


def _account(chains: list[_Chain]) -> tuple[Stage, ...]:
    """What the chains did: the best first descent, and the best after all restarts."""
    first = min((chain.first for chain in chains), key=lambda stage: stage.objective)
    best = min(chain.objective for chain in chains)
    restarts = sum(chain.descents - 1 for chain in chains)
    seconds = sum(chain.seconds_restarting for chain in chains)
    return (first, Stage("restarts", best, restarts, seconds)) if restarts else (first,)


class _Landscape:
    """The score over orders."""

    def __init__(
        self,
        covariance: NDArray[np.float64],
        allowed: NDArray[np.bool_],
        required: NDArray[np.bool_] | None,
        cost: float,
        limit: int,
    ):
        self.p = len(covariance)
        self._required = required
        needed = kernels.required_parents(np.zeros_like(allowed) if required is None else required)
        self._given = (
            np.ascontiguousarray(covariance), np.ascontiguousarray(allowed.T), needed, cost, limit
        )  # fmt: skip
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

    def obeying(self, order: Order) -> Order:
        """An order, changed only as far as required edges make it."""
        if self._required is None:
            return order
        return np.array(order_near(order.tolist(), self._required), dtype=np.int64)

    def finished(self, order: Order, watch: Watch) -> tuple[float, NDArray[np.bool_]]:
        """(objective, DAG) of an order with the best parents that growing and eliminating find.

        A DAG has other orders too, in which its nodes may choose among others: as long as that pays.
        """
        objective, dag = self._completed(order, watch)
        while watch.stop is None:
            again, other = self._completed(np.array(topological_order(dag), dtype=np.int64), watch)
            if not again < objective - _TIE:
                break
            objective, dag = again, other
        return objective, dag

    def _completed(self, order: Order, watch: Watch) -> tuple[float, NDArray[np.bool_]]:
        scores, dag = self._refined(order, self._scored(order), watch)
        room = max(1, min(self.p, _ELIMINATED))
        for first in range(0, self.p, _AT_ONCE):
            if watch.stop is None:
                last = min(first + _AT_ONCE, self.p)
                parents.eliminate_order(self._given, order, room, first, last, scores, dag)
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

    def descend(self, order: Order, watch: Watch) -> tuple[float, Order, bool]:
        """(objective, order, whether the watch cut it short) where no insertion helps any more."""
        order = order.copy()
        state = self._scored(order)
        batch, moved, total = 1, 1, np.inf
        # Ties may make a move look better than it is: a sweep that gains nothing is the last.
        while moved and float(state[0].sum()) < total - kernels.TIE:
            total = float(state[0].sum())
            moved, nodes, done = 0, order.copy(), 0
            while done < self.p:
                if watch.stop is not None:
                    return float(self._refined(order, state, watch)[0].sum()), order, True
                began = time.perf_counter()
                part = nodes[done : done + batch]
                changed, placed, why = kernels.insert_nodes(*self._grown.given, order, state, part)
                seconds = max(time.perf_counter() - began, 1e-6)
                batch = int(np.clip(max(placed, 1) * _SLICE / seconds, 1, min(4 * batch, self.p)))
                moved, done = moved + changed, done + placed
                self._grown.in_use = self._grown.in_use or placed > 0
                if why != kernels.WALKED and self._grown.make_room(why):
                    state = self._scored(order)
        return float(self._refined(order, state, watch)[0].sum()), order, False

    def _scored(self, order: Order) -> Arrays:
        """The state of an order."""
        state = kernels.empty_state(self.p)
        while why := kernels.score_order(*self._grown.given, order, state):
            self._grown.make_room(why)
        return state


class _Tree:
    """The memory of the kernels for the paths that growing takes, as large as they need it."""

    def __init__(self, problem: tuple[Any, ...]):
        self._problem = problem
        p = len(problem[0])
        self._tree = kernels.empty_tree(p, max(2 * p, _PLACES))
        self._growth = kernels.empty_growth(problem[0], min(p, _ROOM))
        self.in_use = False  # whether a node has found its place since the tree was empty

    @property
    def given(self) -> tuple[tuple[Any, ...], Arrays, Arrays]:
        """What every kernel is given first."""
        return self._problem, self._tree, self._growth

    def make_room(self, why: int) -> bool:
        """Make room for longer paths or more places; whether the tree was cut down, so that states are void.

        A tree that no node could use since the last time is too small, and made larger in any case.
        """
        if why == kernels.LONG_PATH:
            self._growth = kernels.empty_growth(self._problem[0], 2 * len(self._growth[0]))
        elif self.in_use and self._full_grown:
            kernels.empty(self._tree)
            self.in_use = False
            return True
        else:
            self._tree = kernels.larger_tree(self._tree)
        return False

    @property
    def _full_grown(self) -> bool:
        places, numbers = len(self._tree[0]), self._tree[0].size
        enough = numbers >= _NUMBERS and places >= _EACH * len(self._problem[0])
        return enough or numbers >= _MOST_NUMBERS
