"""The families of tables on which the map from shares to probabilities is judged.

They share no graph generator, no range of weights and no kind of misspecification in its exact form with the
families of the fit. Columns have unit variance when they are caused (Ormaniec et al., 2024), so that neither
variances nor R² grow along the causal order as they do in half of the fit's tables.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sparsest.graph import topological_order
from sparsest_bench.calibration.families import Drawn, Family

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Mechanism = Callable[[Array, np.random.Generator], Array]
Noise = Callable[[int, np.random.Generator], Array]


def _ring(p: int, degree: float, rng: np.random.Generator) -> Mask:
    """A small world (Watts & Strogatz, 1998): neighbours on a ring are joined, a few edges go elsewhere."""
    apart = np.abs(np.subtract.outer(np.arange(p), np.arange(p)))
    apart = np.minimum(apart, p - apart)
    near = (apart <= max(1, round(degree / 2))) & (rng.random((p, p)) < 0.85)
    return np.triu(near | (rng.random((p, p)) < 0.3 / p), 1)


def _tree(p: int, degree: float, rng: np.random.Generator) -> Mask:
    """Every node but the first has a random earlier parent, and some have more."""
    dag = np.triu(rng.random((p, p)) < max(degree - 2, 0) / p, 1)
    for node in range(1, p):
        dag[rng.integers(node), node] = True
    return dag


def _shuffled(dag: Mask, rng: np.random.Generator) -> Mask:
    order = rng.permutation(len(dag))
    return dag[np.ix_(order, order)]


def _caused(dag: Mask, n: int, rng: np.random.Generator, mechanism: Mechanism, noise: Noise) -> Array:
    """Columns of unit variance: a share of it, between 0.3 and 0.8, comes from the parents."""
    X = np.empty((n, len(dag)))
    for node in topological_order(dag.astype(int)):
        parents = np.flatnonzero(dag[:, node])
        own = noise(n, rng)
        if len(parents):
            signal = sum(rng.uniform(0.5, 1.5) * mechanism(X[:, parent], rng) for parent in parents)
            share = rng.uniform(0.3, 0.8)
            own = np.sqrt(share) * _unit(np.asarray(signal)) + np.sqrt(1 - share) * own
        X[:, node] = _unit(own)
    return X


def _unit(x: Array) -> Array:
    centred = x - x.mean()
    scaled: Array = centred / (centred.std() or 1.0)
    return scaled


def _gaussian(n: int, rng: np.random.Generator) -> Array:
    return rng.standard_normal(n)


def _heavy(n: int, rng: np.random.Generator) -> Array:
    drawn: Array = rng.standard_t(3, size=n) / np.sqrt(3)
    return drawn


def _line(x: Array, rng: np.random.Generator) -> Array:
    return float(rng.choice([-1, 1])) * x


def _bent(x: Array, rng: np.random.Generator) -> Array:
    """A saturating, a quadratic or a threshold effect, none of which the fit's tables have."""
    sign = float(rng.choice([-1, 1]))
    kind = rng.integers(3)
    if kind == 0:
        return sign * np.tanh(2 * x)
    return sign * (0.6 * x + 0.5 * (x**2 - 1)) if kind == 1 else sign * np.maximum(x - 0.5, 0)


_GRAPHS = {"ring": _ring, "tree": _tree}


def related(graph: str, p: int, n: int, rng: np.random.Generator) -> Drawn:
    """A table of closely related columns: a ring or a tree, with between one and four edges a node."""
    dag = _shuffled(_GRAPHS[graph](p, float(rng.uniform(1.0, 4.0)), rng), rng)
    return Drawn(_caused(dag, n, rng, _line, _gaussian), dag)


def _size(rng: np.random.Generator) -> tuple[int, int, Mask]:
    p, n = int(rng.choice([10, 15, 30])), int(rng.choice([120, 400, 1500]))
    degree = float(rng.uniform(1.0, 4.0))
    graph = _ring if rng.random() < 0.5 else _tree
    return p, n, _shuffled(graph(p, degree, rng), rng)


def _reported(mechanism: Mechanism = _line, noise: Noise = _gaussian) -> Callable[..., Drawn]:
    def draw(rng: np.random.Generator) -> Drawn:
        _, n, dag = _size(rng)
        return Drawn(_caused(dag, n, rng, mechanism, noise), dag)

    return draw


def _confounded(rng: np.random.Generator) -> Drawn:
    """Hidden factors, one for every eight columns, each a cause of two to four of them."""
    p, n, dag = _size(rng)
    hidden = max(1, p // 8)
    whole = np.zeros((p + hidden, p + hidden), dtype=bool)
    whole[:p, :p] = dag
    for factor in range(p, p + hidden):
        whole[factor, rng.choice(p, size=int(rng.integers(2, 5)), replace=False)] = True
    X = _caused(whole, n, rng, _line, _gaussian)[:, :p]
    return Drawn(X, dag)


def _cut(rng: np.random.Generator) -> Drawn:
    """Linear effects between columns of which half are then cut into two to five classes."""
    _, n, dag = _size(rng)
    X = _caused(dag, n, rng, _line, _gaussian)
    for j in np.flatnonzero(rng.random(X.shape[1]) < 0.5):
        cuts = np.quantile(X[:, j], np.sort(rng.uniform(0.15, 0.85, size=int(rng.integers(1, 5)))))
        X[:, j] = np.searchsorted(cuts, X[:, j])
    return Drawn(X, dag)


REPORTED = (
    Family("linear", True, _reported()),
    Family("heavy tails", False, _reported(noise=_heavy)),
    Family("nonlinear", False, _reported(mechanism=_bent)),
    Family("hidden causes", False, _confounded),
    Family("classes read as numbers", False, _cut),
)
