"""The families of tables on which the map from shares to probabilities is fitted.

They are many and varied on purpose: a map that is to hold on tables nobody has seen has to rest on more than
one kind of graph, of weights and of trouble. Each family has one kind of trouble, in several forms and at
several strengths.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest.graph import topological_order
from sparsest.simulate import random_dag
from sparsest.simulate.designs import Design, simulate
from sparsest_bench.calibration.families import Drawn, Family

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rng = np.random.Generator
Effect = Callable[[Array], Array]


# --- sizes, graphs and linear tables


def _size(rng: Rng) -> tuple[int, int]:
    p = int(rng.integers(5, 13) if rng.random() < 0.7 else rng.integers(21, 33))
    return p, int(np.exp(rng.uniform(np.log(80), np.log(4000))))


def _graph(p: int, rng: Rng) -> Mask:
    """Random, scale-free, in layers or in communities, with labels in random order."""
    kind = rng.integers(4)
    if kind < 2:
        drawn: Mask = np.asarray(random_dag(p, int(rng.integers(1, 4)), "ER" if kind else "SF", rng)) != 0
        return drawn
    degree = rng.uniform(0.8, 4.0)
    of = np.sort(rng.integers(int(rng.integers(2, 5)), size=p))
    apart = np.abs(np.subtract.outer(of, of))
    near = apart == 1 if kind == 2 else apart == 0
    chance = np.where(near, degree * p / max(near.sum(), 1), 0.0 if kind == 2 else 0.3 / p)
    dag = np.triu(rng.random((p, p)) < chance, 1)
    order = rng.permutation(p)
    return dag[np.ix_(order, order)]


def _weights(dag: Mask, rng: Rng) -> Array:
    """Strong ones as in the paper, any up to 1, or of very different sizes."""
    shape = dag.shape
    sizes = [rng.uniform(0.5, 1.5, shape), rng.uniform(0, 1, shape), rng.lognormal(-0.7, 0.7, shape)]
    weights: Array = dag * sizes[rng.integers(3)] * rng.choice([-1, 1], shape)
    return weights


def _scales(p: int, rng: Rng) -> Array:
    return rng.uniform(0.3, 1.2, p) if rng.random() < 0.7 else np.ones(p)


def _table(dag: Mask, noise: Array, rng: Rng, effect: Callable[[Rng], Effect] | None = None) -> Array:
    """Columns as sums of the effects of their parents and noise; linear, or of scaled parents if bent.

    Summed up like this, causes explain ever more along the order, which makes directions easy to learn
    (Reisach et al., 2023). So in every second table all columns have unit variance and are explained to
    any share.
    """
    weights, X = _weights(dag, rng), noise.copy()
    least = rng.uniform(0.1, 0.5) if rng.random() < 0.5 else None
    for node in topological_order(dag.astype(int)):
        signal = np.zeros(len(X))
        for parent in np.flatnonzero(dag[:, node]):
            given = X[:, parent]
            if effect is not None:
                given = effect(rng)(_unit(given))
            signal += weights[parent, node] * given
        if least is None:
            X[:, node] += signal
        elif dag[:, node].any():
            share = rng.uniform(least, 0.9)
            X[:, node] = _unit(np.sqrt(share) * _unit(signal) + np.sqrt(1 - share) * _unit(X[:, node]))
    return X


def _unit(x: Array) -> Array:
    scaled: Array = (x - x.mean()) / (x.std() or 1.0)
    return scaled


def _gaussian(n: int, p: int, rng: Rng) -> Array:
    drawn: Array = rng.normal(size=(n, p)) * _scales(p, rng)
    return drawn


def _linear(rng: Rng) -> Drawn:
    p, n = _size(rng)
    dag = _graph(p, rng)
    return Drawn(_table(dag, _gaussian(n, p, rng), rng), dag)


# --- one kind of trouble each


def _by_design(**factors: Any) -> Callable[[Rng], Drawn]:
    """The designs of the paper's experiments, of any size."""

    def draw(rng: Rng) -> Drawn:
        p, n = _size(rng)
        chosen = {key: value(rng, p) if callable(value) else value for key, value in factors.items()}
        graph = f"{rng.choice(['ER', 'SF'])}{rng.integers(1, 4)}"
        weights = str(rng.choice(["strong", "weak"]))
        dataset = simulate(Design(graph, p, n, weights=weights, **chosen), int(rng.integers(2**31)))
        return Drawn(dataset.X, dataset.dag != 0)

    return draw


def _left_out(rng: Rng, p: int) -> int:
    return int(rng.integers(1, max(2, p // 4) + 1))


def _noise(rng: Rng) -> Drawn:
    """Noise that is pointed, skewed, flat, of two humps, or contaminated."""
    p, n = _size(rng)
    dag, shape = _graph(p, rng), (n, p)
    forms: list[Callable[[], Array]] = [
        lambda: rng.laplace(scale=0.7, size=shape),
        lambda: rng.exponential(size=shape) - 1,
        lambda: rng.uniform(-1.7, 1.7, shape),
        lambda: rng.lognormal(0, rng.uniform(0.3, 1.0), shape),
        lambda: rng.choice([-1, 1], shape) * rng.uniform(0.5, 1.0) + 0.5 * rng.normal(size=shape),
        lambda: rng.normal(size=shape) * np.where(rng.random(shape) < 0.1, rng.uniform(2, 6), 1.0),
    ]
    return Drawn(_table(dag, forms[rng.integers(len(forms))]() * _scales(p, rng), rng), dag)


_BENDS: list[Effect] = [
    lambda x: np.sin(2 * x),
    lambda x: np.sign(x) * np.sqrt(np.abs(x)),
    lambda x: np.abs(x),
    lambda x: x + 0.3 * x**3,
    lambda x: np.exp(-(x**2)) * 2,
    lambda x: np.exp(0.6 * x),
    lambda x: x + np.sin(3 * x),
]


def _bent(rng: Rng) -> Drawn:
    """Some or all effects are bent."""
    p, n = _size(rng)
    dag, often = _graph(p, rng), rng.uniform(0.2, 1.0)

    def effect(rng: Rng) -> Effect:
        return _BENDS[rng.integers(len(_BENDS))] if rng.random() < often else (lambda x: x)

    return Drawn(_table(dag, _gaussian(n, p, rng), rng, effect), dag)


def _interacting(rng: Rng) -> Drawn:
    """Besides their own effects, pairs of parents have an effect together."""
    p, n = _size(rng)
    dag, X, strength = _graph(p, rng), _gaussian(n, p, rng), rng.uniform(0.2, 1.0)
    weights = _weights(dag, rng)
    for node in topological_order(dag.astype(int)):
        parents = np.flatnonzero(dag[:, node])
        given = X[:, parents] / X[:, parents].std(axis=0)
        X[:, node] += given @ weights[parents, node]
        for one, other in zip(range(len(parents)), range(1, len(parents)), strict=False):
            X[:, node] += strength * given[:, one] * given[:, other]
    return Drawn(X, dag)


def _uneven(rng: Rng) -> Drawn:
    """The spread of a column's noise depends on its parents."""
    p, n = _size(rng)
    dag, X, strength = _graph(p, rng), _gaussian(n, p, rng), rng.uniform(0.2, 0.8)
    weights = _weights(dag, rng)
    for node in topological_order(dag.astype(int)):
        parents = np.flatnonzero(dag[:, node])
        if len(parents):
            given = X[:, parents] / X[:, parents].std(axis=0)
            X[:, node] *= np.exp(strength * np.clip(given.mean(axis=1), -3, 3))
            X[:, node] += given @ weights[parents, node]
    return Drawn(X, dag)


def _shared_noise(rng: Rng) -> Drawn:
    """Hidden causes as correlated noise: of a few pairs, or of all columns through one factor."""
    p, n = _size(rng)
    dag, noise = _graph(p, rng), rng.normal(size=(n, p))
    if rng.random() < 0.6:
        for _ in range(int(rng.integers(1, max(2, p // 3) + 1))):
            i, j = rng.choice(p, 2, replace=False)
            strength = rng.uniform(0.3, 1.5) * rng.choice([-1, 1])
            cause = rng.normal(size=n)
            noise[:, i] += cause
            noise[:, j] += strength * cause
    else:
        noise += np.outer(rng.normal(size=n), rng.normal(size=p) * rng.uniform(0.1, 1.0))
    return Drawn(_table(dag, noise * _scales(p, rng), rng), dag)


def _rounded(rng: Rng) -> Drawn:
    """Some or all columns are rounded to a few evenly spaced values, or split in two at the mean."""
    drawn, coarse = _linear(rng), rng.uniform(0.5, 2.0)
    X, often = drawn.X / drawn.X.std(axis=0), rng.uniform(0.2, 1.0)
    for j in np.flatnonzero(rng.random(X.shape[1]) < often):
        X[:, j] = np.round(X[:, j] / coarse) if rng.random() < 0.6 else X[:, j] > X[:, j].mean()
    return Drawn(X, drawn.dag)


def _measured(rng: Rng) -> Drawn:
    """Columns are seen through what a gauge does: error, a lower limit, a bent scale, wild values."""
    drawn, form = _linear(rng), rng.integers(4)
    X, often = drawn.X / drawn.X.std(axis=0), rng.uniform(0.3, 1.0)
    share = rng.uniform(0.005, 0.03)
    for j in np.flatnonzero(rng.random(X.shape[1]) < often):
        if form == 0:
            X[:, j] += rng.uniform(0.1, 0.7) * rng.normal(size=len(X))
        elif form == 1:
            X[:, j] = np.maximum(X[:, j], np.quantile(X[:, j], rng.uniform(0.1, 0.6)))
        elif form == 2:
            X[:, j] = np.exp(rng.uniform(0.3, 1.0) * X[:, j])
        else:
            X[:, j] = np.where(rng.random(len(X)) < share, rng.normal(0, 6, len(X)), X[:, j])
    return Drawn(X, drawn.dag)


def _rows(rng: Rng) -> Drawn:
    """Rows that are not a random sample: they follow each other, or were selected by a column."""
    p, n = _size(rng)
    dag = _graph(p, rng)
    if rng.random() < 0.5:
        steps, memory = rng.normal(size=(n, p)), rng.uniform(0.3, 0.9)
        for t in range(1, n):
            steps[t] += memory * steps[t - 1]
        return Drawn(_table(dag, steps, rng), dag)
    X = _table(dag, _gaussian(3 * n, p, rng), rng)
    X /= X.std(axis=0)
    some = rng.choice(p, int(rng.integers(1, 3)), replace=False)
    wanted = X[:, some].sum(axis=1) + rng.uniform(0.2, 1.0) * rng.normal(size=3 * n)
    return Drawn(X[np.argsort(-wanted)[:n]], dag)


FITTED = (
    Family("linear", True, _linear),
    Family("linear, the paper's", True, _by_design()),
    Family("noise", False, _noise),
    Family("left out", False, _by_design(hidden=_left_out)),
    Family("shared noise", False, _shared_noise),
    Family("smooth", False, _by_design(model="additive")),
    Family("network", False, _by_design(model="mlp")),
    Family("bent", False, _bent),
    Family("interacting", False, _interacting),
    Family("uneven spread", False, _uneven),
    Family("mixed kinds", False, _by_design(model="mixed")),
    Family("rounded", False, _rounded),
    Family("measured", False, _measured),
    Family("rows", False, _rows),
)
