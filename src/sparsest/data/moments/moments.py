"""Mean and covariance of a table or a population, as one value that can be merged."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsest._core.errors import DataError
from sparsest._core.paths import existing_file
from sparsest._core.words import quoted
from sparsest.data.columns.require import (
    checked_names,
    checked_weights,
    refuse_complex,
    require_shape,
)
from sparsest.data.moments.checked import checked_mean, checked_n, require_representable, require_rows
from sparsest.data.moments.covariance import require_covariance, square_matrix
from sparsest.data.moments.running import RunningMoments, pass_over, rows_at_once, typical


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Moments:
    """Mean and covariance (divided by n) of n rows, or of a population (`n=math.inf`).

    Parameters
    ----------
    covariance : array of shape (p, p)
        Symmetric and positive semidefinite up to rounding. If it is a data frame, its columns give the names.
    n : int or math.inf
        The number of rows behind it, at least 2.
    mean : array of shape (p,), optional
        Needed only for merging.
    names : list of str, optional
        One name per column. Default: those of the data frame, else x0, x1, ...

    Raises
    ------
    DataError
        If the matrix is not a covariance matrix; the message names the entry.

    Notes
    -----
    A column may have variance 0 here, since a part of a table may well be constant: `require_usable` is the
    one place where constants are refused.

    Examples
    --------
    >>> import sparsest as sp
    >>> moments = sp.Moments([[4.0, 1.0], [1.0, 1.0]], n=50, names=["height", "weight"])
    >>> moments
    Moments(p=2, n=50, names=['height', 'weight'])
    >>> moments.correlation()
    array([[1. , 0.5],
           [0.5, 1. ]])
    >>> sp.fit(moments).dag.edges
    [('height', 'weight')]
    """

    covariance: NDArray[np.float64]
    n: float
    mean: NDArray[np.float64] | None
    names: tuple[str, ...]

    def __init__(
        self,
        covariance: ArrayLike,
        n: float,
        mean: ArrayLike | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        matrix = square_matrix(covariance)
        labels = getattr(covariance, "columns", None) if names is None else names
        checked = checked_names(labels, len(matrix))
        require_covariance(matrix, checked)
        self._set((matrix + matrix.T) / 2, checked_n(n), checked_mean(mean, checked), checked)

    def _set(
        self,
        covariance: NDArray[np.float64],
        n: float,
        mean: NDArray[np.float64] | None,
        names: tuple[str, ...],
    ) -> None:
        for array in (covariance, mean):
            if array is not None:
                array.flags.writeable = False
        for field, value in (("covariance", covariance), ("n", n), ("mean", mean), ("names", names)):
            object.__setattr__(self, field, value)

    @classmethod
    def _trusted(
        cls,
        covariance: NDArray[np.float64],
        n: float,
        mean: NDArray[np.float64] | None,
        names: tuple[str, ...],
    ) -> Moments:
        """Moments from arrays computed by the package, which are known to be a covariance and not checked."""
        moments = cls.__new__(cls)
        moments._set(covariance, n, mean, names)
        return moments

    @classmethod
    def from_array(
        cls, X: ArrayLike, names: Sequence[str] | None = None, weights: ArrayLike | None = None
    ) -> Moments:
        """The moments of a table of numbers, one row per observation.

        Parameters
        ----------
        X : array of shape (n, p)
            Finite numbers.
        names : list of str, optional
            One name per column. Default: x0, x1, ...
        weights : array of shape (n,), optional
            Non-negative: how much each row counts. Then n is the effective number of rows, (Σw)²/Σw² (Kish
            1965), and only the ratios of the weights matter. For rows that stand for several equal ones,
            repeat the rows instead.

        Returns
        -------
        Moments

        Notes
        -----
        One pass in chunks: apart from X itself, only a few megabytes and a p × p matrix are held. Columns are
        shifted by a typical value, so a mean of 1e9 costs no digits of a variance of 1.

        Examples
        --------
        >>> import sparsest as sp
        >>> moments = sp.Moments.from_array([[0.0, 1.0], [2.0, 5.0], [4.0, 3.0]])
        >>> moments.mean
        array([2., 3.])
        >>> sp.Moments.from_array([[0.0, 1.0], [2.0, 5.0], [4.0, 3.0]], weights=[1, 1, 2]).n
        2.6666666666666665
        """
        table = np.asarray(X)
        require_shape(table.shape)
        checked = checked_names(names, table.shape[1])
        if table.dtype.kind == "c":
            raise refuse_complex()
        if table.dtype.kind not in "biuf":
            raise DataError(
                f"an array of numbers is needed, this one has dtype {table.dtype}: encode it as numbers"
            )
        weighed = None
        if weights is not None:
            weighed = checked_weights(np.array(weights, dtype=np.float64), len(table), "weights")
            table, weighed = table[weighed > 0], weighed[weighed > 0] / weighed.max()
        with np.errstate(over="ignore", invalid="ignore"):
            running = RunningMoments(typical(table[: rows_at_once(table.shape[1])]))
            pass_over(running, table, weighed)
        require_representable(table, running.covariance, checked)
        return cls.from_running(running, checked)

    @classmethod
    def read(cls, path: str | os.PathLike[str], n: float | None = None) -> Moments:
        """A covariance or correlation matrix from a file: one of Tetrad's, or a square table.

        Parameters
        ----------
        path : path
            A file that begins with `/covariance`, the number of rows, the names and the lower triangle, as
            Tetrad writes it; or a table with a line of names and one line per column, perhaps with its name.
        n : float, optional
            The number of rows behind it; needed for a square table.

        Returns
        -------
        Moments

        Examples
        --------
        >>> from pathlib import Path
        >>> import sparsest as sp
        >>> lines = ["/covariance", "100", "a b", "1.0", "0.5 2.0"]
        >>> size = Path("small.cov").write_text(chr(10).join(lines))
        >>> sp.Moments.read("small.cov").covariance
        array([[1. , 0.5],
               [0.5, 2. ]])
        """
        from sparsest.data.moments.covariance_files import read_covariances

        return read_covariances(existing_file(path), n)

    @classmethod
    def from_running(cls, running: RunningMoments, names: tuple[str, ...]) -> Moments:
        """The moments of the rows that were added to running sums.

        Parameters
        ----------
        running : RunningMoments
            The running sums.
        names : tuple of str
            One name per column.

        Returns
        -------
        Moments
        """
        return cls._trusted(running.covariance, require_rows(running.effective_rows), running.mean, names)

    @property
    def p(self) -> int:
        """The number of columns."""
        return len(self.names)

    @property
    def scales(self) -> NDArray[np.float64]:
        """Standard deviations (n in the denominator)."""
        return np.sqrt(np.diag(self.covariance))

    def correlation(self) -> NDArray[np.float64]:
        """The correlation matrix, with a diagonal of exactly 1.

        Returns
        -------
        array of shape (p, p)

        Examples
        --------
        >>> import sparsest as sp
        >>> sp.Moments([[4.0, 1.0], [1.0, 1.0]], n=50).correlation()
        array([[1. , 0.5],
               [0.5, 1. ]])
        """
        require_usable(self)
        scales = self.scales
        correlation = np.clip(self.covariance / scales[:, None] / scales, -1.0, 1.0)
        np.fill_diagonal(correlation, 1.0)
        return correlation

    def rescaled(self, scales: ArrayLike) -> Moments:
        """The moments of the table whose columns are multiplied by `scales` (a change of units).

        Parameters
        ----------
        scales : array of shape (p,)
            One factor per column, finite and not 0.

        Returns
        -------
        Moments

        Examples
        --------
        >>> import sparsest as sp
        >>> sp.Moments([[4.0, 1.0], [1.0, 1.0]], n=50).rescaled([1, 100]).scales
        array([  2., 100.])
        """
        factors = np.array(scales, dtype=np.float64)
        if factors.shape != (self.p,):
            raise DataError(f"scales must be {self.p} numbers, one per column, got shape {factors.shape}")
        bad = np.flatnonzero(~np.isfinite(factors) | (factors == 0))
        if bad.size:
            raise DataError(f"column {self.names[bad[0]]!r} cannot be multiplied by {factors[bad[0]]}")
        mean = None if self.mean is None else self.mean * factors
        return self._trusted(self.covariance * factors[:, None] * factors, self.n, mean, self.names)

    def standardized(self) -> Moments:
        """The moments of the table whose columns have mean 0 and variance 1 (dividing by n, as here).

        Returns
        -------
        Moments

        Examples
        --------
        >>> import sparsest as sp
        >>> sp.Moments([[4.0, 1.0], [1.0, 1.0]], n=50).standardized().scales
        array([1., 1.])
        """
        mean = None if self.mean is None else np.zeros(self.p)
        return self._trusted(self.correlation(), self.n, mean, self.names)

    def merge(self, other: Moments) -> Moments:
        """The moments of both tables one below the other (Chan, Golub & LeVeque 1983); also `a + b`.

        Parameters
        ----------
        other : Moments
            Of a table with the same columns. Both need a mean and a finite n.

        Returns
        -------
        Moments

        Examples
        --------
        >>> import sparsest as sp
        >>> table = [[0.0, 1.0], [2.0, 5.0], [4.0, 3.0], [6.0, 6.0]]
        >>> both = sp.Moments.from_array(table[:2]).merge(sp.Moments.from_array(table[2:]))
        >>> bool((both.covariance == sp.Moments.from_array(table).covariance).all())
        True
        """
        if self.names != other.names:
            ours, theirs = next(
                ((a, b) for a, b in zip(self.names, other.names, strict=False) if a != b), (self.p, other.p)
            )
            raise DataError(
                "only tables with the same columns in the same order can be merged: "
                f"{ours!r} is not {theirs!r}"
            )
        if math.isinf(self.n) or math.isinf(other.n):
            raise DataError("a population (n = inf) cannot be merged: it outweighs every sample")
        if self.mean is None or other.mean is None:
            raise DataError("merging needs the means of both parts: pass mean=... to Moments")
        n = self.n + other.n
        gap = other.mean - self.mean
        share = other.n / n
        within = self.covariance * (1 - share) + other.covariance * share
        covariance = within + np.outer(gap, gap) * (share * (1 - share))
        return self._trusted(covariance, n, self.mean + gap * share, self.names)

    def __add__(self, other: object) -> Moments:
        """`a + b` is `a.merge(b)`."""
        return self.merge(other) if isinstance(other, Moments) else NotImplemented

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and unpickled moments are read-only too."""
        return Moments._trusted, (self.covariance, self.n, self.mean, self.names)

    def __repr__(self) -> str:
        """Size and names, not the numbers."""
        return f"Moments(p={self.p}, n={self.n}, names=[{quoted(self.names)}])"


def require_usable(moments: Moments) -> None:
    """Refuse moments with a constant column: it has no correlation with anything, so no place in a graph."""
    constant = [
        name
        for name, variance in zip(moments.names, np.diag(moments.covariance), strict=True)
        if variance == 0
    ]
    if constant:
        what = "columns {} are constant" if len(constant) > 1 else "column {} is constant"
        raise DataError(
            f"{what.format(quoted(constant))} (variance 0): leave out of the covariance what does not vary, "
            "or, for a table, pass drop_constant=True"
        )
