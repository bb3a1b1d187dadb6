"""How strong a hidden common cause of cause and outcome must be to undo an effect, and what a given one does.

For linear models strength is a share: of the variance that the parents leave unexplained, how much the hidden
column explains, of the cause and of the outcome alike (Cinelli & Hazlett, 2020, "Making sense of
sensitivity"). For risks it is a ratio: by how much the hidden column multiplies the risk, of the cause and of
the outcome alike (VanderWeele & Ding, 2017, "Sensitivity analysis in observational research").
"""

from __future__ import annotations

import math

from sparsest._core.errors import OptionError
from sparsest._core.validation import number
from sparsest._core.words import percent


def of_difference(value: float, error: float, freedom: float, strength: float | None) -> tuple[float, str]:
    """The robustness value of an effect with its standard error, and words; also for a given strength."""
    robust = robustness_value(value / error if error > 0 else math.inf, freedom)
    words = (
        f"to undo it, a hidden common cause would have to explain {percent(robust)} of what the parents "
        "leave unexplained of both cause and outcome (robustness value)"
    )
    if strength is not None:
        share = number("hidden", strength)
        if not 0 < share < 1:
            raise OptionError(
                "hidden, the strength of a hidden common cause, is here the share that it explains of cause "
                f"and outcome, between 0 and 1, not {strength!r}"
            )
        half = largest_bias(error, freedom, share)
        words += (
            f"; one that explains {percent(share)} leaves between {value - half:.4g} and {value + half:.4g}"
        )
    return robust, words


def of_ratio(ratio: float, strength: float | None) -> tuple[float, str]:
    """The E-value of a ratio of risks, and words; also for a given strength."""
    value = e_value(ratio)
    words = (
        "to undo it, a hidden common cause would have to change the risk of both cause and outcome "
        f"{value:.3g}-fold (E-value), beyond the parents"
    )
    if strength is not None:
        fold = number("hidden", strength)
        if not 1 < fold < math.inf:
            raise OptionError(
                "hidden, the strength of a hidden common cause, is here the factor by which it changes the "
                f"risk of cause and outcome, greater than 1, not {strength!r}"
            )
        factor = bounding_factor(fold)
        words += (
            f"; one that changes both {fold:.3g}-fold leaves a ratio of risks between "
            f"{ratio / factor:.3g} and {ratio * factor:.3g}"
        )
    return value, words


def robustness_value(t: float, freedom: float) -> float:
    """The share of what is left of cause and outcome that a confounder must explain to undo an effect.

    Examples
    --------
    >>> round(robustness_value(4.18, 783), 3)
    0.139
    """
    if math.isinf(t):
        return 1.0
    f = t**2 / freedom
    return 0.5 * (math.sqrt(f**2 + 4 * f) - f)


def largest_bias(error: float, freedom: float, share: float) -> float:
    """By how much a confounder that explains a share of both moves a regression coefficient, at most.

    Examples
    --------
    >>> round(largest_bias(0.0233, 783, 0.139), 4)  # the robustness value of 0.0973
    0.0977
    """
    return error * math.sqrt(freedom) * share / math.sqrt(1 - share)


def e_value(ratio: float) -> float:
    """The ratio of risks that a confounder must have with both cause and outcome to undo a ratio.

    Examples
    --------
    >>> round(e_value(3.9), 2)
    7.26
    """
    if ratio <= 0:
        return math.inf
    one = ratio if ratio >= 1 else 1 / ratio
    return one + math.sqrt(one * (one - 1))


def bounding_factor(fold: float) -> float:
    """By what factor a confounder with this ratio of risks for both changes a ratio, at most.

    Examples
    --------
    >>> round(bounding_factor(e_value(3.9)), 6)
    3.9
    """
    return fold**2 / (2 * fold - 1)
