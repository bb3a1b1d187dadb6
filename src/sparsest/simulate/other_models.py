"""Simulated data beyond the paper: counts, additive functions, columns of mixed kinds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax

from sparsest._core.errors import OptionError
from sparsest._core.validation import whole
from sparsest.graph import topological_order
from sparsest.graph.types import Dag
from sparsest.simulate.arguments import checked_noise, checked_range, require_generator
from sparsest.simulate.paper import Simulation, weights_and_dag

Array = NDArray[np.float64]

KINDS = ("continuous", "binary", "count", "categorical")
_WAVES = 50  # number of cosines in a random smooth function
_MOST = 1e6  # largest rate of a count
_LEVELS = 3  # number of categories of a categorical column


def poisson(
    weights: ArrayLike, n: int, rng: np.random.Generator, rates: Iterable[float] = (1.0, 3.0)
) -> Simulation:
    """Counts from log-linear Poisson regressions: X_j ~ Poisson(r_j exp(B_jᵀ X)).

    Chains of positive weights make counts explode; weights between −0.3 and 0.1 or so are safe.

    Parameters
    ----------
    weights : (p, p) array_like
        The matrix B; weights[i, j] is the effect of i on the log rate of j.
    n : int
        Number of rows.
    rng : numpy.random.Generator
        Source of randomness.
    rates : (low, high), default (1.0, 3.0)
        Range of the uniform distribution of the base rates r_j.

    Returns
    -------
    Simulation
        Data, graph and weights.

    Raises
    ------
    OptionError
        If a rate exceeds a million.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.simulate import poisson
    >>> simulation = poisson([[0, -0.3], [0, 0]], 100, np.random.default_rng(0))
    >>> bool((simulation.data >= 0).all())
    True
    """
    require_generator(rng)
    B, dag = weights_and_dag(weights)
    low, high = checked_range(rates, "rates")
    if low <= 0:
        raise OptionError(f"rates must be positive, got ({low:g}, {high:g})")
    logs = np.log(rng.uniform(low, high, size=len(B)))
    data = np.zeros((whole("n, the number of rows,", n, least=1), len(B)), order="F")
    for node in topological_order(B):
        predictor = logs[node] + data @ B[:, node]
        if predictor.max() > np.log(_MOST):
            raise OptionError(
                f"the rate of node {node} exceeds {_MOST:g}: use smaller or negative weights, or lower rates"
            )
        data[:, node] = rng.poisson(np.exp(predictor))
    return Simulation(data, dag, B)


def additive(
    dag: Dag | NDArray[Any] | Sequence[Sequence[float]],
    n: int,
    rng: np.random.Generator,
    noise: Iterable[float] = (0.2, 0.8),
) -> Simulation:
    """Data from X_j = Σ_i f_ij(X_i) + z_j, where each f_ij is a random smooth function of unit variance.

    The functions are drawn from a Gaussian process whose length scale is the standard deviation of X_i, as in
    the experiments of Bühlmann, Peters & Ernest (2014), approximated by random cosines. The noise z_j is
    normal.

    Parameters
    ----------
    dag : Dag or (p, p) matrix
        The graph.
    n : int
        Number of rows.
    rng : numpy.random.Generator
        Source of randomness.
    noise : (low, high), default (0.2, 0.8)
        Range of the uniform distribution of the noise standard deviations; nodes without parents have
        standard deviation 1.

    Returns
    -------
    Simulation
        Data, graph, standard deviations of f_ij as weights, and noise standard deviations.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.simulate import additive
    >>> simulation = additive([[0, 1], [0, 0]], 100, np.random.default_rng(0))
    >>> simulation.weights
    array([[0., 1.],
           [0., 0.]])
    """
    require_generator(rng)
    graph = Dag(dag)
    pattern = graph.to_numpy()
    p, rows = len(pattern), whole("n, the number of rows,", n, least=1)
    scales = np.where(pattern.any(axis=0), rng.uniform(*checked_noise(noise), size=p), 1.0)
    data = np.asfortranarray(rng.standard_normal((rows, p)) * scales)
    for node in topological_order(pattern):
        for parent in np.flatnonzero(pattern[:, node]):
            data[:, node] += _smooth(data[:, parent], rng)
    return Simulation(data, graph, pattern.astype(float), noise_scales=scales)


def mixed(
    dag: Dag | NDArray[Any] | Sequence[Sequence[float]],
    n: int,
    rng: np.random.Generator,
    kinds: Sequence[str] = ("continuous", "binary", "count"),
    noise: Iterable[float] = (0.5, 1.0),
) -> Simulation:
    """Data whose columns are of different kinds, chosen at random.

    A numeric parent contributes its standardised value times a weight uniform on ±[0.5, 1.5]; each category
    of a categorical parent contributes its own number. Continuous columns add normal noise, binary columns
    are logistic, counts are Poisson with a rate around 2, and categorical columns have three categories with
    softmax probabilities.

    Parameters
    ----------
    dag : Dag or (p, p) matrix
        The graph.
    n : int
        Number of rows.
    rng : numpy.random.Generator
        Source of randomness.
    kinds : sequence of str, default ("continuous", "binary", "count")
        Kinds to choose from; "categorical" is the fourth.
    noise : (low, high), default (0.5, 1.0)
        Range of the uniform distribution of the noise standard deviations of continuous columns.

    Returns
    -------
    Simulation
        Data, graph, strengths of the contributions as weights, and the kind of each column.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.simulate import mixed
    >>> simulation = mixed([[0, 1], [0, 0]], 100, np.random.default_rng(0), kinds=["binary"])
    >>> simulation.kinds
    ('binary', 'binary')
    """
    require_generator(rng)
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown or not len(kinds):
        raise OptionError(f"kinds must be chosen from {', '.join(KINDS)}, got {list(kinds)!r}")
    graph = Dag(dag)
    pattern = graph.to_numpy()
    p, rows = len(pattern), whole("n, the number of rows,", n, least=1)
    chosen = [str(kind) for kind in rng.choice(list(kinds), size=p)]
    scales = rng.uniform(*checked_noise(noise), size=p)
    data, strengths = np.zeros((rows, p), order="F"), np.zeros((p, p))
    for node in topological_order(pattern):
        outputs = _LEVELS - 1 if chosen[node] == "categorical" else 1
        predictor = np.zeros((rows, outputs))
        for parent in np.flatnonzero(pattern[:, node]):
            part = _contribution(data[:, parent], chosen[parent], outputs, rng)
            strengths[parent, node] = np.sqrt((part.var(axis=0)).sum())
            predictor += part
        data[:, node] = _drawn(chosen[node], predictor, scales[node], rng)
    return Simulation(data, graph, strengths, kinds=tuple(chosen))


def _smooth(x: Array, rng: np.random.Generator) -> Array:
    """Random smooth function of x, with mean 0 and variance 1 over the rows."""
    spread = x.std() or 1.0
    frequencies, phases = rng.standard_normal(_WAVES), rng.uniform(0, 2 * np.pi, _WAVES)
    values = np.cos(np.outer(x / spread, frequencies) + phases) @ rng.standard_normal(_WAVES)
    centred = values - values.mean()
    scaled: Array = centred / (centred.std() or 1.0)
    return scaled


def _contribution(x: Array, kind: str, outputs: int, rng: np.random.Generator) -> Array:
    sizes = rng.uniform(0.5, 1.5, size=outputs) * rng.choice([-1, 1], size=outputs)
    if kind == "categorical":
        effects = rng.permuted(np.tile(np.linspace(-1, 1, _LEVELS), (outputs, 1)), axis=1)
        chosen: Array = effects[:, x.astype(int)].T * np.abs(sizes)
        return chosen
    scaled: Array = np.outer((x - x.mean()) / (x.std() or 1.0), sizes)
    return scaled


def _drawn(kind: str, predictor: Array, scale: float, rng: np.random.Generator) -> Array:
    rows = len(predictor)
    if kind == "continuous":
        return predictor[:, 0] + scale * rng.standard_normal(rows)
    if kind == "binary":
        ones: Array = (rng.random(rows) < expit(predictor[:, 0])).astype(float)
        return ones
    if kind == "count":
        return rng.poisson(2 * np.exp(np.clip(0.5 * predictor[:, 0], -3, 2.5))).astype(float)
    chances = softmax(np.column_stack([np.zeros(rows), predictor]), axis=1)
    drawn: Array = (rng.random(rows)[:, None] > np.cumsum(chances, axis=1)[:, :-1]).sum(axis=1).astype(float)
    return drawn
