"""LogLL-NOTEARS from many starts on at most four nodes: the initialisation study of Section 6, compiled.

One start after another runs through the augmented Lagrangian of NOTEARS. An inner problem is solved by OWL-QN
with a dense matrix in place of the memory: p(p − 1) variables are few.

Matrices are four by four whatever p is, so that the compiler unrolls their loops. A node too many is a child
and a parent of none and has variance one: it changes neither the likelihood nor h.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sparsest._jit import kernel

Array = NDArray[np.float64]

NODES = 4
_RHO_MAX, _TOLERANCE, _ROUNDS = 1e16, 1e-8, 100  # of NOTEARS (Zheng et al. 2018)
_STEPS = 150  # of an inner problem; the next one goes on from there
_FLAT, _GRADIENT = 2.2e-9, 1e-5  # the inner problem ends: relative progress, largest entry of the subgradient
_TRIALS, _SHRINK = 20, 0.3  # of step lengths
_ARMIJO = 1e-4
_CHUNK = 100  # starts a call of the kernel, which cannot be interrupted


def solve(covariance: Array, lam: float, delta: float, starts: Array) -> tuple[Array, Array]:
    """The augmented Lagrangian of NOTEARS from each start, a (S, p, p) array: (the estimates, their h)."""
    count, p, _ = starts.shape
    estimates, h = np.zeros((count, p, p)), np.zeros(count)
    beside = ~np.eye(p, dtype=bool)
    padded = np.eye(NODES)
    padded[:p, :p] = covariance
    for first in range(0, count, _CHUNK):
        chunk = slice(first, first + _CHUNK)
        x = starts[chunk][:, beside]
        h[chunk] = _solve_chunk(padded, float(lam), float(delta), p, x)
        estimates[chunk][:, beside] = x
    return estimates, h


@kernel
def _solve_chunk(covariance: Array, lam: float, delta: float, p: int, starts: Array) -> Array:
    """Replace each start, the entries beside the diagonal, by where it leads; return the h there."""
    count, d = starts.shape
    final = np.empty(count)
    found, vectors, H, work = np.empty(d), np.empty((7, d)), np.empty((d, d)), np.zeros((7, NODES, NODES))
    for k in range(count):
        x = starts[k]
        h, alpha, rho = math.inf, 0.0, 1.0
        rounds = 0
        while True:
            found[:] = x
            minimise(found, p, covariance, lam, delta, alpha, rho, vectors, H, work)
            new_h = acyclicity(work[0], math.inf, work[1:])
            # ρ grows, from the same point, until h has fallen to a quarter; only then is the round over.
            if not (new_h <= 0.25 * h or rho >= _RHO_MAX):
                rho *= 10
                continue
            x[:] = found
            h = new_h
            alpha += rho * h
            rounds += 1
            if h <= _TOLERANCE or rho >= _RHO_MAX or rounds >= _ROUNDS:
                break
        final[k] = h
    return final


@kernel
def minimise(
    x: Array,
    p: int,
    covariance: Array,
    lam: float,
    delta: float,
    alpha: float,
    rho: float,
    vectors: Array,
    H: Array,
    work: Array,
) -> None:
    """OWL-QN with a dense inverse Hessian (Andrew & Gao 2007), in place; leaves B in the first of `work`."""
    d = len(x)
    gradient, least, direction, new, new_gradient, y, Hy = vectors
    value = objective(x, p, covariance, lam, delta, alpha, rho, math.inf, gradient, work)
    _subgradient(x, gradient, lam, least)
    _reset(H)
    fresh = True
    for _ in range(_STEPS):
        slope, length = 0.0, 0.0
        direction[:] = 0.0
        for i in range(d):
            for j in range(d):
                direction[j] -= H[i, j] * least[i]
        for i in range(d):
            if direction[i] * least[i] >= 0:
                direction[i] = 0.0
            slope += direction[i] * least[i]
            length += direction[i] * direction[i]
        # Nothing is known of the scale yet: the first step has length one at most.
        step = 1.0 / max(math.sqrt(length), 1.0) if fresh else 1.0
        new_value, moved = value, False
        for _ in range(_TRIALS if slope < 0 else 0):
            gain = 0.0
            for i in range(d):
                new[i] = x[i] + step * direction[i]
                # It stays in its orthant: that of x, and at zero that into which the subgradient points.
                side = x[i] if x[i] != 0 else -least[i]
                if new[i] * side < 0 or side == 0:
                    new[i] = 0.0
                gain += (new[i] - x[i]) * least[i]
            most = value + _ARMIJO * gain
            new_value = objective(new, p, covariance, lam, delta, alpha, rho, most, new_gradient, work)
            if new_value <= most:
                moved = new_value < value
                break
            step *= _SHRINK
        if not moved:
            # A direction that leads nowhere: forget it, and give up if that was the gradient.
            if fresh:
                break
            _reset(H)
            fresh = True
            continue
        fresh = _update(H, x, new, gradient, new_gradient, y, Hy, fresh)
        flat = value - new_value <= _FLAT * max(abs(value), 1.0)
        x[:], gradient[:], value = new, new_gradient, new_value
        if flat or _subgradient(x, gradient, lam, least) <= _GRADIENT:
            break
    _matrix(x, p, work[0])


@kernel
def _reset(H: Array) -> None:
    H[:] = 0.0
    for i in range(len(H)):
        H[i, i] = 1.0


@kernel
def _subgradient(x: Array, gradient: Array, lam: float, least: Array) -> float:
    """Fill in the subgradient of least norm of smooth + λ|x|; return its largest entry."""
    largest = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            least[i] = gradient[i] + lam
        elif x[i] < 0:
            least[i] = gradient[i] - lam
        else:
            least[i] = math.copysign(max(abs(gradient[i]) - lam, 0.0), gradient[i])
        largest = max(largest, abs(least[i]))
    return largest


@kernel
def _update(
    H: Array, x: Array, new: Array, gradient: Array, new_gradient: Array, y: Array, Hy: Array, fresh: bool
) -> bool:
    """BFGS, where the curvature along the step is positive. Is H still the identity?"""
    d = len(x)
    ss, sy, yy = 0.0, 0.0, 0.0
    for i in range(d):
        s = new[i] - x[i]
        y[i] = new_gradient[i] - gradient[i]
        ss += s * s
        sy += s * y[i]
        yy += y[i] * y[i]
    if not (sy > 1e-10 * math.sqrt(ss * yy) and math.isfinite(yy)):
        return fresh
    if fresh:
        H *= sy / yy
    Hy[:] = 0.0
    for i in range(d):
        for j in range(d):
            Hy[j] += H[i, j] * y[i]
    yHy = 0.0
    for i in range(d):
        yHy += y[i] * Hy[i]
    weight = (1.0 + yHy / sy) / sy
    for i in range(d):
        s = new[i] - x[i]
        along, across = weight * s - Hy[i] / sy, s / sy
        for j in range(d):
            H[i, j] += along * (new[j] - x[j]) - across * Hy[j]
    return False


@kernel
def objective(
    x: Array,
    p: int,
    covariance: Array,
    lam: float,
    delta: float,
    alpha: float,
    rho: float,
    most: float,
    gradient: Array,
    work: Array,
) -> float:
    """NLL(B) + quasi-MCP(B) + αh(B) + ρh(B)²/2, h the trace-exponential, and the gradient of all but λ|x|.

    Infinite where det(I − B) = 0, and as soon as it is known to exceed `most`: then without a gradient.
    """
    B, slope, h_slope = work[0], work[1], work[2]
    _matrix(x, p, B)
    value = likelihood(B, covariance, slope, work[3:])
    for entry in x:
        inside = min(abs(entry), delta)
        value += lam * (inside - inside * inside / (2 * delta))
    room = most - value  # for αh + ρh²/2
    if not room >= 0:
        return math.inf
    # The h at which αh + ρh²/2 fills the room.
    enough = 2 * room / (alpha + math.sqrt(alpha * alpha + 2 * rho * room))
    h = acyclicity(B, enough, work[2:])
    if not h < math.inf:
        return math.inf
    value += alpha * h + rho / 2 * h * h
    weight, k = alpha + rho * h, 0
    for i in range(p):
        for j in range(p):
            if i != j:
                penalty = lam * min(max(x[k] / delta, -1.0), 1.0)
                gradient[k] = slope[i, j] + weight * h_slope[i, j] - penalty
                k += 1
    return value
