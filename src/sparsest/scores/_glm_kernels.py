"""Compiled loops of the generalised linear models: Newton's method, and counting equal rows.

A model has M outputs η = Xβ (M = 1, or the levels of a categorical response minus 1) and the negative
log-likelihood `Σ_i w_i b(η_i) − s_iᵀη_i` with s_i = w_i t(y_i), where t(y) is the sufficient statistic: y, or
the indicators of the levels 1, 2, .... Rows with the same x can be merged, as only Σw and Σs matter.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.jit import kernel

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

LOGISTIC, POISSON = 0, 1
_STEPS = 60  # maximum number of Newton steps; separated data take about twenty, others five
_QUADRATIC = 1e-10  # below this decrement one more Newton step is exact up to rounding
_SHORTEST = 1e-10  # a smaller fraction of a step counts as zero
_LARGEST = 600.0  # close to where e^η overflows


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
) -> float:
    """The average negative log-likelihood plus ridge/2 · |β|², its gradient, and half of its Hessian.

    The coefficient (c, a) is entry c·M + a. Of the Hessian, the lower triangle is computed.
    """
    m, k = rows.shape
    outputs = sums.shape[1]
    size = k * outputs
    value = 0.0
    for a in range(size):
        coefficient = beta[a // outputs, a % outputs]
        value += 0.5 * ridge * coefficient**2
        gradient[a] = ridge * coefficient
        for b in range(size):
            hessian[a, b] = ridge if a == b else 0.0
    for i in range(m):
        for a in range(outputs):
            eta[a] = 0.0
        for c in range(k):
            for a in range(outputs):
                eta[a] += rows[i, c] * beta[c, a]
        value += weights[i] * _cumulant(family, eta, mean)
        for a in range(outputs):
            value -= sums[i, a] * eta[a]
        if outputs == 1:  # the usual case, in a form that compilers can vectorise
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
            for b in range(outputs):  # Poisson responses have a single output
                curve = weights[i] * mean[a] * ((1.0 if a == b else 0.0) - mean[b])
                for c in range(k):
                    scaled = curve * rows[i, c]
                    for d in range(c + 1):
                        hessian[c * outputs + a, d * outputs + b] += scaled * rows[i, d]
    return value


@kernel
def _cholesky_solve(matrix: Array, right: Array, least: float) -> None:
    """Solve in place from the lower triangle of `matrix`; pivots below `least` are raised to `least`."""
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
def newton(
    family: int,
    rows: Array,
    weights: Array,
    sums: Array,
    ridge: float,
    intercepts: Array,
    worst: float,
    beta: Array,
) -> float:
    """Minimise in place, starting from `beta`, by Newton's method with step halving; returns the minimum.

    If `beta` is worse than `worst`, the value of the intercepts alone, it starts from these.
    """
    k, outputs = rows.shape[1], sums.shape[1]
    size = k * outputs
    eta, mean = np.empty(outputs), np.empty(outputs)
    gradient, hessian = np.empty(size), np.empty((size, size))
    step, trial = np.empty(size), np.empty((k, outputs))
    value = _derivatives(family, rows, weights, sums, beta, ridge, eta, mean, gradient, hessian)
    if not value < worst:
        for a in range(size):
            beta[a // outputs, a % outputs] = intercepts[a] if a < outputs else 0.0
        value = _derivatives(family, rows, weights, sums, beta, ridge, eta, mean, gradient, hessian)
    for _ in range(_STEPS):
        for a in range(size):
            step[a] = gradient[a]
        _cholesky_solve(hessian, step, ridge)
        decrement = 0.0
        for a in range(size):
            decrement += gradient[a] * step[a]
        if decrement < _QUADRATIC:  # the last step: its gain is known up to rounding
            for a in range(size):
                beta[a // outputs, a % outputs] -= step[a]
            return value - 0.5 * decrement
        share, after = 1.0, math.inf
        while share > _SHORTEST:
            for a in range(size):
                trial[a // outputs, a % outputs] = beta[a // outputs, a % outputs] - share * step[a]
            after = _derivatives(family, rows, weights, sums, trial, ridge, eta, mean, gradient, hessian)
            if after <= value - 1e-4 * share * decrement:
                break
            share *= 0.5
        if not after < value:  # rounding: no further improvement
            return value
        for a in range(size):
            beta[a // outputs, a % outputs] = trial[a // outputs, a % outputs]
        value = after
    return value


@kernel
def patterns(codes: NDArray[np.int16], sizes: Ints, parents: Ints, index: Ints) -> int:
    """Number the combinations of parents' values that occur; `index` receives the number of each row."""
    n = codes.shape[1]
    for i in range(n):
        index[i] = 0
    count = 1
    for place in range(len(parents)):
        parent = parents[place]
        size = sizes[parent]
        for i in range(n):
            index[i] = index[i] * size + codes[parent, i]
        count *= size
        more = sizes[parents[place + 1]] if place < len(parents) - 1 else 4 * n + 1
        if count * more > 4 * n:  # keep only those that occur, at most as many as rows
            numbers = np.full(count, -1)
            count = 0
            for i in range(n):
                if numbers[index[i]] < 0:
                    numbers[index[i]] = count
                    count += 1
                index[i] = numbers[index[i]]
    return count


@kernel
def collapse(
    features: Array,
    inside: Ints,
    index: Ints,
    rows: Array,
    weights: Array,
    sums: Array,
    totals: Array,
    statistic: Array,
) -> None:
    """Add up weights and sums of rows with the same number; `rows` receives (1, features `inside`)."""
    outputs = sums.shape[1]
    for i in range(len(index)):
        row = index[i]
        if totals[row] == 0:  # the first of its kind
            rows[row, 0] = 1.0
            for place in range(len(inside)):
                rows[row, place + 1] = features[i, inside[place]]
        totals[row] += weights[i]
        for a in range(outputs):
            statistic[row, a] += sums[i, a]
