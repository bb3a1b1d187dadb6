"""Intervals for effects: given the graph, or accounting for its choice on the same data.

"naive" takes the class for granted: the interval of the maximum-likelihood estimate in each member, from the
smallest end to the largest. It is too narrow wherever the class may be wrong.

"resampled" follows the idea of resampling and screening (Chang, Guo & Malinsky, 2024, "Post-selection
inference for causal effects after causal discovery"): the graph is learned again from many resamples, and the
interval is the union of those of all graphs that came up. Each of them asks for as little of its graph as can
be: only for the parents of the cause, by a regression of the outcome on the cause and these on all rows. Each
resample is also learned from with cheap edges: an edge that is almost worth its cost decides on arrows
elsewhere, and would otherwise be missing every time. Parents that come up in less than 3 % of the graphs are
screened out. If one graph that is left gets the parents right in one member, the union covers the effect with
at least the nominal level, whatever else is wrong in the graph; an effect that the graph calls zero has an
interval, too.

"split" learns the class from one half of the rows and estimates on the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from numpy import float64
from numpy.typing import NDArray
from scipy.special import ndtri

from sparsest._core.errors import OptionError
from sparsest._core.progress import Watch
from sparsest._core.words import count
from sparsest.confidence.drawing import Drawing, units_of
from sparsest.effects.asked import Question
from sparsest.effects.chosen_graphs import chosen_graphs, parent_sets
from sparsest.effects.effect import Effect, Interval
from sparsest.effects.estimating import is_linear
from sparsest.effects.linear import (
    implied_covariance,
    joint_effects,
    joint_regression_interval,
    regression_interval,
    variance_given_graph,
)
from sparsest.effects.local import LocalRegressions
from sparsest.graph.acyclicity import reach_matrix
from sparsest.models.prepared_regression import PreparedRegression
from sparsest.scores.gaussian import refit

if TYPE_CHECKING:
    from sparsest.result import Result

Array = NDArray[float64]

#: Up to how many columns resamples are learned from unasked: a matter of a second for linear models.
FEW_COLUMNS = 15
#: The same for other models, and up to how many rows: a few seconds.
FEWER_COLUMNS, FEW_ROWS = 8, 5000


def with_interval(found: Effect, question: Question, interval: str, level: float) -> Effect:
    """The effect with an interval of the kind that is asked for."""
    result = found.result
    assert result is not None
    if len(question.causes) > 1 and not is_linear(result):
        if interval != "auto":
            raise OptionError("intervals of joint effects are for linear models: pass interval=None")
        return replace(
            found, notes=(*found.notes, "no interval: those of joint effects are for linear models")
        )
    naive = _with_naive(found, result, question, level)
    kind = _usual(result) if interval == "auto" else interval
    if kind == "naive":
        if naive.interval is None:
            why = _without_rows(result)
            if interval == "naive":
                raise OptionError(why)
            return replace(found, notes=(*found.notes, why))
        return replace(naive, how="naive", level=level)
    if kind == "split":
        return replace(naive, interval=_split(result, question, level), how="split", level=level)
    chosen = chosen_graphs(result)
    bounds = _union(result, question, chosen.parent_sets(question.causes), level)
    if naive.interval is not None:
        bounds = hull([bounds, naive.interval])
    return replace(naive, interval=bounds, how="resampled", level=level, resamples=chosen.resamples)


def _usual(result: Result) -> str:
    """An interval that accounts for the choice of the graph, where that takes no long computation."""
    if not is_linear(result) and _rows(result) is None:
        return "naive"
    if result.confidence is not None and result.confidence.classes():
        return "resampled"
    small = len(result.names) <= FEW_COLUMNS
    if not is_linear(result):
        small = len(result.names) <= FEWER_COLUMNS and result.n <= FEW_ROWS
    return "resampled" if small and result.inquiry is not None and result.n >= 8 else "naive"


def _union(result: Result, question: Question, sets: Iterable[Any], level: float) -> Interval:
    if is_linear(result):
        assert result.moments is not None
        covariance, n = result.moments.covariance, result.n
        intervals = [_linear(covariance, n, question, parents, level) for _, parents in sets]
    else:
        local = _local(result)
        intervals = [local.interval(question, parents[0], level) for _, parents in sets]
    return hull(intervals)


def _linear(covariance: Array, n: float, question: Question, parents: Any, level: float) -> Interval:
    """The interval from the sample's covariance, given the parents of the causes."""
    causes, outcome = question.causes, question.outcome
    if all(outcome in given for given in parents):
        return 0.0, 0.0
    if len(causes) > 1:
        return joint_regression_interval(covariance, n, causes, outcome, parents, level, question.steps)
    ends = regression_interval(covariance, n, causes[0], outcome, parents[0], level)
    return _ordered(ends[0] * question.step, ends[1] * question.step)


def _model_based(covariance: Array, n: float, question: Question, dag: Any, level: float) -> Interval:
    """The interval of the maximum-likelihood estimate in a DAG; zero where no cause reaches the outcome."""
    if not reach_matrix(dag)[list(question.causes), question.outcome].any():
        return 0.0, 0.0
    steps = question.steps
    effects = joint_effects(refit(covariance, dag)[0], question.causes, question.outcome)
    value = float(effects @ steps)
    spread = variance_given_graph(covariance, dag, question.causes, question.outcome, steps)
    half = float(ndtri(0.5 + level / 2)) * math.sqrt(spread / n)
    return value - half, value + half


def _with_naive(found: Effect, result: Result, question: Question, level: float) -> Effect:
    """Each case with its interval given the graph, and the hull of all."""
    place = {name: k for k, name in enumerate(result.names)}
    if is_linear(result):
        covariance = implied_covariance(result.weights, result.noise_variances)
        known = {}
        for dag, parents in parent_sets(result.cpdag, question.causes):
            known[parents] = _model_based(covariance, result.n, question, dag, level)
        cases = []
        for case in found.cases:
            parents = tuple(tuple(place[name] for name in one) for one in case.parents)
            cases.append(replace(case, interval=known.get(parents)))
    elif _rows(result) is None or len(question.causes) > 1:
        return found
    else:
        local = _local(result)
        cases = [
            replace(
                case,
                interval=(0.0, 0.0)
                if case.value == 0
                else local.interval(question, tuple(place[name] for name in case.parents[0]), level),
            )
            for case in found.cases
        ]
    intervals = [case.interval for case in cases if case.interval is not None]
    return replace(found, cases=tuple(cases), interval=hull(intervals) if intervals else None)


def _split(result: Result, question: Question, level: float) -> Interval:
    """Learn from one half of the rows, estimate on the other."""
    inquiry = result.inquiry
    if inquiry is None or inquiry.prepared.audited is None:
        raise OptionError(
            "interval='split' learns from half of the rows, and there are no rows here (a saved result, or "
            "moments): pass interval='resampled' or 'naive'"
        )
    table = inquiry.prepared.audited
    drawing = Drawing("half", units_of(len(table.values)), inquiry.choices.seed)
    first, second = (inquiry.prepared.resample(drawing.usable_rows(k, table)[0]) for k in (0, 1))
    learned = inquiry.learn(first, Watch())
    sets = parent_sets(learned.cpdag, question.causes)
    other = replace(result, moments=second.moments, n=second.n, inquiry=replace(inquiry, prepared=second))
    return _union(other, question, sets, level)


def _rows(result: Result) -> PreparedRegression | None:
    """The rows behind a regression model, where they are in memory."""
    prepared = getattr(result.inquiry, "prepared", None)
    return prepared if isinstance(prepared, PreparedRegression) else None


def _local(result: Result) -> LocalRegressions:
    prepared = _rows(result)
    if prepared is None:
        raise OptionError(_without_rows(result))
    return LocalRegressions(prepared)


def _without_rows(result: Result) -> str:
    if result.model == "mlp":
        return "there are no intervals for networks: learn with model='additive' for one"
    return (
        f"an interval under model {result.model!r} needs the rows, and a saved result has none: learn it "
        "again with fit"
    )


def hull(intervals: Iterable[Interval]) -> Interval:
    """From the smallest end to the largest."""
    ends = list(intervals)
    return float(min(one[0] for one in ends)), float(max(one[1] for one in ends))


def _ordered(one: float, other: float) -> Interval:
    return min(one, other), max(one, other)


def words_of(found: Effect) -> str:
    """What an interval accounts for."""
    return {
        "resampled": f"accounts for the choice of the graph ({count(found.resamples, 'resample')})",
        "split": "graph learned from one half of the rows, effect from the other",
        "naive": "naive: takes the graph for granted, too narrow if it may be wrong "
        "(fit(resamples=50) gives one that does not)",
    }[found.how or "naive"]
