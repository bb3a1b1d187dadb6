"""`model="auto"`: the likelihood that suits the kinds of the columns."""

from __future__ import annotations

from dataclasses import replace

from sparsest.data import Kind, Source, Table
from sparsest.models.base import Prepared
from sparsest.models.gaussian import Gaussian
from sparsest.models.prepared_regression import PreparedRegression
from sparsest.models.regression import Logistic, Mixed

_FEWEST_ROWS = 10  # with fewer rows, two distinct values say nothing about the kind of a column


class Auto:
    """Gaussian if all columns are continuous, logistic if all are binary, otherwise mixed.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> sp.fit(np.random.default_rng(0).normal(size=(50, 2)), model=sp.models.Auto()).model
    'gaussian'
    """

    name = "auto"

    def prepare(self, source: Source, seed: int) -> Prepared:
        """Prepare the table under the model that suits its columns.

        Parameters
        ----------
        source : Source
            The user's data.
        seed : int
            Passed on to that model.

        Returns
        -------
        Prepared
        """
        if source.given is not None:
            return Gaussian().prepare(source, seed)
        head = source.head()  # of a file too large to look at whole
        table = head if head is not None and _is_continuous(head) else source.table(numbers_only=False)
        if _is_continuous(table):
            few = len(table.values) < _FEWEST_ROWS
            why = "too few rows to tell the kinds of columns" if few else "all columns are continuous"
            return replace(Gaussian().prepare(source, seed), because=why)
        binary = set(table.kinds) == {Kind.BINARY}
        model = Logistic() if binary else Mixed()
        prepared: PreparedRegression = model.prepare(source, seed)
        return replace(prepared, because="all columns are binary" if binary else _kinds_in_words(table))


def _is_continuous(table: Table) -> bool:
    kinds = {kind if kind is not Kind.ORDINAL else Kind.CONTINUOUS for kind in table.kinds}
    return len(table.values) < _FEWEST_ROWS or kinds == {Kind.CONTINUOUS}


def _kinds_in_words(table: Table) -> str:
    kinds = [kind if kind is not Kind.ORDINAL else Kind.CONTINUOUS for kind in table.kinds]
    counts = [(kinds.count(kind), kind) for kind in Kind if kind in kinds]
    return "the columns are of several kinds: " + ", ".join(f"{count} {kind}" for count, kind in counts)
