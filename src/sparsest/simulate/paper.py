"""Simulated data of the paper: linear Gaussian, logistic and neural network models (Appendix D)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular
from scipy.special import expit

from sparsest._core.errors import GraphError, OptionError
from sparsest._core.validation import whole
from sparsest.graph import topological_order
from sparsest.graph.types import Dag
from sparsest.simulate.arguments import checked_noise, require_generator

_NETWORK_WEIGHTS = (
    0.5,
    2.0,
)  # absolute weights of a network; signs are random (Zheng et al. 2020)


@dataclass(frozen=True, eq=False)
class Simulation:
    """Simulated data and the model that generated them.

    Attributes
    ----------
    data : (n, p) array
        One row per observation.
    dag : Dag
        The true graph.
    weights : (p, p) array
        weights[i, j] belongs to i → j and is 0 where there is no edge. For `mlp` it is the norm of the
        first-layer weights that leave input i in the network of j: the B(ψ) of the paper.
    covariance : (p, p) array or None
        The population covariance, if it is known in closed form (linear model).
    noise_scales : (p,) array or None
        Standard deviations of the noise, if it is additive.
    kinds : tuple of str or None
        The kind of each column, if they differ.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.simulate import linear_gaussian
    >>> simulation = linear_gaussian([[0, 2], [0, 0]], 100, np.random.default_rng(0), noise=(1, 1))
    >>> simulation.dag
    Dag(2 nodes, 1 edge: x0 -> x1)
    >>> simulation.covariance
    array([[1., 2.],
           [2., 5.]])
    """

    data: NDArray[np.float64]
    dag: Dag
    weights: NDArray[np.float64]
    covariance: NDArray[np.float64] | None = None
    noise_scales: NDArray[np.float64] | None = None
    kinds: tuple[str, ...] | None = None


def linear_gaussian(
    weights: ArrayLike, n: int, rng: np.random.Generator, noise: Iterable[float] = (0.1, 0.7)
) -> Simulation:
    """Data from the linear model X = BᵀX + z with Gaussian noise of unequal variances (Gauss-NV).

    Parameters
    ----------
    weights : (p, p) array_like
        The matrix B; weights[i, j] is the effect of i on j.
    n : int
        Number of rows.
    rng : numpy.random.Generator
        Source of randomness.
    noise : (low, high), default (0.1, 0.7)
        Range of the uniform distribution of the noise standard deviations.

    Returns
    -------
    Simulation
        Data, graph, weights, population covariance and noise standard deviations.

    Raises
    ------
    GraphError
        If the weights contain a cycle or are not a finite square matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.simulate import linear_gaussian
    >>> simulation = linear_gaussian([[0, 1.5], [0, 0]], 500, np.random.default_rng(0))
    >>> simulation.data.shape
    (500, 2)
    """
    B, dag = weights_and_dag(weights)
    n, scales = _rows_and_scales(n, noise, len(B), rng)
    order = np.array(topological_order(B))
    # In this order I − B is unit upper triangular, so a triangular solve replaces the inverse.
    system = np.eye(len(B)) - B[np.ix_(order, order)]
    shocks = rng.standard_normal((n, len(B))) * scales
    data, covariance = np.empty_like(shocks), np.empty_like(B)
    with np.errstate(over="ignore", invalid="ignore"):
        data[:, order] = _solve_transposed(system, shocks[:, order].T).T
        # Σ = (I − B)^-T Ω (I − B)^-1 = A Aᵀ
        A = _solve_transposed(system, np.diag(scales[order]))
        covariance[np.ix_(order, order)] = A @ A.T
    if not (np.isfinite(data).all() and np.isfinite(covariance).all()):
        raise OptionError("variances overflow along the paths of this graph: use smaller weights")
    return Simulation(data, dag, B, covariance, scales)


def _solve_transposed(system: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    solution: NDArray[np.float64] = solve_triangular(
        system, right, trans="T", unit_diagonal=True, check_finite=False
    )
    return solution


def logistic(weights: ArrayLike, n: int, rng: np.random.Generator) -> Simulation:
    """Binary data from logistic regressions without intercepts: X_j ~ Bernoulli(σ(B_jᵀ X)).

    Parameters
    ----------
    weights : (p, p) array_like
        The matrix B; weights[i, j] is the log odds ratio of j per unit of i.
    n : int
        Number of rows.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    Simulation
        Data of zeros and ones, graph and weights.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.simulate import logistic
    >>> simulation = logistic([[0, 3], [0, 0]], 200, np.random.default_rng(0))
    >>> np.unique(simulation.data)
    array([0., 1.])
    """
    require_generator(rng)
    B, dag = weights_and_dag(weights)
    data = np.empty((whole("n, the number of rows,", n, least=1), len(B)), order="F")
    for node in topological_order(B):
        parents = np.flatnonzero(B[:, node])
        probability = expit(data[:, parents] @ B[parents, node])
        data[:, node] = rng.random(len(data)) < probability
    return Simulation(data, dag, B)


def mlp(
    dag: Dag | NDArray[Any] | Sequence[Sequence[float]],
    n: int,
    rng: np.random.Generator,
    hidden: int = 100,
    noise: Iterable[float] = (0.1, 1.0),
) -> Simulation:
    """Data from X_j = f_j(parents) + z_j, where f_j is a random network with one hidden sigmoid layer.

    As in nonlinear NOTEARS (Zheng et al. 2020), there are no biases, weights are uniform on ±[0.5, 2], and
    the noise z_j is normal.

    Parameters
    ----------
    dag : Dag or (p, p) matrix
        The graph.
    n : int
        Number of rows.
    rng : numpy.random.Generator
        Source of randomness.
    hidden : int, default 100
        Number of hidden units.
    noise : (low, high), default (0.1, 1.0)
        Range of the uniform distribution of the noise standard deviations.

    Returns
    -------
    Simulation
        Data, graph, first-layer norms as weights, and noise standard deviations.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.simulate import mlp
    >>> simulation = mlp([[0, 1], [0, 0]], 100, np.random.default_rng(0), hidden=10)
    >>> simulation.data.shape
    (100, 2)
    """
    graph = Dag(dag)
    pattern = graph.to_numpy()
    n, scales = _rows_and_scales(n, noise, len(pattern), rng)
    hidden = whole("hidden, the number of units,", hidden, least=1)
    data = np.asfortranarray(rng.standard_normal((n, len(pattern))) * scales)
    norms = np.zeros(pattern.shape)
    for node in topological_order(pattern):
        parents = np.flatnonzero(pattern[:, node])
        if parents.size:
            first = _signed_uniform((len(parents), hidden), rng)
            second = _signed_uniform((hidden,), rng)
            data[:, node] += expit(data[:, parents] @ first) @ second
            norms[parents, node] = np.linalg.norm(first, axis=1)
    return Simulation(data, graph, norms, noise_scales=scales)


def _signed_uniform(shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float64]:
    sizes: NDArray[np.float64] = rng.uniform(*_NETWORK_WEIGHTS, size=shape)
    return np.where(rng.random(shape) < 0.5, -sizes, sizes)


def weights_and_dag(weights: ArrayLike) -> tuple[NDArray[np.float64], Dag]:
    """Copy of the weights, and their graph; a cycle raises GraphError."""
    try:
        B = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise GraphError("weights must be a square matrix of numbers") from None
    if B.ndim != 2 or B.shape[0] != B.shape[1] or not len(B):
        raise GraphError(f"weights must be a square matrix, got shape {B.shape}")
    if not np.isfinite(B).all():
        i, j = np.argwhere(~np.isfinite(B))[0]
        raise GraphError(f"the weight of the edge {i} -> {j} is {B[i, j]}: weights must be finite")
    return B, Dag(B != 0)


def _rows_and_scales(
    n: int, noise: Iterable[float], p: int, rng: np.random.Generator
) -> tuple[int, NDArray[np.float64]]:
    require_generator(rng)
    low, high = checked_noise(noise)
    return whole("n, the number of rows,", n, least=1), rng.uniform(low, high, size=p)
