"""How strongly two columns are related beyond what their causes explain: what an edge would have to be.

A share says how often an edge was worth its cost, which many rows decide for the faintest relation. Where the
model is not quite right, faint relations are everywhere, so that strength tells more than the share does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsest._core.correlation import partial_correlation

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def strengths(covariance: Array, dag: Mask, pairs: Mask) -> Array:
    """Partial correlations given the parents of both columns in a DAG, without their sign.

    Two columns that the DAG does not join are separated by the parents of both.

    Parameters
    ----------
    covariance : (p, p) array
        Of the columns.
    dag : (p, p) array of bool
        The graph.
    pairs : (p, p) array of bool
        The pairs of interest; one entry per pair will do.

    Returns
    -------
    (p, p) array
        Symmetric, and 0 elsewhere.

    Examples
    --------
    >>> import numpy as np
    >>> chain = np.array([[1.0, 0.8, 0.64], [0.8, 1.0, 0.8], [0.64, 0.8, 1.0]])
    >>> dag = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]) == 1
    >>> strengths(chain, dag, np.ones((3, 3), dtype=bool)).round(2).tolist()
    [[0.0, 0.8, 0.0], [0.8, 0.0, 0.62], [0.0, 0.62, 0.0]]
    """
    found = np.zeros(covariance.shape)
    parents = [set(np.flatnonzero(column).tolist()) for column in dag.T]
    for i, j in np.argwhere(np.triu(pairs | pairs.T, 1)).tolist():
        given = sorted((parents[i] | parents[j]) - {i, j})
        found[i, j] = found[j, i] = abs(partial_correlation(covariance, i, j, given))
    return found
