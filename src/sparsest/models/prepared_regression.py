"""How regressions are prepared: rows with a likelihood for each column, fitted column by column."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError, OptionError
from sparsest._core.progress import Watch
from sparsest._core.words import quoted
from sparsest.data import Kind, Source, Table
from sparsest.data.moments.checked import effective_rows, require_squares
from sparsest.fitted.base import Fitted, Node
from sparsest.models.base import Array, Mask, Refit, drawn_rows, resampled
from sparsest.models.imputing import Completed, completed
from sparsest.models.offers import Offers
from sparsest.models.traits import Traits
from sparsest.problem import Problem, Solution, Solver
from sparsest.rounding import graph_by_parents
from sparsest.scores.families import (
    Column,
    Family,
    centre_and_scale,
)
from sparsest.scores.glm import RIDGE
from sparsest.scores.no_intercept import NoInterceptScore
from sparsest.scores.regression import RegressionScore


@dataclass(frozen=True)
class Regression(ABC):
    """Each column is regressed on its parents under its own likelihood: what the four models share."""

    name: ClassVar[str]
    #: The degrees of freedom of a spline; 0 where parents enter linearly.
    spline: ClassVar[int] = 0
    #: The number of columns up to which solver="auto" is exact, which takes a second or two.
    exact_columns: ClassVar[int] = 8
    #: Whether all columns have to be numbers, so that words are left out (or refused, if strict).
    numbers: ClassVar[bool] = False

    def prepare(self, source: Source, seed: int) -> PreparedRegression:
        """Read the rows and determine the likelihood of each column.

        Parameters
        ----------
        source : Source
            The user's data.
        seed : int
            Decides how missing values are filled in; the fits have no random starts.

        Returns
        -------
        PreparedRegression
        """
        table = self._read(source)
        require_squares(table.values, table.names)
        if np.isnan(table.values).any():
            return self._of_completed(completed(table, seed))
        return self._of_table(table)

    def _of_completed(self, found: Completed) -> PreparedRegression:
        """Prepare a table whose missing values were filled in: all copies together count as one table."""
        return replace(self._of_table(found.stacked), table=found.table, completed=found)

    def _read(self, source: Source) -> Table:
        """Read the table, with words as codes; moments are refused."""
        if source.given is not None:
            raise OptionError(
                f"model {self.name!r} is learned from the rows of a table, not from moments: pass the table"
            )
        table = source.table(numbers_only=self.numbers and not source.options.strict)
        if source.options.missing in ("em", "pairwise") and np.isnan(table.values).any():
            raise OptionError(
                f"missing={source.options.missing!r} is for Gaussian models, and the model is "
                f"{self.name!r}: pass missing='auto'"
            )
        return table

    def _of_table(self, table: Table, because: str = "as asked") -> PreparedRegression:
        """Prepare a table that has been read."""
        values, weights, levels = self._values(table), table.weights, table.levels
        shares, columns = row_shares(len(values), weights), []
        for j, name in enumerate(table.names):
            family = self._family(table.kinds[j], name)
            _refuse_constant(self.name, name, values[:, j])
            family.refuse(self.name, name, values[:, j], levels[j])
            columns.append(self._column(name, values[:, j], family, shares))
        return PreparedRegression(self, values, weights, tuple(columns), levels, because, table)

    def _values(self, table: Table) -> Array:
        """The numbers that the likelihoods see."""
        return table.values

    @abstractmethod
    def _family(self, kind: Kind, name: str) -> Family:
        """The likelihood of a column."""

    def _column(self, name: str, values: Array, family: Family, shares: Array) -> Column:
        """A column with its likelihood and its features as a parent."""
        return Column.of(name, values, family, shares, self.spline)

    def _score(
        self, columns: Sequence[Column], values: Array, weights: Array | None
    ) -> RegressionScore | NoInterceptScore:
        """The score of the rows."""
        return RegressionScore(columns, values, weights)


_SEARCHED_ROWS = 100_000  # a search sees no more, unless asked to
_MANY_PARAMETERS = 60  # of the largest regression: categories of many levels make every one of all slow
_FEW_ROWS = 2000  # up to here solver="auto" is exact for two more columns of a mixed table


@dataclass(frozen=True, eq=False)
class PreparedRegression:
    """Rows, with a likelihood for each column."""

    regression: Regression
    values: Array
    weights: Array | None
    columns: tuple[Column, ...]
    levels: tuple[tuple[str, ...] | None, ...]
    because: str
    table: Table | None = None
    completed: Completed | None = None  # copies of the table with its gaps filled in

    moments = None
    traits = Traits()

    @property
    def audited(self) -> Table | None:
        """The rows themselves."""
        return self.table

    @property
    def model(self) -> str:
        """The model's name."""
        return self.regression.name

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)

    @property
    def notices(self) -> tuple[str, ...]:
        """Warnings from reading the table."""
        told = () if self.table is None else self.table.notices
        return told if self.completed is None else (*told, self.completed.notice)

    @property
    def n(self) -> float:
        """The number of rows; for weighted rows (Σw)²/Σw² (Kish 1965), with gaps that of complete rows."""
        if self.completed is not None:
            return self.completed.n
        return len(self.values) if self.weights is None else effective_rows(self.weights)

    @property
    def p(self) -> int:
        """The number of columns."""
        return len(self.columns)

    @property
    def offers(self) -> tuple[Offers, ...]:
        """Local scores and gradients; splines too if the model is additive."""
        splines = (Offers.SPLINES,) if self.regression.spline else ()
        return (Offers.LOCAL, *splines, Offers.GRADIENT)

    @property
    def default_solver(self) -> str:
        """Exact if that takes a second or two."""
        more = 2 if self.model == "mixed" and self.n <= _FEW_ROWS else 0
        largest = max(column.outputs for column in self.columns)
        if largest * (1 + sum(column.basis.width for column in self.columns)) > _MANY_PARAMETERS:
            return "order"
        return "exact" if self.p <= self.regression.exact_columns + more else "order"

    @property
    def most_searched_rows(self) -> int | None:
        """The most rows that a search should go through; None where it needs only products of features."""
        return None if all(each.family.has_units for each in self.columns) else _SEARCHED_ROWS

    @property
    def has_units(self) -> Mask:
        """Gaussian columns; binary columns, counts and categories have no units."""
        return np.array([each.family.has_units for each in self.columns])

    @cached_property
    def _score(self) -> RegressionScore | NoInterceptScore:
        return self.regression._score(self.columns, self.values, self.weights)

    def score(self, solver: Solver, standardize: bool | str) -> tuple[Any, bool]:  # noqa: ARG002
        """The same score for every solver, on features of unit variance."""
        return self._score, True

    def to_dag(self, problem: Problem, solution: Solution, watch: Watch) -> Mask:
        """The parents worth their cost, in the order that the soft weights imply."""
        return graph_by_parents(problem, solution.adjacency, watch)

    def refit(self, dag: Mask, start: Array | None, watch: Watch) -> Refit:  # noqa: ARG002 (Newton's method)
        """One regression per column; Gaussian columns in the user's units."""
        nodes, nll, notices = [], 0.0, []
        for j, column in enumerate(self.columns):
            parents = np.flatnonzero(dag[:, j])
            fit = self._score.fit(j, parents)
            scale = centre_and_scale(column.basis)[1] if column.family.has_units else 1.0
            nll += fit.value + math.log(scale)
            if fit.undetermined:
                notices.append(_separated(column.name, [self.names[parent] for parent in parents]))
            variance = fit.variance * scale**2
            nodes.append(Node(tuple(map(int, parents)), fit.intercepts, fit.coefficients, variance))
        return Refit.of(self._with_variances(nodes), nll, tuple(notices))

    def _with_variances(self, nodes: list[Node]) -> Fitted:
        """The fitted model, with average conditional variances where the variance is not a parameter."""
        bare = Fitted(self.columns, tuple(nodes), self.levels)
        shares = np.full(len(self.values), 1 / len(self.values)) if self.weights is None else self.weights
        for j, column in enumerate(self.columns):
            if column.family.has_units:
                continue  # their noise variance is a parameter of its own
            spread = column.family.variance(bare.mean(j, self.values))
            if spread is not None:
                nodes[j] = replace(nodes[j], variance=float(shares @ spread / shares.sum()))
        return Fitted(self.columns, tuple(nodes), self.levels)

    def resample(
        self, rows: NDArray[Any] | None = None, *, weights: Array | None = None
    ) -> PreparedRegression:
        """The same likelihoods on other rows."""
        table = resampled(self.table, rows, weights)
        if self.completed is None:
            drawn = self.regression._of_table(table)
        else:
            chosen = drawn_rows(len(self.completed.table.values), rows, weights, self.completed.table)
            drawn = self.regression._of_completed(self.completed.resampled(chosen, table))
        for before, now in zip(self.columns, drawn.columns, strict=True):
            if now.levels < before.levels:
                raise DataError(f"the rows drawn lack a category of column {now.name!r}: draw other rows")
        return replace(drawn, because=self.because)

    def rearranged(self, order: NDArray[np.intp], units: Array) -> PreparedRegression:
        """The columns in another order and other units."""
        old, values = [self.columns[k] for k in order], self.values[:, order] * units
        shares, model = row_shares(len(values), self.weights), self.regression
        columns = tuple(model._column(c.name, values[:, j], c.family, shares) for j, c in enumerate(old))
        levels = tuple(self.levels[k] for k in order)
        return replace(self, values=values, columns=columns, levels=levels, table=None)


def row_shares(n: int, weights: Array | None) -> Array:
    """Row weights that sum to 1."""
    shares: Array = np.full(n, 1 / n) if weights is None else weights / weights.sum()
    return shares


def _refuse_constant(model: str, name: str, values: Array) -> None:
    if (values == values[0]).all():
        raise DataError(
            f"model {model!r}: column {name!r} has only one value ({values[0]:.6g}), so nothing can be "
            "learned about it: leave it out with drop_constant=True"
        )


def _separated(name: str, parents: list[str]) -> str:
    given = f"its parents {quoted(parents)} predict" if parents else "the model predicts"
    return (
        f"column {name!r}: {given} its value in some rows with certainty (perfect separation, or collinear "
        "parents), so the likelihood has its maximum at infinite coefficients; they were kept finite by a "
        f"ridge of {RIDGE:g}, and their sizes mean little"
    )
