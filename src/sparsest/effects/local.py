"""Effects of regression models from the rows, given nothing of the graph but the parents of the cause.

A discrete cause: augmented inverse probability weighting (Robins, Rotnitzky & Zhao, 1994). The probability of
the cause given its parents is a regression of the fitted model, so it is right where the parents are, even if
the regression of the outcome is not. A continuous cause: the regression of the outcome on the cause and its
parents, averaged over the rows, with the spread over half-samples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sparsest._core.streams import EFFECTS, generator
from sparsest.effects.asked import Question
from sparsest.effects.effect import Interval
from sparsest.fitted.base import Fitted, Node
from sparsest.models.prepared_regression import PreparedRegression, row_shares
from sparsest.scores.families import centre_and_scale
from sparsest.scores.regression import RegressionScore

Array = NDArray[np.float64]

_HALVES = 40  # half-samples behind the standard error for a continuous cause
_RAREST = 0.01  # the smallest probability of a value of the cause that a row is weighted by


class LocalRegressions:
    """Intervals of effects given the parents of the cause.

    Parameters
    ----------
    prepared : PreparedRegression
        The rows under their model.
    """

    def __init__(self, prepared: PreparedRegression) -> None:
        self._columns, self._levels = prepared.columns, prepared.levels
        self._values, self._weights = prepared.values, prepared.weights
        self._score: Any = prepared.score(None, False)[0]  # type: ignore[arg-type]

    def interval(self, question: Question, parents: Sequence[int], level: float) -> Interval:
        """The interval of the difference between the two settings of the cause."""
        if question.outcome in parents:
            return 0.0, 0.0
        value, error = self.estimate(question, parents)
        half = float(ndtri(0.5 + level / 2)) * error
        return value - half, value + half

    def estimate(self, question: Question, parents: Sequence[int]) -> tuple[float, float]:
        """The difference between the two settings of a single cause, and its standard error."""
        if self._columns[question.causes[0]].levels:
            return self._weighted(question, parents)
        value = self._averaged(self._score, question, parents, self._values, self._weights)
        rng, n = generator(0, EFFECTS, 1), len(self._values)
        again = []
        for _ in range(_HALVES):
            rows = rng.permutation(n)[: n // 2]
            weights = None if self._weights is None else self._weights[rows]
            score = RegressionScore(self._columns, self._values[rows], weights)
            again.append(self._averaged(score, question, parents, self._values[rows], weights))
        # Halves vary around all rows as much as all rows vary around the population.
        return value, float(np.sqrt(np.mean((np.array(again) - value) ** 2)))

    def _averaged(
        self, score: Any, question: Question, parents: Sequence[int], values: Array, weights: Array | None
    ) -> float:
        cause, model = (
            question.causes[0],
            self._fitted(score, question.outcome, [question.causes[0], *parents]),
        )
        low, high = self._means(model, question, cause, values)
        difference = float(row_shares(len(values), weights) @ (high - low))
        return difference / question.step

    def _weighted(self, question: Question, parents: Sequence[int]) -> tuple[float, float]:
        cause, values = question.causes[0], self._values
        outcome = self._fitted(self._score, question.outcome, [cause, *parents])
        chances = self._fitted(self._score, cause, parents).mean(cause, values)
        if chances.ndim == 1:
            chances = np.column_stack([1 - chances, chances])
        given = self._outcomes(question)
        settings = [side[0] for side in (question.low, question.high) if side is not None]
        sides = []
        for setting, mean in zip(settings, self._means(outcome, question, cause, values), strict=True):
            there = values[:, cause] == setting
            sides.append(mean + there / np.maximum(chances[:, int(setting)], _RAREST) * (given - mean))
        difference = sides[1] - sides[0]
        shares = row_shares(len(values), self._weights)
        value = float(shares @ difference)
        error = math.sqrt(float(shares**2 @ (difference - value) ** 2))
        return value, error

    def _outcomes(self, question: Question) -> Array:
        column = self._values[:, question.outcome]
        given: Array = column if question.level is None else (column == question.level).astype(float)
        return given

    def _means(self, model: Fitted, question: Question, cause: int, values: Array) -> tuple[Array, Array]:
        """The expected outcome of every row at the two settings of the cause."""
        found = []
        for side in (question.low, question.high):
            assert side is not None
            moved = values.copy()
            moved[:, cause] = side[0]
            mean = model.mean(question.outcome, moved)
            found.append(mean if question.level is None else mean[:, question.level])
        return found[0], found[1]

    def _fitted(self, score: Any, node: int, parents: Sequence[int]) -> Fitted:
        """A model in which only one column is regressed."""
        fit = score.fit(node, np.array(parents, dtype=int))
        column = self._columns[node]
        unit = centre_and_scale(column.basis)[1] if column.family.has_units else 1.0
        empty = Node((), np.zeros(1), np.zeros((0, 1)), 1.0)
        nodes = [empty] * len(self._columns)
        nodes[node] = Node(tuple(map(int, parents)), fit.intercepts, fit.coefficients, fit.variance * unit**2)
        return Fitted(self._columns, tuple(nodes), self._levels)
