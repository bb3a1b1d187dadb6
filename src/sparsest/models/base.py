"""What a model is: one object that prepares a table, and what comes out of that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sparsest._core.progress import Watch
from sparsest.data import Moments, Source, Table
from sparsest.fitted.base import Fitted
from sparsest.models.offers import Offers
from sparsest.problem import Problem, Solution, Solver

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@runtime_checkable
class Model(Protocol):
    """A likelihood that prepares a table for any solver."""

    @property
    def name(self) -> str:
        """The name by which `result.model` knows it."""

    def prepare(self, source: Source, seed: int) -> Prepared:
        """The table under this model.

        Parameters
        ----------
        source : Source
            What the user passed as data; the model reads from it what it needs.
        seed : int
            Decides random starts, where the model has any.

        Returns
        -------
        Prepared
        """


class Prepared(Protocol):
    """A table under a model: all that `fit` needs after the data have been read."""

    @property
    def model(self) -> str:
        """The model's name, as `result.model` shows it."""

    @property
    def because(self) -> str:
        """How the model came to be chosen, where there was a choice."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""

    @property
    def n(self) -> float:
        """The number of rows, or the effective number of weighted ones."""

    @property
    def p(self) -> int:
        """The number of columns."""

    @property
    def notices(self) -> tuple[str, ...]:
        """What the user should know."""

    @property
    def table(self) -> Table | None:
        """The rows that were read; None where there are none in memory."""

    @property
    def moments(self) -> Moments | None:
        """Mean and covariance; None where the model has no use for them."""

    @property
    def offers(self) -> tuple[Offers, ...]:
        """What the model offers to solvers."""

    @property
    def default_solver(self) -> str:
        """What `solver="auto"` stands for."""

    @property
    def has_units(self) -> Mask:
        """(p,): which columns may come in other units."""

    def score(self, solver: Solver, standardize: bool | str) -> tuple[Any, bool]:
        """The score that this solver minimises, and whether it sees columns of unit variance."""

    def to_dag(self, problem: Problem, solution: Solution, watch: Watch) -> Mask:
        """The DAG that soft weights point to, by the score."""

    def refit(self, dag: Mask, start: Array | None, watch: Watch) -> Refit:
        """The model fitted on a DAG, in the user's units; `start` are parameters to begin at, or None."""

    def resample(self, rows: NDArray[Any]) -> Prepared:
        """The same columns and coding on other rows: indices, a mask, or one weight per row."""

    def rearranged(self, order: NDArray[np.intp], units: Array) -> Prepared:
        """The columns in another order and other units: the k-th is column `order[k]` times `units[k]`."""


@dataclass(frozen=True, eq=False)
class Refit:
    """A model fitted on a DAG: its likelihood, weights and noise in the user's units.

    `fitted` predicts and samples; None where only the author of the model could.
    """

    nll: float
    weights: Array
    noise_variances: Array
    fitted: Fitted | None
    notices: tuple[str, ...] = ()

    @classmethod
    def of(cls, fitted: Fitted, nll: float, notices: tuple[str, ...] = ()) -> Refit:
        """Weights and noise as the fitted model has them."""
        return cls(nll, fitted.weights, fitted.noise_variances, fitted, notices)
