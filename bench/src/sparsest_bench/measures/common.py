"""What several measurements need: a simulated table, and means as text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any

import numpy as np

from sparsest.simulate import Simulation, linear_gaussian, random_dag, random_weights
from sparsest.simulate.designs import parse_graph
from sparsest_bench.contenders import known_contenders
from sparsest_bench.peer_homes import default_peers_folder, homes
from sparsest_bench.process import FailedError, ask
from sparsest_bench.tables import NOTHING

Row = dict[str, Any]


def asked(method: str, arrays: dict[str, Any], time_limit: float) -> dict[str, Any]:
    """The reply of a peer's method to a table.

    Raises
    ------
    FailedError
        If there is none, for instance because the peer is not installed.
    """
    contender = known_contenders()[method]
    home = homes([contender], default_peers_folder(), install=False, tell=lambda _: None)[contender.peer]
    if home.missing:
        raise FailedError(home.missing)
    return ask(home.python, contender.file, method, arrays, time_limit)


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
