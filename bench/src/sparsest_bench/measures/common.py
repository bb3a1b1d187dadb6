"""What several measurements need: a simulated table, and means as text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any

import numpy as np

from sparsest.simulate import Simulation, linear_gaussian, random_dag, random_weights
from sparsest.simulate.designs import parse_graph
from sparsest_bench.tables import NOTHING

Row = dict[str, Any]


def simulated(graph: str, p: int, n: int, rng: np.random.Generator) -> Simulation:
    """A graph, weights and rows of the linear model; the caller goes on using the generator."""
    kind, k = parse_graph(graph)
    return linear_gaussian(random_weights(random_dag(p, k, kind, rng), rng), n, rng)


def mean(values: Sequence[float], digits: int) -> str:
    """The mean, rounded."""
    return f"{fmean(values):.{digits}f}" if values else NOTHING


def mean_and_error(values: Sequence[float]) -> str:
    """The mean ± its standard error."""
    if len(values) < 2:
        return mean(values, 1)
    return f"{fmean(values):.1f} ± {stdev(values) / math.sqrt(len(values)):.1f}"
