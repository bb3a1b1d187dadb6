"""Missing values of tables that are not Gaussian: filled in several times by chained equations.

Each column with gaps is regressed on the others, in turn and again and again, and its gaps are drawn from
that regression (van Buuren & Groothuis-Oudshoorn, 2011): numbers as the prediction plus a residual of a known
row, counts and ordered words as the value of a known row with a similar prediction, categories by their
probabilities. A few completed copies are taken from the chain, and the likelihood of a model is averaged over
them, as in a Monte Carlo version of EM. That is valid if whether a value is missing depends only on the
values that are observed.

The draws depend on the ranks of the values of a row and on nothing else: neither on the order of rows and
columns, nor on names or units.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError
from sparsest.data import Kind, Table
from sparsest.data.moments.from_table import rows_that_count

Array = NDArray[np.float64]
Words = NDArray[np.uint64]

COPIES = 5
_COPIES_PER_SHARE = 50  # so that 2 % missing need one copy, and 10 % all of them
_BURN_IN, _BETWEEN = 5, 2  # sweeps over the columns before the first copy, and between copies
_MOST_PREDICTORS = 25  # columns: of more, those that correlate most with the column
_DONORS = 5
_RIDGE = 1e-3  # on features of unit variance
_NEWTON_STEPS, _LONGEST, _SHORTEST, _LARGEST = 30, 2.0, 1e-9, 30.0
_PRODUCTS = 300_000_000  # of features in one regression, or step of one: larger ones see fewer rows
_FEWEST_SEEN = 2000
_MOST_NUMBERS = 4_000_000  # of all copies together: fewer copies of larger tables
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Completed:
    """A table with gaps, copies of its values with the gaps filled in, and the rows that it counts as."""

    table: Table
    copies: Array  #: (copies, n, p)
    n: float

    @property
    def stacked(self) -> Table:
        """All copies one below the other, with weights by which they count as one table."""
        count, rows, p = self.copies.shape
        weights = np.ones(rows) if self.table.weights is None else self.table.weights
        return replace(
            self.table, values=self.copies.reshape(count * rows, p), weights=np.tile(weights / count, count)
        )

    @property
    def notice(self) -> str:
        """What was done."""
        gaps = np.isnan(self.table.values)
        times = "once" if len(self.copies) == 1 else f"{len(self.copies)} times"
        return (
            f"{int(gaps.sum())} of {gaps.size} values ({gaps.mean():.1%}) are missing: they were filled in "
            f"{times} by chained equations, and the answer counts as one from {self.n:.0f} complete rows"
        )

    def resampled(self, rows: NDArray[np.intp], table: Table) -> Completed:
        """The same copies of other rows, which are those of `table`."""
        return Completed(table, self.copies[:, rows], rows_that_count(table))


def completed(table: Table, seed: int, copies: int | None = None) -> Completed:
    """Copies of a table with its gaps filled in."""
    values = table.values
    needed = int(np.ceil(np.isnan(values).mean() * _COPIES_PER_SHARE))
    count = copies or max(1, min(COPIES, needed, _MOST_NUMBERS // values.size))
    chain = _Chain(table, seed)
    found = []
    for k in range(count):
        chain.sweep(_BURN_IN if k == 0 else _BETWEEN)
        found.append(chain.values.copy())
    return Completed(table, np.stack(found), rows_that_count(table))


class _Chain:
    """The values of a table with gaps, filled in again and again."""

    def __init__(self, table: Table, seed: int) -> None:
        self.gaps = np.isnan(table.values)
        self._weights = np.ones(len(table.values)) if table.weights is None else table.weights
        self._kinds = table.kinds
        self._levels = [
            _levels(kind, column) for kind, column in zip(table.kinds, table.values.T, strict=True)
        ]
        ranks = np.column_stack([_ranks(column) for column in table.values.T])
        self._columns = _words_of_columns(ranks, seed)
        rows = _mixed(ranks ^ self._columns).sum(axis=1, dtype=np.uint64)
        self._rows = _mixed(rows + _GOLDEN * _occurrence(rows))
        self._steps = 0
        self.values = table.values.copy()
        lacking = self.gaps.sum(axis=0)
        self._order = [j for j in np.lexsort((self._columns, lacking)) if lacking[j]]
        for j in self._order:
            known = np.sort(table.values[~self.gaps[:, j], j])
            if not known.size:
                raise DataError(f"column {table.names[j]!r} has no values at all: leave it out")
            places = (self._uniform(j) * len(known)).astype(np.intp)
            self.values[self.gaps[:, j], j] = known[places]
        self._near = self._predictors()

    def sweep(self, times: int) -> None:
        """Draw the gaps of each column given the others."""
        for _ in range(times):
            for j in self._order:
                self._steps += 1
                self.values[self.gaps[:, j], j] = self._drawn(int(j))

    def _predictors(self) -> list[NDArray[np.intp]]:
        """For each column the others that predict it, those with the strongest correlations if many."""
        p = self.values.shape[1]
        if p <= _MOST_PREDICTORS + 1:
            return [np.delete(np.arange(p), j) for j in range(p)]
        with np.errstate(invalid="ignore"):
            size = np.nan_to_num(np.abs(np.corrcoef(self.values, rowvar=False)))
        np.fill_diagonal(size, -1.0)
        return [np.sort(np.argsort(-row, kind="stable")[:_MOST_PREDICTORS]) for row in size]

    def _drawn(self, j: int) -> Array:
        gaps = self.gaps[:, j]
        rows = np.column_stack([np.ones(len(gaps)), *(self._features(int(k)) for k in self._near[j])])
        known, weights = rows[~gaps], self._weights[~gaps] / self._weights[~gaps].sum()
        if self._levels[j]:
            return self._category(j, known, weights, rows[gaps])
        given, seen = self.values[~gaps, j], self._seen(j, rows.shape[1])
        slopes = _ridge(known[seen], weights[seen] / weights[seen].sum(), given[seen])
        fitted, expected = known @ slopes, rows[gaps] @ slopes
        if self._kinds[j] is Kind.CONTINUOUS:
            residuals = np.sort(given - fitted)
            at = (self._uniform(j) * len(residuals)).astype(np.intp)
            drawn: Array = expected + residuals[at]
            return drawn
        return self._donated(j, fitted, given, expected)

    def _features(self, k: int) -> Array:
        column = self.values[:, k]
        if self._levels[k] > 2:
            return np.equal(column[:, None], np.arange(1, self._levels[k])).astype(np.float64)
        spread = column.std()
        scaled: Array = (column - column.mean()) / (spread if spread > 0 else 1.0)
        return scaled[:, None]

    def _donated(self, j: int, fitted: Array, given: Array, expected: Array) -> Array:
        """Values of known rows with similar predictions."""
        fitted, expected = _without_rounding(fitted), _without_rounding(expected)
        order = np.lexsort((given, fitted))
        last = max(len(order) - _DONORS, 0)
        first = np.clip(np.searchsorted(fitted[order], expected) - _DONORS // 2, 0, last)
        step = (self._uniform(j) * min(_DONORS, len(order))).astype(np.intp)
        donated: Array = given[order[first + step]]
        return donated

    def _category(self, j: int, known: Array, weights: Array, rows: Array) -> Array:
        """Levels by their probabilities."""
        levels = self._levels[j]
        shown = np.equal(self.values[~self.gaps[:, j], j][:, None], np.arange(1, levels))
        seen = self._seen(j, known.shape[1] * shown.shape[1])
        beta = _softmax(known[seen], weights[seen] / weights[seen].sum(), shown[seen].astype(np.float64))
        eta = np.column_stack([np.zeros(len(rows)), rows @ beta])
        powers = np.exp(eta - eta.max(axis=1, keepdims=True))
        below = np.cumsum(powers / powers.sum(axis=1, keepdims=True), axis=1)[:, :-1]
        drawn: Array = (self._uniform(j)[:, None] > below).sum(axis=1).astype(np.float64)
        return drawn

    def _seen(self, j: int, parameters: int) -> slice | NDArray[np.intp]:
        """The known rows that a regression of so many parameters is fitted on: of many, a random choice."""
        words = self._rows[~self.gaps[:, j]]
        most = max(_FEWEST_SEEN, _PRODUCTS // parameters**2)
        if len(words) <= most:
            return slice(None)
        return np.sort(np.argpartition(words, most)[:most])

    def _uniform(self, j: int) -> Array:
        """A number between 0 and 1 for each gap of a column, a new one at each step."""
        step = self._columns[j : j + 1] + np.array([self._steps], dtype=np.uint64) * _GOLDEN
        bits = _mixed(self._rows[self.gaps[:, j]] ^ _mixed(step))
        numbers: Array = (bits >> np.uint64(11)).astype(np.float64) / 2.0**53
        return numbers


def _levels(kind: Kind, column: Array) -> int:
    """How many levels a column of categories has; 0 for numbers."""
    return int(np.nanmax(column)) + 1 if kind in (Kind.BINARY, Kind.CATEGORICAL) else 0


def _ridge(rows: Array, weights: Array, given: Array) -> Array:
    weighted = rows * weights[:, None]
    spread = float(weights @ (given - weights @ given) ** 2)
    penalty = np.full(rows.shape[1], _RIDGE)
    penalty[0] = 0.0
    if spread == 0:
        return np.append(weights @ given, np.zeros(rows.shape[1] - 1))
    solved = np.linalg.solve(rows.T @ weighted + np.diag(penalty), weighted.T @ given)
    return np.asarray(solved, dtype=np.float64)


def _softmax(rows: Array, weights: Array, shown: Array) -> Array:
    """(k, outputs): a softmax regression by Newton's method, down to rounding.

    The scores' regressions stop earlier and look at some of the rows first: draws would then depend on the
    order of the rows.
    """
    k, outputs = rows.shape[1], shown.shape[1]
    beta = np.zeros((k, outputs))
    for _ in range(_NEWTON_STEPS):
        powers = np.exp(np.clip(rows @ beta, -_LARGEST, _LARGEST))
        mean = powers / (1 + powers.sum(axis=1, keepdims=True))
        slope = rows.T @ (weights[:, None] * (mean - shown)) + _RIDGE * beta
        curvature = np.empty((outputs, k, outputs, k))
        for one in range(outputs):
            for other in range(outputs):
                spread = weights * mean[:, one] * ((one == other) - mean[:, other])
                curvature[one, :, other] = rows.T @ (spread[:, None] * rows)
        hessian = curvature.reshape(outputs * k, -1) + _RIDGE * np.eye(outputs * k)
        step = np.linalg.solve(hessian, slope.T.reshape(-1)).reshape(outputs, k).T
        beta -= step * min(1.0, _LONGEST / max(np.abs(step).max(), 1e-300))
        if np.abs(step).max() < _SHORTEST:
            break
    return beta


def _without_rounding(numbers: Array) -> Array:
    """Numbers to 10 digits, so that rows with equal predictors are equal whatever the order of the sums."""
    scale = float(np.abs(numbers).max(initial=0.0))
    return np.asarray(np.round(numbers / scale, 10) if scale > 0 else numbers, dtype=np.float64)


def _words_of_columns(ranks: Words, seed: int) -> Words:
    """A word for each column, from how its ranks go with those of the others.

    The ranks of one column alone will not do: two columns without ties and with as many gaps have the same.
    """
    rows = _mixed(ranks).sum(axis=1, dtype=np.uint64)[:, None]
    return _mixed(_mixed(ranks ^ _mixed(rows)).sum(axis=0, dtype=np.uint64) + np.uint64(seed))


def _ranks(column: Array) -> Words:
    """Mixed ranks of the values, 0 where one is missing."""
    known = ~np.isnan(column)
    _, place = np.unique(column[known], return_inverse=True)
    ranks = np.zeros(len(column), dtype=np.uint64)
    ranks[known] = _mixed(place.astype(np.uint64) + np.uint64(1))
    return ranks


def _occurrence(rows: Words) -> Words:
    """The how-manieth of its kind each row is: equal rows shall not get equal draws."""
    order = np.argsort(rows, kind="stable")
    new = np.concatenate([[True], rows[order][1:] != rows[order][:-1]])
    starts = np.maximum.accumulate(np.where(new, np.arange(len(rows)), 0))
    found = np.empty(len(rows), dtype=np.uint64)
    found[order] = (np.arange(len(rows)) - starts).astype(np.uint64)
    return found


def _mixed(bits: Words) -> Words:
    """Steele, Lea & Flood's mixer (SplitMix64): near numbers become unrelated ones."""
    with np.errstate(over="ignore"):
        bits = bits + _GOLDEN
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(bits ^ (bits >> np.uint64(31)))
