"""Standardised effects, which can be compared between columns of different units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from sparsest.result import Result

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Strengths:
    """Effects of edges on a common scale: how strong, whether they have a sign, and what the scale is.

    `comparable` says whether one edge may be compared with another: not where a user-defined model says
    nothing about its units.
    """

    effects: Array
    signed: npt.NDArray[np.bool_]
    comparable: bool
    scale: str


def strengths_of(result: Result) -> Strengths:
    """The effects of a result's edges, in its DAG."""
    every = np.ones(result.weights.shape, dtype=bool)
    known = bool(np.isfinite(result.noise_variances).all())
    if known and (result.traits.gaussian or result.fitted is None):
        effects = standardized_weights(result.weights, result.noise_variances)
        return Strengths(effects, every, True, "in standard deviations")
    if known and result.fitted is not None:
        scale = "of one standard deviation on mean, log-odds or log-rate"
        return Strengths(result.fitted.effects, result.fitted.signed, True, scale)
    signed = every & bool((result.weights < 0).any())  # norms, as those of networks, have no sign
    return Strengths(result.weights, signed, False, "as defined by the model")


def standardized_weights(weights: Array, noise_variances: Array) -> Array:
    """The effect of one standard deviation of a parent, in standard deviations of the child.

    The standard deviations are those that the model implies, Σ = (I − B)^-T Ω (I − B)^-1. The result does not
    depend on the units of the columns.
    """
    total = np.linalg.inv(np.eye(len(weights)) - weights)
    deviations = np.sqrt(noise_variances @ total**2)
    standardized: Array = weights * deviations[:, None] / deviations
    return standardized
