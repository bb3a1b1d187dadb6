"""Binary columns by logistic regression, categories by softmax regression."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sparsest._core.errors import DataError
from sparsest.data.columns.kinds import Kind
from sparsest.scores.bases import Basis, Levels, Linear
from sparsest.scores.families.base import Array
from sparsest.scores.glm import LOGISTIC, Response, means
from sparsest.scores.responses import response_of

_MOST_LEVELS = 20


class BernoulliFamily:
    """Values 0 and 1; the log-odds are linear in the parents."""

    name = "bernoulli"
    kinds = (Kind.BINARY,)
    bases = (Linear,)
    has_units = False

    def outputs(self, levels: int) -> int:  # noqa: ARG002
        """One."""
        return 1

    def levels(self, values: Array) -> int:  # noqa: ARG002
        """Two."""
        return 2

    def basis(self, values: Array, weights: Array, spline: int = 0) -> Basis:  # noqa: ARG002
        """The column itself."""
        return Linear.of(values, weights)

    def refuse(self, model: str, name: str, values: Array, levels: Sequence[str] | None) -> None:  # noqa: ARG002
        """Refuse values other than 0 and 1."""
        different = np.unique(values)
        if not np.isin(different, (0, 1)).all():
            odd = different[~np.isin(different, (0, 1))][0]
            raise DataError(
                f"model {model!r} needs columns with two values, coded 0 and 1, and column {name!r} also has "
                f"{odd:.6g}: use model='mixed', which takes all kinds, or leave it out with columns=[...]"
            )

    def response(self, values: Array, weights: Array, levels: int) -> Response:  # noqa: ARG002
        """The values themselves."""
        return response_of(LOGISTIC, values[:, None], weights)

    def mean(self, predictors: Array, basis: Basis) -> Array:  # noqa: ARG002
        """The probability of 1."""
        return means(LOGISTIC, predictors)[:, 0]

    def variance(self, mean: Array) -> Array:
        """p(1 − p)."""
        return mean * (1 - mean)

    def log_likelihood(self, given: Array, mean: Array, variance: float) -> Array:  # noqa: ARG002
        """The logarithm of the probability of the value."""
        with np.errstate(divide="ignore"):
            return np.log(np.where(given == 1, mean, 1 - mean))

    def draw(self, mean: Array, variance: float, rng: np.random.Generator, name: str) -> Array:  # noqa: ARG002
        """Zeros and ones."""
        return (rng.random(len(mean)) < mean).astype(float)


class MultinomialFamily:
    """Codes 0, 1, 2, ...; the log-odds against level 0 are linear in the parents (softmax)."""

    name = "multinomial"
    kinds = (Kind.CATEGORICAL,)
    bases = (Levels,)
    has_units = False

    def outputs(self, levels: int) -> int:
        """One fewer than the levels."""
        return max(1, levels - 1)

    def levels(self, values: Array) -> int:
        """One more than the largest code."""
        return int(values.max()) + 1

    def basis(self, values: Array, weights: Array, spline: int = 0) -> Basis:  # noqa: ARG002
        """One indicator per level but the first."""
        return Levels.of(values, weights, self.levels(values))

    def refuse(self, model: str, name: str, values: Array, levels: Sequence[str] | None) -> None:
        """Refuse too many levels, or a level in fewer than two rows."""
        counts = np.bincount(values.astype(int))
        if len(counts) > _MOST_LEVELS:
            raise DataError(
                f"model {model!r}: column {name!r} has {len(counts)} categories, and at most "
                f"{_MOST_LEVELS} are allowed: merge rare ones, or leave it out with columns=[...]"
            )
        if counts.min() < 2:
            level = int(np.argmin(counts))
            word = level if levels is None else levels[level]
            times = "only in one row" if counts[level] else "in no row that is used"
            raise DataError(
                f"model {model!r}: the category {word!r} of column {name!r} occurs {times}, too few to fit "
                "its probability: merge it with another category, or leave out those rows"
            )

    def response(self, values: Array, weights: Array, levels: int) -> Response:
        """Indicators of the levels 1, 2, ..."""
        return response_of(LOGISTIC, (values[:, None] == np.arange(1, levels)).astype(float), weights)

    def mean(self, predictors: Array, basis: Basis) -> Array:  # noqa: ARG002
        """The probabilities of all levels, (n, levels)."""
        mean = means(LOGISTIC, predictors)
        return np.column_stack([1 - mean.sum(axis=1), mean])

    def variance(self, mean: Array) -> Array:
        """The probability that two draws differ."""
        rest: Array = 1 - (mean**2).sum(axis=1)
        return rest

    def log_likelihood(self, given: Array, mean: Array, variance: float) -> Array:  # noqa: ARG002
        """The logarithm of the probability of the level."""
        with np.errstate(divide="ignore"):
            chosen: Array = np.log(mean[np.arange(len(given)), given.astype(int)])
        return chosen

    def draw(self, mean: Array, variance: float, rng: np.random.Generator, name: str) -> Array:  # noqa: ARG002
        """Codes of levels."""
        passed = rng.random(len(mean))[:, None] > np.cumsum(mean, axis=1)[:, :-1]
        drawn: Array = passed.sum(axis=1).astype(float)
        return drawn
