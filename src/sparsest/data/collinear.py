"""Which columns are linear combinations of one another."""

from __future__ import annotations

import numpy as np

from sparsest.data.moments import Moments

TOLERANCE = 1e-10
"""A column is dependent when the others leave at most this share of its variance unexplained."""


def collinear(moments: Moments, tolerance: float = TOLERANCE) -> list[tuple[str, ...]]:
    """Groups of columns that are (nearly) exactly linearly dependent, named in the order of the table.

    Duplicates, changes of units and sums (total = a + b) are found together with the columns they consist
    of; groups that share a column are one group. With no more rows than columns everything depends on
    everything, and that is what comes back.

    A Cholesky factor with pivots of the correlation matrix picks a largest independent set of columns; the
    rest are then combinations of it. A column of the set belongs to a combination if leaving it out would
    lift the unexplained share of the variance above the tolerance.
    """
    from scipy.linalg.lapack import dpstrf

    correlation = moments.correlation()
    _, pivots, rank, _ = dpstrf(correlation, tol=tolerance)
    order = pivots - 1
    basis, rest = order[:rank], order[rank:]
    if rest.size == 0:
        return []
    precision = np.linalg.inv(correlation[np.ix_(basis, basis)])
    coefficients = precision @ correlation[np.ix_(basis, rest)]
    members = coefficients**2 / np.diag(precision)[:, None] > tolerance
    groups = _connected([{int(j), *map(int, basis[members[:, k]])} for k, j in enumerate(rest)])
    return [tuple(moments.names[j] for j in sorted(group)) for group in sorted(groups, key=min)]


def _connected(sets: list[set[int]]) -> list[set[int]]:
    """Unions of the sets that overlap, directly or through others."""
    groups: list[set[int]] = []
    for group in sets:
        apart = [other for other in groups if not (other & group)]
        groups = [*apart, group.union(*(other for other in groups if other & group))]
    return groups
