"""Regressions of each column on its parents: logistic, Poisson, additive, and tables of mixed kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sparsest._core.errors import DataError, OptionError
from sparsest.data import Kind, Table
from sparsest.data.columns.numbers import numbers_spelled, real_word
from sparsest.models.base import Array
from sparsest.models.prepared_regression import PreparedRegression, Regression
from sparsest.scores.bases import Linear
from sparsest.scores.families import (
    BERNOULLI,
    GAUSSIAN,
    POISSON,
    Column,
    Family,
    family_for,
)
from sparsest.scores.no_intercept import NoInterceptScore
from sparsest.scores.regression import RegressionScore
from sparsest.scores.spline import DEGREES


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
    numbers = True

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
