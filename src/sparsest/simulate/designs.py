"""Designs of simulated tables: a design and a seed determine a table and the graph behind it (Appendix D)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sparsest._core.correlation import correlation_of
from sparsest._core.errors import OptionError
from sparsest.graph.alignment import alignment
from sparsest.simulate.other_models import additive, mixed
from sparsest.simulate.paper import Simulation, linear_gaussian, logistic, mlp
from sparsest.simulate.random_graphs import random_dag, random_weights

Array = NDArray[np.float64]
Draw = Callable[[int, np.random.Generator], Simulation]

MODELS = ("linear", "logistic", "mlp", "additive", "mixed")
NOISES = ("gaussian", "uniform", "laplace", "exponential")
DATA = ("raw", "standardised")
# "strong": as in the paper, away from 0; "weak": any size up to 1, so that some edges are hard to see.
WEIGHTS = {"strong": ((-1.5, -0.5), (0.5, 1.5)), "weak": ((-1.0, 1.0),)}
_TRIES = 200  # draws of weights from which the one nearest to the wanted R²-sortability is taken
_MOST_DRAWS = 100  # of tables, until every column varies
_GRAPH = re.compile(r"(ER|SF)(\d+)")


@dataclass(frozen=True)
class Design:
    """What is simulated; together with a seed it determines every number.

    Parameters
    ----------
    graph : str
        "ER" or "SF" and the edges per node, such as "ER2".
    p, n : int
        Columns and rows of the table.
    model : str
        One of `MODELS`.
    noise : str
        One of `NOISES`, for linear models.
    hidden : int
        Nodes that are simulated and then left out of the table.
    r2sortability : float or None
        Wanted R²-sortability of linear models: the nearest of 200 draws of weights is taken.
    data : str
        "raw" or "standardised".
    weights : str
        "strong" or "weak", for linear models.
    """

    graph: str
    p: int
    n: int
    model: str = "linear"
    noise: str = "gaussian"
    hidden: int = 0
    r2sortability: float | None = None
    data: str = "raw"
    weights: str = "strong"

    def split(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Its factors: those that differ from their defaults, and those that do not."""
        told = {key: value for key, value in asdict(self).items() if value != _DEFAULTS.get(key)}
        return told, {key: value for key, value in asdict(self).items() if key not in told}


_DEFAULTS = {field.name: field.default for field in fields(Design) if field.default is not MISSING}


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table, the DAG behind it, and the population covariance where it is known in closed form.

    `units` are what the columns have to be multiplied by to be in the units in which they were simulated.
    """

    X: Array
    dag: NDArray[np.int64]
    covariance: Array | None
    units: Array

    @property
    def arrays(self) -> dict[str, Array]:
        """What a method is given, which never includes the graph."""
        given = {"X": self.X, "units": self.units}
        return given if self.covariance is None else given | {"covariance": self.covariance}

    @property
    def varsortability(self) -> float | None:
        """The share of directed paths along which the variance grows (Reisach et al. 2021)."""
        return alignment(self.dag != 0, self.X.var(axis=0))

    @property
    def r2sortability(self) -> float | None:
        """The share of directed paths along which the explained share of variance grows (Reisach 2023)."""
        if len(self.X) <= self.X.shape[1]:
            return None
        return alignment(self.dag != 0, explained_shares(np.cov(self.X, rowvar=False, bias=True)))


def parse_graph(name: str) -> tuple[Literal["ER", "SF"], int]:
    """Kind and edges per node.

    Examples
    --------
    >>> parse_graph("ER2")
    ('ER', 2)
    """
    match = _GRAPH.fullmatch(name)
    if not match:
        raise OptionError(f"unknown graph {name!r}: write ER or SF and the edges per node, such as ER2")
    return ("ER" if match[1] == "ER" else "SF"), int(match[2])


def simulate(design: Design, seed: int, draw: Draw | None = None) -> Dataset:
    """The table of a design and a seed; tables with a constant column are drawn again.

    `draw(n, rng)` replaces the design's random graph and model, for networks of known structure.
    """
    rng = np.random.default_rng(seed)
    while True:
        simulation = _simulation(design, rng) if draw is None else draw(design.n, rng)
        if not (simulation.data == simulation.data[0]).all(axis=0).any():
            break
    seen = _observed(simulation.dag.to_numpy(), design.hidden, rng)
    covariance = None if simulation.covariance is None else simulation.covariance[np.ix_(seen, seen)]
    X, dag = simulation.data[:, seen], simulation.dag.to_numpy()[np.ix_(seen, seen)]
    units = np.ones(X.shape[1])
    if design.data == "standardised":
        units = X.std(axis=0, ddof=1)
        X = (X - X.mean(axis=0)) / units
        if covariance is not None:
            covariance = correlation_of(covariance)
    return Dataset(X, dag, covariance, units)


def table(design: Design, seed: int) -> Dataset:
    """The table on which experiments of a design and seed are run, for a design from a user.

    Raises
    ------
    OptionError
        If the seed is negative, or some column is constant in a hundred tables.
    """
    if seed < 0:
        raise OptionError(f"seed must be 0 or more, not {seed}")
    draws = iter(range(_MOST_DRAWS))

    def draw(rows: int, rng: np.random.Generator) -> Simulation:
        if next(draws, None) is None:
            raise OptionError(f"with {rows} rows some column never varies: ask for more rows")
        return _simulation(design, rng)

    return simulate(design, seed, draw)


def explained_shares(covariance: Array) -> Array:
    """R² of each column given all others."""
    shares: Array = 1 - 1 / (covariance.diagonal() * np.linalg.inv(covariance).diagonal())
    return shares


def _simulation(design: Design, rng: np.random.Generator) -> Simulation:
    kind, k = parse_graph(design.graph)
    dag = random_dag(design.p + design.hidden, k, kind, rng)
    if design.model == "mlp":
        return mlp(dag, design.n, rng)
    if design.model == "additive":
        return additive(dag, design.n, rng)
    if design.model == "mixed":
        return mixed(dag, design.n, rng)
    if design.model == "logistic":
        return logistic(random_weights(dag, rng), design.n, rng)
    if design.r2sortability is not None:
        return _with_sortability(dag, design, design.r2sortability, rng)
    simulation = linear_gaussian(random_weights(dag, rng, WEIGHTS[design.weights]), design.n, rng)
    return simulation if design.noise == "gaussian" else _with_noise(simulation, design, rng)


def _with_noise(simulation: Simulation, design: Design, rng: np.random.Generator) -> Simulation:
    """The same graph, weights and covariance with noise of another distribution."""
    if simulation.noise_scales is None:
        raise AssertionError("linear models have additive noise")
    shape = design.n, len(simulation.weights)
    unit = {
        "uniform": lambda: rng.uniform(-np.sqrt(3), np.sqrt(3), shape),
        "laplace": lambda: rng.laplace(scale=np.sqrt(0.5), size=shape),
        "exponential": lambda: rng.exponential(size=shape) - 1,
    }[design.noise]()
    paths = np.linalg.inv(np.eye(shape[1]) - simulation.weights)
    data = (unit * simulation.noise_scales) @ paths
    return Simulation(
        data, simulation.dag, simulation.weights, simulation.covariance, simulation.noise_scales
    )


def _with_sortability(dag: Any, design: Design, wanted: float, rng: np.random.Generator) -> Simulation:
    """The draw of weights and noise whose population R²-sortability is nearest to the wanted one."""
    best, gap, state = random_weights(dag, rng), np.inf, rng.bit_generator.state
    for _ in range(_TRIES):
        weights = random_weights(dag, rng)
        before = rng.bit_generator.state
        found = linear_gaussian(weights, 2, rng)
        if found.covariance is None:
            raise AssertionError("linear models have a covariance")
        sortability = alignment(dag.to_numpy() != 0, explained_shares(found.covariance))
        off = abs((0.5 if sortability is None else sortability) - wanted)
        if off < gap:
            best, gap, state = weights, off, before
    # From the same state the same noise scales are drawn, before any row is.
    rng.bit_generator.state = state
    return linear_gaussian(best, design.n, rng)


def _observed(dag: NDArray[np.int64], hidden: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """The nodes of the table, in order; hidden ones have at least two children as far as possible."""
    children = dag.sum(axis=1)
    order = sorted(range(len(dag)), key=lambda node: (children[node] < 2, rng.random()))
    return np.sort(np.array(order[hidden:], dtype=np.intp))
