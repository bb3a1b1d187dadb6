"""Greedy search over graphs of neural networks: insert, delete and reverse edges, with warm-started fits.

A network fit costs milliseconds, not microseconds, so insertions are tried in the order of a quick estimate
of their gain, a fit starts from the fit of almost the same parents, and it is abandoned when it will not
reach what is asked of it. The search starts from splines, which are faster. What greedy steps get wrong most
often is a common child that was made a parent of its parents; no single reversal mends that. So the order of
the nodes is shaken: some nodes are moved, edges against the new order are cut, and the search continues from
there (iterated local search). Fits are remembered, so that what was tried before costs nothing.

With several threads, a few edges are tried at the same time, always as many, so that the answer is the same
for any number of threads.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Watch
from sparsest._core.streams import GREEDY_SEARCH, generator
from sparsest._core.threads import for_each
from sparsest.graph.acyclicity import forward_mask, order_near, reach_matrix, topological_order
from sparsest.problem import Array, Mask, Problem, Solution, Stage
from sparsest.rounding.grow_shrink import OPTIMISM
from sparsest.scores.families import GAUSSIAN, Column
from sparsest.scores.network import NetworkFit, NetworkScore
from sparsest.scores.regression import RegressionScore
from sparsest.scores.spline import DEGREES
from sparsest.search.common import with_moved
from sparsest.search.local_order import LocalOrderSearch

T = TypeVar("T")
Edge = tuple[int, int]
Change = tuple[tuple[int, NetworkFit], ...]

_SHAKEN = 4  # at most this many nodes are moved when the order is shaken
_DRAWS = 20  # attempts to draw an order that contradicts an edge
_WORTH_RENEWING = 0.02  # new starts that gain more than this are followed by others
_LEAST_GAIN = 1e-6  # fits of networks end about this far from their minimum: less is no improvement
_PAIRS = 5  # pairs of parents tried at a time
_TOGETHER = 4  # edges that are tried at the same time


@dataclass(frozen=True)
class GreedySearch:
    """Greedy search for neural networks: insertions, then the best single change again and again.

    When no change helps any more, every network is fitted from more random starts, and the order is shaken.
    Then all insertions are tried, whatever their estimated gain, and pairs that look promising together; the
    order is shaken again, and the networks are fitted from new starts once more.

    Parameters
    ----------
    starts : int
        How many more random starts each network is fitted from.
    patience : int
        Shaking ends after this many failures in a row.
    start : (p, p) array of bool, optional
        The graph with which the search starts; by default that of a causal additive model.
    n_jobs : int
        The number of threads. The answer does not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> rng = np.random.default_rng(0)
    >>> cause = rng.uniform(-2, 2, size=200)
    >>> table = np.column_stack([cause, np.sin(2 * cause) + 0.2 * rng.normal(size=200)])
    >>> sp.fit(table, model="mlp", solver=GreedySearch(patience=0)).dag.edges
    [('x0', 'x1')]
    """

    starts: int = 1
    patience: int = 10
    start: Mask | None = None
    n_jobs: int = 1

    standardizes = True
    returns_dag = True

    def __post_init__(self) -> None:
        if self.patience < 0:
            raise OptionError(f"patience must be at least 0, but patience = {self.patience!r}")

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """A graph that no single change improves."""
        if not isinstance(problem.score, NetworkScore):
            raise OptionError(
                f"a search over networks needs a NetworkScore, not {type(problem.score).__name__}"
            )
        began = watch.seconds
        start = self.start
        if start is None:
            start = _splines(problem, problem.score, self.n_jobs, watch.for_a_start())
        state = _State(problem, problem.score, start, watch, self.n_jobs)
        rng = generator(problem.score.seed, GREEDY_SEARCH)
        stages = [Stage("start", state.objective, state.score.fits, watch.seconds - began)]
        phases = (
            ("insertions", lambda: state.insert(problem.allowed)),
            ("changes", state.change),
            ("new starts", lambda: state.renew(self.starts)),
            ("shaken orders", lambda: state.improve_by_shaking(self.patience, rng)),
            ("all insertions", state.sweep),
            ("shaken again", lambda: state.improve_by_shaking(self.patience, rng)),
            ("new starts again", lambda: state.renew(self.starts)),
        )
        for name, improve in phases:
            since = watch.seconds
            while watch.stop is None and improve():
                watch.report(name, state.score.fits, state.objective)
            stages.append(Stage(name, state.objective, state.score.fits, watch.seconds - since))
        return Solution(
            adjacency=state.graph.astype(float),
            objective=state.objective,
            status=watch.stop or Status.CONVERGED,
            steps=state.score.fits,
            seconds=watch.seconds - began,
            stages=tuple(stages),
        )


class _State:
    """A DAG with the fit of every node, and the moves that improve it until the watch says stop."""

    def __init__(self, problem: Problem, score: NetworkScore, graph: Mask, watch: Watch, n_jobs: int):
        self.score, self._problem, self._watch, self._n_jobs = score, problem, watch, n_jobs
        self._prices, self._required, self._limit = problem.prices, problem.required, problem.max_parents
        self.graph = self._required.copy()
        self._promises = np.zeros(graph.shape)
        self._fits = [score.fit(node, np.flatnonzero(parents)) for node, parents in enumerate(self.graph.T)]
        self._each_node(lambda node: self._begin(node, graph[:, node]))

    @property
    def _goes_on(self) -> bool:
        return self._watch.stop is None

    def _begin(self, node: int, parents: Mask) -> None:
        """Give a node the parents it starts with, or the required ones alone if that is better."""
        few, many = self._fits[node], self.score.fit(node, np.flatnonzero(parents))
        price = self._prices[:, node] @ (parents.astype(float) - self._required[:, node])
        self._set(node, many if many.score + price < few.score else few)

    def _each_node(self, work: Callable[[int], object]) -> None:
        """Do something for every node, several at the same time, while there is time."""
        for_each(range(self.score.p), lambda node: work(node) if self._goes_on else None, self._n_jobs)

    def _tried(self, edges: Sequence[Edge], how: Callable[[int, int, float], T], worth: float) -> list[T]:
        """What comes of trying several edges at the same time, in their order."""
        found: dict[Edge, T] = {}
        for_each(edges, lambda edge: found.__setitem__(edge, how(*edge, worth)), self._n_jobs)
        return [found[edge] for edge in edges]

    @property
    def objective(self) -> float:
        return sum(fit.score for fit in self._fits) + self._problem.price(self.graph)

    def insert(self, among: Mask) -> bool:
        """Insert the edge of `among` that gains most; False if none gains more than it costs.

        Edges are tried in the order of their estimated gain until none promises more than the best one gave.
        """
        open_to = self._insertable() & among
        hopes = np.where(open_to, OPTIMISM * self._promises - self._prices, -np.inf)
        best, edge = _LEAST_GAIN, None
        while self._goes_on and (tries := _largest(hopes, best)):
            for (i, j), fit in zip(tries, self._tried(tries, self._with, best), strict=True):
                gain = self._fits[j].score - fit.score
                if fit.finished and gain - self._prices[i, j] > best:
                    best, edge = gain - self._prices[i, j], (i, j)
                self._promises[i, j] = gain / OPTIMISM  # the exact gain replaces the estimate
                hopes[i, j] = -np.inf
        if edge is None:
            return False
        self._set(edge[1], self._with(*edge, best))
        return True

    def change(self) -> bool:
        """Make the best single deletion or reversal, else insertion; False if none improves."""
        best, changed = _LEAST_GAIN, None
        edges = [(int(i), int(j)) for i, j in np.argwhere(self.graph & ~self._required)]
        for first in range(0, len(edges), _TOGETHER):
            if not self._goes_on:
                break
            few = edges[first : first + _TOGETHER]
            for gain, change in self._tried(few, self._gone_or_turned, best):
                if gain > best:
                    best, changed = gain, change
        if changed is None:
            return self.insert(self._problem.allowed)
        for node, fit in changed:
            self._set(node, fit)
        return True

    def _gone_or_turned(self, i: int, j: int, best: float) -> tuple[float, Change]:
        """What is gained by deleting an edge or by turning it, whichever is better, and the new fits."""
        gain, turned = 0.0, None
        if self._reversible(i, j):
            turned = self._with(j, i, best - self._prices[i, j])  # a deletion gains the price at most
            gain = self._fits[i].score - turned.score - self._prices[j, i]
        without = self._without(i, j, best - max(gain, 0.0))
        if not without.finished:
            return -np.inf, ()
        drop = self._prices[i, j] - (without.score - self._fits[j].score)
        if turned is not None and turned.finished and gain > 0:
            return drop + gain, ((j, without), (i, turned))
        return drop, ((j, without),)

    def improve_by_shaking(self, patience: int, rng: np.random.Generator) -> bool:
        """Shake the order until that improves the graph; False after `patience` failures."""
        for _ in range(patience):
            if self._goes_on and self.shake(rng):
                return True
            self._watch.report("shaken orders", self.score.fits, self.objective)
        return False

    def shake(self, rng: np.random.Generator) -> bool:
        """Move some nodes in the order, search from there, and keep the outcome if it is better."""
        forward = self._shaken(rng)
        trial = self._copy()
        for node in np.flatnonzero((self.graph & ~forward).any(axis=0)):
            parents = np.flatnonzero(self.graph[:, node] & forward[:, node])
            trial._set(int(node), self.score.fit(int(node), parents))
        while self._goes_on and (trial.insert(forward) or trial.drop(forward)):
            pass
        while self._goes_on and trial.change():
            pass
        better = trial.objective < self.objective - _LEAST_GAIN
        if better:
            self._become(trial)
        return better

    def _shaken(self, rng: np.random.Generator) -> Mask:
        """[i, j]: i comes before j in an order with some nodes moved, which contradicts some edge."""
        order = np.array(topological_order(self.graph))
        count = int(np.clip(len(order) // 5, min(2, len(order)), _SHAKEN))
        for _ in range(_DRAWS):
            moved = order[rng.choice(len(order), size=count, replace=False)]
            keys = rng.uniform(-0.5, len(order) - 0.5, size=len(moved))
            shaken = order_near(with_moved(order, moved, keys).tolist(), self._required)
            forward = forward_mask(shaken)
            if (self.graph & ~forward).any():
                break
        return forward

    def _copy(self) -> _State:
        other = copy.copy(self)
        other.graph, other._fits, other._promises = self.graph.copy(), list(self._fits), self._promises.copy()
        return other

    def _become(self, other: _State) -> None:
        self.graph, self._fits, self._promises = other.graph, other._fits, other._promises

    def drop(self, among: Mask) -> bool:
        """Delete the edge that is least worth its price; False if all are worth it."""
        best, kept = _LEAST_GAIN, None
        for i, j in np.argwhere(self.graph & ~self._required & among):
            without = self._without(i, j, best)
            gain = self._prices[i, j] - (without.score - self._fits[j].score)
            if without.finished and gain > best:
                best, kept = gain, (j, without)
        if kept is not None:
            self._set(*kept)
        return kept is not None

    def sweep(self) -> bool:
        """The best change, with all insertions tried by a fit, whatever their estimates; False if none."""
        if self.change():
            return True
        open_to = self._insertable()

        def fit_all(j: int) -> None:
            for i in np.flatnonzero(open_to[:, j]):
                if self._goes_on:
                    gain = self._fits[j].score - self._with(int(i), j, _LEAST_GAIN).score
                    self._promises[i, j] = gain / OPTIMISM

        self._each_node(fit_all)
        return self.insert(self._problem.allowed) or self.insert_pair()

    def insert_pair(self) -> bool:
        """Insert two parents of a node that pay only together, as factors of a product; False if none do."""
        open_to = self._insertable()
        open_to[:, self.graph.sum(axis=0) > self._limit - 2] = False
        hopes = []
        for i, promises in self.score.pair_promises(self._fits):
            prices = self._prices[i] + self._prices
            worth = open_to & open_to[i] & (np.arange(self.score.p) > i)[:, None]
            for k, j in np.argwhere(worth & (OPTIMISM * promises > prices)):
                hopes.append((float(promises[k, j] - prices[k, j]), i, int(k), int(j)))
        for _, i, k, j in sorted(hopes, reverse=True)[:_PAIRS]:
            fit, price = self._fits[j], self._prices[i, j] + self._prices[k, j]
            pair = self.score.fit(j, (*fit.parents, i, k), fit) if self._goes_on else fit
            if fit.score - pair.score > price + _LEAST_GAIN:
                self._set(j, pair)
                return True
        return False

    def renew(self, starts: int) -> bool:
        """Fit every network from new random starts, then make the changes that have become worthwhile."""
        before = self.objective

        def again(node: int) -> None:
            if (fit := self._fits[node]).parents:
                self._set(node, self.score.improve(fit, node))

        for _ in range(starts):
            self._each_node(again)
        while self._goes_on and self.change():
            pass
        return self.objective < before - _WORTH_RENEWING

    def _with(self, i: int, j: int, least: float) -> NetworkFit:
        """The fit of j with i as one more parent; abandoned if it gains less than `least`."""
        fit = self._fits[j]
        return self.score.fit(j, (*fit.parents, i), fit, fit.score - self._prices[i, j] - least)

    def _without(self, i: int, j: int, least: float) -> NetworkFit:
        """The fit of j without its parent i; abandoned if that gains less than `least`."""
        fit = self._fits[j]
        parents = [parent for parent in fit.parents if parent != i]
        return self.score.fit(j, parents, fit, fit.score + self._prices[i, j] - least)

    def _set(self, node: int, fit: NetworkFit) -> None:
        self._fits[node] = fit
        self.graph[:, node] = False
        self.graph[list(fit.parents), node] = True
        self._promises[:, node] = self.score.promise(node, fit)

    def _insertable(self) -> Mask:
        room = self.graph.sum(axis=0) < self._limit
        return self._problem.allowed & ~self.graph & ~reach_matrix(self.graph).T & room

    def _reversible(self, i: int, j: int) -> bool:
        if not self._problem.allowed[j, i] or len(self._fits[i].parents) >= self._limit:
            return False
        without = self.graph.copy()
        without[i, j] = False
        return not reach_matrix(without)[i, j]


def _largest(hopes: Array, least: float) -> list[Edge]:
    """The edges with the largest hopes above `least`."""
    left = hopes.copy()
    found: list[Edge] = []
    while len(found) < _TOGETHER and left.max(initial=-np.inf) > least:
        i, j = divmod(int(left.argmax()), len(left))
        found.append((i, j))
        left[i, j] = -np.inf
    return found


def _splines(problem: Problem, score: NetworkScore, n_jobs: int, watch: Watch) -> Mask:
    """The graph of a causal additive model: fast to find, and a good start."""
    shares, columns = np.full(score.n, 1 / score.n), []
    for j, one in enumerate(score.data.T):
        if watch.stop is not None:
            return problem.required
        columns.append(Column.of(str(j), one, GAUSSIAN, shares, DEGREES))
    additive = problem.with_score(RegressionScore(columns, score.data), problem.penalty)
    start: Mask = LocalOrderSearch(score.seed, n_jobs=n_jobs).solve(additive, watch).adjacency != 0
    return start
