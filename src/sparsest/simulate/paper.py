"""Data from a graph: linear Gaussian, logistic and neural network models (appendix D)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular
from scipy.special import expit

from sparsest._core.errors import GraphError, OptionError
from sparsest.graph import topological_order
from sparsest.graph.types import Dag
from sparsest.simulate.arguments import checked_count, checked_noise, require_generator

_NETWORK_WEIGHTS = (0.5, 2.0)  # size of the weights of a network, the sign is random (Zheng et al. 2020)


@dataclass(frozen=True, eq=False)
class Simulation:
    """Data and the truth behind them.

    Attributes
    ----------
    data : (n, p) array
    dag : Dag
    weights : (p, p) array
        weights[i, j] belongs to i → j and is 0 where there is no edge. For `mlp` it is the norm of the first
        layer's weights that leave input i in the network of j: the B(ψ) of the paper.
    covariance : (p, p) array or None
        The population covariance, where it is known in closed form (linear model).
    noise_scales : (p,) array or None
        Standard deviations of the noise, where it is additive.
    kinds : tuple of str or None
        The kinds of the columns, where they differ.
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
    """Rows of X = BᵀX + z, z_j normal with a standard deviation uniform on `noise` (Gauss-NV)."""
    B, dag = weights_and_dag(weights)
    n, scales = _rows_and_scales(n, noise, len(B), rng)
    order = np.array(topological_order(B))
    # In this order I − B is upper triangular with a diagonal of 1: a solve instead of an inverse.
    system = np.eye(len(B)) - B[np.ix_(order, order)]
    shocks = rng.standard_normal((n, len(B))) * scales
    data, covariance = np.empty_like(shocks), np.empty_like(B)
    with np.errstate(over="ignore", invalid="ignore"):
        data[:, order] = _solve_transposed(system, shocks[:, order].T).T
        # Σ = (I − B)^-T Ω (I − B)^-1 = A Aᵀ
        A = _solve_transposed(system, np.diag(scales[order]))
        covariance[np.ix_(order, order)] = A @ A.T
    if not (np.isfinite(data).all() and np.isfinite(covariance).all()):
        raise OptionError("the variances overflow along the paths of this graph: use smaller weights")
    return Simulation(data, dag, B, covariance, scales)


def _solve_transposed(system: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    solution: NDArray[np.float64] = solve_triangular(
        system, right, trans="T", unit_diagonal=True, check_finite=False
    )
    return solution


def logistic(weights: ArrayLike, n: int, rng: np.random.Generator) -> Simulation:
    """Rows of zeros and ones, X_j ~ Bernoulli(σ(B_jᵀ X)) with σ the logistic function, no intercept."""
    require_generator(rng)
    B, dag = weights_and_dag(weights)
    data = np.empty((checked_count(n, "n, the number of rows,"), len(B)), order="F")
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
    """Rows of X_j = f_j(parents) + z_j, f_j a random network with one hidden layer of sigmoids.

    As in nonlinear NOTEARS (Zheng et al. 2020): no biases, weights uniform on ±[0.5, 2]. z_j is normal with
    a standard deviation uniform on `noise`.
    """
    graph = Dag(dag)
    pattern = graph.to_numpy()
    n, scales = _rows_and_scales(n, noise, len(pattern), rng)
    hidden = checked_count(hidden, "hidden, the number of units,")
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
    """A copy of the weights, and their graph; a cycle raises GraphError."""
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
    return checked_count(n, "n, the number of rows,"), rng.uniform(low, high, size=p)
