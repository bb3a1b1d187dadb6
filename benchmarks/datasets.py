"""The datasets of the linear benchmark, simulated as in appendix D of the paper, and how easy they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsest.simulate import linear_gaussian, random_dag, random_weights
from sparsest.simulate.models import Simulation

SCALES = ("raw", "standardised")
NOISE = (0.1, 0.7)


@dataclass(frozen=True, eq=False)
class Dataset:
    """Data and the DAG behind them; `seed` makes both, together with the design (graph, p, n)."""

    graph: str
    p: int
    n: int
    scale: str
    seed: int
    X: NDArray[np.float64]
    dag: NDArray[np.int64]

    @property
    def name(self) -> str:
        """Unique in a run, and a file name."""
        return f"{self.graph}-p{self.p}-n{self.n}-{self.scale}-seed{self.seed}"

    @property
    def design(self) -> dict[str, Any]:
        """What describes the dataset in a table."""
        design = {"graph": self.graph, "p": self.p, "n": self.n, "scale": self.scale, "seed": self.seed}
        return design | {"varsortability": self.varsortability}

    @cached_property
    def varsortability(self) -> float | None:
        """How far the variances tell the causal order; None for a graph without edges."""
        return varsortability(self.dag, self.X.var(axis=0))


def linear(
    graphs: Iterable[str], p: int, n: int, seeds: int, scales: Iterable[str], first: int = 0
) -> Iterator[Dataset]:
    """Linear Gaussian data with unequal variances, raw and the same standardised.

    The seeds are first, first + 1, ... of `np.random.default_rng`, the same for every design.
    """
    for graph in graphs:
        for seed in range(first, first + seeds):
            simulation = simulated(graph, p, n, np.random.default_rng(seed))
            for scale in scales:
                X = simulation.data if scale == "raw" else standardised(simulation.data)
                yield Dataset(graph, p, n, scale, seed, X, simulation.dag.to_numpy())


def simulated(graph: str, p: int, n: int, rng: np.random.Generator) -> Simulation:
    """A graph, weights and data of the linear benchmark."""
    kind, k = parse_graph(graph)
    weights = random_weights(random_dag(p, k, kind, rng), rng)
    return linear_gaussian(weights, n, rng, noise=NOISE)


def parse_graph(graph: str) -> tuple[Any, int]:
    """Kind and edges a node: ("ER", 2) for "ER2", about 2p edges."""
    match = re.fullmatch(r"(ER|SF)(\d+)", graph)
    if not match:
        raise ValueError(
            f"unknown graph {graph!r}: write ER or SF and the number of edges a node, such as ER2"
        )
    return match[1], int(match[2])


def standardised(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean 0 and sample variance 1 (n − 1) in every column."""
    centred = X - X.mean(axis=0)
    scaled: NDArray[np.float64] = centred / X.std(axis=0, ddof=1)
    return scaled


def varsortability(dag: ArrayLike, variances: ArrayLike, tolerance: float = 1e-9) -> float | None:
    """The share of directed paths along which the variance grows from start to end; ties count a half.

    Reisach, Seiler & Weichwald (2021, section 3.1): over k = 1, 2, ..., the pairs (i, j) joined by a path of
    length k. At 1 sorting by variance gives a causal order; 0.5 says nothing. None without edges.
    """
    edges, variance = np.asarray(dag) != 0, np.asarray(variances, dtype=float)
    ratio = variance[None, :] / variance[:, None]  # [i, j]: the variance of j over that of i
    growth = np.where(ratio > 1 + tolerance, 1.0, np.where(ratio < 1 - tolerance, 0.0, 0.5))
    paths, total, joined = 0, 0.0, edges
    while joined.any():
        paths += int(joined.sum())
        total += float(growth[joined].sum())
        joined = (joined.astype(int) @ edges.astype(int)) > 0
    return total / paths if paths else None
