"""Greedy search over the graphs of networks: insert, delete and reverse edges, refitting from where one is.

A network fit costs milliseconds, not microseconds, so insertions are tried in the order of a quick estimate
of their gain, and a fit starts from that of almost the same parents. What greedy steps get wrong most often
is a common child that was made a parent of its parents; no single reversal mends that. So nodes are also
moved behind some of their children: a node and the children it loses choose their parents anew. At last the
order of the nodes is shaken: some go elsewhere in it, edges against the order are cut, and the search goes on
from there (iterated local search). Fits are remembered, so that what was tried before costs nothing.
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
_TIE = 1e-6  # improvements below this count as none
_OPTIMISM = 1.5  # an estimated gain is tried before a known one that is smaller than this many times it
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class NetworkSearch:
    """Greedy insertion, then the best single change again and again; no node has more than `max_parents`.

    The search begins at the empty graph, or at `start`. It is shaken until that has failed `patience` times
    in a row; None is 100/p, but from 2 to 10. At the end every network is fitted from `starts` more random
    starts, and changes are tried once more.
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
        stages = []
        phases = (
            ("insertions", state.insert),
            ("changes", state.change),
            ("moves", lambda: state.move(watch)),
            ("all insertions", state.sweep),
        )
        for name, improve in phases:
            since = watch.seconds
            while watch.stop is None and improve():
                watch.report(name, state.score.fits, state.objective)
            stages.append(Stage(name, state.objective, state.score.fits, watch.seconds - since))
        since = watch.seconds
        self._shake(state, watch)
        stages.append(Stage("shaken orders", state.objective, state.score.fits, watch.seconds - since))
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

    def _shake(self, state: _State, watch: Watch) -> None:
        rng = np.random.default_rng([state.score.seed, _STREAM])
        patience = int(np.clip(100 // state.score.p, 2, 10)) if self.patience is None else self.patience
        failures = 0
        while failures < patience and watch.stop is None:
            failures = 0 if state.shake(rng, watch) else failures + 1
            watch.report("shaken orders", state.score.fits, state.objective)


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

    def move(self, watch: Watch) -> bool:
        """Move a node behind some of its children, where that improves the graph; False where none does."""
        for node in range(self.score.p):
            for lost in self._children_to_lose(node):
                if watch.stop is not None:
                    return False
                trial = self._without_children(node, lost)
                trial.settle(node, lost)
                if trial.objective < self.objective - _TIE:
                    self._become(trial)
                    while watch.stop is None and self.change():
                        pass
                    return True
        return False

    def shake(self, rng: np.random.Generator, watch: Watch) -> bool:
        """Give some nodes other places in the order, and take what comes of it if that is better."""
        order = np.array(topological_order(self.graph))
        keys = np.arange(len(order), dtype=float)
        moved = rng.choice(len(order), size=min(len(order), max(2, len(order) // 5)), replace=False)
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

    def settle(self, node: int, lost: list[int]) -> None:
        """A moved node and the children it lost choose their parents anew."""
        among = np.zeros_like(self.graph)
        among[:, [node, *lost]] = True
        among[node] = False
        while self.insert(among) or self.drop(among):
            pass

    def _children_to_lose(self, node: int) -> list[list[int]]:
        """The children that a node would choose as parents if it could: one, two, ... of them, best first."""
        children = [int(child) for child in np.flatnonzero(self.graph[node] & ~self._required[node])]
        if not children or self._required[node].any():
            return []
        free = self._without_children(node, children)
        among = np.zeros_like(self.graph)
        among[:, node] = True
        lost: list[int] = []
        found = []
        while free.insert(among):
            if new := set(free._fits[node].parents) & set(children) - set(lost):
                lost = [*lost, *new]
                found.append(lost)
        return found

    def _without_children(self, node: int, children: list[int]) -> _State:
        """A copy in which a node has lost these children, and all parents that are not required."""
        other = self._copy()
        for child in children:
            other._set(child, self._without(node, child))
        other._set(node, self.score.fit(node, np.flatnonzero(self._required[:, node])))
        return other

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
