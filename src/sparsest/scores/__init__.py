"""Scores: how well weights, or a graph, explain the data."""

from sparsest.scores.base import LocalScore, Score
from sparsest.scores.equal_variance import EqualVarianceScore
from sparsest.scores.gaussian import GaussianScore, GaussianWithoutDeterminant
from sparsest.scores.least_squares import LeastSquares

__all__ = [
    "EqualVarianceScore",
    "GaussianScore",
    "GaussianWithoutDeterminant",
    "LeastSquares",
    "LocalScore",
    "Score",
]
