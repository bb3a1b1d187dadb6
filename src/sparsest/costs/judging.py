"""How answers predict rows that they were not learned from, and how far subsamples agree about them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sparsest._core.progress import Watch
from sparsest.costs.splits import SimulatedSplits, Splits
from sparsest.costs.walking import Answer, brief, skeletons, walk
from sparsest.fit import Inquiry
from sparsest.models.base import Array, Mask, Prepared
from sparsest.models.choosing import plan
from sparsest.models.offers import Offers


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The log-likelihoods of held-out rows over the costs: their weights, mean and scatter."""

    number: int
    weight: float
    squares: float  # the sum of squared weights
    mean: Array
    scatter: Array

    @classmethod
    def of(cls, number: int, values: Array, weights: Array) -> HeldOut:
        """From the log-likelihood of each row at each cost."""
        mean = weights @ values / weights.sum()
        centred = values - mean
        scatter = centred.T @ (weights[:, None] * centred)
        return cls(number, float(weights.sum()), float((weights**2).sum()), mean, scatter)

    def joined(self, other: HeldOut) -> HeldOut:
        """The rows of both."""
        weight, apart = self.weight + other.weight, other.mean - self.mean
        between = np.outer(apart, apart) * self.weight * other.weight / weight
        return HeldOut(
            self.number,
            weight,
            self.squares + other.squares,
            self.mean + apart * other.weight / weight,
            self.scatter + other.scatter + between,
        )

    @property
    def covariance(self) -> Array:
        """The covariance of the mean log-likelihoods per row at the costs."""
        rows = self.weight**2 / self.squares
        covariance: Array = self.scatter / self.weight / (rows - 1)
        return covariance


@dataclass(frozen=True, eq=False)
class Joined:
    """Which pairs a subsample joins at each cost."""

    number: int
    pairs: Mask


@dataclass(frozen=True, eq=False)
class Judge:
    """Walks over the costs on other rows; what a task needs, handed to each process.

    Task k is fold k, or, from the number of folds on, a subsample.
    """

    inquiry: Inquiry
    splits: Splits | SimulatedSplits
    folds: int
    costs: tuple[float, ...]

    def __call__(self, number: int, watch: Watch) -> tuple[int, HeldOut | Joined | None]:
        """The number, and its fold or subsample; None if it was cut short."""
        return number, (self._fold if number < self.folds else self._subsample)(number, watch)

    def _fold(self, number: int, watch: Watch) -> HeldOut | None:
        from sparsest.fitted.new_rows import log_likelihood

        table = self.inquiry.prepared.table
        if table is None or not isinstance(self.splits, Splits):
            raise AssertionError("folds are made of rows")
        inside, outside = self.splits.fold(number)
        answers = self._walked(self.inquiry.prepared.resample(inside), watch)
        if answers is None:
            return None
        held = table.resampled(outside)
        fitted = [one.refit.fitted for one in answers]
        values = np.column_stack([log_likelihood(one, held) for one in fitted if one is not None])
        return HeldOut.of(number, values, np.ones(len(outside)) if held.weights is None else held.weights)

    def _subsample(self, number: int, watch: Watch) -> Joined | None:
        answers = self._walked(self.splits.prepared(self.inquiry.prepared, number - self.folds), watch)
        return None if answers is None else Joined(number, skeletons(answers))

    def _walked(self, prepared: Prepared, watch: Watch) -> list[Answer] | None:
        choices = brief(prepared, replace(self.inquiry.choices, penalty=self.costs[0]))
        answers = walk(prepared, plan(prepared, choices, self.inquiry.known), self.costs, watch)
        return answers if len(answers) == len(self.costs) else None


def all_held_out(found: Sequence[HeldOut]) -> HeldOut | None:
    """The held-out rows of all folds, in the order of the folds."""
    if not found:
        return None
    first, *others = sorted(found, key=lambda one: one.number)
    for other in others:
        first = first.joined(other)
    return first


def instabilities(pairs: Sequence[NDArray[np.bool_]]) -> Array:
    """The total instability at each cost: the mean over all pairs of 2θ(1 − θ), θ the share of subsamples.

    Liu, Roeder & Wasserman (2010), Section 3: θ is how often the pair is joined, and 2θ(1 − θ) how often two
    subsamples disagree about it.

    Examples
    --------
    >>> import numpy as np
    >>> joined, apart = np.ones((1, 2, 2), bool), np.zeros((1, 2, 2), bool)
    >>> instabilities([joined, joined]), instabilities([joined, apart])
    (array([0.]), array([0.5]))
    """
    shares = np.mean(np.array(pairs, dtype=float), axis=0)
    above = np.triu_indices(shares.shape[1], 1)
    mean: Array = (2 * shares * (1 - shares))[:, *above].mean(axis=1) if len(above[0]) else shares[:, 0, 0]
    return mean


def held_out_refusal(prepared: Prepared) -> str:
    """Why there is no held-out likelihood; empty if there is."""
    if prepared.audited is None or prepared.table is None:
        return "no held-out likelihood: there are no rows in memory to hold out"
    if set(prepared.offers) == {Offers.GRADIENT}:  # a user-defined likelihood
        return f"no held-out likelihood: the model {prepared.model!r} does not say how likely new rows are"
    if np.isnan(prepared.table.values).any():
        return "no held-out likelihood: rows with missing values (missing='drop' leaves them out)"
    return ""


def stability_refusal(prepared: Prepared) -> str:
    """Why there is no stability; empty if there is."""
    if prepared.audited is None and (prepared.moments is None or math.isinf(prepared.n)):
        return "no stability: a population has no subsamples"
    if prepared.p < 2:
        return "no stability: there are no pairs of columns"
    return ""
