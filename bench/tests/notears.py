"""LogLL-NOTEARS from one start, by SciPy's L-BFGS-B on doubled variables as in the code of NOTEARS."""

import numpy as np
from scipy.linalg import expm
from scipy.optimize import minimize


def solve(covariance, lam, delta, start):
    p = len(covariance)
    beside = ~np.eye(p, dtype=bool)
    count = int(beside.sum())

    def matrix(x):
        B = np.zeros((p, p))
        B[beside] = x[:count] - x[count:]
        return B

    def acyclicity(B):
        power = expm(B * B)
        return np.trace(power) - p, 2 * B * power.T

    def objective(x, alpha, rho):
        B = matrix(x)
        residual = np.eye(p) - B
        product = covariance @ residual
        omega = (residual * product).sum(axis=0)
        h, h_gradient = acyclicity(B)
        size = x[:count] + x[count:]
        inside = np.minimum(size, delta)
        value = 0.5 * np.log(omega).sum() - np.linalg.slogdet(residual)[1] + alpha * h + rho / 2 * h**2
        value += lam * (inside - inside**2 / (2 * delta)).sum()
        if not np.isfinite(value):
            return 1e50, np.zeros_like(x)
        smooth = (np.linalg.inv(residual).T - product / omega + (alpha + rho * h) * h_gradient)[beside]
        slope = lam * np.maximum(1 - size / delta, 0.0)
        return value, np.concatenate([smooth + slope, slope - smooth])

    x = np.concatenate([np.maximum(start[beside], 0), np.maximum(-start[beside], 0)])
    rho, alpha, h = 1.0, 0.0, np.inf
    with np.errstate(all="ignore"):
        while h > 1e-8 and rho < 1e16:
            while True:
                bounds = [(0, None)] * (2 * count)
                found = minimize(objective, x, (alpha, rho), "L-BFGS-B", jac=True, bounds=bounds).x
                new_h = acyclicity(matrix(found))[0]
                if new_h <= 0.25 * h or rho >= 1e16:
                    break
                rho *= 10
            x, h = found, new_h
            alpha += rho * h
    return matrix(x)
