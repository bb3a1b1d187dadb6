"""The g-formula: the expected outcome of a fitted model if some columns are held at given values.

Where everything between is discrete and has few combinations of values the sum over them is exact; otherwise
rows are drawn, with the same random numbers for both settings of a comparison.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsest._core.streams import EFFECTS, generator
from sparsest.fitted.base import Fitted
from sparsest.graph import topological_order
from sparsest.graph.types import Dag

#: The most combinations of values that are summed over, and the number of rows drawn otherwise.
MOST_COMBINATIONS, DRAWS = 2**14, 20_000

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Expected:
    """The expected outcome in each combination or draw, and the weight of each.

    Parameters
    ----------
    outcomes : array of shape (k,)
        Conditional means of the outcome.
    weights : array of shape (k,)
        Their probabilities; they add up to 1.
    exact : bool
        Whether all combinations are there.
    """

    outcomes: Array
    weights: Array
    exact: bool

    @property
    def mean(self) -> float:
        """The expected outcome."""
        return float(self.weights @ self.outcomes)


def expected(
    fitted: Fitted, do: Mapping[int, float], outcome: int, level: int | None = None, seed: int = 0
) -> Expected:
    """The distribution of the outcome's conditional mean with the columns of `do` held fixed.

    Parameters
    ----------
    fitted : Fitted
        The model.
    do : mapping of int to float
        Columns, by position, and their values.
    outcome : int
        The column whose mean is asked for.
    level : int, optional
        For a categorical column, the level whose probability is asked for.
    seed : int
        Decides the draws.

    Returns
    -------
    Expected
    """
    dag = _dag(fitted)
    dag[:, list(do)] = False
    names = Dag._trusted(dag, fitted.names).ancestors(outcome)
    above = np.array([name in set(names) - {fitted.names[j] for j in do} for name in fitted.names])
    sizes = [fitted.columns[j].levels for j in np.flatnonzero(above)]
    if all(sizes) and math.prod(sizes) <= MOST_COMBINATIONS:
        values, weights = _combinations(fitted, dag, above, do)
        exact = True
    else:
        values = fitted.sample(DRAWS, generator(seed, EFFECTS, outcome), do)
        weights, exact = np.full(len(values), 1 / len(values)), False
    mean = fitted.mean(outcome, values)
    return Expected(mean if level is None else mean[:, level], weights, exact)


def contrast(high: Expected, low: Expected) -> tuple[float, float, float]:
    """The difference of two expected outcomes, its Monte Carlo standard error, and their ratio."""
    difference = high.mean - low.mean
    ratio = high.mean / low.mean if low.mean > 0 else math.nan
    if high.exact:
        return difference, 0.0, ratio
    error = float(np.std(high.outcomes - low.outcomes)) / math.sqrt(len(high.outcomes))
    return difference, error, ratio


def _dag(fitted: Fitted) -> NDArray[np.bool_]:
    dag = np.zeros((len(fitted.nodes), len(fitted.nodes)), dtype=bool)
    for j, node in enumerate(fitted.nodes):
        dag[list(node.parents), j] = True
    return dag


def _combinations(
    fitted: Fitted, dag: NDArray[np.bool_], above: NDArray[np.bool_], do: Mapping[int, float]
) -> tuple[Array, Array]:
    """All values of the columns above the outcome, and the probability of each combination."""
    values = np.zeros((1, len(fitted.nodes)))
    for j, value in do.items():
        values[:, j] = value
    weights = np.ones(1)
    for j in topological_order(dag):
        if not above[j]:
            continue
        mean = fitted.mean(j, values)
        chances = np.column_stack([1 - mean, mean]) if mean.ndim == 1 else mean
        codes = np.tile(np.arange(chances.shape[1]), len(values))
        values = np.repeat(values, chances.shape[1], axis=0)
        values[:, j] = codes
        weights = np.repeat(weights, chances.shape[1]) * chances.reshape(-1)
    return values, weights
