"""The linear Gaussian model with unequal noise variances, learned from mean and covariance alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.progress import Watch
from sparsest.data import Moments, Source, Table, table_moments
from sparsest.fitted.base import Fitted, Node
from sparsest.models.base import Array, Mask, Refit, resampled
from sparsest.models.offers import Offers
from sparsest.models.traits import Traits
from sparsest.problem import Problem, Solution, Solver
from sparsest.rounding import graph_by_score
from sparsest.scores.bases import Linear
from sparsest.scores.families import GAUSSIAN, Column
from sparsest.scores.gaussian import GaussianScore, refit

_EXACT_COLUMNS = 20  # solver="auto" is exact up to here: about a second


@dataclass(frozen=True)
class Gaussian:
    """Linear effects and Gaussian noise with one variance per column: `model="gaussian"`.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> x = np.random.default_rng(0).normal(size=200)
    >>> y = 2 * x + np.random.default_rng(1).normal(size=200)
    >>> sp.fit(np.column_stack([x, y]), model=sp.models.Gaussian()).cpdag.edges
    [('x0', '--', 'x1')]
    """

    name = "gaussian"

    def prepare(self, source: Source, seed: int) -> PreparedGaussian:  # noqa: ARG002 (the score has no starts)
        """Compute mean and covariance, in one pass over a large file.

        Parameters
        ----------
        source : Source
            The user's data.
        seed : int
            Not used: the fits have no random starts.

        Returns
        -------
        PreparedGaussian
        """
        read = source.moments()
        return PreparedGaussian(read.moments, read.notices, read.table, source.options.missing)


@dataclass(frozen=True, eq=False)
class PreparedGaussian:
    """Mean and covariance of a table, and its rows if they are in memory."""

    moments: Moments
    notices: tuple[str, ...] = ()
    table: Table | None = None
    missing: str = "error"  # how missing values were treated
    model: str = "gaussian"
    because: str = ""

    offers = (Offers.COVARIANCE,)
    traits: Traits = Traits("class", gaussian=True)

    @property
    def audited(self) -> Table | None:
        """The rows themselves."""
        return self.table

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return self.moments.names

    @property
    def n(self) -> float:
        """The number of rows."""
        return self.moments.n

    @property
    def p(self) -> int:
        """The number of columns."""
        return self.moments.p

    @property
    def default_solver(self) -> str:
        """Exact if that takes about a second."""
        return "exact" if self.p <= _EXACT_COLUMNS else "order"

    @property
    def has_units(self) -> Mask:
        """All columns."""
        return np.ones(self.p, dtype=bool)

    def score(self, solver: Solver, standardize: bool | str) -> tuple[GaussianScore, bool]:
        """The likelihood of the correlation matrix, or of the covariance matrix."""
        standardized = solver.standardizes if standardize == "auto" else bool(standardize)
        return GaussianScore(
            self.moments.correlation() if standardized else self.moments.covariance
        ), standardized

    def to_dag(self, problem: Problem, solution: Solution, watch: Watch) -> Mask:  # noqa: ARG002 (it is quick)
        """The edges worth their cost, among those with soft weights and in the order these imply."""
        weights = solution.adjacency * problem.allowed
        return graph_by_score(problem, weights, thorough=not solution.status.stopped_early)[0]

    def refit(self, dag: Mask, start: Array | None, watch: Watch) -> Refit:  # noqa: ARG002 (least squares)
        """One regression per column."""
        moments = self.moments
        weights, variances = refit(moments.covariance, dag)
        scales, nodes = moments.scales, []
        for j in range(moments.p):
            parents = np.flatnonzero(dag[:, j])
            coefficients = weights[parents, j] * scales[parents] / scales[j]
            variance = float(variances[j])
            nodes.append(Node(tuple(map(int, parents)), np.zeros(1), coefficients[:, None], variance))
        fitted = self._fitted(tuple(nodes))
        return Refit.of(fitted, 0.5 * float(np.log(variances).sum()))

    def resample(self, rows: NDArray[Any] | None = None, *, weights: Array | None = None) -> PreparedGaussian:
        """Mean and covariance of other rows."""
        table = resampled(self.table, rows, weights)
        return replace(self, moments=table_moments(table, self.missing).moments, table=table)

    def rearranged(self, order: NDArray[np.intp], units: Array) -> PreparedGaussian:
        """The covariance in another order and other units."""
        covariance = self.moments.covariance[np.ix_(order, order)] * np.outer(units, units)
        moments = Moments(covariance, self.moments.n, names=[self.names[k] for k in order])
        return replace(self, moments=moments, table=None)

    def _fitted(self, nodes: tuple[Node, ...]) -> Fitted:
        scales, p = self.moments.scales, self.p
        centres = np.zeros(p) if self.moments.mean is None else self.moments.mean
        columns = tuple(
            Column(name, GAUSSIAN, Linear(float(centres[j]), float(scales[j])))
            for j, name in enumerate(self.names)
        )
        levels = (None,) * p if self.table is None else self.table.levels
        return Fitted(columns, nodes, levels)
