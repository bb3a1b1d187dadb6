"""Other scales for columns with heavy tails or skew: logarithms, and normal scores of ranks.

`transform="auto"` looks at how straight the normal plot of a column is: the correlation of its values with
the normal scores of their ranks (Filliben, 1975). A column of numbers stays as it is where that is at least
0.95. Otherwise its logarithm is taken if it has no negative values and that makes the plot straight, and
normal scores if not. Columns with fewer than ten different values stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError, OptionError
from sparsest._core.words import quoted
from sparsest.data.columns.kinds import Kind
from sparsest.data.columns.table import Table

Array = NDArray[np.float64]

TRANSFORMS = ("auto", "log", "rank")
_STRAIGHT = 0.95  # correlation of values and normal scores; samples of 20 Gaussian values rarely have less
_FEWEST = 10  # different values: of fewer, no scale makes a bell
_POINTS = 512  # of a transformation by ranks that are kept


@dataclass(frozen=True)
class Logarithm:
    """log(x + shift): the shift is half the smallest positive value where there are zeros, otherwise 0."""

    shift: float = 0.0
    name = "log"

    @classmethod
    def of(cls, column: Array, name: str, weights: Array | None = None) -> Logarithm:  # noqa: ARG003
        """The logarithm for a column; refused if it has negative values."""
        known = column[~np.isnan(column)]
        if known.size and known.min() < 0:
            raise DataError(
                f"column {name!r} has negative values, such as {known.min():g}, so its logarithm cannot be "
                f"taken: pass transform={{{name!r}: 'rank'}}, or leave it as it is"
            )
        positive = known[known > 0]
        if not positive.size:
            raise DataError(f"column {name!r} has no positive values, so its logarithm cannot be taken")
        half = max(float(positive.min()) / 2, float(np.finfo(np.float64).tiny))  # half of the least is 0
        return cls(half if (known == 0).any() else 0.0)

    def forward(self, column: Array) -> Array:
        """From the user's units; NaN for values that have no logarithm."""
        shifted = np.asarray(column, dtype=np.float64) + self.shift
        return np.log(shifted, out=np.full(shifted.shape, np.nan), where=shifted > 0)

    def backward(self, column: Array) -> Array:
        """To the user's units; nothing is below zero."""
        return np.maximum(np.exp(np.minimum(column, 700.0)) - self.shift, 0.0)

    def log_slope(self, column: Array) -> Array:
        """The logarithm of the derivative, for densities in the user's units."""
        return -self.forward(column)

    def words(self, name: str) -> str:
        """The transformed column in words."""
        return f"log({name} + {self.shift:g})" if self.shift else f"log({name})"

    def state(self) -> dict[str, Any]:
        """Plain values."""
        return {"name": self.name, "shift": self.shift}


@dataclass(frozen=True)
class Scores:
    """Normal scores of ranks: increasing, linear between at most 512 values, constant beyond the ends."""

    values: tuple[float, ...]
    scores: tuple[float, ...]
    name = "rank"

    @classmethod
    def of(cls, column: Array, name: str, weights: Array | None = None) -> Scores:  # noqa: ARG003
        """The normal scores of a column."""
        scored = normal_scores(column, weights)
        known = ~np.isnan(column)
        values, first = np.unique(column[known], return_index=True)
        kept = np.unique(np.linspace(0, len(values) - 1, _POINTS).round().astype(int))
        return cls(tuple(values[kept].tolist()), tuple(scored[known][first][kept].tolist()))

    def forward(self, column: Array) -> Array:
        """From the user's units."""
        found = np.interp(column, self.values, self.scores)
        return np.where(np.isnan(column), np.nan, found)

    def backward(self, column: Array) -> Array:
        """To the user's units."""
        return np.interp(column, self.scores, self.values)

    def log_slope(self, column: Array) -> Array:
        """0: ranks have no density in the user's units."""
        return np.zeros(np.shape(column))

    def words(self, name: str) -> str:
        """The transformed column in words."""
        return f"the normal score of {name}"

    def state(self) -> dict[str, Any]:
        """Plain values."""
        return {"name": self.name, "values": list(self.values), "scores": list(self.scores)}


Transform = Logarithm | Scores


def transform_from(state: Mapping[str, Any] | None) -> Transform | None:
    """The transform that `state` was taken from."""
    if state is None:
        return None
    if state["name"] == Logarithm.name:
        return Logarithm(float(state["shift"]))
    return Scores(tuple(map(float, state["values"])), tuple(map(float, state["scores"])))


def normal_scores(column: Array, weights: Array | None = None) -> Array:
    """Φ⁻¹ of the share of rows below each value plus half the share equal to it; NaN stays NaN."""
    from scipy.special import ndtri

    known = ~np.isnan(column)
    share = np.ones(known.sum()) if weights is None else weights[known]
    _, place = np.unique(column[known], return_inverse=True)
    equal = np.bincount(place, share)
    below = np.cumsum(equal) - equal
    scores = np.full(len(column), np.nan)
    scores[known] = ndtri(((below + equal / 2) / share.sum())[place])
    return scores


def checked_transform(asked: Any) -> str | dict[str, str | None] | None:
    """The option as a word for all columns, a dictionary by column, or None."""
    if isinstance(asked, Mapping):
        return {str(name): _word(word, f"transform[{name!r}]") for name, word in asked.items()}
    return _word(asked, "transform")


def _word(word: Any, where: str) -> str | None:
    if word is not None and (not isinstance(word, str) or word not in TRANSFORMS):
        known = ", ".join(map(repr, TRANSFORMS))
        raise OptionError(f"{where} must be one of {known} or None, not {word!r}")
    return word


def transformed(table: Table, asked: str | Mapping[str, str | None] | None) -> Table:
    """The table with columns on other scales; `transforms` says which, and `values` are new."""
    if not asked:
        return table
    words = _by_column(table, asked)
    found = [_found(table, j, word) for j, word in enumerate(words)]
    if not any(found):
        return table
    values = np.array(table.values, order="F")
    for j, each in enumerate(found):
        if each is not None:
            values[:, j] = _exact(each, table, j)
    values.flags.writeable = False
    return replace(table, values=values, transforms=tuple(found))


def _exact(each: Transform, table: Table, j: int) -> Array:
    column = table.values[:, j]
    return normal_scores(column, table.weights) if isinstance(each, Scores) else each.forward(column)


def _by_column(table: Table, asked: str | Mapping[str, str | None]) -> list[str | None]:
    """The word for each column; names may have wildcards, and an exact name takes precedence."""
    if isinstance(asked, str):
        return [asked if kind is Kind.CONTINUOUS else None for kind in table.kinds]
    words: list[str | None] = []
    unused = set(asked)
    for name in table.names:
        hits = [name] if name in asked else [each for each in asked if fnmatchcase(name, each)]
        unused -= set(hits)
        words.append(asked[hits[0]] if hits else None)
    if unused:
        raise OptionError(
            f"transform: {quoted(sorted(unused))} is no column of numbers that is used; the columns are "
            f"{quoted(table.names)}"
        )
    return words


def _found(table: Table, j: int, word: str | None) -> Transform | None:
    column, name, kind = table.values[:, j], table.names[j], table.kinds[j]
    if word is None:
        return None
    if word == "auto":
        return _best(column, table.weights) if kind is Kind.CONTINUOUS else None
    if kind not in (Kind.CONTINUOUS, Kind.COUNT):
        raise OptionError(
            f"transform={{{name!r}: {word!r}}}: the column is {kind}, and only numbers have another scale"
        )
    if kind is Kind.COUNT:
        raise OptionError(
            f"transform={{{name!r}: {word!r}}}: the column is a count, whose likelihood is that of counts: "
            f"pass kinds={{{name!r}: 'continuous'}} as well"
        )
    return (Logarithm if word == "log" else Scores).of(column, name, table.weights)


def _best(column: Array, weights: Array | None) -> Transform | None:
    """The scale on which the normal plot of a column is straight; None for its own."""
    known = ~np.isnan(column)
    if np.unique(column[known]).size < _FEWEST:
        return None
    scores = normal_scores(column, weights)[known]
    if straightness(column[known], scores) >= _STRAIGHT:
        return None
    if column[known].min() >= 0:
        log = Logarithm.of(column, "", weights)
        if straightness(log.forward(column[known]), scores) >= _STRAIGHT:
            return log
    return Scores.of(column, "", weights)


def straightness(values: Array, scores: Array) -> float:
    """The correlation of values and normal scores, 1 for a perfect bell."""
    values = values / max(float(np.abs(values).max()), 1e-300)
    return float(np.corrcoef(values, scores)[0, 1])


def notices(table: Table) -> tuple[str, ...]:
    """What was done to the columns, in words."""
    told: dict[str, list[str]] = {}
    for name, each in zip(table.names, table.transforms, strict=False):
        if each is not None:
            words = "logarithms" if isinstance(each, Logarithm) else "normal scores of ranks"
            told.setdefault(words, []).append(name)
    return tuple(
        f"{'column' if len(names) == 1 else 'columns'} {quoted(names)}: taken as {words}"
        for words, names in told.items()
    )


def scale_words(transforms: Sequence[Transform | None], names: Sequence[str], j: int) -> str:
    """A column's name, or the words for its transformed values."""
    each = transforms[j] if transforms else None
    return names[j] if each is None else each.words(names[j])
