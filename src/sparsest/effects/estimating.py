"""`result.effect`: the cases of an effect under each kind of model, its interval, and what it means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.progress import Watch
from sparsest._core.validation import number
from sparsest._core.words import count
from sparsest.effects.affected import open_outcomes, reached, reached_by
from sparsest.effects.asked import (
    INTERVALS,
    Question,
    columns_of,
    given_change,
    outcome_level,
    usual_change,
)
from sparsest.effects.effect import Case, Effect, merged
from sparsest.effects.g_formula import contrast, expected
from sparsest.effects.linear import effects_on_all, implied_covariance, joint_effects
from sparsest.effects.orientations import Orientations, orientations, shares_of
from sparsest.effects.user_units import with_user_units
from sparsest.fitted.base import Fitted
from sparsest.graph.types import Mpdag
from sparsest.scores.families import centre_and_scale
from sparsest.scores.gaussian import refit

if TYPE_CHECKING:
    from sparsest.result import Result

Array = NDArray[np.float64]
Pattern = NDArray[np.bool_]

#: Values that differ by less, in standard deviations, are the same.
SAME = 1e-9
#: The most members that are refitted for models that are not linear.
MOST_REFITS = 64


def effect(
    result: Result,
    cause: Any,
    outcome: Any,
    *,
    interval: str | None = "auto",
    level: float = 0.95,
    change: Any = None,
    category: Any = None,
) -> Effect:
    """The possible effects of causes on an outcome; `Result.effect` says what the options mean."""
    causes, target = columns_of(result, cause, outcome)
    if interval not in (None, "auto", *INTERVALS):
        raise OptionError(f"interval must be 'auto', 'resampled', 'split', 'naive' or None, not {interval!r}")
    if not 0 < number("level", level) < 1:
        raise OptionError(f"level, the coverage of the interval, must lie between 0 and 1, not {level!r}")
    question = question_of(result, causes, target, change, category)
    found = _bare(result, question)
    if interval is None or np.isinf(result.n):
        return found
    from sparsest.effects.intervals import with_interval

    return with_interval(found, question, interval, level)


def is_linear(result: Result) -> bool:
    """Whether effects have a closed form."""
    return result.traits.gaussian


def fitted_of(result: Result) -> Fitted:
    """The fitted model, or why there is none."""
    if result.fitted is None:
        raise OptionError(
            "this result has no fitted model, so there are no effects: a user-defined likelihood does not "
            "say how to predict"
        )
    return result.fitted


def question_of(
    result: Result, causes: tuple[int, ...], outcome: int, change: Any, category: Any
) -> Question:
    """The question with the settings of the causes, where the model needs them."""
    fitted = fitted_of(result)
    settings = given_change(fitted, causes, change)
    if is_linear(result):
        if settings is not None and result.model == "rank":
            raise OptionError("effects under model 'rank' are per unit of normal score: leave out change=")
        if category is not None:
            raise OptionError(f"category={category!r} is for categorical outcomes, and the model is linear")
        low, high = settings if settings is not None else (None, None)
        return Question(causes, outcome, low, high)
    level = outcome_level(fitted, outcome, category)
    if settings is None:
        pairs = [usual_change(fitted, node) for node in causes]
        settings = tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)
    return Question(causes, outcome, *settings, level)


def _bare(result: Result, question: Question) -> Effect:
    """The effect without an interval."""
    graph, causes, outcome = result.cpdag, question.causes, question.outcome
    names = result.names
    zero = not reached(graph, causes)[outcome]
    identified = bool(zero or not open_outcomes(graph, causes)[outcome])
    linear = is_linear(result)
    found = orientations(graph, causes) if linear else orientations(graph, causes, MOST_REFITS)
    counts = found.counts(graph)
    cases = list((_linear_cases if linear else _fitted_cases)(result, question, found))
    if counts is not None and len(cases) == len(counts):
        shares = shares_of(counts)
        cases = [
            replace(case, members=members, share=share)
            for case, members, share in zip(cases, counts, shares, strict=True)
        ]
    if identified:  # one value: those of other members differ by rounding, or by what was fitted to them
        one = next((case for case in cases if case.dag), cases[0])
        cases = [replace(one, members=sum(counts) if counts else None, share=1.0)]
    adjust = None
    if identified and not zero and len(causes) == 1:
        adjust = tuple(graph.optimal_adjustment_set(causes[0], outcome))
    answer = Effect(
        causes=tuple(names[k] for k in causes),
        outcome=names[outcome],
        cases=merged(cases, SAME * _scale(result, question), dag_first=result.identifies == "dag"),
        identified=identified,
        adjustment_set=adjust,
        zero=zero,
        members=None if counts is None else sum(counts),
        complete=found.complete,
        identifies=result.identifies,
        result=result,
        category=question.level,
        notes=_notes(result, found, len(cases)),
        **_described(result, question),
    )
    return with_user_units(answer, fitted_of(result), question)


def _linear_cases(result: Result, question: Question, found: Orientations) -> Iterator[Case]:
    """The closed form, from the covariance that the class implies."""
    covariance = implied_covariance(result.weights, result.noise_variances)
    causes, outcome, names = question.causes, question.outcome, result.names
    own = _parents(result.dag.pattern, causes)
    for k, pattern in enumerate(found.patterns):
        parents = _parents(pattern, causes)
        if len(causes) == 1:
            parts = effects_on_all(covariance, causes[0], parents[0])[[outcome]]
        else:
            parts = joint_effects(refit(covariance, found.member(k))[0], causes, outcome)
        parts = parts * question.steps
        refined = Mpdag._trusted(pattern, names)
        for i, cause in enumerate(causes):
            if not reached_by(refined, cause, causes)[outcome]:
                parts[i] = 0.0  # and not a rounding error
        yield Case(float(parts.sum()), tuple(parts.tolist()), _named(parents, names), dag=parents == own)


def _fitted_cases(result: Result, question: Question, found: Orientations) -> Iterator[Case]:
    """The g-formula on the fitted DAG, and on a refitted member for each other set of parents."""
    own = _parents(result.dag.pattern, question.causes)
    if result.inquiry is None or own not in [_parents(one, question.causes) for one in found.patterns]:
        yield _fitted_case(fitted_of(result), question, own, dag=True)
    if result.inquiry is None:
        return
    for k, pattern in enumerate(found.patterns):
        parents = _parents(pattern, question.causes)
        if parents == own:
            yield _fitted_case(fitted_of(result), question, own, dag=True)
            continue
        other = result.inquiry.prepared.refit(found.member(k), None, Watch())
        case = _fitted_case(other.fitted, question, parents, dag=False)
        yield replace(case, behind=float(result.n * (other.nll - result.nll)))


def _fitted_case(fitted: Fitted, question: Question, parents: Any, *, dag: bool) -> Case:
    low, high = (
        dict(zip(question.causes, side or (), strict=True)) for side in (question.low, question.high)
    )
    high_mean = expected(fitted, high, question.outcome, question.level)
    low_mean = expected(fitted, low, question.outcome, question.level)
    value, error, ratio = contrast(high_mean, low_mean)
    if abs(value) <= 1e-12:  # the sum over combinations rounds
        value = 0.0
    unit = _unit(fitted, question)
    probability = fitted.columns[question.outcome].levels > 0 and unit == 1.0
    parts = (value / unit,)
    return Case(
        value / unit, parts, _named(parents, fitted.names), error=error / unit,
        ratio=ratio if probability else None, dag=dag,
    )  # fmt: skip


def _unit(fitted: Fitted, question: Question) -> float:
    """By what a difference is divided: the change of a single continuous cause, so that it is per unit."""
    if len(question.causes) > 1 or fitted.columns[question.causes[0]].levels:
        return 1.0
    return question.step


def _parents(pattern: Pattern, nodes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(np.flatnonzero(pattern[:, node]).tolist()) for node in nodes)


def _named(parents: Any, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(names[k] for k in one) for one in parents)


def scale_of(result: Result, node: int) -> float:
    """The standard deviation of a column; 1 where it has no units."""
    if result.moments is not None and is_linear(result):
        return float(result.moments.scales[node])  # those of the implied covariance are the same
    column = fitted_of(result).columns[node]
    return centre_and_scale(column.basis)[1] if column.family.has_units else 1.0


def _scale(result: Result, question: Question) -> float:
    causes = [scale_of(result, node) for node in question.causes]
    return scale_of(result, question.outcome) / min(causes)


def _notes(result: Result, found: Orientations, cases: int) -> tuple[str, ...]:
    notes = []
    if not found.complete:
        notes.append(
            f"the causes have too many possible sets of parents: the bounds rest on "
            f"{count(len(found.patterns), 'set')} of them, drawn at random, and may be wider"
        )
    if not is_linear(result) and cases < len(found.patterns):
        notes.append(
            "only the learned DAG's value: refitting the other members of the class needs the rows, and a "
            "saved result has none"
        )
    return tuple(notes)


def _described(result: Result, question: Question) -> dict[str, Any]:
    """What is done to the causes and what the values are, in words, with scales where there are units."""
    fitted = fitted_of(result)
    causes = [fitted.scale(k) for k in question.causes]
    scales = tuple(scale_of(result, k) for k in (*question.causes, question.outcome))
    if is_linear(result):
        if question.low is None or question.high is None:
            words = " and ".join(causes) + (" each" if len(causes) > 1 else "")
            units = f" (in {result.traits.units})" if result.model == "rank" else ""
            unit = fitted.scale(question.outcome) if _rescaled(fitted, question) else result.traits.units
            return {"change": f"raising {words} by 1{units}", "scales": scales, "unit": unit}
        return {
            "change": _setting_words(fitted, question),
            "unit": fitted.scale(question.outcome) if _rescaled(fitted, question) else result.traits.units,
            "levels": _ends(question),
        }
    outcome = fitted.columns[question.outcome]
    unit = _probability(fitted, question) if outcome.levels else "the mean"
    unit = fitted.scale(question.outcome) if _rescaled(fitted, question) else unit
    if _unit(fitted, question) != 1.0 or not fitted.columns[question.causes[0]].levels:
        change = f"raising {causes[0]} by 1, on average around its mean" if len(causes) == 1 else ""
        usable = len(causes) == 1 and outcome.family.has_units
        return {
            "change": change or _setting_words(fitted, question), "unit": unit,
            "scales": scales if usable else (), "levels": _ends(question),
        }  # fmt: skip
    return {
        "change": _setting_words(fitted, question), "unit": unit, "levels": _ends(question),
        "contrasts": _contrasts(fitted, question),
    }  # fmt: skip


def _rescaled(fitted: Fitted, question: Question) -> bool:
    """Whether the outcome is on another scale than the user's."""
    return bool(fitted.transforms) and fitted.transforms[question.outcome] is not None


def _probability(fitted: Fitted, question: Question) -> str:
    """The probability that is meant, in words."""
    words, code = fitted.levels[question.outcome], 1 if question.level is None else question.level
    value = str(code) if words is None else words[code]
    return f"the probability that {fitted.names[question.outcome]} is {value}"


def _ends(question: Question) -> tuple[Any, Any] | None:
    if question.low is None or question.high is None:
        return None
    return (question.low[0], question.high[0]) if len(question.causes) == 1 else (question.low, question.high)


def _setting_words(fitted: Fitted, question: Question) -> str:
    parts = []
    for node, low, high in zip(question.causes, question.low or (), question.high or (), strict=True):
        words = fitted.levels[node]
        each = fitted.transforms[node] if fitted.transforms else None
        ends = (low, high) if each is None else each.backward(np.array([low, high])).tolist()
        start, end = (words[int(value)] if words is not None else f"{value:.4g}" for value in ends)
        parts.append(f"{fitted.names[node]} from {start} to {end}")
    return "changing " + " and ".join(parts)


def _contrasts(fitted: Fitted, question: Question) -> dict[str, float]:
    """Every category of a cause against the first."""
    node = question.causes[0]
    levels, words = fitted.columns[node].levels, fitted.levels[node]
    if levels <= 2 or len(question.causes) > 1:
        return {}
    means = [expected(fitted, {node: float(k)}, question.outcome, question.level).mean for k in range(levels)]
    known = words if words is not None else tuple(str(k) for k in range(levels))
    return {known[k]: means[k] - means[0] for k in range(1, levels)}
