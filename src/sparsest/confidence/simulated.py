"""Resamples of moments that have no rows: covariances drawn around the one that is given."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError, OptionError
from sparsest._core.streams import RESAMPLES, generator
from sparsest.data import Moments
from sparsest.models.base import Prepared


@dataclass(frozen=True)
class Simulated:
    """Draws Wishart covariances that vary as those of half-samples, or of bootstrap samples, would.

    A half-sample of n rows has n/2 rows, and its covariance varies around that of all rows as one of n rows
    does around a population's, because half of the rows are shared.
    """

    kind: str
    seed: int

    how = "wishart"

    @classmethod
    def checked(cls, prepared: Prepared, kind: str, groups: Any, blocks: Any, seed: int) -> Simulated:
        """Refuse what cannot be simulated."""
        if prepared.moments is None or math.isinf(prepared.n):
            raise DataError("a population (n = inf) has no sampling error: there is nothing to resample")
        if groups is not None or blocks is not None:
            raise OptionError("groups and blocks are about rows, and there are none here: pass the table")
        if prepared.n < 8:
            raise DataError(f"resamples need at least 8 rows, and there are {prepared.n:g}")
        return cls(kind, seed)

    def resample(self, prepared: Any, number: int) -> tuple[Any, int]:
        """A prepared table with another covariance; it never has to be drawn again."""
        moments = prepared.moments
        rng = generator(self.seed, RESAMPLES, number)
        n = math.floor(moments.n)
        factor = np.linalg.cholesky(moments.covariance + 1e-12 * np.diag(moments.covariance.diagonal()))
        root = factor @ _wishart_root(n - 1, moments.p, rng)
        covariance = root @ root.T / n
        size = n // 2 if self.kind == "half" else n
        return replace(prepared, moments=Moments(covariance, size, names=moments.names)), 0

    def identity(self) -> dict[str, Any]:
        """What the draws depend on."""
        return {"kind": self.kind, "seed": self.seed}


def _wishart_root(freedom: int, p: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """A matrix whose product with its transpose is Wishart: as few numbers for a billion rows as for a few.

    Bartlett's decomposition: below the diagonal normal, on it the roots of χ² with ever fewer degrees of
    freedom. With fewer rows than columns, normal rows themselves.
    """
    if freedom < p:
        return rng.standard_normal((p, freedom))
    root = np.tril(rng.standard_normal((p, p)), -1)
    np.fill_diagonal(root, np.sqrt(rng.chisquare(freedom - np.arange(p))))
    return root
