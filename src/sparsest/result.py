"""What the user gets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest.graph import mec_size
from sparsest.graph.types import Cpdag, Dag
from sparsest.progress import Status
from sparsest.solution import Stage

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Evidence:
    """What a sceptic needs to judge how far to trust the optimum.

    `solver_objective` is the solver's own final objective: the soft one (likelihood plus penalty of the
    weights) for differentiable solvers, on the columns as the solver saw them. `agreed` counts, of the
    solver's descents, those that ended at the best objective. `h` is the acyclicity constraint there and
    `violation` the largest entry of the least subgradient.
    """

    stages: tuple[Stage, ...]
    steps: int
    solver_objective: float
    agreed: int
    h: float
    violation: float
    standardized: bool
    graph_from: str  #: "search" (already a DAG), "score" (pruned by score) or "threshold"
    warnings: tuple[str, ...] = ()
    same_when_rescaled: bool | None = None  #: what `fit(check=True)` found; None where it was not asked


@dataclass(frozen=True, eq=False)
class Result:
    """A learned graph with everything that was learned about it.

    `weights[i, j]` is the effect of column i on column j in the user's units, 0 where there is no edge.
    `objective` is `nll + cost · edges`, with the likelihood refitted on the graph: the same definition for
    every solver, so that solvers can be compared by this number.
    """

    dag: Dag
    cpdag: Cpdag
    weights: Array
    noise_variances: Array
    objective: float
    nll: float
    cost: float
    n: float
    solver: str
    status: Status
    evidence: Evidence
    seconds: float

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return self.dag.names

    @property
    def class_size(self) -> int:
        """How many DAGs the class has: all explain the data equally well. 1 says every direction is known."""
        return mec_size(self.cpdag)

    def __repr__(self) -> str:
        return (
            f"<Result: {len(self.dag.edges)} edges on {len(self.names)} columns, "
            f"objective {self.objective:.6g}, {self.status.value}, solver {self.solver!r}>"
        )

    def summary(self) -> str:
        """A few lines of plain text: what was found, how, and how sure the solver is."""
        from sparsest.export.text import summary

        return summary(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, strings, lists and dictionaries, ready for JSON."""
        from sparsest.export.json import to_dict

        return to_dict(self)

    def plot(self, path: str | Path | None = None) -> Any:
        """A picture of the CPDAG; saved where a path is given. Returns the matplotlib figure."""
        from sparsest.report.figure import draw

        return draw(self.cpdag, self.weights, path, noise_variances=self.noise_variances)
