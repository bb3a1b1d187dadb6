"""The models of the initialisation study: a fixed one of each small graph, and any number that are drawn.

The paper does not print the weights of its three small graphs. The fixed models are ours. The others have
weights and noise as in its other experiments (Appendix D).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Weights by edge and noise variances.
Model = tuple[dict[tuple[int, int], float], tuple[float, ...]]

MODELS: dict[str, Model] = {
    "fork": ({(0, 1): 1.2, (0, 2): -0.9}, (1.0, 0.6, 0.8)),
    "collider": ({(0, 1): 1.2, (2, 1): -0.9}, (1.0, 0.6, 0.8)),
    "diamond": ({(0, 1): 1.4, (0, 2): -1.4, (1, 3): -0.6, (2, 3): -1.0}, (1.5, 0.5, 0.5, 0.5)),
}
_DIGITS = 6  # of drawn numbers, so that a row tells its model


def drawn(structure: str, number: int) -> Model:
    """A model of a small graph with weights uniform on ±[0.5, 1.5] and noise deviations on [0.1, 0.7]."""
    rng = np.random.default_rng([*structure.encode(), number])
    edges, variances = MODELS[structure]
    weights = rng.uniform(0.5, 1.5, len(edges)) * rng.choice([-1, 1], len(edges))
    noise = rng.uniform(0.1, 0.7, len(variances)) ** 2
    return (
        {edge: round(float(weight), _DIGITS) for edge, weight in zip(edges, weights, strict=True)},
        tuple(round(float(variance), _DIGITS) for variance in noise),
    )


def matrices(described: Model) -> tuple[Array, Array]:
    """Weights and population covariance of a model."""
    edges, variances = described
    weights = np.zeros((len(variances),) * 2)
    for edge, weight in edges.items():
        weights[edge] = weight
    paths = np.linalg.inv(np.eye(len(weights)) - weights)
    return weights, paths.T @ np.diag(variances) @ paths


def model(structure: str) -> tuple[Array, Array]:
    """Weights and population covariance of the fixed model of a small graph."""
    return matrices(MODELS[structure])
