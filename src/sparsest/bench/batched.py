"""LogLL-NOTEARS from thousands of starts at once: the initialisation study of Section 6, on 3 or 4 nodes.

Every array holds the starts along its last axis, so that NumPy works on long rows: a product of (p, p)
matrices is p³ products of rows. One inner problem is solved by OWL-QN with a dense matrix in place of the
memory (p² variables are few), each with a step length of its own; starts that are done drop out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

_RHO_MAX, _TOLERANCE, _ROUNDS = 1e16, 1e-8, 100  # of NOTEARS (Zheng et al. 2018)
_STEPS = 150  # of an inner problem; the next one goes on from there
_FLAT, _GRADIENT = 2.2e-9, 1e-5  # the inner problem ends: relative progress, largest entry of the subgradient
_TRIALS, _SHRINK = 20, 0.3  # of step lengths
_ARMIJO = 1e-4


@dataclass(frozen=True)
class Objective:
    """NLL(B) + quasi-MCP(B) + αh(B) + ρh(B)²/2, h the trace-exponential; each start has its α and ρ."""

    covariance: Array
    lam: float
    delta: float
    alpha: Array
    rho: Array

    @property
    def p(self) -> int:
        """The number of nodes."""
        return len(self.covariance)

    def of(self, chosen: Flags) -> Objective:
        """The same for some of the starts."""
        return Objective(self.covariance, self.lam, self.delta, self.alpha[chosen], self.rho[chosen])

    def smooth(self, x: Array) -> tuple[Array, Array]:
        """All but λ|x|, and its gradient. Infinite where det(I − B) = 0."""
        B = matrices(x, self.p)
        value, gradient = likelihood(B, self.covariance)
        h, h_gradient = acyclicity(B)
        value = value + self.alpha * h + self.rho / 2 * h**2
        gradient = gradient + (self.alpha + self.rho * h) * h_gradient
        size = np.abs(x)
        inside = np.minimum(size, self.delta)
        value = value - self.lam * (inside**2 / (2 * self.delta) + size - inside).sum(axis=0)
        return value, entries(gradient) - self.lam * np.clip(x / self.delta, -1.0, 1.0)


def solve(covariance: Array, lam: float, delta: float, starts: Array) -> tuple[Array, Array]:
    """The augmented Lagrangian of NOTEARS from each start, a (p, p, S) array: (the estimates, their h)."""
    p, _, count = starts.shape
    x, h = entries(starts), np.full(count, np.inf)
    alpha, rho = np.zeros(count), np.ones(count)
    going = np.arange(count)
    rounds = np.zeros(count, dtype=np.int64)
    while going.size:
        objective = Objective(covariance, lam, delta, alpha[going], rho[going])
        with np.errstate(over="ignore", invalid="ignore"):  # exp(B∘B) of a step too long; it is shortened
            found = minimise(objective, x[:, going])
        new_h = acyclicity(matrices(found, p))[0]
        # ρ grows, from the same point, until h has fallen to a quarter; only then is the round over.
        accepted = (new_h <= 0.25 * h[going]) | (rho[going] >= _RHO_MAX)
        here = going[accepted]
        x[:, here], h[here] = found[:, accepted], new_h[accepted]
        alpha[here] += rho[here] * h[here]
        rounds[here] += 1
        rho[going[~accepted]] *= 10
        over = (h[here] <= _TOLERANCE) | (rho[here] >= _RHO_MAX) | (rounds[here] >= _ROUNDS)
        going = np.setdiff1d(going, here[over], assume_unique=True)
    return matrices(x, p), h


def minimise(objective: Objective, start: Array) -> Array:
    """OWL-QN with a dense inverse Hessian (Andrew & Gao 2007), for all starts side by side."""
    d, count = start.shape
    result, where = start.copy(), np.arange(count)
    x, mine = start.copy(), objective
    value, gradient = _total(mine, x)
    H = np.broadcast_to(np.eye(d)[:, :, None], (d, d, count)).copy()
    fresh = np.ones(count, dtype=bool)
    for _ in range(_STEPS):
        least = _subgradient(x, gradient, mine.lam)
        direction = -(H * least[None]).sum(axis=1)
        direction[direction * least >= 0] = 0.0
        slope = (direction * least).sum(axis=0)
        length = np.sqrt((direction**2).sum(axis=0))
        # Nothing is known of the scale yet: the first step has length one at most.
        step = np.where(fresh, 1.0 / np.maximum(length, 1.0), 1.0)
        new, new_value, new_gradient = _line_search(mine, x, value, direction, slope, step, least)
        moved = new_value < value
        s, y = new - x, new_gradient - gradient
        gained = (value - new_value) / np.maximum(np.abs(value), 1.0)
        H, fresh = _updated(H, s, y, fresh, moved)
        x, value, gradient = new, new_value, new_gradient
        done = np.abs(_subgradient(x, gradient, mine.lam)).max(axis=0) <= _GRADIENT
        done |= (moved & (gained <= _FLAT)) | (~moved & fresh)
        if not moved.all():  # a direction that leads nowhere: forget it, and give up if that was the gradient
            stuck = ~moved & ~fresh
            H[:, :, stuck], fresh[stuck] = np.eye(d)[:, :, None], True
        if done.any():
            result[:, where[done]] = x[:, done]
            keep = ~done
            where, x, value, gradient = where[keep], x[:, keep], value[keep], gradient[:, keep]
            H, fresh, mine = H[:, :, keep], fresh[keep], mine.of(keep)
        if not where.size:
            return result
    result[:, where] = x
    return result


def _total(objective: Objective, x: Array) -> tuple[Array, Array]:
    value, gradient = objective.smooth(x)
    return value + objective.lam * np.abs(x).sum(axis=0), gradient


def _subgradient(x: Array, gradient: Array, lam: float) -> Array:
    """The subgradient of least norm of smooth + λ|x|."""
    at_zero = np.sign(gradient) * np.maximum(np.abs(gradient) - lam, 0.0)
    return np.where(x == 0, at_zero, gradient + lam * np.sign(x))


def _line_search(
    objective: Objective, x: Array, value: Array, direction: Array, slope: Array, step: Array, least: Array
) -> tuple[Array, Array, Array]:
    """Shorten each start's step until it descends enough; where none does, the start stays where it is."""
    orthant = np.where(x == 0, -np.sign(least), np.sign(x))
    new, new_value, new_gradient = x.copy(), value.copy(), np.zeros_like(x)
    trying = np.flatnonzero(slope < 0)
    idle = np.ones(len(value), dtype=bool)
    for _ in range(_TRIALS):
        if not trying.size:
            break
        moved = x[:, trying] + step[trying] * direction[:, trying]
        moved[moved * orthant[:, trying] < 0] = 0.0
        chosen = np.zeros(len(value), dtype=bool)
        chosen[trying] = True
        found, gradient = _total(objective.of(chosen), moved)
        gain = ((moved - x[:, trying]) * least[:, trying]).sum(axis=0)
        good = found <= value[trying] + _ARMIJO * gain
        here = trying[good]
        new[:, here], new_value[here], new_gradient[:, here] = moved[:, good], found[good], gradient[:, good]
        idle[here] = False
        step[trying] *= _SHRINK
        trying = trying[~good]
    if idle.any():
        new_gradient[:, idle] = objective.of(idle).smooth(x[:, idle])[1]
    return new, new_value, new_gradient


def _updated(H: Array, s: Array, y: Array, fresh: Flags, moved: Flags) -> tuple[Array, Flags]:
    """BFGS, where the curvature along the step is positive."""
    sy, yy = (s * y).sum(axis=0), (y * y).sum(axis=0)
    usable = moved & (sy > 1e-10 * np.sqrt((s * s).sum(axis=0) * yy)) & np.isfinite(yy)
    if not usable.any():
        return H, fresh
    first = usable & fresh
    H[:, :, first] *= sy[first] / yy[first]
    s, y, inverse = s[:, usable], y[:, usable], 1.0 / sy[usable]
    old = H[:, :, usable]
    Hy = (old * y[None]).sum(axis=1)
    weight = (1.0 + (y * Hy).sum(axis=0) * inverse) * inverse
    H[:, :, usable] = (
        old + weight * s[:, None] * s[None] - inverse * (Hy[:, None] * s[None] + s[:, None] * Hy[None])
    )
    return H, fresh & ~usable


def likelihood(B: Array, covariance: Array) -> tuple[Array, Array]:
    """½ Σ log ω_j − log |det(I − B)| and its gradient, with Ω profiled out (Appendix C.1)."""
    residual = np.eye(len(B))[:, :, None] - B
    product = _product(covariance[:, :, None], residual)
    omega = (residual * product).sum(axis=0)
    determinant, inverse = _inverse(residual)
    with np.errstate(divide="ignore"):
        value = 0.5 * np.log(omega).sum(axis=0) - np.log(np.abs(determinant))
    return value, inverse.transpose(1, 0, 2) - product / omega


def acyclicity(B: Array) -> tuple[Array, Array]:
    """h(B) = tr exp(B∘B) − p and its gradient 2B ∘ exp(B∘B)ᵀ."""
    power = _exponential(B * B)
    h = np.trace(power, axis1=0, axis2=1) - len(B)
    return h, 2 * B * power.transpose(1, 0, 2)


def matrices(x: Array, p: int) -> Array:
    """Entries beside the diagonal, a column a start, as (p, p, S) matrices."""
    B = np.zeros((p, p, x.shape[1]))
    B[~np.eye(p, dtype=bool)] = x
    return B


def entries(B: Array) -> Array:
    """The entries beside the diagonal."""
    return B[~np.eye(len(B), dtype=bool)]


def _product(A: Array, B: Array) -> Array:
    total: Array = (A[:, :, None] * B[None]).sum(axis=1)
    return total


def _inverse(A: Array) -> tuple[Array, Array]:
    """Determinant and inverse by Faddeev and LeVerrier: p − 1 products, enough for a handful of nodes."""
    p, identity = len(A), np.eye(len(A))[:, :, None]
    M = np.broadcast_to(identity, A.shape)
    for k in range(1, p):
        AM = _product(A, M)
        M = AM - np.trace(AM, axis1=0, axis2=1) / k * identity
    determinant = (-1) ** (p - 1) * _product(A, M)[0, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        return determinant, (-1) ** (p - 1) * M / determinant


def _exponential(A: Array) -> Array:
    """exp(A) by its series to the eighth power on A/2^s, and s squarings."""
    norm = float(A.sum(axis=1).max(initial=0.0))
    squarings = max(0, int(np.ceil(np.log2(max(norm, 1e-300) / 0.25))))
    I, A = np.eye(len(A))[:, :, None], A / 2**squarings  # noqa: E741
    A2 = _product(A, A)
    A3 = _product(A2, A)
    tail = I / 720 + A / 5040 + A2 / 40320
    middle = I / 6 + A / 24 + A2 / 120 + _product(A3, tail)
    power = I + A + A2 / 2 + _product(A3, middle)
    for _ in range(squarings):
        power = _product(power, power)
    return power
