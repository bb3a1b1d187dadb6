"""Adam (Kingma & Ba, 2015), with DAGMA's safeguard: a step that leaves the domain is undone and halved."""

from dataclasses import dataclass

import numpy as np

from sparsest._core.progress import Status, Watch
from sparsest.problem import Array, KinkedObjective, Minimum
from sparsest.solvers.base import kinks_of, started


@dataclass(frozen=True)
class Adam:
    """Adam on a subgradient, an inner solver.

    Entries become small, not zero, where other inner solvers stop exactly at the kink.

    Parameters
    ----------
    rate : float
        The learning rate.
    max_steps : int
        The largest number of steps.
    betas : tuple of float
        The decay rates of the two moments.
    progress : float
        The descent stops when `patience` steps together lower the objective by less than this share.
    patience : int
        See `progress`.

    Examples
    --------
    >>> from sparsest.solvers import CentralPath
    >>> path = CentralPath(inner=Adam(max_steps=1000))
    """

    rate: float = 3e-4
    max_steps: int = 60_000
    betas: tuple[float, float] = (0.99, 0.999)
    progress: float = 1e-6
    patience: int = 1000

    def minimize(self, objective: KinkedObjective, start: Array, watch: Watch) -> Minimum:
        """The point after the last step."""
        psi, rate, kinks = start.copy(), self.rate, kinks_of(objective)
        smooth, gradient = started(objective, psi)
        value = checkpoint = smooth + kinks.value(psi)
        first, second = np.zeros_like(psi), np.zeros_like(psi)
        slow, fast = self.betas
        status, step = Status.MAX_STEPS, 0
        for step in range(1, self.max_steps + 1):
            if (reason := watch.stop) is not None:
                status = reason
                break
            subgradient = kinks.uphill(psi, gradient)
            first = slow * first + (1 - slow) * subgradient
            second = fast * second + (1 - fast) * subgradient**2
            move = (first / (1 - slow**step)) / (np.sqrt(second / (1 - fast**step)) + 1e-8)
            evaluated = objective.value_and_grad(candidate := psi - rate * move)
            while evaluated is None:
                rate /= 2
                evaluated = objective.value_and_grad(candidate := psi - rate * move)
            psi, gradient = candidate, evaluated[1]
            value = evaluated[0] + kinks.value(psi)
            if step % self.patience == 0:
                if abs(checkpoint - value) <= self.progress * max(1.0, abs(checkpoint)):
                    status = Status.CONVERGED
                    break
                checkpoint = value
        violation = float(np.abs(kinks.subgradient(psi, gradient)).max(initial=0.0))
        return Minimum(psi, value, violation, status, step)
