"""The costs of a path: evenly spaced in logarithms, from where hardly an edge pays to below the BIC."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.correlation import correlation_of
from sparsest._core.errors import OptionError
from sparsest._core.validation import whole
from sparsest.penalties.criteria import cost_per_edge

POINTS = 20
_BELOW = 0.25  # the lowest cost in units of the BIC's: about that of the AIC
_ABOVE = 1.05  # the first guess of the highest cost, in units of the most that a single edge gains
_RAISED = (1.0, 1.5, 2.25, 3.4, 5.0)  # what it is multiplied by until no edge is left
_UNKNOWN = 50.0  # the highest cost in units of the extended BIC's, where single edges cannot be scored

Array = NDArray[np.float64]


def checked_costs(costs: Any) -> tuple[float, ...] | None:
    """Costs that were asked for, from high to low, each once; None where they are left open."""
    if costs is None:
        return None
    try:
        given = np.array(costs, dtype=float)
    except (TypeError, ValueError):
        given = np.array(math.nan)
    if given.ndim != 1 or not (np.isfinite(given) & (given > 0)).all():
        raise OptionError(
            "costs must be positive numbers, each the cost of an edge in units of the log-likelihood of a "
            f"row, such as [0.1, 0.03, 0.01], not {costs!r}"
        )
    return _refuse_few(tuple(float(cost) for cost in np.unique(given)[::-1]))


def default_costs(points: int, problem: Any, n: float, empty: Callable[[float], bool]) -> tuple[float, ...]:
    """Costs that suit a table: evenly spaced in logarithms, with those of the BIC and the extended BIC.

    The highest is above what any single edge gains, and is raised while there are edges that pay together
    only, as those of a collider may; the lowest is a quarter of the BIC's.
    """
    wanted = whole("points", points, least=2)
    if math.isinf(n):
        raise OptionError(
            "a population covariance (n = inf) has no BIC around which to choose costs: pass them, for "
            "example costs=[0.1, 0.03, 0.01]"
        )
    bic, ebic = (cost_per_edge(criterion, n, problem.p) for criterion in ("bic", "ebic"))
    guess = max(_ABOVE * _largest_gain(problem, _UNKNOWN * ebic), 2 * ebic)
    highest = next((raised * guess for raised in _RAISED[:-1] if empty(raised * guess)), _RAISED[-1] * guess)
    evenly = np.geomspace(highest, _BELOW * bic, wanted)
    return tuple(sorted({*map(float, evenly), bic, ebic}, reverse=True))


def _largest_gain(problem: Any, otherwise: float) -> float:
    """The most that any single edge lowers the score by, per parameter, from no edges at all."""
    from sparsest.scores.gaussian import RESIDUAL_FLOOR

    score, beside = problem.score, problem.allowed
    if not beside.any():
        return 0.0
    if (covariance := getattr(score, "covariance", None)) is not None:
        left = np.maximum(1 - correlation_of(np.asarray(covariance)) ** 2, RESIDUAL_FLOOR)
        return float((-0.5 * np.log(left))[beside].max())
    if not hasattr(score, "local"):
        return otherwise
    parameters = np.asarray(getattr(score, "edge_parameters", np.ones(beside.shape)))
    alone = [score.local(j, []) for j in range(problem.p)]
    gains = [(alone[j] - score.local(j, [i])) / parameters[i, j] for i, j in np.argwhere(beside)]
    return float(max(gains))


def _refuse_few(costs: Sequence[float]) -> tuple[float, ...]:
    if len(costs) < 2:
        raise OptionError(
            "a path has at least 2 different costs: pass more, or learn at a single one with "
            "sparsest.fit(..., penalty=cost)"
        )
    return tuple(costs)
