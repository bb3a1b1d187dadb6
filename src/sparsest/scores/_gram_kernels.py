"""Compiled loops for least squares on a Gram matrix of features: the cost does not depend on the rows.

Nodes own blocks of features: node j has the columns `starts[j]` to `starts[j + 1]` of the Gram matrix.
"""

import math

import numpy as np
from numpy.typing import NDArray

from sparsest._core.jit import kernel

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


@kernel
def _factor(matrix: Array, k: int, least: float) -> None:
    """Cholesky factor of the leading (k, k) block, in place; a pivot below `least` is left out of the fit."""
    for j in range(k):
        pivot = matrix[j, j]
        for c in range(j):
            pivot -= matrix[j, c] * matrix[j, c]
        usable = pivot > least
        root = math.sqrt(pivot) if usable else 1.0
        matrix[j, j] = root if usable else math.inf  # whatever is divided by it vanishes
        for i in range(j + 1, k):
            entry = matrix[i, j]
            for c in range(j):
                entry -= matrix[i, c] * matrix[j, c]
            matrix[i, j] = entry / root if usable else 0.0


@kernel
def _forward(factor: Array, k: int, right: Array) -> None:
    """Solve `factor · x = right` in place for every row of `right`, (·, k)."""
    for row in range(len(right)):
        for j in range(k):
            entry = right[row, j]
            for c in range(j):
                entry -= factor[j, c] * right[row, c]
            right[row, j] = entry / factor[j, j]


@kernel
def _columns(starts: Ints, nodes: Ints) -> Ints:
    """The features of some nodes."""
    k = 0
    for node in nodes:
        k += starts[node + 1] - starts[node]
    columns = np.empty(k, dtype=np.int64)
    k = 0
    for node in nodes:
        for column in range(starts[node], starts[node + 1]):
            columns[k] = column
            k += 1
    return columns


@kernel
def _gathered(gram: Array, columns: Ints) -> Array:
    k = len(columns)
    matrix = np.empty((k, k))
    for i in range(k):
        for j in range(k):
            matrix[i, j] = gram[columns[i], columns[j]]
    return matrix


@kernel
def residual(
    gram: Array, products: Array, variance: float, starts: Ints, parents: Ints, least: float
) -> float:
    """The residual variance given the parents' features; `products` are their covariances with the node."""
    columns = _columns(starts, parents)
    k = len(columns)
    factor = _gathered(gram, columns)
    _factor(factor, k, least)
    right = np.empty((1, k))
    for i in range(k):
        right[0, i] = products[columns[i]]
    _forward(factor, k, right)
    for i in range(k):
        variance -= right[0, i] * right[0, i]
    return variance


@kernel
def residuals(
    gram: Array,
    products: Array,
    variance: float,
    starts: Ints,
    parents: Ints,
    candidates: Ints,
    least: float,
    left: Array,
) -> float:
    """As `residual`, and in `left` the residual variance after adding each candidate to the parents."""
    columns = _columns(starts, parents)
    k = len(columns)
    factor = _gathered(gram, columns)
    _factor(factor, k, least)
    own = np.empty((1, k))
    for i in range(k):
        own[0, i] = products[columns[i]]
    _forward(factor, k, own)
    for i in range(k):
        variance -= own[0, i] * own[0, i]
    for place in range(len(candidates)):
        begin, end = starts[candidates[place]], starts[candidates[place] + 1]
        width = end - begin
        block = np.empty((width, k))
        for f in range(width):
            for i in range(k):
                block[f, i] = gram[begin + f, columns[i]]
        _forward(factor, k, block)
        inner, pull = np.empty((width, width)), np.empty((1, width))
        for f in range(width):
            pull[0, f] = products[begin + f]
            for i in range(k):
                pull[0, f] -= block[f, i] * own[0, i]
            for g in range(width):
                inner[f, g] = gram[begin + f, begin + g]
                for i in range(k):
                    inner[f, g] -= block[f, i] * block[g, i]
        _factor(inner, width, least)
        _forward(inner, width, pull)
        left[place] = variance
        for f in range(width):
            left[place] -= pull[0, f] * pull[0, f]
    return variance
