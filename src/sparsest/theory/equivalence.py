"""The linear models of a Gaussian distribution: E(Θ), and E_min(Θ), the sparsest (Section 4.2, App. C.2).

E(Θ) holds one model (B̃(π), Ω̃(π)) per permutation π, each node regressed on those before it.

On a sample covariance no coefficient is exactly zero: every B̃(π) is complete, and E_min(Θ̂) is all p! complete
DAGs. What is said here is about population covariances, or about a sample with a threshold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsest.graph._bits import bits
from sparsest.scores.gaussian import regress
from sparsest.theory._graphs_by_set import Masks, all_graphs, as_dags, best_last, every_last, fewest_edges
from sparsest.theory.regressions import MOST_COLUMNS, definite_covariance, regressions

Array = NDArray[np.float64]

TOLERANCE = 1e-9
"""Partial correlations up to this size are zero.

A partial correlation is a coefficient standardised by what the other predecessors leave of the two nodes. It
has no units and is the same for i → j and j → i, so that a pair is adjacent or not whichever comes first. On
the population covariances of simulated models with 8 to 17 nodes rounding stays below 1e-11 and what is not
zero lies above 4e-8. A covariance written with few digits needs a larger tolerance.
"""


@dataclass(frozen=True, eq=False)
class Models:
    """Linear Gaussian models of one distribution, each once, those with fewest edges first.

    Parameters
    ----------
    weights : (m, p, p) array
        ``weights[k]`` is the B of model k.
    variances : (m, p) array
        ``variances[k]`` is the diagonal of the Ω of model k.

    Examples
    --------
    >>> models = equivalence_class([[1.0, 0.5], [0.5, 1.0]])
    >>> len(models)
    2
    >>> models.dags.astype(int)
    array([[[0, 0],
            [1, 0]],
    <BLANKLINE>
           [[0, 1],
            [0, 0]]])
    """

    weights: Array
    variances: Array

    @property
    def dags(self) -> NDArray[np.bool_]:
        """The graphs G(B), one per model; different models have different graphs."""
        return self.weights != 0

    @property
    def edges(self) -> NDArray[np.int64]:
        """The number of edges of each model."""
        return np.count_nonzero(self.weights, axis=(1, 2))

    def __len__(self) -> int:
        """The number of models."""
        return len(self.weights)


def equivalence_class(covariance: ArrayLike, tolerance: float = TOLERANCE) -> Models:
    """E(Θ): every model (B, Ω) with an acyclic graph that has this covariance.

    There is one per permutation (Aragam & Zhou, 2015, Lemma 1); equal ones are merged. More than 400 000
    models are refused: a complete graph of 10 nodes has too many, a sparse one of 12 may not.

    Parameters
    ----------
    covariance : (p, p) array
        A positive definite covariance of at most 18 columns.
    tolerance : float
        Partial correlations up to this size are zero.

    Returns
    -------
    Models
        The models, those with fewest edges first.

    Raises
    ------
    OptionError
        If there are too many columns or models.
    DataError
        If the matrix is not a positive definite covariance.

    Examples
    --------
    Two causes and their common effect: six permutations give five models, and the collider is the sparsest.

    >>> covariance = [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 3.0]]
    >>> equivalence_class(covariance).edges
    array([2, 3, 3, 3, 3])
    """
    matrix = definite_covariance(covariance, MOST_COLUMNS, "E(Θ)")
    found = regressions(matrix, tolerance)
    return _models(matrix, all_graphs(found, every_last(found.p)))


def minimal_class(covariance: ArrayLike, tolerance: float = TOLERANCE) -> Models:
    """E_min(Θ): the models of E(Θ) with the fewest edges (Definition 2).

    Their graphs are a union of Markov equivalence classes, since a graph equivalent to one of them fits as
    well with as many edges. Under faithfulness it is the class of the true graph (Lemma 1).

    Parameters
    ----------
    covariance : (p, p) array
        A positive definite covariance of at most 18 columns.
    tolerance : float
        Partial correlations up to this size are zero.

    Returns
    -------
    Models
        The sparsest models.

    Examples
    --------
    >>> models = minimal_class([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 3.0]])
    >>> models.weights.round(6)
    array([[[0., 0., 1.],
            [0., 0., 1.],
            [0., 0., 0.]]])
    """
    matrix = definite_covariance(covariance, MOST_COLUMNS, "E_min(Θ)")
    found = regressions(matrix, tolerance)
    return _models(matrix, all_graphs(found, best_last(found)[1]))


def minimal_edges(covariance: ArrayLike, tolerance: float = TOLERANCE) -> int:
    """s₀, the number of edges of E_min(Θ), even where its members are too many to list.

    Parameters
    ----------
    covariance : (p, p) array
        A positive definite covariance of at most 18 columns.
    tolerance : float
        Partial correlations up to this size are zero.

    Returns
    -------
    int
        The number of edges of the sparsest models.

    Examples
    --------
    >>> minimal_edges([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 3.0]])
    2
    """
    matrix = definite_covariance(covariance, MOST_COLUMNS, "E_min(Θ)")
    return fewest_edges(regressions(matrix, tolerance))


def exact_baseline(
    covariance: ArrayLike, threshold: float | None = None, tolerance: float = TOLERANCE
) -> NDArray[np.bool_]:
    """The paper's Exact-search (Appendix D): the sparsest graphs among those of all B̃(π).

    The paper applies no threshold, so on a sample the answer is all complete DAGs. Its distance to the truth
    is the average over the graphs, ``np.mean([cpdag_shd(truth, dag) for dag in exact_baseline(S)])``.

    Parameters
    ----------
    covariance : (p, p) array
        A positive definite covariance of at most 18 columns.
    threshold : float, optional
        Coefficients up to this size are removed from each B̃(π) before edges are counted. They are compared in
        the units of the covariance, so the answer then depends on units; and a threshold above τ cuts true
        edges in some orders and thereby favours those orders.
    tolerance : float
        Partial correlations up to this size are zero.

    Returns
    -------
    (m, p, p) array of bool
        The sparsest graphs, stacked.

    Examples
    --------
    >>> exact_baseline([[1.0, 0.1], [0.1, 1.0]], threshold=0.2).astype(int)
    array([[[0, 0],
            [0, 0]]])
    """
    matrix = definite_covariance(covariance, MOST_COLUMNS, "Exact-search")
    found = regressions(matrix, tolerance, 0.0 if threshold is None else threshold)
    return as_dags(all_graphs(found, best_last(found)[1]))


def _models(covariance: Array, parents: Masks) -> Models:
    """The coefficients of graphs that fit: regressions on the parents alone."""
    count, p = parents.shape
    weights, variances = np.zeros((count, p, p)), np.empty((count, p))
    for node in range(p):
        different, which = np.unique(parents[:, node], return_inverse=True)
        columns, rest = np.zeros((len(different), p)), np.empty(len(different))
        for k, mask in enumerate(different.tolist()):
            chosen = list(bits(mask))
            columns[k, chosen], rest[k] = regress(covariance, node, chosen)
        weights[:, :, node], variances[:, node] = columns[which], rest[which]
    return Models(weights, variances)
