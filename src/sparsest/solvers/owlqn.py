"""OWL-QN: limited-memory quasi-Newton for a smooth function plus weighted absolute values.

Andrew & Gao (2007), "Scalable training of L1-regularized log-linear models". Within one orthant |ψ_i| is
linear; each step stays in the orthant that the steepest descent direction points into, so entries stop
exactly at zero, without smoothing the kink. Norms of groups are treated likewise (`solvers/kinks.py`).
"""

from dataclasses import dataclass

import numpy as np

from sparsest._core.progress import Status, Watch
from sparsest.problem import Array, KinkedObjective, Minimum
from sparsest.solvers.base import kinks_of, started
from sparsest.solvers.kinks import Kinks


@dataclass(frozen=True)
class OWLQN:
    """Limited-memory quasi-Newton descent for objectives with kinks, an inner solver.

    Parameters
    ----------
    max_steps : int
        The largest number of steps.
    memory : int
        How many past steps approximate the curvature.
    tolerance : float
        The descent stops where the largest entry of the least subgradient is at most this.
    progress : float
        It also stops when `patience` steps together lower the objective by less than this share.
    patience : int
        See `progress`.

    Examples
    --------
    The minimum of ``(ψ − c)²/2 + |ψ|`` is c shrunk towards zero by one:

    >>> import numpy as np
    >>> from sparsest._core.progress import Watch
    >>> class Shrinkage:
    ...     kinks = np.ones(3)
    ...
    ...     def value_and_grad(self, psi):
    ...         residual = psi - np.array([3.0, 0.5, -2.0])
    ...         return 0.5 * residual @ residual, residual
    >>> OWLQN().minimize(Shrinkage(), np.zeros(3), Watch()).psi.round(6)
    array([ 2.,  0., -1.])
    """

    max_steps: int = 1000
    memory: int = 10
    tolerance: float = 1e-6
    progress: float = 1e-7
    patience: int = 5

    def minimize(self, objective: KinkedObjective, start: Array, watch: Watch) -> Minimum:
        """A local minimum below `start`, which must lie in the domain of the objective."""
        psi, kinks = start.copy(), kinks_of(objective)
        smooth, gradient = started(objective, psi)
        value = smooth + kinks.value(psi)
        curvature = _Curvature(self.memory, psi.size)
        recent = [value]
        subgradient = kinks.subgradient(psi, gradient)
        for step in range(self.max_steps):
            violation = float(np.abs(subgradient).max(initial=0.0))
            if violation <= self.tolerance:
                return Minimum(psi, value, violation, Status.CONVERGED, step)
            if (reason := watch.stop) is not None:
                return Minimum(psi, value, violation, reason, step)
            direction = curvature.direction(subgradient)
            kinks.align(direction, subgradient)
            found = _line_search(objective, kinks, psi, value, subgradient, direction, curvature.empty, watch)
            if found is None and (reason := watch.stop) is not None:
                return Minimum(psi, value, violation, reason, step)
            if found is None and not curvature.empty:
                curvature.clear()  # the model of the curvature misled: try plain descent once
                continue
            if found is None:
                return Minimum(psi, value, violation, Status.CONVERGED, step)
            new_psi, value, new_gradient = found
            curvature.update(new_psi - psi, kinks.curved(new_psi, new_gradient) - kinks.curved(psi, gradient))
            psi, gradient = new_psi, new_gradient
            subgradient = kinks.subgradient(psi, gradient)
            recent.append(value)
            enough = self.progress * max(1.0, abs(value))
            if len(recent) > self.patience and recent.pop(0) - value <= enough:
                break
        else:
            return Minimum(psi, value, float(np.abs(subgradient).max()), Status.MAX_STEPS, self.max_steps)
        return Minimum(psi, value, float(np.abs(subgradient).max()), Status.CONVERGED, step + 1)


def _line_search(
    objective: KinkedObjective,
    kinks: Kinks,
    psi: Array,
    value: float,
    subgradient: Array,
    direction: Array,
    first: bool,
    watch: Watch,
) -> tuple[Array, float, Array] | None:
    """Backtrack inside the orthant and inside the domain; None where no step goes down, or time is up."""
    facing = kinks.facing(psi, subgradient)
    length = 1.0 / max(1.0, float(np.abs(direction).sum())) if first else 1.0
    for _ in range(40):
        candidate = psi + length * direction
        kinks.stop(candidate, facing)
        evaluated = objective.value_and_grad(candidate)
        if evaluated is not None:
            new_value = evaluated[0] + kinks.value(candidate)
            decrease = float(subgradient @ (candidate - psi))
            if decrease < 0 and new_value <= value + 1e-4 * decrease:
                return candidate, new_value, evaluated[1]
        if watch.stop is not None:
            break
        length *= 0.5
    return None


class _Curvature:
    """The last few steps and gradient changes, as an approximate inverse Hessian."""

    def __init__(self, memory: int, size: int):
        self._steps = np.zeros((memory, size))
        self._changes = np.zeros((memory, size))
        self._products = np.zeros(memory)
        self._count = 0

    @property
    def empty(self) -> bool:
        return self._count == 0

    def clear(self) -> None:
        self._count = 0

    def update(self, step: Array, change: Array) -> None:
        product = float(step @ change)
        if product <= 1e-10 * float(change @ change):
            return  # not convex along this step: the pair would spoil positive definiteness
        slot = self._count % len(self._products)
        self._steps[slot], self._changes[slot], self._products[slot] = step, change, product
        self._count += 1

    def direction(self, gradient: Array) -> Array:
        """−H · gradient, by the two-loop recursion."""
        memory = len(self._products)
        slots = [k % memory for k in range(max(0, self._count - memory), self._count)]
        direction = -gradient
        shares = {}
        for slot in reversed(slots):
            shares[slot] = float(self._steps[slot] @ direction) / self._products[slot]
            direction -= shares[slot] * self._changes[slot]
        if slots:
            newest = self._changes[slots[-1]]
            direction *= self._products[slots[-1]] / float(newest @ newest)
        for slot in slots:
            share = shares[slot] - float(self._changes[slot] @ direction) / self._products[slot]
            direction += share * self._steps[slot]
        return direction
