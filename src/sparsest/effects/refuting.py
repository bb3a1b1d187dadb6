"""Counter-checks of an effect, each one line of words.

Three need the rows: a column that has nothing to do with anything must have no effect (placebo), a random
common cause must change nothing, and part of the rows must tell the same. The fourth is about what no data
show: how strong a hidden common cause would have to be to undo the effect (`hidden_cause.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.streams import EFFECTS, generator
from sparsest._core.words import percent, printable
from sparsest.data import Moments
from sparsest.effects.asked import Question
from sparsest.effects.estimating import is_linear, question_of
from sparsest.effects.hidden_cause import of_difference, of_ratio
from sparsest.effects.linear import effects_on_all, regression_interval
from sparsest.effects.local import LocalRegressions
from sparsest.models.prepared_regression import PreparedRegression

if TYPE_CHECKING:
    from sparsest.effects.effect import Effect
    from sparsest.result import Result

Array = NDArray[np.float64]

_TIMES = 20  # random columns and random parts of the rows
_PART = 0.8  # of the rows


@dataclass(frozen=True)
class Check:
    """One counter-check.

    Parameters
    ----------
    name : {"placebo", "random common cause", "subset", "hidden common cause"}
        What was tried.
    passed : bool, optional
        Whether the effect stands; None where that is for the reader to judge, or rows are needed.
    value : float
        The number behind it: an effect, or how strong a hidden cause must be.
    words : str
        One line.
    """

    name: str
    passed: bool | None
    value: float
    words: str


@dataclass(frozen=True)
class Refutation:
    """All counter-checks of an effect, for the first of its cases that is not zero.

    Parameters
    ----------
    checks : tuple of Check
        One after the other.
    about : str
        Which value they are about.
    """

    checks: tuple[Check, ...]
    about: str

    def __getitem__(self, name: str) -> Check:
        """A check by its name."""
        return next(check for check in self.checks if check.name == name)

    def __str__(self) -> str:
        return printable(
            "\n".join([self.about, *(f"  {check.name}: {check.words}" for check in self.checks)])
        )


def refute(found: Effect, seed: int = 0, hidden: float | None = None) -> Refutation:
    """The counter-checks; `Effect.refute` says more."""
    result = found.result
    if result is None or len(found.causes) > 1 or all(case.value == 0 for case in found.cases):
        why = "a joint effect" if len(found.causes) > 1 else "an effect that is zero in all graphs"
        return Refutation((), f"there are no counter-checks of {why}")
    case = next(case for case in found.cases if case.value != 0)
    parents = [result.names.index(name) for name in case.parents[0]]
    causes = (result.names.index(found.causes[0]),)
    outcome = result.names.index(found.outcome)
    bare = question_of(result, causes, outcome, found.levels, _category(result, outcome, found.category))
    question = replace(bare, level=found.category)
    asking = f"counter-checks of {case.value:.4g}"
    if len(found.cases) > 1:
        asking += f", the value where {_parents_words(found.causes[0], case.parents[0])}"
    local = _Linear(result) if is_linear(result) else _regressions(result)
    if local is None:
        why = "there are none for networks" if result.model == "mlp" else "a saved result has none"
        checks = [Check("all checks", None, math.nan, f"they need the rows of a regression, and {why}")]
    else:
        last = _hidden(local, question, parents, case.ratio, hidden)
        checks = [*_with_rows(local, question, parents, seed), last]
    return Refutation(tuple(checks), asking)


def _category(result: Result, outcome: int, code: int | None) -> str | None:
    """A category by its word."""
    words = None if result.fitted is None else result.fitted.levels[outcome]
    return None if code is None else str(code) if words is None else words[code]


def _parents_words(cause: str, parents: tuple[str, ...]) -> str:
    return f"the parents of {cause} are {', '.join(parents)}" if parents else f"{cause} has no parents"


def _regressions(result: Result) -> _Regressions | None:
    prepared = getattr(result.inquiry, "prepared", None)
    return _Regressions(prepared) if isinstance(prepared, PreparedRegression) else None


def _with_rows(local: Any, question: Question, parents: list[int], seed: int) -> Iterator[Check]:
    if local.rows is None:
        for name in ("placebo", "random common cause", "subset"):
            yield Check(name, None, math.nan, "needs complete rows of equal weight, and there are none here")
        return
    value, error = local.estimate(question, parents, local.rows)
    rng = generator(seed, EFFECTS, 2)
    yield _placebo(local, question, parents, value, rng)
    yield _random_cause(local, question, parents, value, error, rng)
    yield _subset(local, question, parents, value, rng)


def _placebo(local: Any, question: Question, parents: list[int], value: float, rng: Any) -> Check:
    """The cause with its values shuffled."""
    found = []
    for _ in range(_TIMES):
        rows = local.rows.copy()
        rows[:, question.causes[0]] = rng.permutation(rows[:, question.causes[0]])
        found.append(local.estimate(question, parents, rows)[0])
    largest = float(np.abs(found).max())
    passed = bool(abs(value) > largest)
    words = f"with the cause shuffled {_TIMES} times the effect is at most {largest:.2g}"
    return Check("placebo", passed, largest, f"{words}: {_verdict(passed, 'clearly smaller', 'no smaller')}")


def _random_cause(
    local: Any, question: Question, parents: list[int], value: float, error: float, rng: Any
) -> Check:
    """A column of noise beside the parents."""
    found = [local.with_noise(question, parents, rng) for _ in range(_TIMES)]
    moved = float(np.abs(np.array(found) - value).max())
    passed = bool(moved <= max(error, 1e-12))
    verdict = _verdict(passed, "next to nothing", "more than its error")
    words = f"adjusting for a random column moves the effect by {moved:.2g} at most: {verdict}"
    return Check("random common cause", passed, moved, words)


def _subset(local: Any, question: Question, parents: list[int], value: float, rng: Any) -> Check:
    n, found = len(local.rows), []
    for _ in range(_TIMES):
        chosen = rng.permutation(n)[: math.ceil(_PART * n)]
        found.append(local.estimate(question, parents, local.rows[chosen])[0])
    low, high = min(found), max(found)
    passed = bool(low > 0) if value > 0 else bool(high < 0)
    words = f"in {_TIMES} random parts of {percent(_PART)} of the rows it is between {low:.3g} and {high:.3g}"
    return Check(
        "subset", passed, high - low, f"{words}: {_verdict(passed, 'the same sign', 'the sign changes')}"
    )


def _verdict(passed: bool, good: str, bad: str) -> str:
    return good if passed else bad


def _hidden(
    local: Any, question: Question, parents: list[int], ratio: float | None, strength: float | None
) -> Check:
    if ratio is not None and not math.isnan(ratio):
        value, words = of_ratio(ratio, strength)
    else:
        found, error, freedom = local.strength(question, parents)
        value, words = of_difference(found, error, freedom, strength)
    return Check("hidden common cause", None, value, words)


class _Linear:
    """Regressions from rows, or from moments where there are none."""

    def __init__(self, result: Result) -> None:
        table = getattr(getattr(result.inquiry, "prepared", None), "audited", None)
        whole = table is not None and not np.isnan(table.values).any() and table.weights is None
        self.rows: Array | None = table.values if whole and table is not None else None
        assert result.moments is not None
        self._moments: Moments = result.moments

    def estimate(self, question: Question, parents: list[int], rows: Array) -> tuple[float, float]:
        """The effect and its standard error."""
        return self._from(np.cov(rows, rowvar=False, bias=True), len(rows), question, parents)

    def _from(
        self, covariance: Array, n: float, question: Question, parents: list[int]
    ) -> tuple[float, float]:
        value = float(effects_on_all(covariance, question.causes[0], parents)[question.outcome])
        low, high = regression_interval(covariance, n, question.causes[0], question.outcome, parents, 0.6827)
        return value * question.step, (high - low) / 2 * abs(question.step)

    def with_noise(self, question: Question, parents: list[int], rng: Any) -> float:
        """The effect with a column of noise among the parents."""
        assert self.rows is not None
        rows = np.column_stack([self.rows, rng.normal(size=len(self.rows))])
        return self.estimate(question, [*parents, rows.shape[1] - 1], rows)[0]

    def strength(self, question: Question, parents: list[int]) -> tuple[float, float, float]:
        """The effect, its standard error and the degrees of freedom."""
        n = self._moments.n
        freedom = max(n - len(parents) - 2, 1.0)
        if math.isinf(n):
            value, error = self._from(self._moments.covariance, 1e9, question, parents)
            return value, error, 1e9 - len(parents) - 2
        return *self._from(self._moments.covariance, n, question, parents), freedom


class _Regressions:
    """Regressions of a model that is not linear."""

    def __init__(self, prepared: PreparedRegression) -> None:
        self._prepared = prepared
        self.rows: Array = prepared.values

    def estimate(self, question: Question, parents: list[int], rows: Array) -> tuple[float, float]:
        """The effect and its standard error."""
        weights = self._prepared.weights if len(rows) == len(self.rows) else None
        return LocalRegressions(_on(self._prepared, rows, weights)).estimate(question, parents)

    def with_noise(self, question: Question, parents: list[int], rng: Any) -> float:
        """The effect with a column of noise among the parents."""
        from sparsest.scores.families import GAUSSIAN, Column

        noise = rng.normal(size=len(self.rows))
        shares = np.full(len(noise), 1 / len(noise))
        columns = (*self._prepared.columns, Column.of("noise", noise, GAUSSIAN, shares))
        wider = replace(
            self._prepared, columns=columns, values=np.column_stack([self.rows, noise]),
            levels=(*self._prepared.levels, None), table=None,
        )  # fmt: skip
        return LocalRegressions(wider).estimate(question, [*parents, len(columns) - 1])[0]

    def strength(self, question: Question, parents: list[int]) -> tuple[float, float, float]:
        """The effect, its standard error and the degrees of freedom."""
        value, error = self.estimate(question, parents, self.rows)
        return value, error, max(len(self.rows) - len(parents) - 2, 1.0)


def _on(prepared: PreparedRegression, rows: Array, weights: Array | None) -> PreparedRegression:
    return replace(prepared, values=rows, weights=weights, table=None)
