"""LogLL-NOTEARS from many starts by SciPy's L-BFGS-B on doubled variables, as in the code of NOTEARS.

It is independent of `starts_kernel.py`, which is hundreds of times as fast, and takes other steps: what
depends on the steps differs between the two, and what belongs to the problem does not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsest_bench.starts_kernel import ROUNDS

Array = NDArray[np.float64]


def solve(
    covariance: Array,
    lam: float,
    delta: float,
    starts: Array,
    *,
    determinant: bool = True,
    rounds: int = ROUNDS,
) -> tuple[Array, Array]:
    """The augmented Lagrangian of NOTEARS from each start, a (S, p, p) array: (the estimates, their h)."""
    from threadpoolctl import threadpool_limits

    asked = _Asked(covariance, lam, delta, determinant)
    with threadpool_limits(1), np.errstate(all="ignore"):  # threads slow matrices of this size down
        found = [_solve_one(asked, start, rounds) for start in starts]
    return np.stack([asked.matrix(x) for x, _ in found]), np.array([h for _, h in found])


def _solve_one(asked: _Asked, start: Array, rounds: int) -> tuple[Array, float]:
    from scipy.optimize import minimize

    x = asked.doubled(start)
    rho, alpha, h, done = 1.0, 0.0, np.inf, 0
    while h > 1e-8 and rho < 1e16 and done < rounds:
        while True:
            bounds = [(0, None)] * len(x)
            found = minimize(asked.objective, x, (alpha, rho), "L-BFGS-B", jac=True, bounds=bounds).x
            new_h = acyclicity(asked.matrix(found))[0]
            if new_h <= 0.25 * h or rho >= 1e16:
                break
            rho *= 10
        x, h, done = found, new_h, done + 1
        alpha += rho * h
    return x, h


class _Asked:
    """The objective on doubled variables: the positive parts of all weights, then the negative ones."""

    def __init__(self, covariance: Array, lam: float, delta: float, determinant: bool):
        self._covariance, self._lam, self._delta = covariance, lam, delta
        self._determinant = determinant
        self._beside = ~np.eye(len(covariance), dtype=bool)
        self._count = int(self._beside.sum())

    def matrix(self, x: Array) -> Array:
        """The weights."""
        B = np.zeros_like(self._covariance)
        B[self._beside] = x[: self._count] - x[self._count :]
        return B

    def doubled(self, B: Array) -> Array:
        """The variables."""
        x = B[self._beside]
        return np.concatenate([np.maximum(x, 0), np.maximum(-x, 0)])

    def objective(self, x: Array, alpha: float, rho: float) -> tuple[float, Array]:
        """Value and gradient."""
        B = self.matrix(x)
        h, h_slope = acyclicity(B)
        value, smooth = self._likelihood(B)
        size = x[: self._count] + x[self._count :]
        inside = np.minimum(size, self._delta)
        value += self._lam * float((inside - inside**2 / (2 * self._delta)).sum())
        value += alpha * h + rho / 2 * h * h  # h**2 would raise an error where it overflows
        if not np.isfinite(value):
            return 1e50, np.zeros_like(x)
        smooth = (smooth + (alpha + rho * h) * h_slope)[self._beside]
        slope = self._lam * np.maximum(1 - size / self._delta, 0.0)
        return value, np.concatenate([smooth + slope, slope - smooth])

    def _likelihood(self, B: Array) -> tuple[float, Array]:
        residual = np.eye(len(B)) - B
        product = self._covariance @ residual
        omega = (residual * product).sum(axis=0)
        value, slope = 0.5 * float(np.log(omega).sum()), -product / omega
        if not self._determinant:
            return value, slope
        sign, log = np.linalg.slogdet(residual)
        return (value - float(log), slope + np.linalg.inv(residual).T) if sign else (np.inf, slope)


def acyclicity(B: Array) -> tuple[float, Array]:
    """h(B) = tr exp(B∘B) − p and its gradient."""
    from scipy.linalg import expm

    power = expm(B * B)
    return float(np.trace(power)) - len(B), 2 * B * power.T
