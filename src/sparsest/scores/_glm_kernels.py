"""Compiled loops of the generalised linear models: Newton's method, and counting equal rows.

A model has M outputs η = Xβ (M = 1, or one less than the levels of a categorical response) and the negative
log-likelihood `Σ_i w_i b(η_i) − s_iᵀη_i` with s_i = w_i t(y_i), where t(y) is the sufficient statistic: y, or
the indicators of the levels 1, 2, .... Rows with the same x can be added up, as only Σw and Σs matter.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._jit import kernel

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

LOGISTIC, POISSON = 0, 1
_STEPS = 60  # Newton steps at most; separated data take about twenty, others five
_QUADRATIC = 1e-9  # below this decrement one more Newton step is exact to rounding
_LARGEST = 600.0  # e^η beyond this overflows soon


@kernel
def _cumulant(family: int, eta: Array, mean: Array) -> Any:
    """b(η), and its gradient, the mean, written to `mean`."""
    size = len(eta)
    if family == POISSON:
        mean[0] = math.exp(eta[0]) if eta[0] < _LARGEST else math.inf
        return mean[0]
    if size == 1:
        if eta[0] > 0:
            small = math.exp(-eta[0])
            mean[0] = 1 / (1 + small)
            return eta[0] + math.log1p(small)
        small = math.exp(eta[0])
        mean[0] = small / (1 + small)
        return math.log1p(small)
    top = 0.0
    for a in range(size):
        top = max(top, eta[a])
    total = math.exp(-top)
    for a in range(size):
        mean[a] = math.exp(eta[a] - top)
        total += mean[a]
    for a in range(size):
        mean[a] /= total
    return top + math.log(total)


@kernel
def _value(
    family: int, rows: Array, weights: Array, sums: Array, beta: Array, ridge: float, eta: Array, mean: Array
) -> float:
    """The average negative log-likelihood plus ridge/2 · |β|²."""
    m, k = rows.shape
    outputs = sums.shape[1]
    value = 0.0
    for i in range(m):
        for a in range(outputs):
            eta[a] = 0.0
        for c in range(k):
            for a in range(outputs):
                eta[a] += rows[i, c] * beta[c, a]
        value += weights[i] * _cumulant(family, eta, mean)
        for a in range(outputs):
            value -= sums[i, a] * eta[a]
    for c in range(k):
        for a in range(outputs):
            value += 0.5 * ridge * beta[c, a] ** 2
    return value


@kernel
def _derivatives(
    family: int,
    rows: Array,
    weights: Array,
    sums: Array,
    beta: Array,
    ridge: float,
    eta: Array,
    mean: Array,
    gradient: Array,
    hessian: Array,
) -> None:
    """Gradient and lower half of the Hessian; the coefficient (c, a) is entry c·M + a."""
    m, k = rows.shape
    outputs = sums.shape[1]
    size = k * outputs
    for a in range(size):
        gradient[a] = ridge * beta[a // outputs, a % outputs]
        for b in range(size):
            hessian[a, b] = ridge if a == b else 0.0
    for i in range(m):
        for a in range(outputs):
            eta[a] = 0.0
        for c in range(k):
            for a in range(outputs):
                eta[a] += rows[i, c] * beta[c, a]
        _cumulant(family, eta, mean)
        if outputs == 1:  # the usual case, in a form that compilers make vectors of
            pull = weights[i] * mean[0] - sums[i, 0]
            curve = weights[i] * (mean[0] if family == POISSON else mean[0] * (1 - mean[0]))
            for c in range(k):
                gradient[c] += pull * rows[i, c]
                scaled = curve * rows[i, c]
                for d in range(c + 1):
                    hessian[c, d] += scaled * rows[i, d]
            continue
        for a in range(outputs):
            pull = weights[i] * mean[a] - sums[i, a]
            for c in range(k):
                gradient[c * outputs + a] += pull * rows[i, c]
            for b in range(outputs):
                if family == POISSON:
                    curve = weights[i] * mean[0]
                else:
                    curve = weights[i] * mean[a] * ((1.0 if a == b else 0.0) - mean[b])
                for c in range(k):
                    scaled = curve * rows[i, c]
                    for d in range(c + 1):
                        hessian[c * outputs + a, d * outputs + b] += scaled * rows[i, d]


@kernel
def _cholesky_solve(matrix: Array, right: Array, least: float) -> None:
    """Solve in place from the lower half of `matrix`; a pivot below `least` counts as `least`."""
    k = len(right)
    for j in range(k):
        pivot = matrix[j, j]
        for c in range(j):
            pivot -= matrix[j, c] * matrix[j, c]
        pivot = math.sqrt(max(pivot, least))
        matrix[j, j] = pivot
        for i in range(j + 1, k):
            entry = matrix[i, j]
            for c in range(j):
                entry -= matrix[i, c] * matrix[j, c]
            matrix[i, j] = entry / pivot
    for j in range(k):
        for c in range(j):
            right[j] -= matrix[j, c] * right[c]
        right[j] /= matrix[j, j]
    for j in range(k - 1, -1, -1):
        for i in range(j + 1, k):
            right[j] -= matrix[i, j] * right[i]
        right[j] /= matrix[j, j]


@kernel
def newton(family: int, rows: Array, weights: Array, sums: Array, ridge: float, beta: Array) -> float:
    """Minimise from `beta` on, in place, by Newton's method with step halving; the least value."""
    k, outputs = rows.shape[1], sums.shape[1]
    size = k * outputs
    eta, mean = np.empty(outputs), np.empty(outputs)
    gradient, hessian = np.empty(size), np.empty((size, size))
    step, trial = np.empty(size), np.empty((k, outputs))
    value = _value(family, rows, weights, sums, beta, ridge, eta, mean)
    for _ in range(_STEPS):
        _derivatives(family, rows, weights, sums, beta, ridge, eta, mean, gradient, hessian)
        for a in range(size):
            step[a] = gradient[a]
        _cholesky_solve(hessian, step, ridge)
        decrement = 0.0
        for a in range(size):
            decrement += gradient[a] * step[a]
        share = 1.0
        while True:
            for a in range(size):
                trial[a // outputs, a % outputs] = beta[a // outputs, a % outputs] - share * step[a]
            after = _value(family, rows, weights, sums, trial, ridge, eta, mean)
            if after <= value - 1e-4 * share * decrement or decrement < _QUADRATIC or share < 1e-10:
                break
            share *= 0.5
        if after > value:  # rounding: nothing is left to gain
            break
        for a in range(size):
            beta[a // outputs, a % outputs] = trial[a // outputs, a % outputs]
        value = after
        if decrement < _QUADRATIC:
            break
    return value


@kernel
def patterns(codes: NDArray[np.int16], sizes: Ints, parents: Ints, index: Ints) -> int:
    """Number the combinations of values that the parents can take; `index` gets each row's number."""
    n = codes.shape[1]
    for i in range(n):
        index[i] = 0
    count = 1
    for parent in parents:
        size = sizes[parent]
        for i in range(n):
            index[i] = index[i] * size + codes[parent, i]
        count *= size
    return count


@kernel
def collapse(
    sizes: Ints,
    lookup: Array,
    first: Ints,
    widths: Ints,
    parents: Ints,
    index: Ints,
    count: int,
    weights: Array,
    sums: Array,
) -> tuple[Array, Array, Array]:
    """Rows, weights and sums with rows of equal parents added up; rows are (1, features of the parents).

    `lookup[first[c] + v]` are the features of column c where its code is v.
    """
    outputs = sums.shape[1]
    totals, statistic = np.zeros(count), np.zeros((count, outputs))
    for i in range(len(weights)):
        totals[index[i]] += weights[i]
        for a in range(outputs):
            statistic[index[i], a] += sums[i, a]
    kept, k = 0, 1
    for pattern in range(count):
        kept += totals[pattern] > 0
    for parent in parents:
        k += widths[parent]
    rows, new_weights, new_sums = np.empty((kept, k)), np.empty(kept), np.empty((kept, outputs))
    row = 0
    for pattern in range(count):
        if totals[pattern] > 0:
            new_weights[row] = totals[pattern]
            for a in range(outputs):
                new_sums[row, a] = statistic[pattern, a]
            rows[row, 0] = 1.0
            rest, column = pattern, k
            for place in range(len(parents) - 1, -1, -1):
                parent = parents[place]
                code = rest % sizes[parent]
                rest //= sizes[parent]
                column -= widths[parent]
                for f in range(widths[parent]):
                    rows[row, column + f] = lookup[first[parent] + code, f]
            row += 1
    return rows, new_weights, new_sums
