"""Compiled loops of the generalised linear models: Newton's method, and counting equal rows.

A model with one output η = Xβ has the negative log-likelihood `Σ_i w_i b(η_i) − s_i η_i` with s_i = w_i y_i.
Rows with the same x can be merged, as only Σw and Σs matter.

Compile time shapes these kernels. They take their memory from the caller, since allocations compile slowly,
and each loop occurs in one place only, since LLVM copies what is called twice.
"""

import math

import numpy as np
from numpy.typing import NDArray

from sparsest._core.jit import kernel

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

LOGISTIC, POISSON = 0, 1
_EVALUATIONS = 200  # at most so many; separated data take about twenty, others five
_QUADRATIC = 1e-10  # below this decrement one more Newton step is exact up to rounding
_SHORTEST = 1e-10  # a smaller fraction of a step counts as zero
_LARGEST = 600.0  # close to where e^η overflows
_VECTORS = 4  # the rows of the memory of `newton` before those of the Hessian


def memory(k: int) -> Array:
    """What `newton` works in: the minimiser, the point it tries, its step and the gradient; the Hessian."""
    return np.empty((_VECTORS + k, k))


@kernel
def newton(
    family: int,
    rows: Array,
    weights: Array,
    sums: Array,
    ridge: float,
    worst: float,
    work: Array,
) -> float:
    """Minimise by Newton's method with step halving; returns the minimum, with ridge/2 · |β|².

    `work` is made by `memory`. Its second row holds the start, its first row another start, which is used if
    the first is not better than `worst`. The first row receives the minimiser.
    """
    m, k = rows.shape
    value, decrement, share, fallen = math.inf, 0.0, 1.0, False
    for _ in range(_EVALUATIONS):
        after = 0.0
        for c in range(k):
            after += 0.5 * ridge * work[1, c] ** 2
            work[3, c] = ridge * work[1, c]
            for d in range(c + 1):
                work[_VECTORS + c, d] = ridge if c == d else 0.0
        for i in range(m):
            eta = 0.0
            for c in range(k):
                eta += rows[i, c] * work[1, c]
            if family == POISSON:
                mean = math.exp(eta) if eta < _LARGEST else math.inf
                after += weights[i] * mean
                curve = weights[i] * mean
            else:
                small = math.exp(-abs(eta))
                after += weights[i] * (math.log1p(small) + (eta if eta > 0 else 0.0))
                mean = (1.0 if eta > 0 else small) / (1 + small)
                curve = weights[i] * small / ((1 + small) * (1 + small))
            after -= sums[i] * eta
            pull = weights[i] * mean - sums[i]
            for c in range(k):
                work[3, c] += pull * rows[i, c]
                scaled = curve * rows[i, c]
                for d in range(c + 1):
                    work[_VECTORS + c, d] += scaled * rows[i, d]
        if not fallen and value == math.inf and not after < worst:
            fallen = True
            for c in range(k):
                work[1, c] = work[0, c]
            continue
        if after <= value - 1e-4 * share * decrement:
            value, share = after, 1.0
            decrement = 0.0
            for c in range(k):  # Cholesky factor, and forward substitution
                entry = work[3, c]
                for d in range(c + 1):
                    pivot = work[_VECTORS + c, d]
                    for e in range(d):
                        pivot -= work[_VECTORS + c, e] * work[_VECTORS + d, e]
                    if d < c:
                        work[_VECTORS + c, d] = pivot / work[_VECTORS + d, d]
                        entry -= work[_VECTORS + c, d] * work[2, d]
                    else:
                        work[_VECTORS + c, c] = math.sqrt(pivot if pivot > ridge else ridge)
                work[2, c] = entry / work[_VECTORS + c, c]
                decrement += work[2, c] * work[2, c]
                work[0, c] = work[1, c]
            for back in range(k):
                c = k - 1 - back
                entry = work[2, c]
                for d in range(c + 1, k):
                    entry -= work[_VECTORS + d, c] * work[2, d]
                work[2, c] = entry / work[_VECTORS + c, c]
        else:
            share *= 0.5
        last = decrement < _QUADRATIC  # the last step: its gain is known up to rounding
        if share < _SHORTEST:
            return value  # rounding: no further improvement
        for c in range(k):
            work[1, c] = work[0, c] - share * work[2, c]
            if last:
                work[0, c] = work[1, c]
        if last:
            return value - 0.5 * decrement
    return value


@kernel
def merge(
    codes: NDArray[np.int16],
    sizes: Ints,
    parents: Ints,
    features: Array,
    inside: Ints,
    weighted: Array,
    index: Ints,
    rows: Array,
    totals: Array,
) -> int:
    """Merge rows whose parents have equal values; returns how many are left.

    `weighted` has the weight and the sums of each row, `totals` receives those of the merged ones, and `rows`
    (1, features `inside`). `index` has room for one number per row, and 16 more for each.
    """
    n = len(features)
    for i in range(n):
        index[i] = 0
    count = 1
    for place in range(len(parents)):
        parent = parents[place]
        size = sizes[parent]
        for i in range(n):
            index[i] = index[i] * size + codes[parent, i]
        count *= size
        if place == len(parents) - 1 or count * sizes[parents[place + 1]] > 4 * n:
            for k in range(count):  # keep only the combinations that occur, at most as many as rows
                index[n + k] = -1
            count = 0
            for i in range(n):
                k = n + index[i]
                if index[k] < 0:
                    index[k] = count
                    count += 1
                index[i] = index[k]
    for row in range(count):
        rows[row, 0] = 0.0
        for a in range(weighted.shape[1]):
            totals[row, a] = 0.0
    for i in range(n):
        row = index[i]
        if rows[row, 0] == 0:  # the first of its kind
            rows[row, 0] = 1.0
            for place in range(len(inside)):
                rows[row, place + 1] = features[i, inside[place]]
        for a in range(weighted.shape[1]):
            totals[row, a] += weighted[i, a]
    return count


@kernel
def over_subsets(
    family: int,
    codes: NDArray[np.int16],
    sizes: Ints,
    others: Ints,
    subsets: Ints,
    features: Array,
    starts: Ints,
    weighted: Array,
    ridge: float,
    worst: float,
    latest: Array,
    index: Ints,
    room: Array,
    values: Array,
) -> None:
    """The minimum given each subset of some columns: bit k of a subset stands for `others[k]`.

    The columns have few values, and equal rows are merged. `latest` holds the coefficients of all features in
    the fit before, from which the next one starts, in its first row, and those of the model without parents
    in its second. `room` has one row for the merged rows, one for what is merged, one for the coefficients.
    """
    n, most = len(features), len(others)
    parents, inside = index[:most], index[most : most + latest.shape[1]]
    rest = index[most + latest.shape[1] :]
    for place in range(len(subsets)):
        if subsets[place] == 0:
            values[place] = worst
            continue
        count, k = 0, 0
        for other in range(most):
            if (subsets[place] >> other) & 1:
                parents[count] = others[other]
                count += 1
                for feature in range(starts[others[other]], starts[others[other] + 1]):
                    inside[k] = feature
                    k += 1
        rows = room[0, : n * (1 + k)].reshape((n, 1 + k))
        totals = room[1, : 2 * n].reshape((n, 2))
        merged = merge(codes, sizes, parents[:count], features, inside[:k], weighted, rest, rows, totals)
        weights, sums = room[2, :merged], room[2, merged : 2 * merged]
        for i in range(merged):
            weights[i], sums[i] = totals[i, 0], totals[i, 1]
        size = (_VECTORS + 1 + k) * (1 + k)
        work = room[3, :size].reshape((_VECTORS + 1 + k, 1 + k))
        for c in range(1 + k):
            own = inside[c - 1] + 1 if c else 0
            work[0, c], work[1, c] = latest[1, own], latest[0, own]
        values[place] = newton(family, rows[:merged], weights, sums, ridge, worst, work)
        for c in range(latest.shape[1]):
            latest[0, c] = 0.0
        for c in range(1 + k):
            latest[0, inside[c - 1] + 1 if c else 0] = work[0, c]


def compile_all() -> None:
    """Compile every kernel of this file, or load it from the cache."""
    rows, ones, codes = np.ones((2, 1)), np.ones(2), np.zeros((1, 2), dtype=np.int16)
    work = memory(1)
    work[:2] = 0.0
    newton(LOGISTIC, rows, ones, ones, 1.0, math.inf, work)
    none, few = np.empty(0, dtype=np.int64), np.ones(1, dtype=np.int64)
    merge(codes, few, none, rows, none, np.ones((2, 2)), np.empty(34, dtype=np.int64), rows, np.ones((2, 2)))


def compile_over_subsets() -> None:
    """Compile `over_subsets`, which only searches through all subsets need."""
    zero, rows = np.zeros(1, dtype=np.int64), np.ones((2, 1))
    codes, sizes, starts = np.zeros((1, 2), dtype=np.int16), zero + 1, np.array([0, 1])
    room, index, latest = np.empty((4, 32)), np.empty(64, dtype=np.int64), np.zeros((2, 2))
    given = (codes, sizes, zero, zero, rows, starts, np.ones((2, 2)))
    over_subsets(LOGISTIC, *given, 1.0, math.inf, latest, index, room, np.empty(1))
