"""The fit of the two maps from shares to probabilities, by logistic regression with a ridge penalty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from sparsest_bench.calibration.collecting import Example

# Chosen, like the features of the maps, by leaving out whole families and sizes of the tables of the fit.
RIDGE = 0.1  # scikit-learn's C
WELL = 0.7  # the weight of well-specified families; the others share the rest
DENSEST = 0.6  # tables in which more than this share of the pairs is joined are left out
_DIGITS = 4

Array = NDArray[np.float64]


def fitted_maps(every: Sequence[Example]) -> dict[str, Any]:
    """The coefficients of both maps by feature, without any trust in the rows and with full trust."""
    examples = [one for one in every if one.density <= DENSEST]
    weights = table_weights(examples)
    return {"joining": _joining(examples, weights), "direction": _direction(examples, weights)}


def table_weights(examples: Sequence[Example]) -> list[float]:
    """Equal weights of families, whatever their number of tables; their mean over the tables is 1."""
    tables = Counter((one.well, one.family) for one in examples)
    families = Counter(well for well, _ in tables)
    share = {True: WELL, False: 1 - WELL} if len(families) == 2 else dict.fromkeys(families, 1.0)
    return [
        len(examples) * share[one.well] / families[one.well] / tables[one.well, one.family]
        for one in examples
    ]


def _joining(examples: Sequence[Example], weights: Sequence[float]) -> dict[str, list[float]]:
    """Whether a pair is joined, over all pairs of all tables."""
    blocks, joined, counts = [], [], []
    for one, weight in zip(examples, weights, strict=True):
        above = np.triu_indices(len(one.dag), 1)
        features = {name: values[above] for name, values in one.evidence.of_joining().items()}
        blocks.append(_trusted(features, one.evidence.trust))
        joined.append((one.dag | one.dag.T)[above])
        counts.append(np.full(len(joined[-1]), weight))
    names, X = list(examples[0].evidence.of_joining()), np.vstack(blocks)
    y, w = np.concatenate(joined), np.concatenate(counts)
    constant = names.index("1")  # the regression has an intercept of its own
    centre = np.average(X, axis=0, weights=w)
    scale = np.sqrt(np.average((X - centre) ** 2, axis=0, weights=w))
    centre[constant], scale[constant] = 0.0, np.inf
    map_ = LogisticRegression(C=RIDGE, max_iter=2000).fit((X - centre) / scale, y, w)
    slopes = map_.coef_[0] / scale
    slopes[constant] = float(map_.intercept_[0] - slopes @ centre)
    return _by_trust(names, slopes)


def _direction(examples: Sequence[Example], weights: Sequence[float]) -> dict[str, list[float]]:
    """Which way a pair points that is truly joined, told from both sides, so that the two add up to 1."""
    blocks, forward, counts = [], [], []
    for one, weight in zip(examples, weights, strict=True):
        joined = np.nonzero(np.triu(one.dag | one.dag.T, 1))
        features = {name: values[joined] for name, values in one.evidence.of_direction().items()}
        blocks.append(_trusted(features, one.evidence.trust))
        forward.append(one.dag[joined])
        counts.append(np.full(len(forward[-1]), weight))
    names, X = list(examples[0].evidence.of_direction()), np.vstack(blocks)
    y, w = np.concatenate(forward), np.concatenate(counts)
    scale = np.sqrt(np.average(X**2, axis=0, weights=w))
    map_ = LogisticRegression(C=RIDGE, max_iter=2000, fit_intercept=False)
    map_.fit(np.vstack([X, -X]) / scale, np.concatenate([y, ~y]), np.concatenate([w, w]))
    return _by_trust(names, map_.coef_[0] / scale)


def _trusted(features: Mapping[str, Array], trust: float) -> Array:
    """The features, and then the features times the trust in the rows."""
    plain = np.column_stack(list(features.values()))
    return np.hstack([plain, trust * plain])


def _by_trust(names: Sequence[str], slopes: Array) -> dict[str, list[float]]:
    without, change = np.split(slopes, 2)
    return {
        name: [round(float(low), _DIGITS), round(float(low + more), _DIGITS)]
        for name, low, more in zip(names, without, change, strict=True)
    }
