"""Compiled loops for least squares on a Gram matrix of features: the cost does not depend on the rows.

Nodes own blocks of features: node j has the columns `starts[j]` to `starts[j + 1]` of the Gram matrix. The
kernel takes its memory from the caller, and each loop occurs in one place only: both save compile time.
"""

import math

import numpy as np
from numpy.typing import NDArray

from sparsest._core.jit import kernel

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


def memory(inside: int, widest: int) -> Array:
    """What `residuals` works in: so many features of parents, and the widest block of a candidate."""
    return np.empty((inside + widest + 2, inside + widest))


@kernel
def residuals(
    gram: Array,
    products: Array,
    starts: Ints,
    parents: Ints,
    candidates: Ints,
    least: float,
    work: Array,
    left: Array,
) -> None:
    """Residual variances of a response of variance 1; `products` are its covariances with all features.

    `parents` are features, `candidates` nodes: `left` receives the variance given the parents, and given the
    parents and each candidate. A feature that is, up to `least`, a combination of others is left out.
    """
    inside, given = len(parents), len(work) - 1
    for place in range(1 + len(candidates)):
        first, k, begin = 0, inside, 0
        if place > 0:  # the parents' part of the factor is there already
            begin = starts[candidates[place - 1]]
            first, k = inside, inside + starts[candidates[place - 1] + 1] - begin
            for c in range(inside):
                work[k, c] = work[given, c]
        for i in range(first, k):
            feature = parents[i] if i < inside else begin + i - inside
            for j in range(i + 1):
                work[i, j] = gram[feature, parents[j] if j < inside else begin + j - inside]
            work[k, i] = products[feature]
        # Cholesky factor, with 1 / pivot on the diagonal, and the solution of the right-hand side in row k.
        for i in range(first, k + 1):
            for j in range(first if i == k else 0, i):
                entry = work[i, j]
                for c in range(j):
                    entry -= work[i, c] * work[j, c]
                work[i, j] = entry * work[j, j]
            if i < k:
                pivot = work[i, i]
                for c in range(i):
                    pivot -= work[i, c] * work[i, c]
                work[i, i] = 1 / math.sqrt(pivot) if pivot > least else 0.0
        rest = 1.0
        for c in range(k):
            rest -= work[k, c] * work[k, c]
            if place == 0:
                work[given, c] = work[k, c]
        left[place] = rest


def compile_all() -> None:
    """Compile the kernel, or load it from the cache."""
    starts, none = np.arange(2), np.empty(0, dtype=np.int64)
    residuals(np.ones((1, 1)), np.ones(1), starts, none, none, 0.0, memory(0, 1), np.empty(1))
