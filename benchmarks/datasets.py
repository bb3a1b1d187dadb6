"""The tables of a benchmark: a design of `sparsest.bench` and a seed each (appendix D of the paper)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sparsest.bench import designs
from sparsest.bench.designs import Design, parse_graph

from sparsest.simulate import linear_gaussian, random_dag, random_weights
from sparsest.simulate.paper import Simulation


@dataclass(frozen=True, eq=False)
class Dataset(designs.Dataset):
    """A table, the DAG behind it, and what made both."""

    design: Design
    seed: int

    @property
    def described(self) -> dict[str, Any]:
        """What tells it from the others of its table of results."""
        design = self.design
        return {"graph": design.graph, "p": design.p, "n": design.n, "scale": design.data, "seed": self.seed}


def simulate(design: Design, seed: int) -> Dataset:
    """The table of a design and a seed."""
    made = designs.simulate(design, seed)
    return Dataset(made.X, made.dag, made.covariance, design, seed)


def tables(
    graphs: Iterable[str],
    p: int,
    n: int,
    seeds: int,
    scales: Iterable[str] = ("raw",),
    first: int = 0,
    model: str = "linear",
) -> Iterator[Dataset]:
    """The tables of one number of columns; seeds first, first + 1, ..., the same for every design."""
    for graph in graphs:
        for seed in range(first, first + seeds):
            for scale in scales:
                yield simulate(Design(graph, p, n, model=model, data=scale), seed)


def simulated(graph: str, p: int, n: int, rng: np.random.Generator) -> Simulation:
    """A graph, weights and rows of the linear model from a generator that goes on being used."""
    kind, k = parse_graph(graph)
    return linear_gaussian(random_weights(random_dag(p, k, kind, rng), rng), n, rng)


def standardised(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean 0 and sample variance 1 (n − 1) in every column."""
    scaled: NDArray[np.float64] = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    return scaled
