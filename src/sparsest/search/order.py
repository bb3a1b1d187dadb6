"""Order search: the DAG of least score by local search over orders of the nodes.

Given an order, each node takes its parents from the nodes before it by grow–shrink. A *descent* moves one
node at a time to its best place in the order until no move helps (insertion moves, as in BOSS: Andrews et
al., 2023). A *chain* then kicks the best order: a few nodes are moved at random, and only the nodes affected
look for new places, until kicks have failed for long enough (iterated local search). The objective is
NLL + c · edges, the same as in the exact search. Orders in which a node comes before one of its required
parents are never visited.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sparsest._core.correlation import correlation_of
from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Watch
from sparsest._core.streams import ORDER_SEARCH, generator
from sparsest.problem import SAME_OBJECTIVE, Problem, Solution, Stage
from sparsest.search._scored_orders import Order, OrderObjective, ScoredOrder, compile_all
from sparsest.search.common import gaussian_covariance, required_alone

_KICKED = 3  # nodes moved by a kick
_PATIENCE, _LARGE = 30, 1000  # with more nodes than this, patience shrinks in proportion
_CHAINS, _SMALL = 4, 40  # four chains with up to this many nodes, else one
_SORTED = 2000  # with more nodes than this, sorting them takes as long as it saves


@dataclass(frozen=True)
class OrderSearch:
    """Local search over orders, for Gaussian scores: a descent, then kicks of the best order.

    Parameters
    ----------
    seed : int
        Decides the random orders and the kicks.
    patience : int, optional
        A chain ends after this many futile moves per node since its last improvement; 0 is a single descent.
        The default is 30, and less with more than 1000 nodes.
    chains : int, optional
        The number of chains; by default four with up to 40 nodes, else one.
    n_jobs : int
        The number of threads over which chains are spread. It does not change the answer.
    start : tuple of int, "explained" or "random"
        The order with which the first chain starts: given, with the nodes that the others explain least first
        (up to 2000 nodes), or random. All other chains start at random orders.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest._core.progress import Watch
    >>> from sparsest.penalties import L0
    >>> from sparsest.problem import Problem
    >>> from sparsest.scores import GaussianScore
    >>> correlation = np.array([[1.0, 0.0, 0.6], [0.0, 1.0, 0.6], [0.6, 0.6, 1.0]])
    >>> problem = Problem(GaussianScore(correlation), L0(0.05))
    >>> OrderSearch(seed=1).solve(problem, Watch()).adjacency.astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """

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
        covariance, began = gaussian_covariance(problem, "OrderSearch"), watch.seconds
        cost = problem.single_cost("OrderSearch")
        if not isinstance(self.start, str) and sorted(self.start) != list(range(problem.p)):
            raise OptionError(
                f"start must name each of the {problem.p} nodes once, but start = {self.start!r}"
            )
        if not watch.wait_for(compile_all):
            return required_alone(problem, watch.stop or Status.TIME_LIMIT, watch.seconds - began)
        columns = canonical_order(covariance)
        among = np.ix_(columns, columns)
        masks = problem.allowed[among], problem.required[among]
        objective = OrderObjective(covariance[among], *masks, cost, problem.max_parents)
        chains = (_CHAINS if problem.p <= _SMALL else 1) if self.chains is None else self.chains
        with ThreadPoolExecutor(self.n_jobs) as threads:
            run = partial(self._chain, objective, columns, watch)
            running = [threads.submit(run, number) for number in range(chains)]
            while wait(running, timeout=0.05).not_done:
                pass  # an endless wait would keep Ctrl-C from the main thread
            done = [chain for future in running if (chain := future.result()) is not None]
        best = min(done, key=lambda chain: round(chain.at_last / SAME_OBJECTIVE))
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
            agreed=sum(chain.agreed for chain in done if chain.at_last < best.at_last + SAME_OBJECTIVE),
        )

    def _chain(self, objective: OrderObjective, columns: Order, watch: Watch, number: int) -> _Chain | None:
        if number > 0 and watch.stop is not None:
            return None
        rng = generator(self.seed, ORDER_SEARCH, number)
        if number == 0 and not isinstance(self.start, str):
            order = np.argsort(columns)[np.array(self.start)]
        elif number == 0 and self.start == "explained" and objective.p <= _SORTED:
            order = objective.by_explained_share()
        else:
            order = rng.permutation(len(columns))
        patience: float = _PATIENCE * min(1, _LARGE / objective.p)
        if self.patience is not None:
            patience = self.patience
        return _Chain(objective, order, watch).kick(patience, rng, number).finish()


class _Chain:
    """A descent, and kicks of the best order so far.

    `objective` is that of the parents by growing and shrinking, `at_last` that of the `dag`.
    """

    def __init__(self, over_orders: OrderObjective, order: Order, watch: Watch):
        self._over_orders, self._watch = over_orders, watch
        began = watch.seconds
        self._best = over_orders.scored(order)
        over_orders.descend(self._best, watch)
        self.cut = watch.stop is not None
        self.objective = self._best.objective
        self.first = Stage("first descent", self.objective, 1, watch.seconds - began)
        self.descents, self.agreed, self.seconds_kicking = 1, 1, 0.0

    def kick(self, patience: float, rng: np.random.Generator, number: int) -> _Chain:
        """Move a few nodes at random and descend from there, until that has failed for long enough."""
        futile, began, p = 0, self._watch.seconds, self._over_orders.p
        while futile < patience * p and not self.cut:
            tried = self._over_orders.copy(self._best)
            moved = rng.choice(p, size=min(_KICKED, p), replace=False)
            keys = rng.uniform(-0.5, p - 0.5, size=len(moved))
            futile += 1 + self._over_orders.kick(tried, moved, keys, self._watch)
            self.cut = self._watch.stop is not None
            if self._consider(tried) or (futile >= patience * p and self._consider(self._descended())):
                futile = 0
            self._watch.report(f"order search, chain {number + 1}", self.descents, self.objective)
        self.seconds_kicking = self._watch.seconds - began
        return self

    def _descended(self) -> ScoredOrder:
        """A descent in which all nodes may move, not only those affected by a kick."""
        tried = self._over_orders.copy(self._best)
        self._over_orders.descend(tried, self._watch)
        return tried

    def _consider(self, tried: ScoredOrder) -> bool:
        """Accept an order that is no worse, so that plateaus are crossed; returns whether it is better."""
        objective = tried.objective
        self.descents += 1
        better = objective < self.objective - SAME_OBJECTIVE
        if objective < self.objective + SAME_OBJECTIVE:
            self.agreed = 1 if better else self.agreed + 1
            self.objective, self._best = min(objective, self.objective), tried
        return better

    def finish(self) -> _Chain:
        """Look for the best parents along the best order, beyond what growing and shrinking found."""
        self.at_last, self.dag = self._over_orders.finished(self._best.order, self._watch)
        return self


def canonical_order(covariance: NDArray[np.float64]) -> Order:
    """An order of the columns that depends neither on their order in the table nor on their units.

    The search numbers the columns in this order, so that its random choices, and hence its answer, do not
    depend on them either.
    """
    strength = (np.abs(correlation_of(covariance)) ** 3).sum(axis=0)
    return np.argsort(strength, kind="stable")


def _account(chains: list[_Chain]) -> tuple[Stage, ...]:
    """The stages of all chains: the best first descent, and the best objective after all kicks."""
    first = min((chain.first for chain in chains), key=lambda stage: stage.objective)
    best = min(chain.objective for chain in chains)
    kicks = sum(chain.descents - 1 for chain in chains)
    seconds = sum(chain.seconds_kicking for chain in chains)
    return (first, Stage("kicks", best, kicks, seconds)) if kicks else (first,)
