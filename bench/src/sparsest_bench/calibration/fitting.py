"""The fit of the two maps from shares to probabilities, by logistic regression with a ridge penalty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from sparsest.confidence.calibration import terms_of
from sparsest_bench.calibration.collecting import Example

# Chosen by cross-validation over the tables of the fit, on the error over shares between 0.05 and 0.95.
RIDGE = 0.01  # scikit-learn's C
WELL = 3  # how often a well-specified table counts
DENSEST = 0.6  # tables in which more than this share of the pairs is joined are left out
_DIGITS = 6

Array = NDArray[np.float64]


def fitted_maps(every: Sequence[Example]) -> dict[str, Any]:
    """The coefficients of both maps by term, and the ranges of the properties of tables."""
    sparse = [one for one in every if one.density <= DENSEST]
    examples = [one for one in sparse for _ in range(WELL if one.well else 1)]
    tables = [one.evidence.of_table() for one in examples]
    ranges = {
        name: [
            round(float(np.quantile([table[name] for table in tables], share)), _DIGITS)
            for share in (0.01, 0.99)
        ]
        for name in tables[0]
    }
    inside = [
        {name: min(max(table[name], ranges[name][0]), ranges[name][1]) for name in table} for table in tables
    ]
    return {
        "ranges": ranges,
        "joining": _joining(examples, inside),
        "direction": _direction(examples, inside),
    }


def _joining(examples: Sequence[Example], tables: Sequence[dict[str, float]]) -> dict[str, float]:
    """Whether a pair is joined, over all pairs of all tables."""
    terms, joined = [], []
    for one, table in zip(examples, tables, strict=True):
        above = np.triu_indices(one.evidence.p, 1)
        terms.append(terms_of({k: v[above] for k, v in one.evidence.of_joining().items()}, table))
        joined.append((one.dag | one.dag.T)[above])
    names = [name for name in terms[0] if name != "1"]
    X, y = _stacked(terms, names), np.concatenate(joined)
    centre, scale = X.mean(axis=0), X.std(axis=0) + 1e-9
    map_ = LogisticRegression(C=RIDGE, max_iter=2000).fit((X - centre) / scale, y)
    slopes = map_.coef_[0] / scale
    intercept = float(map_.intercept_[0] - slopes @ centre)
    return _rounded({"1": intercept} | dict(zip(names, slopes, strict=True)))


def _direction(examples: Sequence[Example], tables: Sequence[dict[str, float]]) -> dict[str, float]:
    """Which way a pair points that is truly joined, told from both sides, so that the two add up to 1."""
    terms, forward = [], []
    for one, table in zip(examples, tables, strict=True):
        above = np.triu_indices(one.evidence.p, 1)
        joined = (one.dag | one.dag.T)[above]
        features = {k: v[above][joined] for k, v in one.evidence.of_direction().items()}
        terms.append(terms_of(features, table))
        forward.append(one.dag[above][joined])
    odd = examples[0].evidence.of_direction()
    names = [name for name in terms[0] if name.split(" * ")[0] in odd]
    X, y = _stacked(terms, names), np.concatenate(forward)
    scale = X.std(axis=0) + 1e-9
    map_ = LogisticRegression(C=RIDGE, max_iter=2000, fit_intercept=False)
    map_.fit(np.vstack([X, -X]) / scale, np.concatenate([y, ~y]))
    return _rounded(dict(zip(names, map_.coef_[0] / scale, strict=True)))


def _stacked(terms: Iterable[dict[str, Array]], names: Sequence[str]) -> Array:
    return np.vstack([np.column_stack([one[name] for name in names]) for one in terms])


def _rounded(coefficients: dict[str, Any]) -> dict[str, float]:
    return {name: round(float(value), _DIGITS) for name, value in coefficients.items()}
