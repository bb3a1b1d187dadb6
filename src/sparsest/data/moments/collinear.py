"""Which columns are linear combinations of one another, and how."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsest.data.moments.moments import Moments

TOLERANCE = 1e-10
"""A column is dependent when the others leave at most this share of its variance unexplained."""


@dataclass(frozen=True)
class Relation:
    """`column` is Σ coefficients · parts + a constant, up to rounding; coefficients in the table's units."""

    column: int
    parts: tuple[int, ...]
    coefficients: tuple[float, ...]

    @property
    def members(self) -> set[int]:
        """Positions of all columns in the relation."""
        return {self.column, *self.parts}


def collinear(moments: Moments, tolerance: float = TOLERANCE) -> list[tuple[str, ...]]:
    """Groups of columns that are (nearly) exactly linearly dependent, named in the order of the table.

    Duplicates, changes of units and sums (total = a + b) are found together with the columns they consist
    of; groups that share a column are one group. With no more rows than columns everything depends on
    everything, and that is what comes back.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.data import Moments, collinear
    >>> x = np.random.default_rng(0).normal(size=(50, 3))
    >>> table = np.column_stack([x, x[:, 0] + x[:, 1]])
    >>> collinear(Moments.from_array(table, names=["a", "b", "c", "total"]))
    [('a', 'b', 'total')]
    """
    found = connected(relations(moments, tolerance))
    return [
        tuple(moments.names[j] for j in sorted(set().union(*(r.members for r in group)))) for group in found
    ]


def relations(moments: Moments, tolerance: float = TOLERANCE) -> list[Relation]:
    """The linear dependencies, one for each column that a largest independent set leaves out.

    A Cholesky factor with pivots of the correlation matrix picks a largest independent set of columns; the
    rest are then combinations of it. A column of the set belongs to a combination if leaving it out would
    lift the unexplained share of the variance above the tolerance.
    """
    correlation = moments.correlation()
    order, rank = independent(correlation, tolerance)
    basis, rest = order[:rank], order[rank:]
    if rest.size == 0:
        return []
    precision = np.linalg.inv(correlation[np.ix_(basis, basis)])
    coefficients = precision @ correlation[np.ix_(basis, rest)]
    members = coefficients**2 / np.diag(precision)[:, None] > tolerance
    scales = np.sqrt(np.diag(moments.covariance))
    return [
        _solved_for_the_largest(int(j), basis[inside], slopes[inside], scales)
        for j, inside, slopes in zip(rest, members.T, coefficients.T, strict=True)
    ]


def independent(
    correlation: NDArray[np.float64], tolerance: float = TOLERANCE
) -> tuple[NDArray[np.intp], int]:
    """The columns in the order in which each adds most to those before it, and how many are independent."""
    from scipy.linalg.lapack import dpstrf

    _, pivots, rank, _ = dpstrf(correlation, tol=tolerance)
    return pivots.astype(np.intp) - 1, int(rank)


def connected(found: list[Relation]) -> list[list[Relation]]:
    """The relations, those that share columns, directly or through others, together; in the table's order."""
    groups: list[tuple[set[int], list[Relation]]] = []
    for relation in found:
        near = [group for group in groups if group[0] & relation.members]
        groups = [group for group in groups if not group[0] & relation.members]
        columns = relation.members.union(*(columns for columns, _ in near))
        groups.append((columns, [*(each for _, several in near for each in several), relation]))
    return [several for columns, several in sorted(groups, key=lambda group: min(group[0]))]


def _solved_for_the_largest(
    column: int, parts: NDArray[np.intp], slopes: NDArray[np.float64], scales: NDArray[np.float64]
) -> Relation:
    """The relation solved for the column with the largest coefficient in standard deviations.

    `total = a + b` then reads so, and not `b = total − a`, whichever of the three the pivots left out.
    """
    columns = np.append(parts, column)
    null = np.append(slopes, -1.0)
    k = int(np.argmax(np.abs(null) > np.abs(null).max() * (1 - 1e-6)))
    others = np.delete(np.arange(len(columns)), k)
    others = others[np.argsort(columns[others])]
    head = int(columns[k])
    in_units = -null[others] / null[k] * scales[head] / scales[columns[others]]
    return Relation(head, tuple(map(int, columns[others])), tuple(map(float, in_units)))
