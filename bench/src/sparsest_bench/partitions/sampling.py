"""Chains of partitions, how far they agree, and the probabilities of edges and marks from their DAGs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsest._core.correlation import correlation_of, partial_correlation
from sparsest._core.progress import Watch
from sparsest.averaging.described import described
from sparsest.graph.acyclicity import topological_order
from sparsest.problem import Problem
from sparsest.scores.gaussian import RESIDUAL_FLOOR
from sparsest_bench.partitions import _kernels as kernels

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]

CANDIDATES = 12  # per node: more take 2^k times as long to score
_CHUNK = 20_000  # steps between two looks at the clock
_EVERY = 200  # steps between two partitions that are kept
_BURNT = 0.25  # the share of each chain that is left out
_MOST_DRAWN = 4000  # DAGs in all


@dataclass(frozen=True, eq=False)
class Sampled:
    """Probabilities from all chains, and how far these agree.

    Parameters
    ----------
    arrow, undirected, edge : (p, p) array
        Of marks of the class, and of edges of the DAG.
    split : float
        The largest Gelman–Rubin statistic of the edges: near 1 if the chains agree.
    steps : int
        Of all chains.
    taken : float
        The share of the steps in which the partition changed.
    """

    arrow: Array
    undirected: Array
    edge: Array
    split: float
    steps: int
    taken: float

    @property
    def adjacency(self) -> Array:
        """The probability that two columns are joined."""
        return np.minimum(self.edge + self.edge.T, 1.0)


def candidates_of(covariance: Array, dag: Mask, most: int = CANDIDATES) -> Ints:
    """The likeliest parents of each node: its neighbours in a DAG, then the closest given its parents."""
    p = len(covariance)
    most = min(most, p - 1)
    parents = [set(np.flatnonzero(column).tolist()) for column in dag.T]
    strength = np.zeros((p, p))
    for i in range(p):
        for j in range(i):
            given = sorted((parents[i] | parents[j]) - {i, j})
            strength[i, j] = strength[j, i] = abs(partial_correlation(covariance, i, j, given))
    strength += 2.0 * (dag | dag.T)
    np.fill_diagonal(strength, -1.0)
    return np.sort(np.argsort(-strength, axis=0, kind="stable")[:most].T, axis=1).astype(np.int64)


def layers_of(dag: Mask) -> Ints:
    """The partition of a DAG: for each node the length of the longest path that leads to it."""
    layer = np.zeros(len(dag), dtype=np.int64)
    for node in topological_order(dag.astype(int)):
        parents = np.flatnonzero(dag[:, node])
        if len(parents):
            layer[node] = layer[parents].max() + 1
    return layer


def sample(
    problem: Problem,
    n: float,
    starts: Sequence[Mask],
    rng: np.random.Generator,
    cpu_seconds: float = np.inf,
    steps: int | None = None,
    candidates: Ints | None = None,
) -> Sampled:
    """Run a chain from each start, until each has had its share of the CPU time or its steps."""
    began = time.thread_time()
    covariance = problem.score.covariance  # type: ignore[attr-defined]
    chosen = candidates_of(covariance, starts[0]) if candidates is None else candidates
    logs = np.empty((problem.p, 2 ** chosen.shape[1]))
    price = problem.single_cost("partition MCMC")
    kernels.log_weights(correlation_of(covariance), chosen, float(n), price, RESIDUAL_FLOOR, logs)
    sums = np.empty_like(logs)
    kernels.sums_over_subsets(logs, sums)
    given = chosen, logs, sums
    share = (cpu_seconds - (time.thread_time() - began)) / len(starts)
    chains, taken, made = [], 0, 0
    for start in starts:
        kept, moves, length = _chain(_within(layers_of(start), chosen, start), given, rng, share, steps)
        chains.append(kept[int(_BURNT * len(kept)) :])
        taken, made = taken + moves, made + length
    drawn = [_dags(one, given, rng, _MOST_DRAWN // len(starts)) for one in chains]
    found = [described(problem, one, Watch()) for one in drawn]
    means = np.array([one.edge.mean(axis=0) for one in found])
    return Sampled(
        arrow=np.mean([one.arrow.mean(axis=0) for one in found], axis=0),
        undirected=np.mean([one.undirected.mean(axis=0) for one in found], axis=0),
        edge=means.mean(axis=0),
        split=_split(means, [len(one) for one in drawn]),
        steps=made,
        taken=taken / max(made, 1),
    )


def _within(layer: Ints, candidates: Ints, start: Mask) -> Ints:
    """The partition of the part of a start that the candidates have."""
    inside = np.zeros_like(start)
    for node, few in enumerate(candidates):
        inside[few, node] = start[few, node]
    return layer if (inside == start).all() else layers_of(inside)


def _chain(
    layer: Ints,
    given: tuple[Ints, Array, Array],
    rng: np.random.Generator,
    cpu_seconds: float,
    steps: int | None,
) -> tuple[Ints, int, int]:
    parts: list[Ints] = []
    began, taken, made = time.thread_time(), 0, 0
    while not parts or (
        time.thread_time() - began < cpu_seconds and (steps is None or made < steps)
    ):  # at least one chunk
        kept = np.empty((_CHUNK // _EVERY, len(layer)), dtype=np.int64)
        taken += kernels.walk(layer, *given, rng.random((_CHUNK, 4)), _EVERY, kept)
        parts.append(kept)
        made += _CHUNK
    return np.concatenate(parts), taken, made


def _dags(kept: Ints, given: tuple[Ints, Array, Array], rng: np.random.Generator, most: int) -> Ints:
    """One DAG of each of at most so many partitions, evenly spaced."""
    some = kept[np.linspace(0, len(kept) - 1, min(most, len(kept))).astype(int)]
    parents = np.empty_like(some)
    kernels.draw_parents(some, *given, rng.random(some.shape), parents)
    return parents


def _split(means: Array, lengths: Sequence[int]) -> float:
    """The largest Gelman–Rubin statistic of the edges that are neither sure nor ruled out."""
    if len(means) < 2:
        return np.nan
    within = (means * (1 - means)).mean(axis=0)
    between = means.var(axis=0, ddof=1)
    pooled = means.mean(axis=0)
    open_ = (pooled > 0.05) & (pooled < 0.95)
    if not open_.any():
        return 1.0
    least = 1 / min(lengths)
    return float(np.sqrt(1 + between[open_] / np.maximum(within[open_], least)).max())
