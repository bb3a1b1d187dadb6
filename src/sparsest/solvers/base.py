"""What inner solvers, and the paths that call them, have in common."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Watch
from sparsest.acyclicity import Constraint
from sparsest.problem import Array, KinkedObjective, Problem, Solution, Stage
from sparsest.solvers.kinks import Entries, Groups, Kinks


class Path(Protocol):
    """A way to impose the constraint: a sequence of inner problems that ends in a DAG."""

    def solve(self, problem: Problem, start: Array, watch: Watch, name: str) -> Solution:
        """Follow the path from `start`, a (p, p) matrix or a flat ψ; `name` labels its stage."""


@dataclass(frozen=True)
class Account:
    """What a path has done so far: turned into a `Solution` at its end."""

    problem: Problem
    constraint: Constraint
    watch: Watch
    name: str
    began: float

    def solution(self, psi: Array, status: Status, steps: int, violation: float) -> Solution:
        """Where the path ended."""
        value, seconds = self.problem.value(psi), self.watch.seconds - self.began
        return Solution(
            adjacency=self.problem.score.adjacency(psi),
            objective=value,
            status=status,
            steps=steps,
            seconds=seconds,
            stages=(Stage(self.name, value, steps, seconds),),
            h=self.problem.h(psi, self.constraint),
            violation=violation,
            psi=psi,
        )


def kinks_of(objective: KinkedObjective) -> Kinks:
    """The kinks of an objective: entries of ψ, or norms of the groups it names."""
    groups = getattr(objective, "groups", None)
    return Entries(objective.kinks) if groups is None else Groups(objective.kinks, groups)


def started(objective: KinkedObjective, psi: Array) -> tuple[float, Array]:
    """Value and gradient at a start, which must lie in the domain."""
    evaluated = objective.value_and_grad(psi)
    if evaluated is None:
        raise OptionError(
            "the start lies outside the domain of the score or of the acyclicity constraint: "
            "scale it down, or start from zero"
        )
    return evaluated


def checked_start(problem: Problem, start: Array) -> Array:
    """A start as a flat parameter vector: square, finite, zero where edges are ruled out.

    Where an edge owns a group of parameters, the start is flat, and edges ruled out are set to zero.
    """
    p = problem.p
    if problem.groups is not None:
        if start.shape != problem.groups.shape or not np.isfinite(start).all():
            raise OptionError(f"the start must be {problem.groups.size} finite parameters in one row")
        return np.where(problem.movable, start, 0.0)
    if start.shape == (p * p,):
        start = start.reshape(p, p)
    if start.shape != (p, p):
        raise OptionError(f"the start must be a ({p}, {p}) matrix, not {start.shape}")
    if not np.isfinite(start).all():
        raise OptionError("the start has entries that are not finite")
    if (bad := np.argwhere((start != 0) & ~problem.allowed)).size:
        i, j = bad[0]
        what = "on the diagonal" if i == j else "where the edge is ruled out"
        raise OptionError(f"the start is {start[i, j]:g} at ({i}, {j}), {what}: it must be 0 there")
    return start.reshape(-1).astype(float)
