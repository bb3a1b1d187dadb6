"""The parents of a node among its predecessors, by grow–shrink, for any local score.

Everything computed is kept: local scores, and for every set of parents the ranking of the nodes that may join
it (the grow–shrink trees of Andrews et al., 2023). A set of nodes is the bits of an integer. Rankings may
start with estimates, such as score tests: an entry becomes exact when it comes first, as in lazy greedy
search.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.progress import Watch
from sparsest.graph._bits import bits, row_masks
from sparsest.problem import ROUNDING, Mask, Problem
from sparsest.scores import LocalScore

#: An estimated gain is tried before an exact one that is smaller than this many times it.
OPTIMISM = 1.5
_PESSIMISM = 2.0  # a parent whose estimated loss is this many times its price is not tried for removal
_KEPT = 2_000_000  # answers kept before the memory is cleared


class GrowShrink:
    """Best parents under `local score + Σ cost of the edges`, with required and forbidden edges.

    Every method raises `Stopped` before a fit if the watch says stop. What is kept stays available, so that
    `best` then still answers for what was asked before, and `least` always does.
    """

    def __init__(self, problem: Problem, score: LocalScore, watch: Watch):
        self.p, self._score, self._limit = problem.p, score, problem.max_parents
        self._watch = watch
        self._prices = problem.prices.tolist()  # plain numbers, which are faster one by one
        self._allowed = row_masks(problem.allowed.T)
        self._required = row_masks(problem.required.T)
        self._totals: dict[tuple[int, int], float] = {}
        self._rankings: dict[tuple[int, int], list[_Entry]] = {}
        self._shrunk: dict[tuple[int, int], int] = {}
        self._answers: dict[tuple[int, int], tuple[float, int]] = {}

    def best(self, node: int, before: int) -> tuple[float, int]:
        """(score, parents) of a node that chooses among `before`; infinite if a required one is missing."""
        before &= self._allowed[node]
        answer = self._answers.get((node, before))
        if answer is None:
            if len(self._answers) > _KEPT:
                self._answers.clear()
            answer = self._answers[node, before] = self._search(node, before)
        return answer

    def knows(self, node: int, sets: Sequence[int]) -> bool:
        """Whether `best` is known for all these sets."""
        allowed = self._allowed[node]
        return all((node, before & allowed) in self._answers for before in sets)

    def least(self, node: int) -> tuple[float, int]:
        """(score, parents) of a node with its required parents only: the answer when it is time to stop."""
        parents = self._required[node]
        members = _members(parents)
        price = sum(self._prices[parent][node] for parent in members)
        return _at_once(self._score)(node, members) + price, parents

    def total(self, node: int, parents: int) -> float:
        """Local score plus the price of the edges."""
        total = self._totals.get((node, parents))
        if total is None:
            self._watch.check()
            members = _members(parents)
            price = sum(self._prices[parent][node] for parent in members)
            total = self._totals[node, parents] = self._score.local(node, members) + price
        return total

    def exchanged(self, node: int, before: int, parents: int) -> tuple[float, int]:
        """The best (score, parents) after replacing one parent by other predecessors, or the present one."""
        best = self.total(node, parents), parents
        for parent in _members(parents & ~self._required[node]):
            grown = self._grow(node, parents & ~(1 << parent), before & self._allowed[node] & ~(1 << parent))
            candidate = self._shrink(node, grown)
            if self.total(node, candidate) < best[0] - ROUNDING:
                best = self.total(node, candidate), candidate
        return best

    def _search(self, node: int, before: int) -> tuple[float, int]:
        parents = self._required[node]
        if parents & ~before:
            return math.inf, parents
        best = math.inf
        while True:  # shrinking may have made room for others
            parents = self._shrink(node, self._grow(node, parents, before))
            total = self.total(node, parents)
            if total >= best - ROUNDING:
                return total, parents
            best = total

    def _grow(self, node: int, parents: int, before: int) -> int:
        while parents.bit_count() < self._limit:
            bit = self._first(node, parents, before & ~parents)
            if not bit:
                break
            parents |= bit
        return parents

    def _first(self, node: int, parents: int, open_to: int) -> int:
        """The node in `open_to` that gains most as a parent, as a bit; 0 if none gains."""
        ranking = self._ranking(node, parents)
        while True:
            first = next((entry for entry in ranking if entry.bit & open_to), None)
            if first is None or first.exact:
                return first.bit if first is not None and first.gain > ROUNDING else 0
            first.gain = self.total(node, parents) - self.total(node, parents | first.bit)
            first.exact = True
            ranking.sort(key=_gain, reverse=True)

    def _ranking(self, node: int, parents: int) -> list[_Entry]:
        ranking = self._rankings.get((node, parents))
        if ranking is None:
            gains, exact = self._gains(node, parents)
            ranking = [
                _Entry(1 << k, gain if exact[k] else OPTIMISM * (gain + price) - price, bool(exact[k]))
                for k in _members(self._allowed[node] & ~parents)
                for gain, price in [(float(gains[k]) - self._prices[k][node], self._prices[k][node])]
            ]
            ranking = sorted((entry for entry in ranking if entry.gain > ROUNDING), key=_gain, reverse=True)
            self._rankings[node, parents] = ranking
        return ranking

    def _gains(self, node: int, parents: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        self._watch.check()
        members = _members(parents)
        many: Any = getattr(self._score, "gains", None)
        if many is not None:
            return many(node, members)
        own, gains = self._score.local(node, members), np.full(self.p, -np.inf)
        for k in _members(self._allowed[node] & ~parents):
            self._watch.check()
            gains[k] = own - self._score.local(node, [*members, k])
        return gains, np.ones(self.p, dtype=bool)

    def _shrink(self, node: int, parents: int) -> int:
        shrunk = self._shrunk.get((node, parents))
        if shrunk is None:
            shrunk, total = parents, self.total(node, parents)
            for parent in self._doubtful(node, parents):
                fewer = parents & ~(1 << parent)
                if self.total(node, fewer) < total - ROUNDING:
                    shrunk, total = fewer, self.total(node, fewer)
            if shrunk != parents:
                shrunk = self._shrink(node, shrunk)
            self._shrunk[node, parents] = shrunk
        return shrunk

    def _doubtful(self, node: int, parents: int) -> list[int]:
        """The parents that may be worth less than their price."""
        members = _members(parents & ~self._required[node])
        estimates: Any = getattr(self._score, "losses", None)
        if estimates is None or not members:
            return members
        losses = estimates(node, _members(parents))
        return [each for each in members if losses[each] <= _PESSIMISM * self._prices[each][node]]


class _Entry:
    """A node that may join the parents, as a bit, and what it gains beyond its price."""

    __slots__ = ("bit", "exact", "gain")

    def __init__(self, bit: int, gain: float, exact: bool):
        self.bit, self.gain, self.exact = bit, gain, exact


def local_score(problem: Problem, search: str) -> LocalScore:
    """The problem's score, which must have local scores."""
    score: Any = problem.score
    if not hasattr(score, "local"):
        raise OptionError(f"{search} needs a score with local(node, parents), not {type(score).__name__}")
    found: LocalScore = score
    return found


def objective_at_once(problem: Problem, score: LocalScore, dag: Mask) -> float:
    """The objective of a DAG when it is time to stop."""
    local = _at_once(score)
    return sum(local(j, np.flatnonzero(column)) for j, column in enumerate(dag.T)) + problem.price(dag)


def _at_once(score: LocalScore) -> Callable[[int, Any], float]:
    quick: Callable[[int, Any], float] = getattr(score, "at_once", score.local)
    return quick


def is_ready(score: LocalScore, watch: Watch) -> bool:
    """Let a score compile and compute what all its fits need; False if it was time to stop first."""
    prepare: Any = getattr(score, "ready", None)
    return prepare is None or (watch.stop is None and bool(prepare(watch)))


def _members(subset: int) -> list[int]:
    return list(bits(subset))


def _gain(entry: _Entry) -> float:
    return entry.gain
