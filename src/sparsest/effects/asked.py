"""What is asked about: columns by name or position, and the values that a cause is set to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.words import listed, nearest
from sparsest.data.columns.account import Account
from sparsest.fitted.base import Fitted, held_columns
from sparsest.scores.families import centre_and_scale

if TYPE_CHECKING:
    from sparsest.result import Result

INTERVALS = ("resampled", "split", "naive")


@dataclass(frozen=True)
class Question:
    """Causes, outcome and, for models that are not linear, the two settings of the causes to compare.

    Parameters
    ----------
    causes : tuple of int
        What is changed, by position.
    outcome : int
        What responds.
    low, high : tuple of float, optional
        The values that the causes are changed from and to; None for a change by one unit.
    level : int, optional
        For a categorical outcome, the category whose probability is meant.
    """

    causes: tuple[int, ...]
    outcome: int
    low: tuple[float, ...] | None = None
    high: tuple[float, ...] | None = None
    level: int | None = None

    @property
    def steps(self) -> NDArray[np.float64]:
        """(k,): by how much each cause is changed."""
        if self.low is None or self.high is None:
            return np.ones(len(self.causes))
        return np.subtract(self.high, self.low)

    @property
    def step(self) -> float:
        """By how much a single cause is changed."""
        if self.low is None or self.high is None or len(self.causes) > 1:
            return 1.0
        return self.high[0] - self.low[0]


def columns_of(result: Result, cause: Any, outcome: Any) -> tuple[tuple[int, ...], int]:
    """The causes and the outcome by position."""
    return columns_among(result.names, result.account, cause, outcome)


def columns_among(
    names: Sequence[str], account: Account, cause: Any, outcome: Any
) -> tuple[tuple[int, ...], int]:
    """The same where nothing is learned yet: the columns of the model, and what was done with the others."""
    several = isinstance(cause, Sequence) and not isinstance(cause, str)
    causes = tuple(_column(names, account, one, "cause") for one in (cause if several else [cause]))
    target = _column(names, account, outcome, "outcome")
    if not causes:
        raise OptionError("cause is an empty list: name at least one column")
    if len(set(causes)) < len(causes):
        raise OptionError(f"a cause is named twice: {listed([names[k] for k in causes])}")
    if target in causes:
        raise OptionError(
            f"cause and outcome are the same column, {names[target]!r}: name two different columns"
        )
    return causes, target


def _column(names: Sequence[str], account: Account, given: Any, what: str) -> int:
    if isinstance(given, str):
        if given in names:
            return list(names).index(given)
        note = next((note for note in account.left_out if note.name == given), None)
        if note is not None:
            raise OptionError(f"{what} {given!r}: the model does not have this column; {note.done}")
        raise OptionError(f"{what} {given!r}: there is no such column; {nearest(given, names, 'columns')}")
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool) and 0 <= given < len(names):
        return int(given)
    raise OptionError(
        f"{what} must be the name of a column or its position from 0 to {len(names) - 1}, not {given!r}"
    )


def given_change(
    fitted: Fitted, causes: Sequence[int], change: Any
) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    """`change=(low, high)` as numbers; for several causes, one pair of each."""
    if change is None:
        return None
    pairs = [change] if len(causes) == 1 or not isinstance(change, Sequence) else list(change)
    if len(pairs) != len(causes) or not all(map(_is_pair, pairs)):
        raise OptionError(
            "change must be a pair (from, to), or one pair for each cause, such as change=(0, 1): "
            f"not {change!r}"
        )
    low, high = [], []
    for node, (start, end) in zip(causes, pairs, strict=True):
        name = fitted.names[node]
        numbers = [_setting(fitted, node, value) for value in (start, end)]
        if numbers[0] == numbers[1]:
            raise OptionError(f"change={change!r} leaves {name!r} as it is: pass two different values")
        low.append(numbers[0])
        high.append(numbers[1])
    return tuple(low), tuple(high)


def _is_pair(given: Any) -> bool:
    return isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 2


def _setting(fitted: Fitted, node: int, value: Any) -> float:
    name, column, words = fitted.names[node], fitted.columns[node], fitted.levels[node]
    known = words if words is not None else tuple(str(k) for k in range(column.levels))
    if column.levels and str(value) not in known and value not in range(column.levels):
        raise OptionError(f"column {name!r} has no value {value!r}: its values are {listed(known)}")
    return held_columns(fitted, {name: value})[node]


def usual_change(fitted: Fitted, node: int) -> tuple[float, float]:
    """From the first to the last value of a discrete column; otherwise a standard deviation in the middle."""
    column = fitted.columns[node]
    if column.levels:
        return 0.0, float(column.levels - 1)
    centre, scale = centre_and_scale(column.basis)
    return centre - scale / 2, centre + scale / 2


def outcome_level(fitted: Fitted, outcome: int, level: Any) -> int | None:
    """The category whose probability is meant, by its code; None where the outcome is not categorical."""
    column, words = fitted.columns[outcome], fitted.levels[outcome]
    if column.levels <= 2:
        if level is not None:
            raise OptionError(f"category={level!r} is for outcomes with more than two categories")
        return None
    known = words if words is not None else tuple(str(k) for k in range(column.levels))
    if level is None or str(level) not in known:
        raise OptionError(
            f"the outcome {column.name!r} has {column.levels} categories: say whose probability is meant "
            f"with category=..., one of {listed(known)}"
        )
    return known.index(str(level))
