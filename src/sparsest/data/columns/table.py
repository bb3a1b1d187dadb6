"""A table of numbers with named columns of known kinds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsest._core.errors import DataError, OptionError
from sparsest.data.columns.kinds import Kind
from sparsest.data.columns.require import checked_weights, require_shape


@dataclass(frozen=True, eq=False)
class Table:
    """Numbers with one row per observation, and the names and kinds of the columns.

    Attributes
    ----------
    values : array of shape (n, p)
        Read-only, in C or Fortran order. It may share memory with the array it was read from.
    names : tuple of str
        One name per column.
    kinds : tuple of Kind
        What each column measures.
    levels : tuple
        `levels[j]` are the words behind the codes 0, 1, ... of column j, None where it holds plain numbers.
    weights : array of shape (n,) or None
        How much each row counts; None if all rows count the same.
    transforms : tuple
        `transforms[j]` is the scale that column j was put on, None where it is the user's; empty if all are.
    notices : tuple of str
        What reading the table had to say, for instance which columns were dropped.

    Examples
    --------
    >>> from sparsest.data import read_table
    >>> table = read_table([[1.5, 0], [2.5, 1], [4.0, 1]])
    >>> table.names
    ('x0', 'x1')
    >>> [str(kind) for kind in table.kinds]
    ['continuous', 'binary']
    """

    values: NDArray[np.float64]
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    levels: tuple[tuple[str, ...] | None, ...]
    weights: NDArray[np.float64] | None = None
    notices: tuple[str, ...] = ()
    transforms: tuple[Any, ...] = ()  # Transform or None: see transforms.py

    @property
    def scale_words(self) -> dict[str, str]:
        """The columns on another scale, in words, such as log(x)."""
        pairs = zip(self.names, self.transforms, strict=False)
        return {name: each.words(name) for name, each in pairs if each is not None}

    def resampled(self, rows: ArrayLike | None = None, *, weights: ArrayLike | None = None) -> Table:
        """The table with other rows: the same columns, kinds and coding.

        Parameters
        ----------
        rows : array, optional
            Integers are the indices of the rows to take, perhaps repeatedly; truth values say for each row
            whether it stays.
        weights : array, optional
            In place of `rows`: one weight per row, by which any weights of the table are multiplied. Rows of
            weight 0 are left out.

        Returns
        -------
        Table

        Raises
        ------
        OptionError
            If not exactly one of the two is given, or it has the wrong type or shape.
        DataError
            If fewer than two rows are left, or a weight is negative or not finite.

        Examples
        --------
        >>> from sparsest.data import read_table
        >>> table = read_table([[1.5, 0], [2.5, 1], [4.0, 1]])
        >>> table.resampled([0, 0, 2]).values[:, 0]
        array([1.5, 1.5, 4. ])
        >>> table.resampled([True, False, True]).values[:, 0]
        array([1.5, 4. ])
        >>> table.resampled(weights=[0.5, 0, 2]).weights
        array([0.5, 2. ])
        """
        if (rows is None) == (weights is None):
            raise OptionError("pass either rows (indices or a mask) or weights (one number per row)")
        if weights is not None:
            factors = np.asarray(weights)
            if factors.dtype.kind not in "iuf":
                raise OptionError(f"weights must be numbers, not an array of type {factors.dtype}")
            return replace(self, weights=self._reweighted(factors.astype(np.float64))).counted()
        chosen = np.asarray(rows)
        self._require_rows(chosen)
        return self._taken(chosen)

    def counted(self) -> Table:
        """The table without rows of weight 0, which count for nothing."""
        if self.weights is None or self.weights.all():
            return self
        left = int((self.weights > 0).sum())
        if left < 2:
            raise DataError(f"the weights leave too few rows: {left}, and a minimum of 2 is required")
        return self._taken(self.weights > 0)

    def _taken(self, chosen: NDArray[Any]) -> Table:
        values = self.values[chosen]
        values.flags.writeable = False
        require_shape(values.shape)
        return replace(self, values=values, weights=None if self.weights is None else self.weights[chosen])

    def _reweighted(self, factors: NDArray[np.float64]) -> NDArray[np.float64]:
        n = len(self.values)
        weights = checked_weights(factors, n, "the weights in rows")
        if self.weights is None:
            return weights
        return checked_weights(weights * self.weights, n, "the weights in rows, times those of the table,")

    def _require_rows(self, chosen: NDArray[Any]) -> None:
        """Refuse rows that are neither a mask nor indices of rows."""
        n = len(self.values)
        if chosen.dtype.kind not in "biu":
            raise OptionError(
                "rows must be row indices (integers) or a mask (truth values), not an array of type "
                f"{chosen.dtype}"
            )
        if chosen.dtype.kind == "b":
            if chosen.shape != (n,):
                raise OptionError(f"a mask must have one truth value per row: {n}, not shape {chosen.shape}")
            return
        if chosen.ndim != 1:
            raise OptionError(f"row indices must be a one-dimensional array, not of shape {chosen.shape}")
        outside = np.flatnonzero((chosen < 0) | (chosen >= n))
        if outside.size:
            raise OptionError(f"there is no row {chosen[outside[0]]}: the table has {n} rows, counted from 0")
