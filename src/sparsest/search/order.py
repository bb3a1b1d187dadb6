"""Order search: the DAG of least score by local search over orders of the nodes.

Given an order, each node takes its parents from the nodes before it by grow–shrink. A *descent* moves one
node at a time to its best place in the order until no move helps (insertion moves, as in BOSS: Andrews et
al., 2023). A *chain* then kicks the best order: a few nodes are moved (`kicks`), and only the nodes affected
look for new places, until kicks have failed for long enough (iterated local search).

Growing is quick, and blind to parents that pay only together: nodes with dozens of parents, as in scale-free
graphs, then have the wrong score along the right order. So a chain ends with a *closer look*: a descent in
which growing goes on for less gain. Where that helps, kicks go on there. Where growing had missed something,
a still closer look follows. Chains are added until two agree about the least objective.

The objective is NLL + c · edges, the same as in the exact search. Orders in which a node comes before one of
its required parents are never visited.
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
from sparsest.graph.acyclicity import topological_order
from sparsest.problem import SAME_OBJECTIVE, Problem, Solution, Stage
from sparsest.search._scored_orders import Order, OrderObjective, ScoredOrder, compile_all
from sparsest.search.common import gaussian_covariance, required_alone
from sparsest.search.kicks import kick

_PATIENCE, _LARGE = 10, 1000  # with more nodes than this, patience shrinks in proportion
_LEAST_MOVES = 1500  # with few nodes, patience lasts for so many futile moves in all
_AT_ONCE, _SMALL = 2, 200  # chains at a time; one with more nodes than this
# Chains in all, and how many times the patience have those that are added because the first ones disagree:
# with up to so many nodes, and with more.
_CHEAP, _IN_DOUBT = 100, ((12, 2), (6, 1))
# The shares of its cost that a step of growing must pay: quickly first, then at closer looks.
_GENEROSITIES = (0.5, 0.1, 0.02)
_MOST_WITH_ONE = 3  # chains in all where one begins alone
_SORTED = 2000  # with more nodes than this, sorting them takes as long as it saves


@dataclass(frozen=True)
class OrderSearch:
    """Local search over orders, for Gaussian scores: a descent, then kicks of the best order.

    Parameters
    ----------
    seed : int
        Decides the random orders and the kicks.
    patience : float, optional
        Kicks end after this many futile moves per node since the last improvement; 0 is for no kicks. The
        default is 10, more with fewer than 150 nodes (`usual_patience`), and less with more than 1000.
    chains : int, optional
        The number of chains. By default two with up to 200 nodes, and two more at a time until the least
        objective was found twice: up to twelve, of twice the patience, with up to 100 nodes, up to six with
        more. One with more than 200.
    n_jobs : int
        The number of threads over which chains are spread. It does not change the answer.
    start : tuple of int, "explained" or "random"
        The order with which the first chain starts: given, with the nodes that the others explain least first
        (up to 2000 nodes), or random. All other chains start at random orders.
    closer_looks : int
        With how many ever more generous ways of growing parents a chain may look again, at most two.
    alone : bool
        With up to 200 nodes, begin with one chain, and add others, one at a time and two at most, only if its
        closer looks found something that growing had missed: for a start that is known to be good.

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
    patience: float | None = None
    chains: int | None = None
    n_jobs: int = 1
    start: tuple[int, ...] | Literal["explained", "random"] = "explained"
    closer_looks: int = len(_GENEROSITIES) - 1
    alone: bool = False

    standardizes = True
    returns_dag = True

    def __post_init__(self) -> None:
        for name, least in (("patience", 0), ("chains", 1), ("n_jobs", 1), ("closer_looks", 0)):
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
        given = covariance[among], *masks, cost, problem.max_parents
        looks = [OrderObjective(*given, generosity) for generosity in _GENEROSITIES[: 1 + self.closer_looks]]
        done, cut = self._chains(looks, columns, watch)
        best = min(done, key=lambda chain: round(chain.at_last / SAME_OBJECTIVE))
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

    def _chains(self, looks: list[OrderObjective], columns: Order, watch: Watch) -> tuple[list[_Chain], bool]:
        """All chains, and whether time was up. More are added while there is doubt."""
        small = len(columns) <= _SMALL
        number = self.chains or (_AT_ONCE if small and not self.alone else 1)
        most = number
        if self.chains is None and small:
            most = _MOST_WITH_ONE if self.alone else _in_doubt(len(columns))[0]
        done: list[_Chain] = []
        with ThreadPoolExecutor(self.n_jobs) as threads:
            while True:
                run = partial(self._chain, looks, columns, watch)
                running = [threads.submit(run, len(done) + k) for k in range(number)]
                while wait(running, timeout=0.05).not_done:
                    watch.pass_on()  # and an endless wait would keep Ctrl-C from the main thread
                watch.pass_on()
                found = [chain for future in running if (chain := future.result()) is not None]
                done += found
                if len(found) < number or watch.stop is not None:
                    return done, True
                sure = self.alone and len(done) == 1 and not done[0].missed
                if len(done) >= most or sure or not _doubtful(done):
                    return done, False

    def _chain(self, looks: list[OrderObjective], columns: Order, watch: Watch, number: int) -> _Chain | None:
        if number > 0 and watch.stop is not None:
            return None
        rng, p = generator(self.seed, ORDER_SEARCH, number), len(columns)
        if number == 0 and not isinstance(self.start, str):
            order = np.argsort(columns)[np.array(self.start)]
        elif number == 0 and self.start == "explained" and p <= _SORTED:
            order = looks[0].by_explained_share()
        else:
            order = rng.permutation(p)
        patience = usual_patience(p) if self.patience is None else self.patience
        if self.chains is None and not self.alone and number >= _AT_ONCE:
            patience *= _in_doubt(p)[1]
        return _Chain(looks, watch, number).run(order, patience, rng)


class _Chain:
    """A descent, kicks of the best order so far, and closer looks at it.

    `objective` is that of the parents by growing and shrinking, `at_last` that of the `dag`; `missed` says
    whether the `dag` has parents that growing did not find.
    """

    def __init__(self, looks: list[OrderObjective], watch: Watch, number: int):
        self._looks, self._watch, self._number = looks, watch, number
        self.stages: list[Stage] = []
        self.descents = self.agreed = 0
        self.objective = self.at_last = np.inf
        self.dag = np.zeros((looks[0].p, looks[0].p), dtype=bool)
        self.missed = False

    @property
    def cut(self) -> bool:
        """Whether it is time to stop."""
        return self._watch.stop is not None

    def run(self, order: Order, patience: float, rng: np.random.Generator) -> _Chain:
        """Descend and kick, then look closer, and kick again where that helped."""
        first, *closer = self._looks
        self._descend(first, order, "first descent")
        self._kick(first, patience, rng)
        self._finish(first)
        for look in closer:
            sure = not self.missed and (look is closer[-1] or first.p > _SMALL)
            if self.cut or sure:
                break
            least, dag = self.at_last, self.dag
            self._descend(look, np.array(topological_order(dag), dtype=np.int64), "closer look")
            self._finish(look)
            if self.at_last < least - SAME_OBJECTIVE:
                self.missed = True
                self._kick(look, patience, rng)
                self._finish(look)
            if self.at_last > least:
                self.at_last, self.dag = least, dag
        return self

    def _descend(self, over_orders: OrderObjective, order: Order, name: str) -> None:
        """Descend from an order, which becomes the best so far under this look."""
        began = self._watch.seconds
        self._best = over_orders.scored(order)
        over_orders.descend(self._best, self._watch)
        self.objective = self._best.objective
        self.descents, self.agreed = self.descents + 1, 1
        self.stages.append(Stage(name, self.objective, 1, self._watch.seconds - began))

    def _kick(self, over_orders: OrderObjective, patience: float, rng: np.random.Generator) -> None:
        """Kick the best order and descend from there, until that has failed for long enough."""
        futile, began, before, p = 0, self._watch.seconds, self.descents, over_orders.p
        joined = over_orders.joined(self._best)
        while futile < patience * p and not self.cut:
            tried = over_orders.copy(self._best)
            futile += 1 + over_orders.kick(tried, *kick(tried.order, joined, rng), self._watch)
            if self._consider(tried) or (
                futile >= patience * p and self._consider(self._descended(over_orders))
            ):
                futile, joined = 0, over_orders.joined(self._best)
            self._watch.report(f"order search, chain {self._number + 1}", self.descents, self.objective)
        if kicks := self.descents - before:
            self.stages.append(Stage("kicks", self.objective, kicks, self._watch.seconds - began))

    def _descended(self, over_orders: OrderObjective) -> ScoredOrder:
        """A descent in which all nodes may move, not only those affected by a kick."""
        tried = over_orders.copy(self._best)
        over_orders.descend(tried, self._watch)
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

    def _finish(self, over_orders: OrderObjective) -> None:
        """Look for the best parents along the best order."""
        self.at_last, self.dag = over_orders.finished(self._best.order, self._watch)
        self.missed = self.missed or self.at_last < self.objective - SAME_OBJECTIVE


def usual_patience(p: int) -> float:
    """How many futile moves per node end the kicks, if nothing else is asked for."""
    return max(_PATIENCE * min(1, _LARGE / p), _LEAST_MOVES / p)


def _in_doubt(p: int) -> tuple[int, int]:
    """The most chains, and how many times the patience have those beyond the first."""
    return _IN_DOUBT[p > _CHEAP]


def _doubtful(chains: list[_Chain]) -> bool:
    """Whether no two chains agree about the least objective."""
    least = min(chain.at_last for chain in chains)
    agreeing = sum(chain.at_last < least + SAME_OBJECTIVE for chain in chains)
    return agreeing < 2


def canonical_order(covariance: NDArray[np.float64]) -> Order:
    """An order of the columns that depends neither on their order in the table nor on their units.

    The search numbers the columns in this order, so that its random choices, and hence its answer, do not
    depend on them either.
    """
    strength = (np.abs(correlation_of(covariance)) ** 3).sum(axis=0)
    return np.argsort(strength, kind="stable")


def _account(chains: list[_Chain]) -> tuple[Stage, ...]:
    """The stages of all chains by name: the least objective, and how many descents in how many seconds."""
    every = [stage for chain in chains for stage in chain.stages]
    names = dict.fromkeys(stage.name for stage in every)
    return tuple(_together(name, [stage for stage in every if stage.name == name]) for name in names)


def _together(name: str, stages: list[Stage]) -> Stage:
    least = min(stage.objective for stage in stages)
    return Stage(name, least, sum(one.steps for one in stages), sum(one.seconds for one in stages))
