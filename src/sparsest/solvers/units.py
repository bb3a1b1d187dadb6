"""A differentiable method on columns in other units than those of the problem.

At fixed λ and δ the penalties of differentiable methods depend on units, least squares even without them. So
a start found in the units of the table and rounds on standardised columns are not the same as either alone:
the start hands the units on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from sparsest._core.errors import OptionError
from sparsest._core.progress import Watch
from sparsest.problem import Array, Problem, Solution
from sparsest.scores import GaussianScore
from sparsest.solvers.published import Start


@dataclass(frozen=True, eq=False)
class InUnits:
    """A method for linear models on the columns times `units`, with its weights converted back.

    Parameters
    ----------
    method : Method or Homotopy
        The method to run.
    units : array of shape (p,)
        Positive factors: the method sees column j times `units[j]`.

    Examples
    --------
    LogLL-DAGMA on standardised columns, started from DAGMA's answer on the columns as they are:

    >>> from dataclasses import replace
    >>> import numpy as np
    >>> import sparsest as sp
    >>> from sparsest.solvers import METHODS
    >>> noise = np.random.default_rng(0).normal(size=(500, 2))
    >>> table = noise @ [[1.0, 2.0], [0.0, 1.0]]
    >>> start = InUnits(METHODS["dagma"], table.std(axis=0))
    >>> solver = replace(METHODS["logll-dagma"], first=start)
    >>> sp.fit(table, solver=solver, standardize=True).dag.edges
    [('x0', 'x1')]
    """

    method: Start
    units: ArrayLike

    standardizes = False
    returns_dag = False

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """Solve in the other units; the weights come back in those of the problem."""
        units = self._checked_units(problem)
        covariance = problem.covariance_for("InUnits") * np.outer(units, units)
        scaled = problem.with_score(GaussianScore(covariance), problem.penalty)
        return converted(self.method.solve(scaled, watch), units)

    def _checked_units(self, problem: Problem) -> Array:
        units = np.asarray(self.units, dtype=np.float64)
        if units.shape != (problem.p,):
            raise OptionError(f"InUnits needs one factor per column, {problem.p}, not {units.shape}")
        good = np.isfinite(units) & (units > 0)
        if not good.all():
            wrong = problem.names[int(np.argmin(good))]
            raise OptionError(f"InUnits needs positive factors, and that of {wrong!r} is not one")
        return units


def converted(solution: Solution, units: Array) -> Solution:
    """A solution for columns times `units`, with its weights for the columns themselves."""
    weights = solution.adjacency * units[:, None] / units
    return replace(solution, adjacency=weights, psi=weights.reshape(-1))
