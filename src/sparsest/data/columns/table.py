"""A table of numbers with named columns of known kinds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsest._core.errors import OptionError
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

    def resampled(self, rows: ArrayLike) -> Table:
        """The table with other rows: the same columns, kinds and coding.

        Parameters
        ----------
        rows : array
            One of three: integers are the indices of the rows to take, perhaps repeatedly; truth values say
            for each row whether it stays; floating-point numbers are one weight per row, by which any weights
            of the table are multiplied.

        Returns
        -------
        Table

        Raises
        ------
        OptionError
            If `rows` is none of these, or has the wrong shape.
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
        >>> table.resampled([0.5, 0.0, 2.0]).weights
        array([0.5, 0. , 2. ])
        """
        chosen = np.asarray(rows)
        if chosen.dtype.kind == "f":
            return replace(self, weights=self._reweighted(chosen.astype(np.float64)))
        self._require_rows(chosen)
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
                "rows must be row indices (integers), a mask (truth values) or weights (floating-point "
                f"numbers), not an array of type {chosen.dtype}"
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
