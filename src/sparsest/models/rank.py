"""The Gaussian copula: a Gaussian model of the normal scores of ranks.

Each column is replaced by the normal scores of its ranks. Only the order of the values counts, so the answer
is the same after any increasing transformation of any column, such as a logarithm or a change of units. The
normal score of a value is Φ⁻¹ of the share of rows below it plus half the share of rows equal to it. Liu,
Lafferty & Wasserman (2009) and Harris & Drton (2013) study learning graphs from such scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest.data import Source, Table, table_moments
from sparsest.data.columns.transforms import normal_scores
from sparsest.fitted.base import Fitted, Node
from sparsest.models.base import Array, resampled
from sparsest.models.gaussian import PreparedGaussian
from sparsest.models.traits import Traits
from sparsest.scores.bases import Basis, Linear
from sparsest.scores.families import GAUSSIAN, Column, Family

_POINTS = 512  # per column, kept by a fitted model


@dataclass(frozen=True)
class Rank:
    """Gaussian copula, learned from the ranks within each column: `model="rank"`.

    The answer does not change under increasing transformations of the columns.

    Notes
    -----
    `result.weights` and `result.noise_variances` refer to normal scores: a weight is the change in the normal
    score of the effect per unit of the normal score of the cause. `result.predict` returns conditional
    medians, in the user's units.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(300, 2))
    >>> data = np.column_stack([x, x.sum(axis=1) + rng.normal(size=300)])
    >>> plain, bent = (sp.fit(table, model=sp.models.Rank()) for table in (data, np.exp(data)))
    >>> plain.cpdag == bent.cpdag, bool((plain.weights == bent.weights).all())
    (True, True)
    """

    name = "rank"

    def prepare(self, source: Source, seed: int) -> PreparedRank:  # noqa: ARG002 (the score has no starts)
        """Compute the covariance of the normal scores.

        Parameters
        ----------
        source : Source
            The user's data; all rows must fit in memory.
        seed : int
            Not used: the fits have no random starts.

        Returns
        -------
        PreparedRank
        """
        if source.given is not None:
            raise OptionError(
                "model 'rank' is learned from the rows of a table, not from moments: pass the table"
            )
        return _prepared(source.table(numbers_only=True), source.options.missing)


@dataclass(frozen=True, eq=False)
class PreparedRank(PreparedGaussian):
    """Mean and covariance of normal scores."""

    model: str = "rank"
    traits: Traits = Traits("class", gaussian=True, units="normal scores")
    scores: Table | None = None
    bases: tuple[NormalScores, ...] = ()

    @property
    def audited(self) -> Table | None:
        """The normal scores: how far out a value lies does not matter to its rank."""
        return self.scores

    def resample(self, rows: NDArray[Any] | None = None, *, weights: Array | None = None) -> PreparedRank:
        """The normal scores of other rows."""
        return _prepared(resampled(self.table, rows, weights), self.missing)

    def _fitted(self, nodes: tuple[Node, ...]) -> Fitted:
        columns = tuple(
            Column(name, GAUSSIAN, basis) for name, basis in zip(self.names, self.bases, strict=True)
        )
        levels = (None,) * self.p if self.table is None else self.table.levels
        return FittedRank(columns, nodes, levels)


def _prepared(table: Table, missing: str) -> PreparedRank:
    scores = np.column_stack([normal_scores(column, table.weights) for column in table.values.T])
    scored = replace(table, values=scores)
    read = table_moments(scored, missing)
    mean = np.zeros(len(table.names)) if read.moments.mean is None else read.moments.mean
    bases = tuple(
        NormalScores.of(table.values[:, j], scores[:, j], float(mean[j]), float(scale))
        for j, scale in enumerate(read.moments.scales)
    )
    return PreparedRank(read.moments, read.notices, table, missing, scores=scored, bases=bases)


@dataclass(frozen=True)
class NormalScores(Linear):
    """The normal scores of a column: an increasing piecewise linear function, constant beyond its ends."""

    values: tuple[float, ...] = ()
    scores: tuple[float, ...] = ()

    kind: ClassVar[str] = "normal scores"

    @classmethod
    def of(  # type: ignore[override]
        cls, column: Array, scores: Array, centre: float, scale: float
    ) -> NormalScores:
        """Interpolation through at most 512 evenly spaced order statistics."""
        values, first = np.unique(column[~np.isnan(column)], return_index=True)
        points = scores[~np.isnan(column)][first]
        kept = np.unique(np.linspace(0, len(values) - 1, _POINTS).round().astype(int))
        return cls(centre, scale, tuple(values[kept].tolist()), tuple(points[kept].tolist()))

    def features(self, column: Array) -> Array:
        """The standardised normal scores."""
        return super().features(self.score(column))

    def score(self, column: Array) -> Array:
        """The normal scores of a column's values."""
        return np.interp(column, self.values, self.scores)

    def value(self, scores: Array) -> Array:
        """The values that have these normal scores."""
        return np.interp(scores, self.scores, self.values)

    def state(self) -> dict[str, Any]:
        """The numbers behind the function."""
        return super().state() | {"values": list(self.values), "scores": list(self.scores)}


@dataclass(frozen=True, eq=False)
class FittedRank(Fitted):
    """A Gaussian model of normal scores that predicts and samples in the user's units."""

    @classmethod
    def basis_from(cls, family: Family, state: Mapping[str, Any]) -> Basis:  # noqa: ARG003 (there is one)
        """The normal scores that `state` was taken from."""
        points = tuple(state["values"]), tuple(state["scores"])
        return NormalScores(state["centre"], state["scale"], *points)

    def means(self, values: Array) -> list[Array]:
        """The conditional median of each column given its parents."""
        return [self._basis(j).value(self.mean(j, values)) for j in range(len(self.nodes))]

    def _log_likelihood(self, j: int, values: Array) -> Array:
        """Log-likelihood of the normal score: comparable between graphs, but not between models."""
        given, variance = self._basis(j).score(values[:, j]), self.nodes[j].variance
        return GAUSSIAN.log_likelihood(given, self.mean(j, values), variance)

    def _drawn(self, j: int, values: Array, rng: np.random.Generator) -> Array:
        return self._basis(j).value(super()._drawn(j, values, rng))

    def _basis(self, j: int) -> NormalScores:
        basis = self.columns[j].basis
        assert isinstance(basis, NormalScores)  # this model has no other
        return basis
