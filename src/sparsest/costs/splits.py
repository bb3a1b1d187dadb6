"""The rows of folds and subsamples: they depend on the seed and their number alone."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sparsest._core.errors import DataError, OptionError
from sparsest._core.streams import FOLDS, SUBSAMPLES, generator
from sparsest._core.words import count, quoted
from sparsest.confidence.drawing import Rows, spoiled_columns, units_of
from sparsest.models.base import Prepared

if TYPE_CHECKING:
    from sparsest.data import Table

_MOST_DRAWS = 100  # until every column varies and no category is missing
_SMALL = 144  # up to so many rows ⌊10√n⌋ would be more than five in six of them


def subsample_size(n: float) -> int:
    """How many of n rows a subsample has: ⌊10√n⌋ (Liu, Roeder & Wasserman, 2010), ⌊0.8 n⌋ up to 144 rows.

    Examples
    --------
    >>> subsample_size(1000), subsample_size(100)
    (316, 80)
    """
    return math.floor(10 * math.sqrt(n)) if n > _SMALL else math.floor(0.8 * n)


@dataclass(frozen=True, eq=False)
class Splits:
    """Folds and subsamples of a table; `units` are the rows that stay together."""

    table: Table
    units: tuple[Rows, ...]
    folds: int
    seed: int
    attempt: int = 0

    @classmethod
    def checked(
        cls, table: Table, groups: ArrayLike | None, blocks: int | None, folds: int, seed: int
    ) -> Splits:
        """Folds such that every column varies in all training parts; refused if there are none."""
        units = tuple(units_of(len(table.values), groups, blocks))
        if folds and len(units) < 2 * folds:
            what = "rows" if groups is None and blocks is None else "groups or blocks of rows"
            raise DataError(
                f"cross-validation in {folds} folds needs at least {2 * folds} {what}, and there are "
                f"{len(units)}: pass fewer folds, or folds=0 to do without"
            )
        for attempt in range(_MOST_DRAWS):
            drawn = cls(table, units, folds, seed, attempt)
            spoiled = [name for k in range(folds) for name in spoiled_columns(table, drawn.fold(k)[0])]
            if not spoiled:
                return drawn
        raise DataError(
            f"however the rows are divided into {folds} folds, {quoted(sorted(set(spoiled)))} lacks a value "
            "in some training part: leave the column out, merge its rare categories, or pass folds=0"
        )

    def fold(self, number: int) -> tuple[Rows, Rows]:
        """The rows to learn from, and those held out."""
        order = generator(self.seed, FOLDS, self.attempt).permutation(len(self.units))
        place = np.empty(len(order), dtype=int)
        place[order] = np.arange(len(order)) % self.folds
        return self._rows(np.flatnonzero(place != number)), self._rows(np.flatnonzero(place == number))

    def subsample(self, number: int) -> Rows:
        """The rows of a subsample, drawn until every column varies and no category is missing."""
        for attempt in range(_MOST_DRAWS):
            order = generator(self.seed, SUBSAMPLES, number, attempt).permutation(len(self.units))
            rows = self._rows(np.sort(order[: subsample_size(len(self.units))]))
            if not (spoiled := spoiled_columns(self.table, rows)):
                return rows
        raise DataError(
            f"in {count(_MOST_DRAWS, 'subsample')} {quoted(spoiled)} lacked a value: leave the column out, "
            "merge its rare categories, or pass subsamples=0"
        )

    def prepared(self, prepared: Prepared, number: int) -> Prepared:
        """A prepared table with the rows of a subsample."""
        return prepared.resample(self.subsample(number))

    def _rows(self, chosen: Rows) -> Rows:
        return np.sort(np.concatenate([self.units[k] for k in chosen]))


@dataclass(frozen=True, eq=False)
class SimulatedSplits:
    """Subsamples of moments that have no rows: covariances that vary as those of b of n rows do.

    Rows drawn without replacement share a part with all rows, so that the covariance of b of them varies
    around that of all n as one of bn/(n − b) rows does around a population's.
    """

    seed: int

    def prepared(self, prepared: Prepared, number: int) -> Prepared:
        """A prepared table with another covariance."""
        from sparsest.data import Moments

        moments = prepared.moments
        if moments is None:
            raise AssertionError("covariances are simulated from moments")
        size = subsample_size(moments.n)
        rows = round(size * moments.n / (moments.n - size))
        factor = np.linalg.cholesky(moments.covariance + 1e-12 * np.diag(moments.covariance.diagonal()))
        drawn = generator(self.seed, SUBSAMPLES, number).standard_normal((rows, moments.p)) @ factor.T
        covariance = np.cov(drawn, rowvar=False, bias=True).reshape(moments.p, moments.p)
        varied = Moments(covariance, size, names=moments.names)
        return replace(prepared, moments=varied)  # type: ignore[type-var]


def splits_of(
    prepared: Prepared, groups: ArrayLike | None, blocks: int | None, folds: int, seed: int
) -> Splits | SimulatedSplits:
    """How the rows of a prepared table are divided, or its covariance is varied."""
    if prepared.audited is not None:
        return Splits.checked(prepared.audited, groups, blocks, folds, seed)
    if groups is not None or blocks is not None:
        raise OptionError("groups and blocks are about rows, and there are none here: pass the table")
    return SimulatedSplits(seed)
