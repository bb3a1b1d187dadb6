"""L-BFGS-B on positive and negative parts, the inner solver of NOTEARS: |t| becomes t⁺ + t⁻ with bounds."""

import contextlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import fmin_l_bfgs_b

from sparsest._core.errors import OptionError
from sparsest._core.leaving import unless_stopped
from sparsest._core.progress import Status, Watch
from sparsest.problem import Array, KinkedObjective, Minimum
from sparsest.solvers.base import kinks_of, started
from sparsest.solvers.kinks import Entries

_MANY = 100_000  # variables


class _OutOfTime(Exception):  # noqa: N818 (not an error: a way out of SciPy's loop)
    pass


@dataclass(frozen=True)
class LBFGSB:
    """SciPy's L-BFGS-B with its own stopping rules, as NOTEARS uses it: an inner solver.

    Parameters
    ----------
    max_steps : int
        The largest number of steps.

    Examples
    --------
    >>> from sparsest.solvers import AugmentedLagrangian
    >>> path = AugmentedLagrangian(inner=LBFGSB(max_steps=1000))
    """

    max_steps: int = 15_000

    def minimize(self, objective: KinkedObjective, start: Array, watch: Watch) -> Minimum:
        """A local minimum; entries are exactly zero where both parts meet their bound."""
        kinks = kinks_of(objective)
        if not isinstance(kinks, Entries):
            raise OptionError(
                "LBFGSB handles kinks of single entries, and this penalty has groups: use OWLQN()"
            )
        size = len(start)
        # What the line search sees outside the domain: higher than the start, and flat.
        outside = started(objective, start)[0] + float(objective.kinks @ np.abs(start))
        outside += 10 * (1 + abs(outside))

        def function(parts: Array) -> tuple[float, Array]:
            if watch.stop is not None:
                raise _OutOfTime
            evaluated = objective.value_and_grad(parts[:size] - parts[size:])
            if evaluated is None:
                return outside, np.zeros_like(parts)
            value, gradient = evaluated
            value += float(objective.kinks @ (parts[:size] + parts[size:]))
            return value, np.concatenate([gradient + objective.kinks, objective.kinks - gradient])

        reached = np.concatenate([np.maximum(start, 0), np.maximum(-start, 0)])
        steps, status = 0, Status.CONVERGED

        def callback(parts: Array) -> None:
            nonlocal reached, steps
            reached, steps = parts.copy(), steps + 1

        def search() -> tuple[Array, float, dict[str, Any]] | None:
            # `minimize` would convert the bounds of every variable back and forth, one by one.
            with contextlib.suppress(_OutOfTime):
                return fmin_l_bfgs_b(  # type: ignore[no-any-return]
                    function, reached, bounds=[(0.0, None)] * len(reached), callback=callback,
                    maxiter=self.max_steps, maxfun=2 * self.max_steps,
                )  # fmt: skip
            return None

        # SciPy copies the bounds one by one before its first step: seconds for millions of variables.
        found = search() if len(reached) < _MANY else unless_stopped(search, watch)
        if found is None:
            status = watch.stop or Status.TIME_LIMIT
        else:
            reached, status = found[0], Status.MAX_STEPS if found[2]["warnflag"] == 1 else status
        psi = reached[:size] - reached[size:]
        value, gradient = started(objective, psi)
        violation = float(np.abs(kinks.subgradient(psi, gradient)).max(initial=0.0))
        return Minimum(psi, value + float(objective.kinks @ np.abs(psi)), violation, status, steps)
