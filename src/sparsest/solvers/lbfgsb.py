"""L-BFGS-B on positive and negative parts, the inner solver of NOTEARS: |t| becomes t⁺ + t⁻ with bounds."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, OptimizeResult, minimize

from sparsest.progress import Status, Watch
from sparsest.solvers.base import Array, Inner, Kinked, least_subgradient, started


@dataclass(frozen=True)
class LBFGSB:
    """SciPy's L-BFGS-B with its own stopping rules, as NOTEARS uses it."""

    max_steps: int = 15_000

    def minimize(self, objective: Kinked, start: Array, watch: Watch) -> Inner:
        """A local minimum; entries are exactly zero where both parts meet their bound."""
        size = len(start)
        # What the line search sees outside the domain: higher than the start, and flat.
        outside = started(objective, start)[0] + float(objective.kinks @ np.abs(start))
        outside += 10 * (1 + abs(outside))

        def function(parts: Array) -> tuple[float, Array]:
            evaluated = objective.value_and_grad(parts[:size] - parts[size:])
            if evaluated is None:
                return outside, np.zeros_like(parts)
            value, gradient = evaluated
            value += float(objective.kinks @ (parts[:size] + parts[size:]))
            return value, np.concatenate([gradient + objective.kinks, objective.kinks - gradient])

        def callback(intermediate_result: OptimizeResult) -> None:  # noqa: ARG001 (SciPy looks at the name)
            if watch.stop is not None:
                raise StopIteration

        parts = np.concatenate([np.maximum(start, 0), np.maximum(-start, 0)])
        found = minimize(
            function, parts, method="L-BFGS-B", jac=True, bounds=Bounds(0, np.inf), callback=callback,
            options={"maxiter": self.max_steps, "maxfun": 2 * self.max_steps},
        )  # fmt: skip
        psi = found.x[:size] - found.x[size:]
        value, gradient = started(objective, psi)
        violation = float(np.abs(least_subgradient(psi, gradient, objective.kinks)).max(initial=0.0))
        status = watch.stop or (Status.MAX_STEPS if found.status == 1 else Status.CONVERGED)
        return Inner(psi, value + float(objective.kinks @ np.abs(psi)), violation, status, int(found.nit))
