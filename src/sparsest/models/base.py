"""The protocols for models and for the tables they prepare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.progress import Watch
from sparsest.data import Moments, Source, Table
from sparsest.fitted.base import Fitted
from sparsest.models.offers import Offers
from sparsest.models.traits import Traits
from sparsest.problem import Problem, Solution, Solver

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@runtime_checkable
class Model(Protocol):
    """Protocol for models: a likelihood that prepares a table for any solver.

    Examples
    --------
    A model that learns from the first half of the rows only:

    >>> import numpy as np
    >>> import sparsest as sp
    >>> class FirstHalf:
    ...     name = "first half"
    ...
    ...     def prepare(self, source, seed):
    ...         whole = sp.models.Gaussian().prepare(source, seed)
    ...         return whole.resample(np.arange(whole.n // 2))
    >>> isinstance(FirstHalf(), sp.models.Model)
    True
    >>> sp.fit(np.random.default_rng(0).normal(size=(100, 2)), model=FirstHalf()).n
    50
    """

    @property
    def name(self) -> str:
        """The name of the model, as `result.model` shows it."""

    def prepare(self, source: Source, seed: int) -> Prepared:
        """Prepare a table under this model.

        Parameters
        ----------
        source : Source
            The user's data, from which the model reads what it needs.
        seed : int
            Determines the random starts, if the model has any.

        Returns
        -------
        Prepared
        """


class Prepared(Protocol):
    """Protocol for prepared tables: everything that `fit` needs once the data have been read.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> from sparsest._core.progress import Watch
    >>> from sparsest.data import Source, TableOptions
    >>> table = np.random.default_rng(0).normal(size=(100, 3))
    >>> prepared = sp.models.Gaussian().prepare(Source(table, TableOptions(), Watch()), seed=0)
    >>> prepared.names, prepared.n, prepared.default_solver
    (('x0', 'x1', 'x2'), 100, 'exact')
    >>> prepared.resample(np.arange(60)).n
    60
    """

    @property
    def model(self) -> str:
        """The name of the model, as `result.model` shows it."""

    @property
    def because(self) -> str:
        """Why the model was chosen, where there was a choice."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""

    @property
    def n(self) -> float:
        """The number of rows, or the effective number of weighted rows."""

    @property
    def p(self) -> int:
        """The number of columns."""

    @property
    def notices(self) -> tuple[str, ...]:
        """Warnings for the user."""

    @property
    def table(self) -> Table | None:
        """The rows that were read; None if they are not in memory."""

    @property
    def moments(self) -> Moments | None:
        """Mean and covariance; None if the model does not use them."""

    @property
    def offers(self) -> tuple[Offers, ...]:
        """What the model offers to solvers, which decides on the solvers that can be used."""

    @property
    def default_solver(self) -> str:
        """The solver that `solver="auto"` stands for."""

    @property
    def audited(self) -> Table | None:
        """The values that the audit looks at; None where there are moments only."""

    @property
    def traits(self) -> Traits:
        """What the likelihood identifies, and the units of its weights."""

    @property
    def has_units(self) -> Mask:
        """(p,): the columns whose units may be changed without changing the answer."""

    def score(self, solver: Solver, standardize: bool | str) -> tuple[Any, bool]:
        """The score to minimise, and whether it is computed on columns of unit variance.

        Parameters
        ----------
        solver : Solver
            The solver that will minimise the score.
        standardize : bool or "auto"
            Whether to standardise the columns; "auto" leaves it to the solver.

        Returns
        -------
        score : Score or LocalScore
            The score that this solver needs.
        standardized : bool
            Whether it sees columns of unit variance.
        """

    def to_dag(self, problem: Problem, solution: Solution, watch: Watch) -> Mask:
        """The DAG that the soft weights of a differentiable solver suggest, chosen by the score.

        Parameters
        ----------
        problem : Problem
            The problem that was solved.
        solution : Solution
            The solver's weights.
        watch : Watch
            Tells when to stop.

        Returns
        -------
        bool array of shape (p, p)
            Entry (i, j) is True where there is an edge i → j.
        """

    def refit(self, dag: Mask, start: Array | None, watch: Watch) -> Refit:
        """Fit the model on a DAG, in the user's units.

        Parameters
        ----------
        dag : bool array of shape (p, p)
            Entry (i, j) is True where there is an edge i → j.
        start : array or None
            Parameters to start from, if the solver provides some.
        watch : Watch
            Tells when to stop.

        Returns
        -------
        Refit
        """

    def resample(self, rows: NDArray[Any] | None = None, *, weights: Array | None = None) -> Prepared:
        """The same columns and coding on other rows.

        Parameters
        ----------
        rows : array, optional
            Indices of rows, which may repeat, or a mask.
        weights : array, optional
            In place of `rows`: one weight per row. The number of rows is then the effective one of weighted
            rows; models that count every row once take whole numbers, and repeat the rows.

        Returns
        -------
        Prepared
        """

    def rearranged(self, order: NDArray[np.intp], units: Array) -> Prepared:
        """The same rows with the columns in another order and in other units.

        Parameters
        ----------
        order : int array of shape (p,)
            The positions of the columns in their new order.
        units : array of shape (p,)
            Factors: the new column k is column `order[k]` times `units[k]`.

        Returns
        -------
        Prepared
        """


@dataclass(frozen=True, eq=False)
class Refit:
    """A model fitted on a DAG: its likelihood, weights and noise variances in the user's units.

    `fitted` predicts and samples; it is None for a user-defined likelihood.
    """

    nll: float
    weights: Array
    noise_variances: Array
    fitted: Fitted | None
    notices: tuple[str, ...] = ()

    @classmethod
    def of(cls, fitted: Fitted, nll: float, notices: tuple[str, ...] = ()) -> Refit:
        """A refit with the weights and noise variances of the fitted model."""
        return cls(nll, fitted.weights, fitted.noise_variances, fitted, notices)


def drawn_rows(n: int, rows: NDArray[Any] | None, weights: Array | None, table: Table) -> NDArray[np.intp]:
    """The positions of the rows that `resampled` takes."""
    if weights is not None:
        counted = np.asarray(weights) > 0
        return np.flatnonzero(counted if table.weights is None else counted & (table.weights > 0))
    positions: NDArray[np.intp] = np.arange(n, dtype=np.intp)[np.asarray(rows)]
    return positions


def resampled(table: Table | None, rows: NDArray[Any] | None, weights: Array | None) -> Table:
    """Other rows of the table that a model was prepared from."""
    if table is None:
        raise OptionError(
            "rows can only be drawn from a table in memory, and there is none here: pass the table, or a "
            "file small enough to fit in memory"
        )
    return table.resampled(rows, weights=weights)
