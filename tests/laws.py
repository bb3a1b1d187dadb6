"""What several tests measure by."""

from collections.abc import Callable, Iterator
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def finite_differences(function: Callable[[Array], float], at: Array, step: float = 1e-6) -> Array:
    """The gradient of a function by central differences."""
    gradient = np.empty(at.size)
    for i in range(at.size):
        ahead, behind = at.reshape(-1).copy(), at.reshape(-1).copy()
        ahead[i] += step
        behind[i] -= step
        gradient[i] = function(ahead.reshape(at.shape)) - function(behind.reshape(at.shape))
    return (gradient / (2 * step)).reshape(at.shape)


def random_covariance(p: int, rng: np.random.Generator) -> Array:
    """A well-conditioned covariance with unequal variances."""
    root = rng.normal(size=(p, 3 * p)) * rng.uniform(0.5, 3.0, size=(p, 1))
    return root @ root.T / (3 * p) + 0.1 * np.eye(p)


def random_dag_weights(p: int, rng: np.random.Generator, density: float = 0.5) -> Array:
    """Weights of a random DAG in a random order."""
    weights = np.triu(rng.normal(size=(p, p)) * (rng.random((p, p)) < density), 1)
    order = rng.permutation(p)
    return weights[np.ix_(order, order)]


def all_dags(p: int) -> Iterator[NDArray[np.bool_]]:
    """Every DAG on p nodes once: 1, 3, 25, 543, 29281, ..."""
    seen = set()
    rows, columns = np.triu_indices(p, 1)
    for bits in product((False, True), repeat=len(rows)):
        upper = np.zeros((p, p), dtype=bool)
        upper[rows, columns] = bits
        for order in permutations(range(p)):
            dag = upper[np.ix_(order, order)]
            if (key := dag.tobytes()) not in seen:
                seen.add(key)
                yield dag
