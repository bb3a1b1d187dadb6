"""Columns with mean 0 and standard deviation 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsest._core.words import default_names
from sparsest.data.columns.constant import constant_columns, constant_error
from sparsest.data.columns.require import require_finite, require_shape


def standardize(X: ArrayLike) -> NDArray[np.float64]:
    """A copy of X with each column's mean subtracted, divided by its standard deviation (with n − 1).

    This is the convention of the benchmarks. `Moments.standardized` divides by n instead, like all moments
    here, so that its variances are exactly 1.

    Parameters
    ----------
    X : array of shape (n, p)
        Finite numbers that vary in every column.

    Returns
    -------
    array of shape (n, p)

    Examples
    --------
    >>> from sparsest.data import standardize
    >>> standardize([[1.0], [2.0], [3.0]]).ravel()
    array([-1.,  0.,  1.])
    """
    table = np.array(X, dtype=np.float64)
    require_shape(table.shape)
    names = default_names(table.shape[1])
    require_finite(table, names)
    constant = constant_columns(table)
    if constant:
        raise constant_error(constant, names)
    table -= table.mean(axis=0)
    table /= table.std(axis=0, ddof=1)
    return table
