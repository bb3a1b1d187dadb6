"""The response of a regression for a column: compiled with one output, softmax with several."""

from __future__ import annotations

import numpy as np

from sparsest.scores.glm import POISSON, Array, CompiledResponse, Response
from sparsest.scores.softmax import SoftmaxResponse


def response_of(link: int, statistic: Array, weights: Array) -> Response:
    """The response with sufficient statistic t(y), (n, outputs), and row weights that sum to 1."""
    sums = np.ascontiguousarray(weights[:, None] * statistic)
    mean = sums.sum(axis=0)
    rest = 1.0 if link == POISSON else 1 - mean.sum()
    start = np.log(mean / rest)
    worst = float((mean[0] if link == POISSON else -np.log(rest)) - mean @ start)
    if sums.shape[1] == 1:
        return CompiledResponse(weights, sums, start, worst, link)
    return SoftmaxResponse(weights, sums, start, worst)
