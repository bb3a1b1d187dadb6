"""Dose-response curves: the expected outcome if the cause is set to one value after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.progress import Watch
from sparsest._core.validation import whole
from sparsest.effects.estimating import MOST_REFITS, fitted_of, is_linear
from sparsest.effects.g_formula import expected
from sparsest.effects.orientations import orientations
from sparsest.fitted.base import Fitted
from sparsest.scores.families import centre_and_scale

if TYPE_CHECKING:
    from sparsest.effects.effect import Effect
    from sparsest.result import Result

Array = NDArray[np.float64]


def curve(found: Effect, points: int) -> Array:
    """Values of the cause, and the expected outcome in each case; `Effect.curve` says more."""
    result = found.result
    if result is None or len(found.causes) > 1:
        raise OptionError("a dose-response curve has a single cause: ask for the effect of one column")
    cause, outcome = (result.names.index(name) for name in (found.causes[0], found.outcome))
    fitted = fitted_of(result)
    column = fitted.columns[cause]
    if column.levels:
        doses = np.arange(column.levels, dtype=float)
    else:
        centre, scale = centre_and_scale(column.basis)
        least = -np.inf if column.family.has_units else 0.0  # counts
        low, high = max(centre - 1.96 * scale, least), centre + 1.96 * scale
        doses = np.linspace(low, high, whole("points", points, least=2))
    if is_linear(result):
        middle = [centre_and_scale(fitted.columns[node].basis)[0] for node in (cause, outcome)]
        slopes = found.values / (1.0 if found.levels is None else found.levels[1] - found.levels[0])
        return np.column_stack([doses, middle[1] + np.outer(doses - middle[0], slopes)])
    models = _models(result, found)
    category = found.category
    lines = [[expected(one, {cause: dose}, outcome, category).mean for dose in doses] for one in models]
    return np.column_stack([doses, *lines])


def _models(result: Result, found: Effect) -> list[Fitted]:
    """The fitted model of each case."""
    place = {name: k for k, name in enumerate(result.names)}
    options = orientations(result.cpdag, [place[found.causes[0]]], MOST_REFITS)
    models = []
    for case in found.cases:
        if case.dag:
            models.append(fitted_of(result))
            continue
        wanted = sorted(place[name] for name in case.parents[0])
        k = next(
            k
            for k, pattern in enumerate(options.patterns)
            if np.flatnonzero(pattern[:, place[found.causes[0]]]).tolist() == wanted
        )
        models.append(result.inquiry.prepared.refit(options.member(k), None, Watch()).fitted)
    return models
