"""Effects of columns on other scales, said in the user's units where that has a meaning."""

from __future__ import annotations

import math
from dataclasses import replace

from sparsest.data.columns.transforms import Logarithm
from sparsest.effects.asked import Question
from sparsest.effects.effect import Effect
from sparsest.fitted.base import Fitted


def with_user_units(found: Effect, fitted: Fitted, question: Question) -> Effect:
    """The effect with what it means for the columns themselves, where logarithms were taken."""
    if not fitted.transforms or len(question.causes) > 1 or found.zero:
        return found
    cause, outcome = (fitted.transforms[k] for k in (question.causes[0], question.outcome))
    names = found.causes[0], found.outcome
    steps = found.change.startswith("changing")
    if isinstance(outcome, Logarithm) and not outcome.shift and steps:
        words = f"{names[1]} is then multiplied by {_between(found, math.exp)}"
    elif isinstance(outcome, Logarithm) and not outcome.shift and isinstance(cause, Logarithm):
        words = f"doubling {names[0]} multiplies {names[1]} by {_between(found, lambda v: 2**v)}"
    elif isinstance(outcome, Logarithm) and not outcome.shift and cause is None:
        words = f"raising {names[0]} by 1 multiplies {names[1]} by {_between(found, math.exp)}"
    elif outcome is None and isinstance(cause, Logarithm) and not steps:
        words = f"doubling {names[0]} changes {names[1]} by {_between(found, lambda v: v * math.log(2))}"
    else:
        return found
    return replace(found, notes=(*found.notes, words))


def _between(found: Effect, function: object) -> str:
    assert callable(function)
    low, high = (float(function(min(value, 700.0))) for value in found.bounds)
    return f"{low:.4g}" if math.isclose(low, high) else f"between {low:.4g} and {high:.4g}"
