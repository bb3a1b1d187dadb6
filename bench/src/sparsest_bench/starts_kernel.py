"""LogLL-NOTEARS from many starts on at most four nodes: the compiled solver of the random-starts study.

The study (Section 6) needs 10⁵ starts in each of 18 cells. The parts of `sparsest` that do the same,
`AugmentedLagrangian(inner=OWLQN())` on a `Problem` with `QuasiMCP`, take one start at a time, 300 to 3000
times as long, and refuse starts where det(I − B) < 0, of which the study has many. So objective and solver
are reimplemented here for matrices of this size, and `bench/tests/test_starts.py` checks them against these:
value and gradient of the augmented Lagrangian are those of `solvers.objective.lagrangian`, answers too.

One start after another runs through the augmented Lagrangian of NOTEARS. An inner problem is solved by OWL-QN
with a dense inverse Hessian, as p(p − 1) variables are few. Matrices are four by four whatever p is, so
that the compiler unrolls their loops. An unused node has no edges and variance one, and changes neither the
likelihood nor h. All matrices of a call are pages of one array `m`, and all vectors rows of one array `v`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsest._core.jit import kernel

Array = NDArray[np.float64]

NODES = 4
_RHO_MAX, _TOLERANCE, ROUNDS = 1e16, 1e-8, 100  # of NOTEARS (Zheng et al. 2018)
_STEPS = 150  # of an inner problem; the next one continues from there
_FLAT, _GRADIENT = 2.2e-9, 1e-5  # the inner problem ends: relative progress, largest entry of the subgradient
_TRIALS, _SHRINK = 20, 0.3  # of step lengths
_ARMIJO = 1e-4
_RADIUS = 500.0  # of B∘B, beyond which h² overflows
_NEGLIGIBLE = 1e-17  # a term of the series of exp(B∘B)
_CHUNK = 100  # starts per call of the kernel, which cannot be interrupted

# Pages of m: Σ, B, the gradients of the likelihood and of h, and room for their computation.
COVARIANCE, B, NLL_SLOPE, H_SLOPE, _R, _SR, _INVERSE, _A, _A2, _A3 = range(10)
# Rows of v: where we are and the gradient there, the same for a trial, and what leads from one to the other.
_X, _SLOPE, NEW, NEW_SLOPE, _LEAST, _DIRECTION, _S, _Y, _HY = range(9)


class Asked(NamedTuple):
    """What is minimised over p nodes; without `determinant`, the likelihood lacks log |det(I − B)|."""

    p: int
    lam: float
    delta: float
    determinant: bool = True


def solve(
    covariance: Array,
    lam: float,
    delta: float,
    starts: Array,
    *,
    determinant: bool = True,
    rounds: int = ROUNDS,
) -> tuple[Array, Array]:
    """The augmented Lagrangian of NOTEARS from each start, a (S, p, p) array: (the estimates, their h).

    The likelihood has its term −log |det(I − B)| if `determinant`. A single round is the first subproblem,
    with ρ = 1 and α = 0.
    """
    count, p, _ = starts.shape
    beside = ~np.eye(p, dtype=bool)
    entries = np.ascontiguousarray(starts[:, beside], dtype=np.float64)
    h = np.empty(count)
    asked = Asked(p, float(lam), float(delta), determinant)
    m, v = room(covariance)
    for first in range(0, count, _CHUNK):
        chunk = slice(first, first + _CHUNK)
        _solve_chunk(entries[chunk], h[chunk], asked, rounds, m, v)
    estimates = np.zeros((count, p, p))
    estimates[:, beside] = entries
    return estimates, h


def room(covariance: Array) -> tuple[Array, Array]:
    """The arrays of a call: (m, v)."""
    p = len(covariance)
    m, v = np.zeros((10, NODES, NODES)), np.zeros((9, p * (p - 1)))
    m[COVARIANCE] = np.eye(NODES)
    m[COVARIANCE, :p, :p] = covariance
    return m, v


@kernel
def _solve_chunk(starts: Array, h: Array, asked: Asked, most: int, m: Array, v: Array) -> None:
    """Replace each start, given by its off-diagonal entries, by the solution it leads to."""
    d = starts.shape[1]
    H = np.empty((d, d))
    for k in range(len(starts)):
        h[k] = math.inf
        alpha, rho, rounds, over = 0.0, 1.0, 0, False
        while not over:
            for i in range(d):
                v[NEW, i] = starts[k, i]
            new_h = _minimise(asked, alpha, rho, H, m, v)
            # ρ grows, from the same point, until h has fallen to a quarter; only then is the round over.
            if new_h <= 0.25 * h[k] or rho >= _RHO_MAX:
                for i in range(d):
                    starts[k, i] = v[_X, i]
                h[k] = new_h
                alpha += rho * new_h
                rounds += 1
                over = new_h <= _TOLERANCE or rho >= _RHO_MAX or rounds >= most
            else:
                rho *= 10


@kernel
def _minimise(asked: Asked, alpha: float, rho: float, H: Array, m: Array, v: Array) -> float:
    """OWL-QN with a dense inverse Hessian (Andrew & Gao 2007) from the row NEW to the row _X: the h there."""
    value, h = objective(asked, alpha, rho, math.inf, m, v)
    _move(v)
    _subgradient(asked.lam, v)
    _set(H, 1.0)
    fresh = True
    for _ in range(_STEPS):
        slope, length = _direction(H, v)
        # The scale is unknown yet: the first step has length at most one.
        step = 1.0 / max(length, 1.0) if fresh else 1.0
        new_value, new_h, moved = value, h, False
        for _ in range(_TRIALS if slope < 0 else 0):
            most = value + _ARMIJO * _step(step, v)
            new_value, new_h = objective(asked, alpha, rho, most, m, v)
            if new_value <= most:
                moved = new_value < value
                break
            step *= _SHRINK
        if moved:
            sy, scale = _curvature(v)
            if scale > 0:
                if fresh:
                    _set(H, scale)
                _update(H, sy, v)
                fresh = False
            flat = value - new_value <= _FLAT * max(abs(value), 1.0)
            value, h = new_value, new_h
            _move(v)
            if _subgradient(asked.lam, v) <= _GRADIENT or flat:
                break
        elif fresh:
            break  # no descent even along the gradient
        else:  # no descent along this direction: forget the curvature
            _set(H, 1.0)
            fresh = True
    return h


@kernel
def _move(v: Array) -> None:
    for i in range(v.shape[1]):
        v[_X, i] = v[NEW, i]
        v[_SLOPE, i] = v[NEW_SLOPE, i]


@kernel
def _subgradient(lam: float, v: Array) -> float:
    """The subgradient of least norm of smooth + λ|x|; returns its largest entry."""
    largest = 0.0
    for i in range(v.shape[1]):
        x, slope = v[_X, i], v[_SLOPE, i]
        if x == 0:
            v[_LEAST, i] = math.copysign(max(abs(slope) - lam, 0.0), slope)
        else:
            v[_LEAST, i] = slope + math.copysign(lam, x)
        largest = max(largest, abs(v[_LEAST, i]))
    return largest


@kernel
def _direction(H: Array, v: Array) -> tuple[float, float]:
    """−H times the subgradient, where it descends: (the slope along it, its length)."""
    d = len(H)
    for i in range(d):
        v[_DIRECTION, i] = 0.0
    for i in range(d):
        for j in range(d):
            v[_DIRECTION, j] -= H[i, j] * v[_LEAST, i]
    slope, square = 0.0, 0.0
    for i in range(d):
        if v[_DIRECTION, i] * v[_LEAST, i] >= 0:
            v[_DIRECTION, i] = 0.0
        slope += v[_DIRECTION, i] * v[_LEAST, i]
        square += v[_DIRECTION, i] * v[_DIRECTION, i]
    return slope, math.sqrt(square)


@kernel
def _step(step: float, v: Array) -> float:
    """Take a step of this length in the direction, within the orthant; returns the slope along it."""
    gain = 0.0
    for i in range(v.shape[1]):
        x, least = v[_X, i], v[_LEAST, i]
        new = x + step * v[_DIRECTION, i]
        # At zero the subgradient determines the orthant.
        if new * (x if x != 0 else -least) < 0:
            new = 0.0
        gain += (new - x) * least
        v[NEW, i] = new
    return gain


@kernel
def _set(H: Array, scale: float) -> None:
    for i in range(len(H)):
        for j in range(len(H)):
            H[i, j] = scale if i == j else 0.0


@kernel
def _curvature(v: Array) -> tuple[float, float]:
    """Of the step s and the change y of the gradient: (sᵀy, the scale of H), 0 if sᵀy cannot be used."""
    ss, sy, yy = 0.0, 0.0, 0.0
    for i in range(v.shape[1]):
        s, y = v[NEW, i] - v[_X, i], v[NEW_SLOPE, i] - v[_SLOPE, i]
        v[_S, i], v[_Y, i] = s, y
        ss += s * s
        sy += s * y
        yy += y * y
    return sy, sy / yy if sy > 1e-10 * math.sqrt(ss * yy) and yy < math.inf else 0.0


@kernel
def _update(H: Array, sy: float, v: Array) -> None:
    """BFGS."""
    d = len(H)
    for i in range(d):
        v[_HY, i] = 0.0
    for i in range(d):
        for j in range(d):
            v[_HY, j] += H[i, j] * v[_Y, i]
    yHy = 0.0
    for i in range(d):
        yHy += v[_Y, i] * v[_HY, i]
    for i in range(d):
        across = v[_S, i] / sy
        along = (1.0 + yHy / sy) * across - v[_HY, i] / sy
        for j in range(d):
            H[i, j] += along * v[_S, j] - across * v[_HY, j]


@kernel
def objective(asked: Asked, alpha: float, rho: float, most: float, m: Array, v: Array) -> tuple[float, float]:
    """(NLL(B) + quasi-MCP(B) + αh(B) + ρh(B)²/2, h(B)) at NEW; to NEW_SLOPE the gradient of all but λ|x|.

    Infinite where the NLL has its determinant and det(I − B) = 0, and as soon as it is known to exceed
    `most`: then without a gradient.
    """
    p, lam, delta, determinant = asked
    penalty, k = 0.0, 0
    for i in range(p):
        for j in range(p):
            if i != j:
                m[B, i, j] = v[NEW, k]
                inside = min(abs(v[NEW, k]), delta)
                penalty += lam * (inside - inside * inside / (2 * delta))
                k += 1
    value = likelihood(m, determinant) + penalty
    if not value <= most:
        return math.inf, math.inf
    # The h at which αh + ρh²/2 fills what is left, and a little for rounding.
    left = most - value
    full = 2.001 * left / (alpha + math.sqrt(alpha * alpha + 2 * rho * left))
    h = acyclicity(m, full if left < math.inf else math.inf)
    weight, k = alpha + rho * h, 0
    for i in range(p):
        for j in range(p):
            if i != j:
                flat = lam * min(max(v[NEW, k] / delta, -1.0), 1.0)
                v[NEW_SLOPE, k] = m[NLL_SLOPE, i, j] + weight * m[H_SLOPE, i, j] - flat
                k += 1
    return value + alpha * h + rho / 2 * h * h, h


@kernel
def likelihood(m: Array, determinant: bool) -> float:
    """½ Σ log ω_j − log |det(I − B)| and its gradient, with Ω profiled out (Appendix C.1).

    The second term is left out unless `determinant`.
    """
    for i in range(NODES):
        for j in range(NODES):
            m[_R, i, j] = (1.0 if i == j else 0.0) - m[B, i, j]
    _multiply(m[COVARIANCE], m[_R], m[_SR])
    variances = 1.0
    for j in range(NODES):
        omega = 0.0
        for i in range(NODES):
            omega += m[_R, i, j] * m[_SR, i, j]
        variances *= omega
        for i in range(NODES):
            m[NLL_SLOPE, i, j] = -m[_SR, i, j] / omega
    if determinant:
        found = _invert(m)
        for i in range(NODES):
            for j in range(NODES):
                m[NLL_SLOPE, i, j] += m[_INVERSE, j, i]
        variances /= found * found
    return 0.5 * math.log(variances)


@kernel
def acyclicity(m: Array, most: float) -> float:
    """h(B) = tr exp(B∘B) − p and its gradient 2B ∘ exp(B∘B)ᵀ; infinite where h is found to exceed `most`.

    A = B∘B has no diagonal, so by Cayley and Hamilton A⁴ = q₂A² + q₃A + q₄I. Hence Aⁿ is a polynomial of the
    third degree in A, led by g(n) = q₂g(n − 2) + q₃g(n − 3) + q₄g(n − 4), and the series of exp(A) is one of
    numbers. If all eigenvalues are at most r, |g(n)|/n! is at most r^(n − 3)/(6 (n − 3)!).
    """
    for i in range(NODES):
        for j in range(NODES):
            m[_A, i, j] = m[B, i, j] * m[B, i, j]
    _multiply(m[_A], m[_A], m[_A2])
    t2, t3, t4 = (
        _trace(m[_A], m[_A]),
        _trace(m[_A], m[_A2]),
        _trace(m[_A2], m[_A2]),
    )  # of powers of A, none negative
    radius = math.sqrt(math.sqrt(t4))
    if not (t2 / 2 + t3 / 6 + t4 / 24 <= most and radius < _RADIUS):
        return math.inf
    q2, q3, q4 = t2 / 2, t3 / 3, t4 / 4 - t2 * t2 / 8
    # The sums over n > 3 of g(n − k)/n!, of which the coefficients of exp(A) consist.
    sum0, sum1, sum2, sum3 = 0.0, 0.0, 0.0, 0.0
    g0, g1, g2, g3 = 1.0, 0.0, 0.0, 0.0  # g(n), g(n − 1), ... at n = 3
    n, factor, bound = 3.0, 1 / 6, 1.0
    while bound > _NEGLIGIBLE or n < radius + 3:
        n += 1.0
        factor /= n
        bound *= radius / (n - 3)
        g0, g1, g2, g3 = q2 * g1 + q3 * g2 + q4 * g3, g0, g1, g2
        sum0 += g0 * factor
        sum1 += g1 * factor
        sum2 += g2 * factor
        sum3 += g3 * factor
    c1, c2, c3 = 1.0 + q3 * sum1 + q4 * sum2, 0.5 + q2 * sum1 + q3 * sum2 + q4 * sum3, 1 / 6 + sum0
    _multiply(m[_A], m[_A2], m[_A3])
    for i in range(NODES):
        for j in range(NODES):
            power = c1 * m[_A, j, i] + c2 * m[_A2, j, i] + c3 * m[_A3, j, i]
            m[H_SLOPE, i, j] = 2 * m[B, i, j] * power
    return t2 * c2 + t3 * c3 + NODES * q4 * sum1


@kernel
def _multiply(left: Array, right: Array, product: Array) -> None:
    for i in range(NODES):
        for j in range(NODES):
            total = 0.0
            for k in range(NODES):
                total += left[i, k] * right[k, j]
            product[i, j] = total


@kernel
def _trace(left: Array, right: Array) -> float:
    """The trace of a product."""
    total = 0.0
    for i in range(NODES):
        for j in range(NODES):
            total += left[i, j] * right[j, i]
    return total


@kernel
def _invert(m: Array) -> float:
    """The inverse of I − B by Gauss and Jordan, with the largest pivots; returns the determinant."""
    for i in range(NODES):
        for j in range(NODES):
            m[_INVERSE, i, j] = 1.0 if i == j else 0.0
    determinant = 1.0
    for c in range(NODES):
        row = c
        for i in range(c + 1, NODES):
            if abs(m[_R, i, c]) > abs(m[_R, row, c]):
                row = i
        if row != c:
            determinant = -determinant
        determinant *= m[_R, row, c]
        scale = 1.0 / m[_R, row, c]
        for page in (_R, _INVERSE):
            for j in range(NODES):
                pivot = m[page, row, j]
                m[page, row, j] = m[page, c, j]
                m[page, c, j] = pivot * scale
        for i in range(NODES):
            factor = m[_R, i, c]
            if i != c:
                for j in range(NODES):
                    m[_R, i, j] -= factor * m[_R, c, j]
                    m[_INVERSE, i, j] -= factor * m[_INVERSE, c, j]
    return determinant
