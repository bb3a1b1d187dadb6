"""Regressions of each column on its parents: logistic, Poisson, additive, and tables of mixed kinds."""

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
from sparsest.data.columns.numbers import numbers_spelled, real_word
from sparsest.fitted.base import Fitted, Node
from sparsest.models.base import Array, Mask, Refit
from sparsest.models.offers import Offers
from sparsest.problem import Problem, Solution, Solver
from sparsest.rounding import graph_by_parents
from sparsest.scores.bases import Linear
from sparsest.scores.families import (
    BERNOULLI,
    GAUSSIAN,
    POISSON,
    Column,
    Family,
    centre_and_scale,
    family_for,
)
from sparsest.scores.glm import RIDGE
from sparsest.scores.no_intercept import NoInterceptScore
from sparsest.scores.regression import RegressionScore
from sparsest.scores.spline import DEGREES


@dataclass(frozen=True)
class Regression(ABC):
    """Each column is regressed on its parents under its own likelihood: what the four models share."""

    name: ClassVar[str]
    #: The degrees of freedom of a spline; 0 where parents enter linearly.
    spline: ClassVar[int] = 0
    #: The number of columns up to which solver="auto" is exact, which takes a second or two.
    exact_columns: ClassVar[int] = 8

    def prepare(self, source: Source, seed: int) -> PreparedRegression:  # noqa: ARG002 (fits have no starts)
        """Read the rows and determine the likelihood of each column.

        Parameters
        ----------
        source : Source
            The user's data.
        seed : int
            Not used: the fits have no random starts.

        Returns
        -------
        PreparedRegression
        """
        return self._of_table(self._read(source))

    def _read(self, source: Source) -> Table:
        """Read the table, with words as codes; moments and missing values are refused."""
        if source.given is not None:
            raise OptionError(
                f"model {self.name!r} is learned from the rows of a table, not from moments: pass the table"
            )
        table = source.table(numbers_only=False)
        if np.isnan(table.values).any():
            raise OptionError(
                f"missing={source.options.missing!r} is for Gaussian models, and the model is "
                f"{self.name!r}: pass missing='drop'"
            )
        return table

    def _of_table(self, table: Table, because: str = "as asked") -> PreparedRegression:
        """Prepare a table that has been read."""
        values, weights, levels = self._values(table), table.weights, table.levels
        if weights is not None:
            values, weights = values[weights > 0], weights[weights > 0]
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


@dataclass(frozen=True)
class _MaybeThroughOrigin(Regression):
    """Regressions with optional intercepts."""

    intercept: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.intercept, bool):
            raise OptionError(f"intercept must be True or False, not {self.intercept!r}")

    def _column(self, name: str, values: Array, family: Family, shares: Array) -> Column:
        """A column with its features: not centred without intercepts, since means would act as one."""
        column = super()._column(name, values, family, shares)
        if self.intercept:
            return column
        assert isinstance(column.basis, Linear)  # these models have no other
        return replace(column, basis=Linear(0.0, column.basis.scale))

    def _score(
        self, columns: Sequence[Column], values: Array, weights: Array | None
    ) -> RegressionScore | NoInterceptScore:
        """The score of the rows, with or without intercepts."""
        kind = RegressionScore if self.intercept else NoInterceptScore
        return kind(columns, values, weights)

    def _of_table(self, table: Table, because: str = "as asked") -> PreparedRegression:
        """Prepare a table that has been read."""
        return super()._of_table(table, because if self.intercept else f"{because}, without intercepts")


@dataclass(frozen=True)
class Logistic(_MaybeThroughOrigin):
    """All columns binary, log-odds linear in the parents: `model="logistic"`.

    Parameters
    ----------
    intercept : bool
        Whether to include intercepts. Without them, as in Appendix D, a column without parents is a fair
        coin.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> rng = np.random.default_rng(0)
    >>> weights = np.array([[0, 2.0], [0, 0]])
    >>> data = sp.simulate.logistic(weights, 1000, rng).data
    >>> sp.fit(data, model=sp.models.Logistic(intercept=False)).evidence.model_because
    'as asked, without intercepts'
    """

    name = "logistic"
    exact_columns = 10

    def _family(self, kind: Kind, name: str) -> Family:  # noqa: ARG002 (all columns are binary)
        """The Bernoulli likelihood, for every column."""
        return BERNOULLI


@dataclass(frozen=True)
class Poisson(_MaybeThroughOrigin):
    """All columns counts, log-rates linear in the parents: `model="poisson"`.

    Parameters
    ----------
    intercept : bool
        Whether to include intercepts. Without them, a column without parents has rate 1.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> rng = np.random.default_rng(0)
    >>> data = sp.simulate.poisson(np.array([[0, -0.5], [0, 0]]), 500, rng).data
    >>> sp.fit(data, model=sp.models.Poisson()).model
    'poisson'
    """

    name = "poisson"

    def _family(self, kind: Kind, name: str) -> Family:  # noqa: ARG002 (all columns are counts)
        """The Poisson likelihood, for every column."""
        return POISSON

    def _values(self, table: Table) -> Array:
        """The counts, also in columns of two distinct counts, which the table codes as 0 and 1."""
        counts = table.values.copy()
        for j, words in enumerate(table.levels):
            if words is not None:
                if word := real_word(words):
                    raise DataError(
                        f"model 'poisson' needs counts, and column {table.names[j]!r} holds words, such as "
                        f"{word!r}: use model='mixed', which takes all kinds, or leave it out with "
                        "columns=[...]"
                    )
                counts[:, j] = np.array(numbers_spelled(words))[table.values[:, j].astype(int)]
        return counts

    def _of_table(self, table: Table, because: str = "as asked") -> PreparedRegression:
        """Prepare a table that has been read; codes of words are turned back into counts."""
        found = super()._of_table(table, because)
        return replace(found, levels=(None,) * len(found.levels))


@dataclass(frozen=True)
class Additive(Regression):
    """Smooth additive effects, as splines of the parents, plus Gaussian noise: `model="additive"`.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=300)
    >>> data = np.column_stack([x, np.sin(2 * x) + 0.3 * rng.normal(size=300)])
    >>> sp.fit(data, model=sp.models.Additive()).dag.edges
    [('x0', 'x1')]
    """

    name = "additive"
    spline = DEGREES
    exact_columns = 10

    def _family(self, kind: Kind, name: str) -> Family:
        """The Gaussian likelihood, for every column."""
        if kind is Kind.CATEGORICAL:
            raise DataError(
                f"model 'additive' needs numbers, and column {name!r} holds categories: leave it out with "
                "columns=[...], or use model='mixed'"
            )
        return GAUSSIAN


@dataclass(frozen=True)
class Mixed(Regression):
    """A likelihood for each column by its kind: `model="mixed"`.

    Continuous columns are Gaussian, binary ones logistic, counts Poisson and categories softmax.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=300)
    >>> data = np.column_stack([x, rng.random(300) < 1 / (1 + np.exp(-3 * x))])
    >>> sp.fit(data, model=sp.models.Mixed()).dag.edges
    [('x0', 'x1')]
    """

    name = "mixed"

    def _family(self, kind: Kind, name: str) -> Family:
        """The likelihood for this kind of column."""
        family = family_for(kind)
        if family is None:
            raise DataError(
                f"model 'mixed' has no likelihood for column {name!r}, which looks like "
                f"{'an' if kind is Kind.IDENTIFIER else 'a'} {kind}: leave it out with columns=[...], or say "
                f"what it is, for example kinds={{{name!r}: 'continuous'}}"
            )
        return family


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

    moments = None

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
        return () if self.table is None else self.table.notices

    @property
    def n(self) -> float:
        """The number of rows; for weighted rows (Σw)²/Σw² (Kish 1965)."""
        if self.weights is None:
            return len(self.values)
        return float(self.weights.sum() ** 2 / (self.weights**2).sum())

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
        return "exact" if self.p <= self.regression.exact_columns + more else "order"

    @property
    def has_units(self) -> Mask:
        """Gaussian columns; binary columns, counts and categories have no units."""
        return np.array([each.family is GAUSSIAN for each in self.columns])

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
            scale = centre_and_scale(column.basis)[1] if column.family is GAUSSIAN else 1.0
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
            spread = None if column.family is GAUSSIAN else column.family.variance(bare.mean(j, self.values))
            if spread is not None:
                nodes[j] = replace(nodes[j], variance=float(shares @ spread / shares.sum()))
        return Fitted(self.columns, tuple(nodes), self.levels)

    def resample(self, rows: NDArray[Any]) -> PreparedRegression:
        """The same likelihoods on other rows."""
        if self.table is None:
            raise OptionError("rows can only be drawn from the table that was read")
        drawn = self.regression._of_table(self.table.resampled(rows))
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
