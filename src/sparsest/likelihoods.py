"""A table with a likelihood for every column: what models other than the linear Gaussian are learned from.

The Gaussian model needs mean and covariance only. The others need the rows: "logistic" (all columns binary),
"poisson" (all counts), "additive" (splines of the parents plus Gaussian noise) and "mixed", where the kind of
a column decides: numbers are Gaussian, two values logistic, counts Poisson, categories softmax.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError, OptionError
from sparsest.data import Table
from sparsest.data.columns.kinds import Kind
from sparsest.data.columns.numbers import numbers_spelled, real_word
from sparsest.scores.bases import Linear
from sparsest.scores.families import Column, Family, column
from sparsest.scores.no_intercept import OriginScore
from sparsest.scores.regression import MixedScore
from sparsest.scores.spline import DEGREES

Array = NDArray[np.float64]

#: Models that are learned from rows, not from moments.
ROW_MODELS = ("logistic", "poisson", "additive", "mixed")

_FEWEST_ROWS = 10  # in fewer rows two different values say nothing about the kind of a column
_MOST_LEVELS = 20
_FAMILIES = {
    Kind.CONTINUOUS: Family.GAUSSIAN,
    Kind.ORDINAL: Family.GAUSSIAN,
    Kind.BINARY: Family.BERNOULLI,
    Kind.COUNT: Family.POISSON,
    Kind.CATEGORICAL: Family.MULTINOMIAL,
}


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows, and for each column its likelihood. `why` says how the model came to be chosen."""

    model: str
    why: str
    names: tuple[str, ...]
    values: Array
    weights: Array | None
    columns: tuple[Column, ...]
    levels: tuple[tuple[str, ...] | None, ...]
    degrees: int = 0  # of freedom of a spline; 0 where parents enter linearly
    intercept: bool = True

    @property
    def n(self) -> float:
        """The number of rows; (Σw)²/Σw² of weighted ones (Kish 1965)."""
        if self.weights is None:
            return len(self.values)
        return float(self.weights.sum() ** 2 / (self.weights**2).sum())

    @property
    def p(self) -> int:
        """The number of columns."""
        return len(self.names)

    def score(self) -> MixedScore | OriginScore:
        """The local scores of these rows."""
        kind = MixedScore if self.intercept else OriginScore
        return kind(self.columns, self.values, self.weights)

    @property
    def has_units(self) -> NDArray[np.bool_]:
        """(p,): which columns may come in other units. Binary ones, counts and categories may not."""
        return np.array([each.family is Family.GAUSSIAN for each in self.columns])

    def rearranged(self, order: NDArray[np.intp], units: Array) -> Rows:
        """The table with its columns in other places and units: the k-th is `order[k]` times `units[k]`."""
        old, values = [self.columns[k] for k in order], self.values[:, order] * units
        shares = _shares(len(values), self.weights)
        columns = tuple(
            column(each.name, values[:, j], each.family, shares, self.degrees) for j, each in enumerate(old)
        )
        rows = replace(
            self,
            names=tuple(each.name for each in old),
            values=values,
            columns=columns,
            levels=tuple(self.levels[k] for k in order),
        )
        return rows if self.intercept else replace(rows.without_intercept(), why=self.why)

    def without_intercept(self) -> Rows:
        """The rows of a logistic or Poisson model whose predictors are 0 where all parents are 0."""
        columns = []
        for each in self.columns:
            assert isinstance(each.basis, Linear)  # these models have no other
            columns.append(replace(each, basis=Linear(0.0, each.basis.scale)))
        why = f"{self.why}, without intercepts"
        return replace(self, why=why, columns=tuple(columns), intercept=False)


def chosen_model(model: str, table: Table) -> tuple[str, str]:
    """The model's name, and why: "auto" goes by the kinds of the columns."""
    if model != "auto":
        return model, "as asked"
    kinds = [kind if kind is not Kind.ORDINAL else Kind.CONTINUOUS for kind in table.kinds]
    if len(table.values) < _FEWEST_ROWS or set(kinds) == {Kind.CONTINUOUS}:
        return "gaussian", "all columns are continuous"
    if set(kinds) == {Kind.BINARY}:
        return "logistic", "all columns are binary"
    counts = [(kinds.count(kind), kind) for kind in Kind if kind in kinds]
    return "mixed", "the columns are of several kinds: " + ", ".join(
        f"{count} {kind}" for count, kind in counts
    )


def rows_of(model: str, table: Table, why: str = "as asked", degrees: int = DEGREES) -> Rows:
    """The rows of a table under one of `ROW_MODELS`, or the error that names the column that does not fit."""
    if model not in ROW_MODELS:
        raise OptionError(f"model {model!r} is not learned from rows: use one of {', '.join(ROW_MODELS)}")
    values, weights = table.values, table.weights
    if weights is not None:
        values, weights = values[weights > 0], weights[weights > 0]
    levels = table.levels
    if model == "poisson":
        values, levels = _counts(table.names, values, levels), (None,) * len(levels)
    shares, spline = _shares(len(values), weights), degrees if model == "additive" else 0
    found = []
    for j, name in enumerate(table.names):
        family = _family(model, table.kinds[j], name)
        _check(model, family, name, values[:, j], levels[j])
        found.append(column(name, values[:, j], family, shares, spline))
    return Rows(model, why, table.names, values, weights, tuple(found), levels, spline)


def _counts(names: Sequence[str], values: Array, levels: Sequence[Sequence[str] | None]) -> Array:
    """The numbers themselves where a column of two of them was coded 0 and 1."""
    counts = values.copy()
    for j, words in enumerate(levels):
        if words is not None:
            if word := real_word(words):
                raise DataError(
                    f"model 'poisson' needs counts, and column {names[j]!r} holds words, such as {word!r}: "
                    "use model='mixed', which takes all kinds, or leave it out with columns=[...]"
                )
            counts[:, j] = np.array(numbers_spelled(words))[values[:, j].astype(int)]
    return counts


def _shares(n: int, weights: Array | None) -> Array:
    """The weights of the rows, adding up to 1."""
    shares: Array = np.full(n, 1 / n) if weights is None else weights / weights.sum()
    return shares


def _family(model: str, kind: Kind, name: str) -> Family:
    if model == "logistic":
        return Family.BERNOULLI
    if model == "poisson":
        return Family.POISSON
    if model == "additive":
        if kind is Kind.CATEGORICAL:
            raise DataError(
                f"model 'additive' needs numbers, and column {name!r} holds categories: leave it out with "
                "columns=[...], or use model='mixed'"
            )
        return Family.GAUSSIAN
    if kind not in _FAMILIES:
        raise DataError(
            f"model {model!r} has no likelihood for column {name!r}, which looks like "
            f"{'an' if kind is Kind.IDENTIFIER else 'a'} {kind}: leave it out with columns=[...], or say "
            f"what it is, for example kinds={{{name!r}: 'continuous'}}"
        )
    return _FAMILIES[kind]


def _check(model: str, family: Family, name: str, values: Array, levels: Sequence[str] | None) -> None:
    """Refuse values that the likelihood cannot have."""
    different = np.unique(values)
    if len(different) == 1:
        raise DataError(
            f"model {model!r}: column {name!r} has only one value ({different[0]:.6g}), so nothing can be "
            "learned about it: leave it out with drop_constant=True"
        )
    if family is Family.BERNOULLI and not np.isin(different, (0, 1)).all():
        odd = different[~np.isin(different, (0, 1))][0]
        raise DataError(
            f"model {model!r} needs columns of two values, coded 0 and 1, and column {name!r} also has "
            f"{odd:.6g}: use model='mixed', which takes all kinds, or leave it out with columns=[...]"
        )
    if family is Family.POISSON and ((values < 0) | (values != np.floor(values))).any():
        row = int(np.flatnonzero((values < 0) | (values != np.floor(values)))[0])
        raise DataError(
            f"model {model!r} needs counts, whole numbers from 0 on, and column {name!r} has "
            f"{values[row]:.6g} in row {row} (counting from 0): use model='mixed' with "
            f"kinds={{{name!r}: 'continuous'}}, or leave it out"
        )
    if family is Family.MULTINOMIAL:
        _check_levels(model, name, values, levels)


def _check_levels(model: str, name: str, values: Array, levels: Sequence[str] | None) -> None:
    counts = np.bincount(values.astype(int))
    if len(counts) > _MOST_LEVELS:
        raise DataError(
            f"model {model!r}: column {name!r} has {len(counts)} different categories, and {_MOST_LEVELS} "
            "are the most: merge rare ones, or leave it out with columns=[...]"
        )
    if counts.min() < 2:
        level = int(np.argmin(counts))
        word = level if levels is None else levels[level]
        times = "only in one row" if counts[level] else "in no row that counts"
        raise DataError(
            f"model {model!r}: the category {word!r} of column {name!r} occurs {times}, too few to fit its "
            "probability: merge it with another category, or leave out those rows"
        )
