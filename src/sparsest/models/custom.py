"""User-defined models (Section 5): an object with `init`, `nll` and `adjacency`, differentiated by JAX."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.progress import Watch
from sparsest._core.streams import LIKELIHOOD_START, generator
from sparsest.data import Source, Table
from sparsest.models.base import Array, Mask, Refit
from sparsest.models.offers import Offers
from sparsest.models.scaled_rows import PreparedRows, ScaledRows, read_rows, resampled_rows
from sparsest.problem import Problem, Solution, Solver
from sparsest.rounding import graph_by_refit, refit_on
from sparsest.scores.autodiff import AutodiffScore, Likelihood
from sparsest.solvers import REFIT

_PARTS = ("init", "nll", "adjacency")


@dataclass(frozen=True, eq=False)
class Custom:
    """A user-defined likelihood as a model: created by `fit` for an object with `init`, `nll`, `adjacency`.

    Parameters
    ----------
    likelihood : Likelihood
        The user's object.
    """

    likelihood: Any

    @property
    def name(self) -> str:
        """The name of the user's class."""
        return type(self.likelihood).__name__

    def prepare(self, source: Source, seed: int) -> PreparedCustom:
        """Read the rows, standardised if the likelihood asks for it, and fix the size of the likelihood."""
        if isinstance(self.likelihood, type):
            name = self.likelihood.__name__
            raise OptionError(f"model must be an object, not the class {name}: write {name}(...)")
        table = read_rows(source, self.name, seed)
        return prepared_custom(self.likelihood, self.name, table, seed)


@dataclass(frozen=True, eq=False)
class PreparedCustom(PreparedRows):
    """Rows under a user-defined likelihood."""

    likelihood: Likelihood
    model: str

    offers = (Offers.GRADIENT,)
    default_solver = "differentiable"

    @property
    def has_units(self) -> Mask:
        """All columns if the likelihood asks for standardised ones, otherwise none."""
        return np.full(self.p, _standardizes(self.likelihood))

    @cached_property
    def _score(self) -> AutodiffScore:
        own = getattr(self.likelihood, "seed", None)
        rng = generator(self.seed if own is None else own, LIKELIHOOD_START)
        return AutodiffScore(self.likelihood, self.rows.values, rng, self.model)

    def score(self, solver: Solver, standardize: bool | str) -> tuple[Any, bool]:  # noqa: ARG002
        """The likelihood, differentiated by JAX."""
        return self._score, _standardizes(self.likelihood)

    def to_dag(self, problem: Problem, solution: Solution, watch: Watch) -> Mask:
        """Backward elimination by the refitted likelihood."""
        return graph_by_refit(problem, solution.parameters, REFIT, watch).graph

    def refit(self, dag: Mask, start: Array | None, watch: Watch) -> Refit:
        """Parameters fitted on the graph; noise variances and predictions are unknown."""
        psi = self._score.start if start is None else start
        found = refit_on(self._score, dag, psi, REFIT, watch)
        weights = np.where(dag, self._score.adjacency(found.psi), 0.0)
        return Refit(found.score + self.rows.log_units, weights, np.full(self.p, np.nan), None)

    def resample(self, rows: NDArray[Any] | None = None, *, weights: Array | None = None) -> PreparedCustom:
        """The same likelihood on other rows."""
        table = resampled_rows(self.table, rows, weights, self.model)
        return prepared_custom(self.likelihood, self.model, table, self.seed)

    def rearranged(self, order: NDArray[np.intp], units: Array) -> PreparedCustom:  # noqa: ARG002
        """Refused, since the likelihood may depend on the order and the units of its columns."""
        raise OptionError(
            "check=True learns again from columns in other units and another order, and model "
            f"{self.model} may depend on both: leave check out"
        )


def prepared_custom(likelihood: Any, name: str, table: Table, seed: int) -> PreparedCustom:
    """A table under a likelihood, as given or standardised as it asks; `name` is that of the model."""
    if hasattr(likelihood, "for_table"):
        likelihood = likelihood.for_table(*table.values.shape)
    for part in _PARTS:
        if not callable(getattr(likelihood, part, None)):
            raise OptionError(
                f"model {name} has no {part}(): a model is an object with init(rng), nll(params, data) and "
                "adjacency(params)"
            )
    rows = (ScaledRows.standardized if _standardizes(likelihood) else ScaledRows.as_given)(table)
    return PreparedCustom(rows, seed, table, likelihood, name)


def _standardizes(likelihood: Any) -> bool:
    return bool(getattr(likelihood, "standardizes", False))
