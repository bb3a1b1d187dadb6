"""Linear relations that hold up to measurement precision: sums, differences and copies of rounded columns.

A column that is a combination of others up to rounding has no noise of its own, and its likelihood knows no
bound: an edge into it pays whatever it costs. So such relations are found first, said, and taken out. What
counts as precision is the rounding of the data themselves: a column recorded in steps of u carries an error
of variance u²/12, and a relation Σ β_k x_k = x_j holds up to measurement precision if what it leaves of the
variance of x_j is no more than 4 (u_j² + Σ β_k² u_k²) / 12, and no more than one thousandth of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsest._core.linalg import sensible_threads
from sparsest.data.moments.collinear import Relation

Array = NDArray[np.float64]

_ERRORS = 4.0  # times the variance of rounding
_NEARLY_ALL = 1e-3  # of the variance may be left, whatever the rounding
_EXACT = 1e-10  # of the variance may be left without any rounding
_DIGITS = 12  # decimals: finer steps are those of floating-point numbers
_WHOLE = 1e13
_HEAD = 16  # values that are looked at first
_MOST_COLUMNS = 400  # tables with more are searched for exact relations only, by the audit
_ROWS_PER_TERM = 2  # fewer rows fit anything
_VANISHED = 5e-3  # of the largest coefficient: what is left of one that cancels
_DOUBT = 4.0  # times what rounding allows: columns of which more is left are not looked at closely
_IDLE = 3.0  # times what rounding allows: a term that explains less is not part of a relation


def step_of(column: Array) -> float:
    """The step in which a column was recorded: the largest power of ten up to 1 that divides all values."""
    known = column[np.isfinite(column)]
    if not known.size:
        return 0.0
    for digits in range(_DIGITS):
        if not _are_whole(known[:_HEAD] * 10.0**digits):  # most columns need no more to be ruled out
            continue
        scaled = known * 10.0**digits
        if np.abs(scaled).max() > _WHOLE:  # nearly every number is whole there
            return 0.0
        if _are_whole(scaled):
            return float(10.0**-digits)
    return 0.0


def _are_whole(scaled: Array) -> bool:
    return bool((np.abs(scaled - np.rint(scaled)) <= 8 * np.finfo(float).eps * np.abs(scaled)).all())


def rounded_relations(values: Array) -> list[Relation]:
    """Columns that are combinations of others up to the rounding of the data, each with its terms.

    Columns are taken one by one into a set of independent ones, the one first of which most is left; a column
    of which no more is left than rounding explains is a combination of those in the set. Combinations of
    these relations that have fewer terms take their place, and of each relation the column is named that is a
    sum of the others, if one is.
    """
    complete = values[np.isfinite(values).all(axis=1)]
    n, p = complete.shape
    if p < 2 or p > _MOST_COLUMNS or n < _ROWS_PER_TERM * 2:
        return []
    with np.errstate(over="ignore", invalid="ignore"):
        units = np.maximum(np.abs(complete).max(axis=0), 1e-300)  # numbers beyond squaring, too
    complete = complete / units
    centred = complete - complete.mean(axis=0)
    scales = np.sqrt((centred**2).mean(axis=0))
    if not (scales > 0).all():
        return []
    errors = (np.array([step_of(column) for column in values.T]) / units / scales) ** 2 / 12
    scaled = centred / scales
    with sensible_threads(p):
        table = _Rounded(scaled.T @ scaled / n, scales * units, errors, n)
        found = table.sparser(table.independent())
        return table.solved(found, table.heads(found))


@dataclass(frozen=True, eq=False)
class _Rounded:
    """Correlations, and the share of each column's variance that its rounding makes up."""

    correlation: Array
    scales: Array
    errors: Array
    n: int

    def independent(self) -> list[Array]:
        """One relation for each column that is a combination of those in a set of independent columns.

        A relation is a vector of coefficients, per standard deviation, that sum to nothing.
        """
        p = len(self.scales)
        chosen: list[int] = []
        factor, left = np.zeros((p, p)), np.ones(p)
        rest, found = set(range(p)), []
        while rest:
            for j in self._likely(sorted(j for j in rest if left[j] <= _NEARLY_ALL), chosen, factor, left):
                vector = self.relation(j, chosen)
                if vector is not None:
                    found.append(vector)
                    rest.discard(j)
            if not rest or len(chosen) >= self.n // _ROWS_PER_TERM:
                break
            most = max(rest, key=lambda j: (round(float(left[j]), 12), -j))
            k = len(chosen)
            row = self.correlation[most] - factor[:k].T @ factor[:k, most]
            factor[k] = row / np.sqrt(max(row[most], 1e-300))
            left = np.maximum(left - factor[k] ** 2, 0.0)
            chosen.append(most)
            rest.discard(most)
        return found

    def _likely(self, columns: list[int], chosen: list[int], factor: Array, left: Array) -> list[int]:
        """Those of some columns that may follow from the chosen ones: a quick look by the factor of these."""
        from scipy.linalg.lapack import dtrtrs

        k = len(chosen)
        if not columns or k == 0:
            return []
        slopes, failed = dtrtrs(factor[:k, chosen], factor[:k, columns])
        if failed:
            return columns
        allowed = _ERRORS * (self.errors[columns] + self.errors[chosen] @ slopes**2) + _EXACT
        likely = left[columns] <= _DOUBT * allowed
        return [j for j, so in zip(columns, likely, strict=True) if so]

    def relation(self, j: int, others: list[int]) -> Array | None:
        """How a column follows from others, if it does up to measurement precision; without idle terms."""
        if not others or self.n < _ROWS_PER_TERM * (len(others) + 1):
            return None
        inverse = np.linalg.pinv(self.correlation[np.ix_(others, others)], rcond=1e-13, hermitian=True)
        slopes = inverse @ self.correlation[others, j]
        left = max(1.0 - float(slopes @ self.correlation[others, j]), 0.0)
        allowed = _ERRORS * (self.errors[j] + float(slopes**2 @ self.errors[others])) + _EXACT
        left *= self.n / (self.n - len(others))
        if left > min(allowed, _NEARLY_ALL):
            return None
        vector = np.zeros(len(self.scales))
        vector[j] = -1.0
        needed = slopes**2 / np.maximum(np.diag(inverse), 1e-300) > _IDLE * allowed
        if not needed.any():
            return None
        vector[np.array(others)[needed]] = slopes[needed]
        return vector

    def sparser(self, found: list[Array]) -> list[Array]:
        """Relations of the same columns with as few terms as combining them in pairs can reach."""
        found, better = list(found), True
        while better:
            better = False
            for a in range(len(found)):
                for b in range(len(found)):
                    shorter = None if a == b else self._combined(found[a], found[b])
                    if shorter is not None:
                        found[a], better = shorter, True
        return found

    def _combined(self, one: Array, other: Array) -> Array | None:
        """The first relation less a multiple of the second, if it is simpler then."""
        for c in np.flatnonzero((one != 0) & (other != 0)):
            mixed = one - one[c] / other[c] * other
            support = np.flatnonzero(np.abs(mixed) > _VANISHED * np.abs(mixed).max())
            head = int(support[np.argmax(np.abs(mixed[support]))]) if support.size > 1 else -1
            others = [int(k) for k in support if k != head]
            vector = None if self._dependent(others) else self.relation(head, others)
            if vector is not None and self._length(vector) < self._length(one):
                return vector
        return None

    def _dependent(self, columns: list[int]) -> bool:
        """Whether some columns follow from each other, so that coefficients of theirs mean nothing."""
        return any(self.relation(k, [other for other in columns if other != k]) is not None for k in columns)

    def _length(self, vector: Array) -> tuple[int, bool]:
        """How many columns a relation has; of two with as many, a sum is the simpler one."""
        return int(np.count_nonzero(vector)), not self._is_sum(vector, self._candidates(vector)[0])

    def heads(self, found: list[Array]) -> dict[int, int]:
        """The column that each relation is solved for: without these columns no relation is left."""
        order = sorted(range(len(found)), key=lambda a: self._length(found[a])[::-1])
        chosen: dict[int, int] = {}
        for a in order:
            for head in self._candidates(found[a]):
                trial = np.array([found[b] for b in [*chosen, a]])[:, [*chosen.values(), head]]
                if head not in chosen.values() and abs(np.linalg.det(trial / np.abs(trial).max())) > 1e-9:
                    chosen[a] = head
                    break
        return chosen

    def _candidates(self, vector: Array) -> list[int]:
        """The columns of a relation: sums of the others first, then those of larger spread."""
        columns = [int(k) for k in np.flatnonzero(vector)]
        by_spread = sorted(columns, key=lambda k: (-round(abs(float(vector[k])), 6), -k))
        return sorted(by_spread, key=lambda k: not self._is_sum(vector, k))

    def _is_sum(self, vector: Array, head: int) -> bool:
        """Whether a relation makes a column a sum of the others, all with positive coefficients."""
        signs = -np.sign(vector) * np.sign(vector[head])
        return bool((np.delete(signs, head) >= 0).all())

    def solved(self, found: list[Array], chosen: dict[int, int]) -> list[Relation]:
        """Each head in terms of the columns that are no heads, in the table's units."""
        if not chosen:
            return []
        stacked, heads = np.array([found[a] for a in chosen]), list(chosen.values())
        others = np.setdiff1d(np.arange(len(self.scales)), heads)
        slopes = -np.linalg.solve(stacked[:, heads], stacked[:, others])
        relations = []
        for head, row in zip(heads, slopes, strict=True):
            terms = others[np.abs(row) > _VANISHED * np.abs(row).max()]
            vector = self.relation(head, [int(k) for k in terms])
            in_units = (row if vector is None else vector[others]) * self.scales[head] / self.scales[others]
            parts = [(int(k), float(c)) for k, c in zip(others, in_units, strict=True) if c and k in terms]
            relations.append(Relation(head, tuple(k for k, _ in parts), tuple(c for _, c in parts)))
        return sorted(relations, key=lambda each: each.column)
