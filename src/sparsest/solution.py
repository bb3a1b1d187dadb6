"""What a solver returns: values, not side effects. Failing to converge is a status, not an exception."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sparsest.problem import Problem
from sparsest.progress import Status, Watch


@dataclass(frozen=True)
class Stage:
    """One stage of a solver: its name, the solver's objective at its end, and its share of the time."""

    name: str
    objective: float
    steps: int
    seconds: float


@dataclass(frozen=True)
class Solution:
    """Where a solver stopped.

    `adjacency` is B(ψ) for differentiable solvers and a 0/1 matrix for discrete ones. `objective` is the
    solver's own: the soft objective, or NLL + c · edges. `h` and `violation` (of the optimality conditions,
    the largest entry of the least subgradient) speak of differentiable solvers only. `agreed` counts, of a
    solver's descents or starts, those that ended at the best objective. `psi` are the parameters behind
    `adjacency`, for differentiable solvers.
    """

    adjacency: NDArray[np.float64]
    objective: float
    status: Status
    steps: int
    seconds: float
    stages: tuple[Stage, ...] = ()
    agreed: int = 1
    h: float = 0.0
    violation: float = 0.0
    psi: NDArray[np.float64] | None = None


class Solver(Protocol):
    """Anything that turns a problem into a solution."""

    @property
    def standardizes(self) -> bool:
        """Whether the solver wants columns of unit variance unless told otherwise."""

    @property
    def returns_dag(self) -> bool:
        """Whether `adjacency` is a finished DAG, rather than soft weights still to be pruned."""

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """Minimise the problem, polling `watch.stop` between steps."""
