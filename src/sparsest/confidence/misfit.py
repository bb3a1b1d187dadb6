"""How well a linear Gaussian model fits the rows: signs that shares over resamples promise too much.

Resampling repeats the sampling error and nothing else: where effects are curved or noise has heavy tails, a
wrong arrow comes again and again. Four numbers about the residuals of the answer say how far off the model
is, and together how far shares can be trusted. Hidden causes leave no such sign.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_FEW_VALUES = 12  # a column with fewer distinct values is not continuous
# What the signs weigh in `trust`: rounded so that each alone, where it is as strong as in the tables on which
# the map from shares to probabilities was fitted, takes most of the trust away.
_TAILS, _CURVATURE, _SPREAD, _CLASSES = 2.0, 0.5, 0.5, 3.0
_CHANCE = 1.3  # the mean of |log(kurtosis / 3)| of n normal values is about this, divided by √n


@dataclass(frozen=True)
class Misfit:
    """Four numbers that are near 0 where the linear Gaussian model is right.

    Parameters
    ----------
    tails : float
        The mean of |log(kurtosis / 3)| of the residuals, less what chance gives.
    curvature : float
        The mean of log(1 + n R²) of the residuals explained by the squared predictions, less what chance
        gives.
    spread : float
        The same for the squared residuals explained by the predictions and their squares.
    classes : float
        The share of columns with few distinct values.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=2000)
    >>> bent = np.column_stack([x, x**2 + np.random.default_rng(1).normal(size=2000)])
    >>> found = misfit(bent, np.array([[False, True], [False, False]]))
    >>> found.curvature > 5
    True
    """

    tails: float = 0.0
    curvature: float = 0.0
    spread: float = 0.0
    classes: float = 0.0

    @property
    def trust(self) -> float:
        """Between 0 and 1: how far the rows look as the model says; signs below chance do not add to it."""
        signs = (_TAILS * self.tails, _CURVATURE * self.curvature, _SPREAD * self.spread)
        return float(np.exp(-sum(max(sign, 0.0) for sign in signs) - _CLASSES * self.classes))


def misfit(values: Array, dag: Mask) -> Misfit:
    """The misfit of the regressions of a DAG.

    Parameters
    ----------
    values : (n, p) array
        The rows; those with missing values are left out.
    dag : (p, p) array of bool
        The graph.

    Returns
    -------
    Misfit
    """
    rows = values[~np.isnan(values).any(axis=1)]
    classes = float(np.mean([len(np.unique(column)) < _FEW_VALUES for column in rows.T]))
    if len(rows) < 8:
        return Misfit(classes=classes)
    X = rows - rows.mean(axis=0)
    X /= np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    tails: list[float] = []
    bends: list[float] = []
    spreads: list[float] = []
    for node in range(X.shape[1]):
        parents = np.flatnonzero(dag[:, node])
        coefficients = np.linalg.lstsq(X[:, parents], X[:, node], rcond=None)[0]
        predicted = X[:, parents] @ coefficients
        residual = X[:, node] - predicted
        if residual.std() < 1e-6:
            continue
        residual = residual / residual.std()
        tails.append(abs(np.log(np.mean(residual**4) / 3)) - _CHANCE / np.sqrt(len(X)))
        if len(parents):
            squares = np.column_stack([np.ones(len(X)), predicted, predicted**2])
            bends.append(_explained(residual, squares) - 0.5)
            spreads.append(_explained(residual**2, squares) - 0.9)
    return Misfit(_mean(tails), _mean(bends), _mean(spreads), classes)


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else 0.0


def _explained(y: Array, given: Array) -> float:
    """log(1 + n R²); its mean is about 0.5 by chance with one degree of freedom and 0.9 with two."""
    centred = y - y.mean()
    left = centred - given @ np.linalg.lstsq(given, centred, rcond=None)[0]
    total = float(centred @ centred)
    return float(np.log1p(len(y) * (1 - left @ left / total))) if total > 0 else 0.0
