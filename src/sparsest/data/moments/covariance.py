"""Is a matrix a covariance matrix? If not, which entry says so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsest._core.errors import DataError

SYMMETRY_TOLERANCE = 1e-8
"""How far two mirrored entries may differ, relative to their size and to the two standard deviations."""

EIGENVALUE_TOLERANCE = 1e-8
"""How far below 0 an eigenvalue of the correlation matrix may lie: rounding, not indefiniteness."""


def square_matrix(covariance: ArrayLike) -> NDArray[np.float64]:
    """A float64 copy of a real square matrix, or a DataError."""
    try:
        matrix = np.asarray(covariance)
        if matrix.dtype.kind == "c":
            raise DataError("a covariance matrix is real: Complex data not supported")
        matrix = np.array(matrix, dtype=np.float64)
    except DataError:
        raise
    except (TypeError, ValueError) as error:
        raise DataError(f"the covariance matrix must hold numbers only: {error}") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise DataError(
            f"a covariance matrix is square, this one has shape {matrix.shape}: for a table of observations "
            "use Moments.from_array"
        )
    if matrix.shape[0] == 0:
        raise DataError("the covariance matrix is empty: it needs at least one column")
    return matrix


def require_covariance(matrix: NDArray[np.float64], names: Sequence[str]) -> None:
    """Refuse a square matrix that is not finite, symmetric and positive semidefinite."""
    _require_finite(matrix, names)
    _require_symmetric(matrix, names)
    _require_positive_semidefinite(matrix, names)


def _require_finite(matrix: NDArray[np.float64], names: Sequence[str]) -> None:
    if not np.isfinite(matrix).all():
        i, j = np.argwhere(~np.isfinite(matrix))[0]
        raise DataError(
            f"the covariance of {names[i]!r} and {names[j]!r} (row {i}, column {j}) is {matrix[i, j]}: "
            "NaN and inf are not covariances, compute it from complete rows or leave the column out"
        )


def _require_symmetric(matrix: NDArray[np.float64], names: Sequence[str]) -> None:
    scales = np.sqrt(np.abs(np.diag(matrix)))
    size = np.maximum(np.outer(scales, scales), np.maximum(np.abs(matrix), np.abs(matrix.T)))
    excess = np.abs(matrix - matrix.T) - SYMMETRY_TOLERANCE * size
    i, j = divmod(int(np.argmax(excess)), len(matrix))
    if excess[i, j] > 0:
        raise DataError(
            f"the covariance matrix is not symmetric: the covariance of {names[i]!r} and {names[j]!r} is "
            f"{matrix[i, j]:.10g} in row {i}, column {j} but {matrix[j, i]:.10g} in row {j}, column {i}"
        )


def _require_positive_semidefinite(matrix: NDArray[np.float64], names: Sequence[str]) -> None:
    variances = np.diag(matrix)
    if variances.min() < 0:
        j = int(np.argmin(variances))
        raise DataError(
            f"the covariance matrix is not positive semidefinite: column {names[j]!r} has variance "
            f"{variances[j]:g}"
        )
    for i in map(int, np.flatnonzero(variances == 0)):
        j = int(np.argmax(np.abs(matrix[i])))
        if matrix[i, j] != 0:
            raise DataError(
                f"the covariance matrix is not positive semidefinite: column {names[i]!r} has variance 0 but "
                f"covariance {matrix[i, j]:g} with {names[j]!r}"
            )
    varying = variances > 0
    scales = np.sqrt(variances[varying])
    # On the scale of correlations, so that the verdict does not depend on units.
    correlation = matrix[np.ix_(varying, varying)] / scales[:, None] / scales
    smallest = _smallest_eigenvalue_if_negative(correlation)
    if smallest < 0:
        raise DataError(
            "the covariance matrix is not positive semidefinite: the smallest eigenvalue of its correlation "
            f"matrix is {smallest:.3g}. Covariances computed pair by pair from incomplete rows can do this: "
            "compute them from complete rows"
        )


def _smallest_eigenvalue_if_negative(correlation: NDArray[np.float64]) -> float:
    """The smallest eigenvalue if it is below the tolerance, else 0. A Cholesky factor settles most cases."""
    try:
        np.linalg.cholesky(correlation + EIGENVALUE_TOLERANCE * np.eye(len(correlation)))
    except np.linalg.LinAlgError:
        smallest = float(np.linalg.eigvalsh(correlation)[0])
        return smallest if smallest < -EIGENVALUE_TOLERANCE else 0.0
    return 0.0
