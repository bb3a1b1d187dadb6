"""Columns in an order that the data decide, so that a search does not depend on the order of the table.

A local order search may end in another local minimum if its columns come in another order. They are therefore
sorted by how strongly each one goes with all others; only columns that are equal in this keep their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsest._core.progress import Watch
from sparsest.models.base import Array, Prepared
from sparsest.models.choosing import Plan
from sparsest.models.prepared_regression import PreparedRegression
from sparsest.problem import Problem, Solution

_DIGITS = 9  # of a sum of correlations: the order of the rows changes only later ones


class Sorted(NamedTuple):
    """A plan for the same table with its columns sorted, and where each of them was."""

    prepared: Prepared
    plan: Plan
    order: NDArray[np.intp]

    def solve(self, watch: Watch) -> Solution:
        """The solution for the columns in the table's order."""
        solution, back = self.plan.solve(watch), np.argsort(self.order)
        return replace(solution, adjacency=solution.adjacency[np.ix_(back, back)])


def sorted_by_data(prepared: Prepared, planned: Plan) -> Sorted | None:
    """The plan with sorted columns, for order searches over regressions; None for others."""
    if planned.name != "order" or not isinstance(prepared, PreparedRegression):
        return None
    order = _order(prepared.values, prepared.weights, [each.family.name for each in prepared.columns])
    moved = prepared.rearranged(order, np.ones(len(order)))
    old, among = planned.problem, np.ix_(order, order)
    problem = Problem(
        moved.score(planned.solver, "auto")[0],
        old.penalty,
        allowed=old.allowed[among],
        required=old.required[among],
        unpenalised=old.unpenalised[among],
        max_parents=old.max_parents,
        names=[old.names[k] for k in order],
    )
    return Sorted(moved, replace(planned, problem=problem), order)


def _order(values: Array, weights: Array | None, families: Sequence[str]) -> NDArray[np.intp]:
    """The columns by the sums of their squared correlations with all others.

    A column that is a line of another one has the same: then by its likelihood, then by its values.
    """
    shares = np.full(len(values), 1 / len(values)) if weights is None else weights / weights.sum()
    centred = values - shares @ values
    scales = np.sqrt(shares @ centred**2)
    scaled = centred / np.where(scales > 0, scales, 1.0)
    correlation = scaled.T @ (scaled * shares[:, None])
    sums = np.round((correlation**2).sum(axis=0), _DIGITS)
    cubes = np.round((np.abs(correlation) ** 3).sum(axis=0), _DIGITS)
    kinds = np.unique(families, return_inverse=True)[1].reshape(-1)
    return np.lexsort((values.max(axis=0), values.min(axis=0), kinds, cubes, sums))
