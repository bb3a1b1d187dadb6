"""Greedy search over the graphs of networks: insert, delete and reverse edges, refitting from where one is.

A network fit costs milliseconds, not microseconds, so insertions are tried in the order of a quick estimate
of their gain, and a fit starts from that of almost the same parents. What greedy steps get wrong most often
is a common child that was made a parent of its parents; no single reversal mends that. So the order of the
nodes is shaken: some go elsewhere in it, edges against the order are cut, and the search goes on from there
(iterated local search). Fits are remembered, so that what was tried before costs nothing.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsest.errors import OptionError
from sparsest.graph.acyclicity import order_near, topological_order
from sparsest.problem import Problem
from sparsest.progress import Status, Watch
from sparsest.scores.network import NetworkFit, NetworkScore
from sparsest.search._grow_shrink import edge_prices, most_parents, required_edges
from sparsest.solution import Solution, Stage

_STREAM = 0x5A4E  # keeps our random numbers apart from those of others with the same seed
_SHAKEN = 4  # nodes, at most, that go elsewhere when the order is shaken
_TIE = 1e-6  # improvements below this count as none
_OPTIMISM = 1.5  # an estimated gain is tried before a known one that is smaller than this many times it
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class NetworkSearch:
    """Greedy insertion, then the best single change again and again; no node has more than `max_parents`.

    The search begins at the empty graph, or at `start`. It is shaken until that has failed `patience` times
    in a row; None is 100/p, but from 5 to 10. Then all insertions are tried, whatever they promise, and it is
    shaken again. At the end every network is fitted from `starts` more random starts, and changes are tried
    once more.
    """

    max_parents: int | None = None
    starts: int = 1
    patience: int | None = None
    start: Mask | None = None

    standardizes = True
    returns_dag = True

    def __post_init__(self) -> None:
        if self.patience is not None and self.patience < 0:
            raise OptionError(f"patience must be at least 0, but patience = {self.patience!r}")

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """A graph that no single change improves."""
        if not isinstance(problem.score, NetworkScore):
            raise OptionError(f"a search over networks needs their score, not {type(problem.score).__name__}")
        began = watch.seconds
        limit = most_parents(self.max_parents, problem)
        start = required_edges(problem) if self.start is None else self.start
        state = _State(problem, problem.score, limit, start)
        rng = np.random.default_rng([problem.score.seed, _STREAM])
        patience = int(np.clip(100 // problem.p, 5, 10)) if self.patience is None else self.patience
        stages = []
        phases = (
            ("insertions", state.insert),
            ("changes", state.change),
            ("shaken orders", lambda: state.improve_by_shaking(patience, rng, watch)),
            ("all insertions", state.sweep),
            ("shaken again", lambda: state.improve_by_shaking(patience, rng, watch)),
        )
        for name, improve in phases:
            since = watch.seconds
            while watch.stop is None and improve():
                watch.report(name, state.score.fits, state.objective)
            stages.append(Stage(name, state.objective, state.score.fits, watch.seconds - since))
        since = watch.seconds
        for attempt in range(1, self.starts + 1):
            for node in range(problem.p):
                if watch.stop is None:
                    state.refit(node, attempt)
        while watch.stop is None and state.change():
            watch.report("changes", state.score.fits, state.objective)
        stages.append(Stage("new starts", state.objective, state.score.fits, watch.seconds - since))
        return Solution(
            adjacency=state.graph.astype(float),
            objective=state.objective,
            status=watch.stop or Status.CONVERGED,
            steps=state.score.fits,
            seconds=watch.seconds - began,
            stages=tuple(stages),
        )


class _State:
    """A DAG with the fit of every node, and the changes that would improve it."""

    def __init__(self, problem: Problem, score: NetworkScore, limit: int, graph: Mask):
        self.score, self._allowed, self._limit = score, problem.allowed, limit
        self._prices = np.array(edge_prices(problem, score))
        self._required = required_edges(problem)
        self.graph = graph.copy()
        self._fits = [score.fit(node, np.flatnonzero(parents)) for node, parents in enumerate(self.graph.T)]
        self._promises = np.array([score.promise(node, fit) for node, fit in enumerate(self._fits)]).T

    @property
    def objective(self) -> float:
        return sum(fit.score for fit in self._fits) + float(self._prices[self.graph].sum())

    def insert(self, among: Mask | None = None) -> bool:
        """Insert the edge that gains most; False where none gains more than it costs.

        Edges are taken in the order of their promise until none promises more than the best one gave.
        """
        open_to = self._insertable() if among is None else self._insertable() & among
        hopes = np.where(open_to, _OPTIMISM * self._promises - self._prices, -np.inf)
        best, edge = _TIE, None
        while hopes.max(initial=-np.inf) > best:
            i, j = divmod(int(hopes.argmax()), self.score.p)
            gain = self._fits[j].score - self._with(i, j).score
            if gain - self._prices[i, j] > best:
                best, edge = gain - self._prices[i, j], (i, j)
            self._promises[i, j] = gain / _OPTIMISM  # what is known takes the place of what was promised
            hopes[i, j] = -np.inf
        if edge is None:
            return False
        self._set(edge[1], self._with(*edge))
        return True

    def change(self) -> bool:
        """Make the best single deletion or reversal, else insertion; False where none improves."""
        best = _TIE
        changed: tuple[tuple[int, NetworkFit], ...] | None = None
        for i, j in np.argwhere(self.graph & ~self._required):
            without = self._without(i, j)
            drop = self._prices[i, j] - (without.score - self._fits[j].score)
            if drop > best:
                best, changed = drop, ((j, without),)
            if self._reversible(i, j):
                turned = self._with(j, i)
                gain = drop - self._prices[j, i] + self._fits[i].score - turned.score
                if gain > best:
                    best, changed = gain, ((j, without), (i, turned))
        if changed is None:
            return self.insert()
        for node, fit in changed:
            self._set(node, fit)
        return True

    def improve_by_shaking(self, patience: int, rng: np.random.Generator, watch: Watch) -> bool:
        """Shake the order until that improves the graph; False where it did not often enough."""
        for _ in range(patience):
            if watch.stop is None and self.shake(rng, watch):
                return True
            watch.report("shaken orders", self.score.fits, self.objective)
        return False

    def shake(self, rng: np.random.Generator, watch: Watch) -> bool:
        """Give some nodes other places in the order, and take what comes of it if that is better."""
        order = np.array(topological_order(self.graph))
        keys = np.arange(len(order), dtype=float)
        count = int(np.clip(len(order) // 5, min(2, len(order)), _SHAKEN))
        moved = rng.choice(len(order), size=count, replace=False)
        keys[moved] = rng.uniform(-0.5, len(order) - 0.5, size=len(moved))
        shaken = order_near(order[np.argsort(keys, kind="stable")].tolist(), self._required)
        place = np.argsort(shaken)
        forward = place[:, None] < place[None, :]
        trial = self._copy()
        for node in np.flatnonzero((self.graph & ~forward).any(axis=0)):
            parents = np.flatnonzero(self.graph[:, node] & forward[:, node])
            trial._set(int(node), self.score.fit(int(node), parents))
        while watch.stop is None and (trial.insert(forward) or trial.drop(forward)):
            pass
        while watch.stop is None and trial.change():
            pass
        better = trial.objective < self.objective - _TIE
        if better:
            self._become(trial)
        return better

    def _copy(self) -> _State:
        other = copy.copy(self)
        other.graph, other._fits, other._promises = self.graph.copy(), list(self._fits), self._promises.copy()
        return other

    def _become(self, other: _State) -> None:
        self.graph, self._fits, self._promises = other.graph, other._fits, other._promises

    def drop(self, among: Mask) -> bool:
        """Delete the edge that is least worth its price; False where all are."""
        best, kept = _TIE, None
        for i, j in np.argwhere(self.graph & ~self._required & among):
            without = self._without(i, j)
            gain = self._prices[i, j] - (without.score - self._fits[j].score)
            if gain > best:
                best, kept = gain, (j, without)
        if kept is not None:
            self._set(*kept)
        return kept is not None

    def sweep(self) -> bool:
        """The best change, all insertions tried by a fit, whatever they promise; False if none improves."""
        if self.change():
            return True
        for i, j in np.argwhere(self._insertable()):
            self._promises[i, j] = (self._fits[j].score - self._with(i, j).score) / _OPTIMISM
        return self.insert()

    def refit(self, node: int, attempt: int) -> None:
        """Try another start for the network of a node."""
        if self._fits[node].parents:
            self._set(node, self.score.improve(self._fits[node], node, attempt))

    def _with(self, i: int, j: int) -> NetworkFit:
        return self.score.fit(j, (*self._fits[j].parents, i), near=self._fits[j])

    def _without(self, i: int, j: int) -> NetworkFit:
        fit = self._fits[j]
        return self.score.fit(j, [parent for parent in fit.parents if parent != i], near=fit)

    def _set(self, node: int, fit: NetworkFit) -> None:
        self._fits[node] = fit
        self.graph[:, node] = False
        self.graph[list(fit.parents), node] = True
        self._promises[:, node] = self.score.promise(node, fit)

    def _insertable(self) -> Mask:
        reaches = _reaches(self.graph)
        room = self.graph.sum(axis=0) < self._limit
        return self._allowed & ~self.graph & ~reaches.T & room

    def _reversible(self, i: int, j: int) -> bool:
        if not self._allowed[j, i] or len(self._fits[i].parents) >= self._limit:
            return False
        without = self.graph.copy()
        without[i, j] = False
        return not _reaches(without)[i, j]


def _reaches(graph: Mask) -> Mask:
    """[i, j]: there is a directed path from i to j, if only of length 0."""
    reaches = graph | np.eye(len(graph), dtype=bool)
    for _ in range(max(1, math.ceil(math.log2(len(graph))))):
        reaches = (reaches.astype(np.float32) @ reaches.astype(np.float32)) > 0
    return reaches
