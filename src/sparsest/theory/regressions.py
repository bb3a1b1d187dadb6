"""Every node regressed on every set of predecessors: the building blocks of E(Θ) (Appendix C.2).

A set of nodes is the bits of an integer. B̃(π) has one regression per node, on the nodes before it in π. So p!
permutations share p · 2^(p−1) regressions, and those of all nodes of a set T on the rest of T are read off
one inverse: with K = (Σ_TT)⁻¹ the coefficient of i for j is −K_ij / K_jj and the residual variance 1 / K_jj.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsest._core.correlation import correlation_of
from sparsest._core.errors import DataError, OptionError
from sparsest._core.words import default_names
from sparsest.data.moments.covariance import require_covariance, square_matrix
from sparsest.scores.gaussian import RESIDUAL_FLOOR

Array = NDArray[np.float64]

_AT_ONCE = 2**13  # sets inverted together: a few megabytes

MOST_COLUMNS = 18
"""The most columns for which all sets of predecessors are enumerated: 2^18 inverses, some seconds."""


@dataclass(frozen=True, eq=False)
class Regressions:
    """For a set T (a row) and a node j in T (a column): j regressed on the rest of T."""

    parents: NDArray[np.int64]  # the nodes with a coefficient that is not zero, as bits
    variances: Array  # what they leave unexplained
    smallest: float  # the least size of a coefficient that is not zero; infinite if all are

    @property
    def p(self) -> int:
        """The number of nodes."""
        return self.parents.shape[1]


def regressions(covariance: Array, tolerance: float, threshold: float = 0.0) -> Regressions:
    """All regressions of a covariance.

    A coefficient is zero where the partial correlation of the two nodes given the other predecessors is at
    most `tolerance`, or where its own size, in the units of the covariance, is at most `threshold`.
    """
    for name, value in (("tolerance", tolerance), ("threshold", threshold)):
        if not 0 <= value < np.inf:
            raise OptionError(f"{name} must not be negative or infinite, but {name} = {value!r}")
    p, scales = len(covariance), np.sqrt(covariance.diagonal())
    parents = np.zeros((2**p, p), dtype=np.int64)
    variances = np.zeros((2**p, p))
    smallest = np.inf
    for members, K in _concentrations(correlation_of(covariance)):
        diagonal = np.einsum("nii->ni", K)
        units = scales[members]
        sizes = np.abs(K) / diagonal[:, None, :] * (units[:, None, :] / units[:, :, None])
        partial = np.abs(K) / np.sqrt(diagonal[:, :, None] * diagonal[:, None, :])
        present = (partial > tolerance) & (sizes > threshold) & ~np.eye(members.shape[1], dtype=bool)
        smallest = min(smallest, sizes[present].min(initial=np.inf))
        bits = 1 << members
        rows = bits.sum(axis=1)[:, None]
        parents[rows, members] = (present * bits[:, :, None]).sum(axis=1)
        variances[rows, members] = units**2 / diagonal
    return Regressions(parents, variances, float(smallest))


def _concentrations(correlation: Array) -> Iterator[tuple[NDArray[np.int64], NDArray[Any]]]:
    """Sets of nodes, one per row, and the inverses of their correlation matrices, some sets at a time."""
    p = len(correlation)
    for size in range(1, p + 1):
        sets = np.array(list(combinations(range(p), size)), dtype=np.int64)
        for first in range(0, len(sets), _AT_ONCE):
            members = sets[first : first + _AT_ONCE]
            yield members, np.linalg.inv(correlation[members[:, :, None], members[:, None, :]])


def set_sizes(p: int) -> NDArray[np.int64]:
    """The number of nodes of each of the 2^p sets."""
    sizes = np.zeros(1, dtype=np.int64)
    for _ in range(p):
        sizes = np.concatenate([sizes, sizes + 1])
    return sizes


def definite_covariance(covariance: ArrayLike, most: int, asked: str) -> Array:
    """A float64 copy of a positive definite covariance of at most `most` columns."""
    matrix = square_matrix(covariance)
    p = len(matrix)
    names = default_names(p)
    require_covariance(matrix, names)
    if p > most:
        raise OptionError(
            f"{asked} goes through all 2^{p} sets of {p} columns, and {most} columns are the most it takes: "
            "select fewer columns, or let fit(solver='order') look for one sparse graph"
        )
    scales = np.sqrt(matrix.diagonal())
    if (scales == 0).any():
        raise DataError(
            f"column {names[int(np.argmin(scales))]!r} is constant: leave it out to compute {asked}"
        )
    values, vectors = np.linalg.eigh(correlation_of(matrix))
    # The share of a column that the others leave unexplained is 1 / (R⁻¹)_jj.
    shares = 1 / (vectors**2 / np.maximum(values, 1e-30)).sum(axis=1)
    if shares.min() <= RESIDUAL_FLOOR:
        explained = names[int(np.argmin(shares))]
        raise DataError(
            f"the covariance is singular: the other columns explain {explained!r} completely, and "
            f"{asked} needs the inverse. Leave that column out, or use more rows than columns"
        )
    return matrix
